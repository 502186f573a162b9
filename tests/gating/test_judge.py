"""Verdicts: what passes, what fails, and that nothing unmeasured ever passes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vtcfaith.gating.judge import GateSubject, judge_regression, judge_threshold
from pytest_vtcfaith.gating.thresholds import GateRule
from pytest_vtcfaith.suites.base import TierMetric, TierSummary, ratio

ACCURACY = TierMetric("accuracy", +1, lambda sums: ratio(sums["x"], sums["n"]))
ERROR = TierMetric("error", -1, lambda sums: ratio(sums["x"], sums["n"]))


def columns(*values: float) -> dict[str, dict[str, float]]:
    return {f"d{i:02}": {"x": x, "n": 1.0} for i, x in enumerate(values)}


def subject(found: Mapping[str, Mapping[str, float]], *, lost: int = 0, **counts: Any) -> GateSubject:
    filled = {"expected": len(found), "measured": len(found), "inapplicable": 0} | counts
    return GateSubject("the-gate", "mymodel", TierSummary("suite/tier", found, **filled), lost)


def rule(**bounds: float) -> GateRule:
    return GateRule(where="suite/*", metric="accuracy", **bounds)  # type: ignore[arg-type]


# --- thresholds ---


@pytest.mark.parametrize(
    ("values", "bounds", "verdict"),
    [
        ([0.9, 0.7], {"min": 0.7}, "pass"),
        ([0.9, 0.7], {"min": 0.81}, "fail"),
        ([0.9, 0.7], {"max": 0.79}, "fail"),
        ([0.9, 0.7], {"max": 0.81}, "pass"),
        ([0.9, 0.7], {"min": 0.5, "max": 0.7}, "fail"),
        ([0.7 + 0.1], {"min": 0.8}, "pass"),  # 0.7999999999999999
        ([1 - 0.9], {"min": 0.1}, "pass"),  # 0.09999999999999998
        ([0.1 + 0.2], {"max": 0.3}, "pass"),  # 0.30000000000000004
        ([0.8 - 1e-10], {"min": 0.8}, "pass"),
        ([0.8 - 1e-8], {"min": 0.8}, "fail"),
        ([0.8 + 1e-8], {"max": 0.8}, "fail"),
        ([0.0], {"min": 0.0, "max": 0.0}, "pass"),
    ],
)
def test_bounds(values: list[float], bounds: dict[str, float], verdict: str) -> None:
    found = judge_threshold(subject(columns(*values)), ACCURACY, rule(**bounds))
    assert found.verdict == verdict
    assert found.value == pytest.approx(sum(values) / len(values))
    assert (found.min, found.max) == (bounds.get("min"), bounds.get("max"))
    assert (found.gate, found.tier, found.model, found.metric) == ("the-gate", "suite/tier", "mymodel", "accuracy")
    assert found.low is not None
    assert found.high is not None
    assert bool(found.message) == (verdict == "fail")


def test_a_failure_names_value_bound_and_interval() -> None:
    found = judge_threshold(subject(columns(0.949999, 0.949999)), ACCURACY, rule(min=0.95))
    assert found.message == ("accuracy = 0.949999 < 0.95 (95% interval 0.9500 to 0.9500, 2 cases in 2 documents)")


# --- what was not measured ---


@pytest.mark.parametrize(
    ("tested", "word"),
    [
        (subject({}), "no case of this tier ran"),
        (subject({}, lost=3), "measured 0 of 3"),
        (subject(columns(1.0), expected=2, reasons={"Timeout: 30 s": 1}), "coverage 0.5000 < 1: Timeout: 30 s"),
        (subject(columns(1.0), lost=1), "1 have no result"),
        (subject(columns(1.0), expected=2), "no reason given"),
        (subject({}, expected=2, measured=2, failures={"empty": 2}), "accuracy is undefined: .*2 empty"),
        (subject({"a": {"x": math.nan, "n": 1.0}}), "undefined"),
        (subject({"a": {"x": math.inf, "n": 1.0}}), "undefined"),
        (subject({"a": {"x": 0.0, "n": 0.0}}), "undefined"),
        (subject({"a": {"n": 1.0}}), "undefined"),
    ],
)
def test_what_was_not_measured_never_passes(tested: GateSubject, word: str) -> None:
    for bounds in ({"min": 0.0}, {"max": 1.0}, {"min": 0.0, "max": 1.0}):
        found = judge_threshold(tested, ACCURACY, rule(**bounds))
        assert found.verdict == "not_measured"
        assert found.value is None
        regression = judge_regression(tested, ACCURACY, rule(max_regression=1.0), columns(0.0, 0.0))
        assert regression.verdict == "not_measured"
    import re

    assert re.search(word, found.message)
    assert found.expected == tested.summary.expected + tested.lost


def test_coverage_may_be_lower_where_the_rule_says_so() -> None:
    short = subject(columns(1.0, 1.0, 1.0), expected=4)
    assert judge_threshold(short, ACCURACY, rule(min=0.5, min_coverage=0.75)).verdict == "pass"
    assert judge_threshold(short, ACCURACY, rule(min=0.5, min_coverage=0.8)).verdict == "not_measured"
    tenth = subject(columns(*[1.0] * 9), expected=10)
    assert judge_threshold(tenth, ACCURACY, rule(min=0.5, min_coverage=0.9)).verdict == "pass"
    nothing = subject({}, expected=4, measured=0)
    assert judge_threshold(nothing, ACCURACY, rule(min=0.0, min_coverage=0.0)).verdict == "not_measured"


def test_inapplicable_cases_leave_the_denominator() -> None:
    some = subject(columns(1.0), inapplicable=5)
    assert judge_threshold(some, ACCURACY, rule(min=0.5)).verdict == "pass"
    none = subject({}, inapplicable=5, reasons={"does not read 'ko'": 5})
    found = judge_threshold(none, ACCURACY, rule(min=0.5))
    assert found.verdict == "not_applicable"
    assert "all 5 cases are inapplicable: does not read 'ko' (5×)" in found.message
    lost = subject({}, inapplicable=5, lost=1)
    assert judge_threshold(lost, ACCURACY, rule(min=0.5)).verdict == "not_measured"


def test_reasons_are_one_line_and_safe_to_print() -> None:
    reasons = {"Boom: first\nsecond\x1b[31m\ud83d": 2, "later": 2, "rare": 1}
    found = judge_threshold(subject({}, expected=5, measured=0, reasons=reasons), ACCURACY, rule(min=0.5))
    assert found.message.endswith("Boom: first second\\x1b[31m\\ud83d (2×); later (2×)")


# --- regressions ---


def test_three_verdicts_of_a_regression() -> None:
    before = columns(*[0.9] * 12)
    same = judge_regression(subject(columns(*[0.9] * 12)), ACCURACY, rule(max_regression=0.01), before)
    assert (same.verdict, same.baseline, same.low, same.high) == ("pass", pytest.approx(0.9), 0.0, 0.0)
    worse = judge_regression(subject(columns(*[0.7] * 12)), ACCURACY, rule(max_regression=0.01), before)
    assert worse.verdict == "fail"
    assert worse.low == pytest.approx(0.2)
    torn = [0.9, 0.9, 0.8, 0.9, 0.96, 0.9, 0.84, 0.9, 0.92, 0.9, 0.86, 0.9]
    unsure = judge_regression(subject(columns(*torn)), ACCURACY, rule(max_regression=0.02), before)
    assert unsure.verdict == "inconclusive"
    assert unsure.low is not None
    assert unsure.high is not None
    assert unsure.low <= 0.02 < unsure.high
    over = [0.9, 0.9, 0.5, 0.9, 0.9, 0.9, 0.6, 0.9, 0.9, 0.9, 0.9, 0.9]
    likely = judge_regression(subject(columns(*over)), ACCURACY, rule(max_regression=0.02), before)
    assert likely.verdict == "inconclusive"
    assert likely.baseline - likely.value > 0.02  # type: ignore[operator]
    for found in (same, worse, unsure, likely):
        assert "smallest loss it could see" in found.message
        assert "on 12 documents" in found.message
        assert (found.min, found.max) == (None, None)


def test_a_better_run_passes_and_direction_counts() -> None:
    before = columns(*[0.2, 0.3, 0.25])
    now = columns(*[0.6, 0.7, 0.65])
    assert judge_regression(subject(now), ACCURACY, rule(max_regression=0.0), before).verdict == "pass"
    assert judge_regression(subject(now), ERROR, rule(max_regression=0.0), before).verdict == "fail"
    assert judge_regression(subject(before), ERROR, rule(max_regression=0.0), now).verdict == "pass"


def test_a_loss_equal_to_the_margin_passes() -> None:
    found = judge_regression(subject(columns(0.7, 0.7)), ACCURACY, rule(max_regression=0.1), columns(0.7 + 0.1, 0.8))
    assert found.verdict == "pass"


@pytest.mark.parametrize(
    ("now", "before", "word"),
    [
        (columns(0.9), {}, "the baseline holds no accuracy"),
        (columns(0.9), {"other": {"x": 1.0, "n": 1.0}}, "no document is complete in both runs"),
        (columns(0.9), {"d00": {"n": 1.0}}, "the baseline holds no accuracy"),
    ],
)
def test_nothing_to_compare_with_is_not_measured(now: Any, before: Any, word: str) -> None:
    found = judge_regression(subject(now), ACCURACY, rule(max_regression=1.0), before)
    assert (found.verdict, found.message) == ("not_measured", word)


def test_an_interval_that_cannot_be_had_is_inconclusive() -> None:
    odd = TierMetric("odd", +1, lambda sums: ratio(sums["x"], sums["n"] * sums["m"]))
    rare = {f"d{i:02}": {"x": 1.0, "n": float(i == 0), "m": float(i == 1)} for i in range(20)}
    found = judge_regression(subject(rare), odd, rule(max_regression=0.5), rare)
    assert found.verdict == "inconclusive"
    assert "interval unknown" in found.message
    json.dumps(found.row(), allow_nan=False)


def test_one_document_says_that_it_shows_nothing_about_others() -> None:
    found = judge_regression(subject(columns(0.9)), ACCURACY, rule(max_regression=0.1), columns(0.9))
    assert found.verdict == "pass"
    assert "one document shows nothing about others" in found.message


def test_the_worst_documents_come_first() -> None:
    before = columns(0.9, 0.9, 0.9, 0.9, 0.9, 0.9)
    now = columns(0.8, 0.1, 0.95, 0.5, 0.9, 0.85)

    def listed(metric: TierMetric, new: Mapping[str, Any]) -> list[str]:
        return judge_regression(subject(new), metric, rule(max_regression=0.0), before).message.split("\n")[1:]

    assert listed(ACCURACY, now) == ["  d01: 0.9000 → 0.1000", "  d03: 0.9000 → 0.5000", "  d00: 0.9000 → 0.8000"]
    assert listed(ERROR, columns(0.9, 0.9, 0.95, 0.9, 0.9, 0.9)) == ["  d02: 0.9000 → 0.9500"]
    assert listed(ACCURACY, before) == []
    found = judge_regression(subject(columns(*[0.1] * 6)), ACCURACY, rule(max_regression=0.1), before)
    assert found.message.split("\n")[1:] == [f"  d0{i}: 0.9000 → 0.1000" for i in range(3)]


def test_a_verdict_depends_on_nothing_but_its_subject_and_seed() -> None:
    tested = subject(columns(0.1, 0.9, 0.4, 0.6, 0.33, 0.71, 0.05, 0.82))
    first = judge_threshold(tested, ACCURACY, rule(min=0.9), seed=1)
    assert judge_threshold(tested, ACCURACY, rule(min=0.9), seed=1) == first
    assert judge_threshold(tested, ACCURACY, rule(min=0.9), seed=2) != first


number = st.one_of(st.floats(0, 1), st.sampled_from([math.nan, math.inf, -math.inf]))


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(st.sampled_from("abcde"), st.dictionaries(st.sampled_from("xn"), number, max_size=2), max_size=4),
    st.integers(0, 4),
    st.integers(0, 4),
    st.integers(0, 2),
    st.integers(0, 2),
    st.floats(0, 1),
)
def test_a_pass_is_a_measured_finite_value_within_its_bounds(
    found: dict[str, dict[str, float]], expected: int, measured: int, inapplicable: int, lost: int, bound: float
) -> None:
    tested = subject(found, expected=expected, measured=min(measured, expected), inapplicable=inapplicable, lost=lost)
    verdict = judge_threshold(tested, ACCURACY, rule(min=bound))
    json.dumps(verdict.row(), allow_nan=False)
    if verdict.verdict == "pass":
        assert verdict.value is not None
        assert verdict.value >= bound - 1e-9
        assert 0 < verdict.measured == verdict.expected
        assert lost == 0
    elif verdict.verdict == "not_applicable":
        assert verdict.expected == 0 < inapplicable
    regression = judge_regression(tested, ACCURACY, rule(max_regression=bound), found)
    json.dumps(regression.row(), allow_nan=False)
    if regression.verdict in ("pass", "fail", "inconclusive"):
        assert regression.value is not None
        assert math.isfinite(regression.value)
