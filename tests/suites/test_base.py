"""Pooling: formulas over column sums, counts of a tier, and what a case's score says of itself."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_cases import bare_score, rewriting_case

from pytest_vtcfaith.metrics import OUTCOMES
from pytest_vtcfaith.metrics.outcomes import FAILURES
from pytest_vtcfaith.suites import load_suite, suite_names
from pytest_vtcfaith.suites.base import TierMetric, count_tier, ratio, totals, usable, value
from pytest_vtcfaith.suites.case import CaseScore

MEAN = TierMetric("mean", 1, lambda sums: ratio(sums["x"], sums["n"]))


@pytest.mark.parametrize(
    ("above", "below", "expected"), [(1, 4, 0.25), (0.0, 2.0, 0.0), (0, 0, None), (3.0, 0.0, None)]
)
def test_ratio_of_numbers_and_arrays(above: float, below: float, expected: float | None) -> None:
    one, many = ratio(above, below), ratio(np.array([above]), np.array([below]))
    assert many.shape == (1,)
    if expected is None:
        assert math.isnan(one)
        assert np.isnan(many[0])
    else:
        assert one == many[0] == expected


def test_a_value_pools_the_documents_that_have_its_columns() -> None:
    columns = {"b": {"x": 1.0, "n": 2.0}, "a": {"x": 2.0, "n": 2.0, "other": 5.0}, "c": {"n": 100.0}}
    assert value(MEAN, columns) == 0.75
    assert set(usable(MEAN, columns)) == {"a", "b"}
    assert totals(columns) == {"x": 3.0, "n": 104.0, "other": 5.0}
    tenths = {"a": {"x": 0.1}, "b": {"x": 0.2}, "c": {"x": 0.3}}
    assert totals(dict(reversed(tenths.items()))) == totals(tenths) == {"x": 0.1 + 0.2 + 0.3}  # not 0.3 + 0.2 + 0.1
    assert value(MEAN, {}) is None
    assert value(MEAN, {"c": {"n": 1.0}}) is None


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_undefined(number: float) -> None:
    assert value(MEAN, {"a": {"x": number, "n": 1.0}}) is None


def test_a_branch_of_a_formula_hides_no_column() -> None:
    branching = TierMetric("b", 1, lambda sums: sums["a"] if sums["p"] - sums["q"] == 0 else sums["a"] + sums["late"])
    assert usable(branching, {"d": {"a": 1.0, "p": 1.0, "q": 1.0}}) == {}
    share = load_suite("rewriting").metrics["rewrite_share"]
    assert usable(share, {"d": {"perturbed": 1.0, "verbatim": 1.0}}) == {}


@pytest.mark.parametrize("name", suite_names())
def test_every_formula_says_the_same_of_numbers_and_arrays(name: str) -> None:
    suite = load_suite(name)
    for metric in suite.metrics.values():
        asked: dict[str, float] = {}
        for column in _columns_of(metric):
            asked[column] = 3.0 + len(column) % 5
        one = metric.formula(asked)
        many = metric.formula({k: np.array([v, 0.0]) for k, v in asked.items()})
        assert many[0] == pytest.approx(one, nan_ok=True), metric.name
        nothing = metric.formula(dict.fromkeys(asked, 0.0))
        assert many.shape == (2,)
        assert metric.formula({k: np.array([0.0]) for k in asked})[0] == pytest.approx(nothing, nan_ok=True), (
            metric.name
        )


def _columns_of(metric: TierMetric) -> set[str]:
    class Asking(dict[str, float]):
        def __missing__(self, key: str) -> float:
            seen.add(key)
            return 1.0

    seen: set[str] = set()
    for _ in range(2):
        metric.formula(Asking())
        metric.formula(Asking({"verbatim": 0.5}))
    return seen | {"rewritten", "perturbed", "verbatim"}


@pytest.mark.parametrize("name", suite_names())
def test_names_directions_and_ranges(name: str) -> None:
    suite = load_suite(name)
    assert suite.name == name
    assert suite.primary in suite.metrics
    assert "failure_rate" in suite.metrics
    assert set(suite.case_metrics.values()) <= {-1, 1}
    for key, metric in suite.metrics.items():
        assert metric.name == key
        assert metric.better in (-1, 0, 1)
        assert metric.low < metric.high
        if key in suite.case_metrics:
            assert suite.case_metrics[key] == metric.better


@pytest.mark.parametrize("outcome", [*OUTCOMES, ""])
def test_what_an_outcome_counts_as(outcome: str) -> None:
    score = bare_score(rewriting_case(), outcome)
    assert score.inapplicable == (outcome == "")
    assert score.measured == (outcome not in ("", "infrastructure_error"))
    assert score.failed == (outcome in FAILURES)
    assert score.complete == (outcome == "complete")
    counts = count_tier("rewriting/en/visual", [score])
    assert (counts["expected"], counts["inapplicable"]) == ((0, 1) if outcome == "" else (1, 0))
    assert sum(counts["failures"].values()) == int(score.failed)


def test_counts_of_a_tier() -> None:
    def made(n: int, outcome: str, reason: str = "", condition: str = "visual") -> CaseScore:
        return bare_score(rewriting_case(f"d{n}", condition), outcome, reason=reason)

    scores = [
        made(1, "complete"),
        made(2, "truncated"),
        made(3, "empty"),
        made(4, "empty"),
        made(5, "infrastructure_error", "TimeoutError: 30 s"),
        made(6, "", "does not read 'en'"),
        made(7, "refused", condition="random"),
    ]
    assert count_tier("rewriting/en/visual", scores) == {
        "tier": "rewriting/en/visual",
        "expected": 5,
        "measured": 4,
        "inapplicable": 1,
        "failures": {"empty": 2, "truncated": 1},
        "reasons": {"TimeoutError: 30 s": 1},
    }
    assert count_tier("rewriting/en/visual", scores[5:])["reasons"] == {"does not read 'en'": 1}
    assert count_tier("rewriting/en/none", scores)["expected"] == 0


@given(st.text(), st.text())
def test_the_fingerprint_tells_cases_apart(one: str, other: str) -> None:
    first, second = rewriting_case(original=one), rewriting_case(original=other)
    assert (first.fingerprint == second.fingerprint) == (one == other)
    assert (first.reference_sha256 == second.reference_sha256) == (one == other)
    assert rewriting_case(original=one, page=one).fingerprint == first.fingerprint
    assert rewriting_case(original=one, condition="random").fingerprint != first.fingerprint


def test_half_a_surrogate_has_a_fingerprint() -> None:
    assert len(rewriting_case(original="bad \ud83d").fingerprint) == 64
