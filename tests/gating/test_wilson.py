"""Wilson intervals: scipy as the oracle, clusters, and what is no pooled rate."""

from __future__ import annotations

import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.gating.wilson import pooled_rate, wilson_bounds
from pytest_vtcfaith.suites import load_suite
from pytest_vtcfaith.suites.base import TierMetric, ratio

RATE = TierMetric("rate", -1, lambda sums: ratio(sums["x"], sums["n"]))


@pytest.mark.parametrize(("count", "trials"), [(0, 20), (1, 20), (7, 20), (20, 20), (3, 1000), (1, 1)])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_scipy_finds_the_same(count: int, trials: int, confidence: float) -> None:
    oracle = scipy.stats.binomtest(count, trials).proportion_ci(confidence_level=confidence, method="wilson")
    assert wilson_bounds(count / trials, trials, confidence) == pytest.approx((oracle.low, oracle.high), abs=1e-12)


@given(st.floats(0, 1), st.floats(0.5, 1e6))
def test_the_rate_lies_within(rate: float, trials: float) -> None:
    low, high = wilson_bounds(rate, trials, 0.95)
    assert 0 <= low <= rate <= high <= 1


def counted(*pairs: tuple[float, float]) -> dict[str, dict[str, float]]:
    return {f"d{i}": {"x": x, "n": n} for i, (x, n) in enumerate(pairs)}


def test_documents_that_are_all_or_nothing_count_once_each() -> None:
    found = pooled_rate(RATE, counted(*[(10.0, 10.0)] * 5, *[(0.0, 10.0)] * 15), 0.95)
    assert found is not None
    assert (found.count, found.trials) == (50, 200)
    assert found.effective == pytest.approx(20 * 19 / 20)
    assert (found.low, found.high) == wilson_bounds(0.25, found.effective, 0.95)


def test_documents_that_are_all_alike_count_every_trial() -> None:
    found = pooled_rate(RATE, counted(*[(1.0, 10.0)] * 20), 0.95)
    assert found is not None
    assert found.effective == 200


@pytest.mark.parametrize(("pairs", "rate"), [([(0.0, 30.0)] * 20, 0.0), ([(30.0, 30.0)] * 20, 1.0)])
def test_none_or_all_counts_documents(pairs: list[tuple[float, float]], rate: float) -> None:
    found = pooled_rate(RATE, counted(*pairs), 0.95)
    assert found is not None
    assert found.effective == 20
    assert found.high - found.low == pytest.approx(0.1611, abs=1e-3)
    assert rate in (found.low, found.high)


def test_one_document_is_one_trial() -> None:
    found = pooled_rate(RATE, counted((3.0, 10.0)), 0.95)
    assert found is not None
    assert found.effective == 1


@pytest.mark.parametrize(
    "columns",
    [
        {},
        counted((0.0, 0.0)),
        counted((0.5, 1.0)),
        counted((3.0, 2.0)),
        counted((-1.0, 2.0)),
        counted((float("nan"), 2.0)),
        counted((1e308, 1e308)),
        counted((1.0, 3.0), (0.0, 1e308)),
        {"d": {"x": 1.0}},
    ],
)
def test_no_counts_no_interval(columns: dict[str, dict[str, float]]) -> None:
    assert pooled_rate(RATE, columns, 0.95) is None


def test_which_metrics_are_pooled_rates() -> None:
    assert pooled_rate(TierMetric("turned", 1, lambda s: ratio(s["n"], s["x"])), counted((4.0, 3.0)), 0.95) is not None
    assert pooled_rate(TierMetric("rest", 1, lambda s: 1.0 - ratio(s["x"], s["n"])), counted((1.0, 3.0)), 0.95) is None
    rewriting = load_suite("rewriting").metrics
    row = {"a": {"rewritten": 1.0, "perturbed": 9.0, "failed": 0.0, "applicable": 1.0, "verbatim": 2.0}}
    found = {
        name for name in ("rewrite_rate", "rewrite_share", "failure_rate") if pooled_rate(rewriting[name], row, 0.95)
    }
    assert found == {"rewrite_rate", "failure_rate"}


def test_only_shares_have_one() -> None:
    """A length ratio of 990 characters to 1000 is no 990 successes in 1000 trials, though its counts look like it."""
    for suite in ("rewriting", "preservation"):
        metrics = load_suite(suite).metrics
        row = {"a": {"hypothesis_chars": 990.0, "reference_chars": 1000.0, "word_edits": 3.0, "reference_words": 9.0}}
        for name in ("length_ratio", "wer"):
            assert name not in metrics or pooled_rate(metrics[name], row, 0.95) is None
    for low, high in ((0.0, 2.0), (-1.0, 1.0), (0.0, float("inf"))):
        metric = TierMetric("other", -1, lambda sums: ratio(sums["x"], sums["n"]), low, high)
        assert pooled_rate(metric, counted((1.0, 3.0)), 0.95) is None
