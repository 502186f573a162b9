"""Intervals over documents: degenerate tiers, seeds, and scipy as an independent oracle."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vtcfaith.gating.power import level
from pytest_vtcfaith.gating.statistics import interval, paired_loss, seed_of
from pytest_vtcfaith.suites.base import Columns, TierMetric, ratio, value

MEAN = TierMetric("accuracy", +1, lambda sums: ratio(sums["x"], sums["n"]))
RATE = TierMetric("error", -1, lambda sums: ratio(sums["x"], sums["n"]))


def tier(values: list[float], names: list[str] | None = None) -> dict[str, dict[str, float]]:
    names = names or [f"d{i:03}" for i in range(len(values))]
    return {name: {"x": x, "n": 1.0} for name, x in zip(names, values, strict=True)}


def both(now: list[float], before: list[float], metric: TierMetric = MEAN, margin: float = 0.0):  # type: ignore[no-untyped-def]
    return paired_loss(metric, tier(now), tier(before), confidence=0.95, margin=margin, seed=1)


shares = st.floats(0.0, 1.0)


# --- degenerate tiers ---


def test_no_document_has_no_interval() -> None:
    found = interval(MEAN, {}, confidence=0.95, seed=1)
    assert (found.low, found.high) == (None, None)
    assert paired_loss(MEAN, {}, {}, confidence=0.95, margin=0.1, seed=1) is None


def test_documents_without_the_columns_have_no_interval() -> None:
    columns: Columns = {"a": {"n": 1.0}, "b": {"n": 1.0}}
    found = interval(MEAN, columns, confidence=0.95, seed=1)
    assert (found.low, found.high) == (None, None)


def test_one_document_has_an_interval_of_no_width_and_no_power() -> None:
    found = interval(MEAN, tier([0.7]), confidence=0.95, seed=1)
    assert (found.low, found.high) == (0.7, 0.7)
    loss = both([0.5], [0.7])
    assert loss.value == pytest.approx(0.2)
    assert loss.low == loss.high == loss.value
    assert (loss.p, loss.spread, loss.documents) == (0.0, 0.0, 1)
    assert both([0.5], [0.7], margin=0.2).p == 1.0  # equality is within


@pytest.mark.parametrize("same", [0.0, 0.3, 1.0])
def test_all_documents_equal(same: float) -> None:
    found = interval(MEAN, tier([same] * 7), confidence=0.95, seed=1)
    assert found.low == pytest.approx(same, abs=1e-12)
    assert found.high == pytest.approx(same, abs=1e-12)


def test_nothing_to_divide_by_is_undefined() -> None:
    columns = {"a": {"x": 0.0, "n": 0.0}, "b": {"x": 0.0, "n": 0.0}}
    assert value(MEAN, columns) is None
    assert interval(MEAN, columns, confidence=0.95, seed=1).low is None


def test_an_interval_that_is_undefined_in_most_draws_is_none() -> None:
    # one document of 20 is in a draw with probability 1 − (19/20)^20 = 0.64, two certain ones in about 0.41
    lone = {f"d{i:02}": {"x": float(i == 0), "n": float(i == 0)} for i in range(20)}
    assert interval(MEAN, lone, confidence=0.95, seed=1).low == 1.0
    odd = TierMetric("odd", +1, lambda sums: ratio(sums["x"], sums["n"] * sums["m"]))
    rare = {f"d{i:02}": {"x": 1.0, "n": float(i == 0), "m": float(i == 1)} for i in range(20)}
    assert value(odd, rare) == 20.0
    found = interval(odd, rare, confidence=0.95, seed=1)
    assert (found.low, found.high) == (None, None)
    loss = paired_loss(odd, rare, rare, confidence=0.95, margin=0.0, seed=1)
    assert loss is not None
    assert (loss.low, loss.high) == (None, None)


# --- seeds and order ---


@settings(max_examples=40, deadline=None)
@given(st.lists(shares, min_size=2, max_size=12), st.randoms(use_true_random=False))
def test_the_order_of_documents_is_irrelevant(values: list[float], random) -> None:  # type: ignore[no-untyped-def]
    columns = tier(values)
    shuffled = list(columns)
    random.shuffle(shuffled)
    other = {name: dict(reversed(columns[name].items())) for name in shuffled}
    assert interval(MEAN, other, confidence=0.9, seed=3) == interval(MEAN, columns, confidence=0.9, seed=3)
    halved = {name: {"x": row["x"] / 2, "n": 1.0} for name, row in columns.items()}
    assert paired_loss(MEAN, other, halved, confidence=0.9, margin=0.1, seed=3) == paired_loss(
        MEAN, columns, dict(reversed(halved.items())), confidence=0.9, margin=0.1, seed=3
    )


def test_the_seed_decides() -> None:
    values = [0.1, 0.9, 0.4, 0.6, 0.2, 0.8]
    first = interval(MEAN, tier(values), confidence=0.95, seed=1)
    assert interval(MEAN, tier(values), confidence=0.95, seed=1) == first
    assert {interval(MEAN, tier(values), confidence=0.95, seed=s) for s in range(5)} != {first}
    assert seed_of(0, "a", "b") != seed_of(0, "ab", "")
    assert seed_of(0, "tier", "metric") == seed_of("0", "tier", "metric")
    assert 0 <= seed_of("한글") < 2**64


def test_another_process_finds_the_same() -> None:
    program = (
        "from pytest_vtcfaith.gating.statistics import interval, seed_of\n"
        "from pytest_vtcfaith.suites.base import TierMetric, ratio\n"
        "m = TierMetric('accuracy', 1, lambda s: ratio(s['x'], s['n']))\n"
        "c = {f'd{i:03}': {'x': (i * 7 % 11) / 11, 'n': 1.0} for i in set(range(11))}\n"
        "f = interval(m, c, confidence=0.95, seed=seed_of(0, 'tier', 'accuracy'))\n"
        "print(f.low.hex(), f.high.hex())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": ":".join(sys.path)},
        ).stdout
        for hash_seed in ("1", "2")
    }
    here = interval(
        MEAN,
        tier([(i * 7 % 11) / 11 for i in range(11)]),
        confidence=0.95,
        seed=seed_of(0, "tier", "accuracy"),
    )
    assert here.low is not None
    assert here.high is not None
    assert outputs == {f"{here.low.hex()} {here.high.hex()}\n"}


# --- values ---


@settings(max_examples=60, deadline=None)
@given(st.lists(shares, min_size=5, max_size=30))
def test_the_interval_holds_the_mean_and_stays_in_range(values: list[float]) -> None:
    found = interval(MEAN, tier(values), confidence=0.95, seed=11)
    point = value(MEAN, tier(values))
    assert point is not None
    assert found.low is not None
    assert found.high is not None
    assert -1e-9 <= found.low <= found.high <= 1 + 1e-9
    spread = float(np.std(values))
    if spread > 1e-6 and sum(v != max(set(values), key=values.count) for v in values) >= 3:
        assert found.low - 1e-9 <= point <= found.high + 1e-9


def narrower(confidence: float, documents: int) -> float:
    """The confidence whose interval, widened for few documents, is the plain one; from scipy's t, not from ours."""
    z = scipy.stats.norm.ppf((1 + confidence) / 2) * math.sqrt((documents - 1) / documents)
    return float(2 * scipy.stats.t.cdf(z, documents - 1) - 1)


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("shape", [(2.0, 5.0), (9.0, 1.0), (0.5, 0.5)])
def test_scipy_finds_the_same_bca_interval(shape: tuple[float, float], confidence: float) -> None:
    values = np.random.default_rng(5).beta(*shape, size=40)
    oracle = scipy.stats.bootstrap(
        (values,), np.mean, method="BCa", confidence_level=confidence, n_resamples=20_000, rng=np.random.default_rng(6)
    ).confidence_interval
    found = interval(MEAN, tier(values.tolist()), confidence=narrower(confidence, 40), seed=1, method="bca")
    tolerance = 0.4 * values.std() / math.sqrt(len(values))
    assert found.low == pytest.approx(oracle.low, abs=tolerance)
    assert found.high == pytest.approx(oracle.high, abs=tolerance)


def test_bca_leans_towards_the_tail() -> None:
    """Of scores with a long lower tail, both ends lie lower than those of the percentiles."""
    values = (1 - np.random.default_rng(5).exponential(0.1, size=30)).tolist()
    plain, moved = (interval(MEAN, tier(values), confidence=0.95, seed=1, method=m) for m in ("percentile", "bca"))
    assert plain.low is not None
    assert plain.high is not None
    assert moved.low is not None
    assert moved.high is not None
    assert moved.low < plain.low - 0.0005
    assert moved.high < plain.high - 0.0005


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("shape", [(2.0, 5.0), (9.0, 1.0), (0.5, 0.5)])
def test_scipy_finds_the_same_interval_of_a_plain_mean(shape: tuple[float, float], confidence: float) -> None:
    values = np.random.default_rng(5).beta(*shape, size=40)
    oracle = scipy.stats.bootstrap(
        (values,),
        np.mean,
        method="percentile",
        confidence_level=confidence,
        n_resamples=20_000,
        rng=np.random.default_rng(6),
    ).confidence_interval
    found = interval(MEAN, tier(values.tolist()), confidence=narrower(confidence, 40), seed=1, method="percentile")
    tolerance = (
        0.4 * values.std() / math.sqrt(len(values))
    )  # sampling error of a 99.5 % quantile of 2000 draws, generously
    assert found.low == pytest.approx(oracle.low, abs=tolerance)
    assert found.high == pytest.approx(oracle.high, abs=tolerance)
    assert found.high - found.low > tolerance  # type: ignore[operator]


def test_scipy_finds_the_same_paired_loss() -> None:
    rng = np.random.default_rng(8)
    before = rng.uniform(0.5, 1.0, size=50)
    now = np.clip(before - rng.normal(0.03, 0.02, size=50), 0, 1)
    oracle = scipy.stats.bootstrap(
        (before - now,), np.mean, method="percentile", n_resamples=20_000, rng=np.random.default_rng(9)
    ).confidence_interval
    found = both(now.tolist(), before.tolist())
    assert found.value == pytest.approx(float(np.mean(before - now)))
    assert found.low == pytest.approx(oracle.low, abs=1.5e-3)
    assert found.high == pytest.approx(oracle.high, abs=1.5e-3)
    assert found.high - found.low < 0.02  # unpaired it would be 0.11


def test_pooling_weighs_documents_by_their_size() -> None:
    columns = {"long": {"x": 90.0, "n": 100.0}, "short": {"x": 0.0, "n": 1.0}}
    assert value(MEAN, columns) == pytest.approx(90 / 101)
    found = interval(MEAN, columns, confidence=0.95, seed=1)
    assert found.low == pytest.approx(0.0)
    assert found.high == pytest.approx(0.9)


# --- losses ---


@settings(max_examples=40, deadline=None)
@given(st.lists(shares, min_size=1, max_size=12), st.sampled_from([MEAN, RATE]))
def test_equal_runs_lose_nothing(values: list[float], metric: TierMetric) -> None:
    loss = both(values, values, metric)
    assert (loss.value, loss.low, loss.high, loss.p) == (0.0, 0.0, 0.0, 1.0)


def test_a_loss_is_positive_when_worse_whatever_the_direction() -> None:
    low, high = [0.2, 0.3, 0.4, 0.25], [0.8, 0.7, 0.9, 0.95]
    assert both(low, high, MEAN).value == pytest.approx(0.55)
    assert both(low, high, RATE).value == pytest.approx(-0.55)
    assert both(low, high, MEAN).low > 0
    assert both(high, low, MEAN).high < 0
    assert both(high, low, RATE).low > 0
    assert both(low, high, RATE).high < 0


def test_only_documents_of_both_runs_count() -> None:
    now = tier([0.5, 0.5, 0.0], ["a", "b", "new"])
    before = tier([0.6, 0.6, 1.0], ["a", "b", "gone"])
    loss = paired_loss(MEAN, now, before, confidence=0.95, margin=0.05, seed=1)
    assert loss is not None
    assert loss.documents == 2
    assert loss.value == pytest.approx(0.1)
    assert paired_loss(MEAN, {"new": now["new"]}, before, confidence=0.95, margin=0.05, seed=1) is None


@settings(max_examples=80, deadline=None)
@given(
    st.lists(shares, min_size=2, max_size=15),
    st.lists(shares, min_size=15, max_size=15),
    st.sampled_from([0.0, 0.02, 0.2]),
    st.sampled_from(["percentile", "bca"]),
    st.booleans(),
)
def test_p_value_and_interval_say_the_same(now, before, margin, method, equivalence) -> None:  # type: ignore[no-untyped-def]
    loss = paired_loss(
        MEAN,
        tier(now),
        tier(before[: len(now)]),
        confidence=0.95,
        margin=margin,
        seed=1,
        equivalence=equivalence,
        method=method,
    )
    assert loss is not None
    assert loss.low is not None
    assert loss.high is not None
    surely = loss.low > margin + 1e-9 or (equivalence and loss.high < -margin - 1e-9)
    assert loss.p <= level(0.95) if surely else loss.p >= level(0.95)
    assert 0.0 <= loss.p <= 1.0
    assert loss.low <= loss.high
    assert loss.changed == sum(abs(a - b) > 1e-9 for a, b in zip(now, before, strict=False))


def test_p_values_go_on_where_draws_end() -> None:
    """2,000 draws cannot tell p = 1e-5 from 1e-9; Holm's correction over many gates must."""
    rng = np.random.default_rng(2)
    before = rng.uniform(0.8, 0.9, size=60)
    noise = rng.normal(0, 0.02, size=60)
    values = [both((before - drop + noise).tolist(), before.tolist()).p for drop in (0.008, 0.012, 0.016, 0.025)]
    assert values == sorted(values, reverse=True)
    assert values[2] < 1e-5
    assert values[3] < 1e-9
    oracle = scipy.stats.ttest_1samp(0.012 - noise, 0.0, alternative="greater").pvalue
    assert values[1] == pytest.approx(oracle, rel=0.6)


def test_the_worst_loss_of_a_document() -> None:
    assert both([0.9] * 5, [0.9] * 5).worst == pytest.approx(0.9)  # an accuracy falls to 0
    assert both([0.1] * 5, [0.1] * 5, RATE).worst == pytest.approx(0.9)  # a rate rises to 1
    endless = TierMetric("wer", -1, lambda sums: ratio(sums["x"], sums["n"]), high=math.inf)
    assert both([0.1, 0.1, 0.4], [0.1, 0.1, 0.1], endless).worst == pytest.approx(0.3 - 0.1, abs=0.11)
    assert both([0.1] * 5, [0.1] * 5, endless).worst == 0.0


def test_those_that_lost_most_come_first() -> None:
    loss = both([0.8, 0.1, 0.95, 0.5, 0.9, 0.85], [0.9] * 6)
    assert [name for name, _, _ in loss.losers] == ["d001", "d003", "d000"]
    assert loss.losers[0] == ("d001", 0.9, 0.1)
    assert loss.changed == 5
    assert [name for name, _, _ in both([0.8, 0.95], [0.9, 0.9], RATE).losers] == ["d001"]


def test_p_is_the_share_of_draws_within_the_margin() -> None:
    assert both([0.1] * 9, [0.9] * 9, margin=0.05).p == 0.0
    assert both([0.9] * 9, [0.95] * 9, margin=0.05).p == 1.0  # equality is within
    even = both([0.5, 0.5, 0.5, 0.5], [0.6, 0.4, 0.6, 0.4])
    assert 0.4 < even.p < 0.8
