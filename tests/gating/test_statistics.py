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
    assert loss.smallest == math.inf
    assert loss.documents_needed is None


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
    found = interval(MEAN, tier(values.tolist()), confidence=confidence, seed=1)
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


def test_power_says_what_the_documents_can_show() -> None:
    rng = np.random.default_rng(3)
    before = rng.uniform(0.8, 1.0, size=100)
    few, many = 10, 100
    now = before - rng.normal(0.0, 0.05, size=100)
    small = paired_loss(
        MEAN, tier(now[:few].tolist()), tier(before[:few].tolist()), confidence=0.95, margin=0.01, seed=1
    )
    large = paired_loss(
        MEAN, tier(now[:many].tolist()), tier(before[:many].tolist()), confidence=0.95, margin=0.01, seed=1
    )
    assert small is not None
    assert large is not None
    assert 0.01 < large.smallest < small.smallest
    # (1.645 + 0.842) · σ/√n: σ = 0.05, n = 100
    assert large.smallest == pytest.approx(0.01 + 2.486 * 0.005, abs=0.003)
    assert large.documents_needed == pytest.approx((2.486 * 0.05 / 0.01) ** 2, rel=0.4)
    assert both([0.5, 0.6], [0.5, 0.7], margin=0.0).documents_needed is None


def test_p_is_the_share_of_draws_within_the_margin() -> None:
    assert both([0.1] * 9, [0.9] * 9, margin=0.05).p == 0.0
    assert both([0.9] * 9, [0.95] * 9, margin=0.05).p == 1.0  # equality is within
    even = both([0.5, 0.5, 0.5, 0.5], [0.6, 0.4, 0.6, 0.4])
    assert 0.4 < even.p < 0.8
