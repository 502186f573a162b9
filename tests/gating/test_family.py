"""A run's regression gates together."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vtcfaith.gating.family import settle
from pytest_vtcfaith.gating.judge import GateSubject, Verdict, judge_regression, judge_threshold
from pytest_vtcfaith.gating.thresholds import GateRule
from pytest_vtcfaith.suites.base import TierMetric, TierSummary, ratio

ACCURACY = TierMetric("accuracy", +1, lambda sums: ratio(sums["x"], sums["n"]))


def rule(**fields: Any) -> GateRule:
    return GateRule(where="suite/*", metric="accuracy", **({"max_regression": 0.01} | fields))


def judged(drop: float, *, seed: int = 1, documents: int = 40, name: str = "g", **fields: Any) -> Verdict:
    rng = np.random.default_rng(seed)
    before = rng.uniform(0.7, 0.9, size=documents)
    now = before - drop + rng.normal(0, 0.02, size=documents)
    old, new = ({f"d{i:03}": {"x": float(x), "n": 1.0} for i, x in enumerate(v)} for v in (before, now))
    summary = TierSummary("suite/tier", new, expected=documents, measured=documents, inapplicable=0)
    return judge_regression(GateSubject(name, "m", summary), ACCURACY, rule(**fields), old)


def weak() -> Verdict:
    """A gate that fails by itself, with little to spare."""
    found = judged(0.0145)
    assert found.verdict == "fail"
    assert found.regression is not None
    assert 0.0005 < found.regression.p < 0.025
    return found


def test_one_gate_stays_as_it_is() -> None:
    for verdict in (weak(), judged(0.0), judged(0.012), judged(0.1)):
        (settled,) = settle([verdict])
        assert settled.verdict == verdict.verdict
        assert settled.regression is not None
        assert verdict.regression is not None
        assert settled.regression.p_holm == verdict.regression.p


def test_a_weak_failure_among_many_gates_cannot_tell() -> None:
    run = [weak(), *(judged(0.0, seed=s) for s in range(2, 41))]
    settled = settle(run)
    assert settled[0].verdict == "inconclusive"
    assert "not among 40 gates (Holm: " in settled[0].message
    assert settled[0].message.split("\n")[1:] == run[0].message.split("\n")[1:]
    assert [v.verdict for v in settled[1:]] == [v.verdict for v in run[1:]]
    assert settled == settle(settled)


def test_what_the_caller_added_to_a_message_stays() -> None:
    run = [replace(v, message=f"{v.message}\n  more") for v in (weak(), *(judged(0.0, seed=s) for s in range(2, 41)))]
    first, newline, rest = run[0].message.partition("\n")
    run[0] = replace(run[0], message=f"{first}; the fonts changed{newline}{rest}")
    settled = settle(settle(run))
    assert settled[0].message.partition("\n")[0].endswith("; the fonts changed")
    assert settled[0].message.partition("\n")[2] == rest
    assert all(v.message.endswith("\n  more") and v.message.count("more") == 1 for v in settled)


def test_a_strong_failure_among_very_many_gates_stays_one() -> None:
    settled = settle([judged(0.1), *[judged(0.0, seed=2)] * 499])
    assert settled[0].verdict == "fail"
    assert settled[1].verdict == "pass"


def test_a_gate_may_stay_out() -> None:
    settled = settle([judged(0.0145, holm=False), *[judged(0.0, seed=2)] * 39])
    assert settled[0].verdict == "fail"
    assert settled[0].regression is not None
    assert settled[0].regression.p_holm is None
    assert settled[1].regression is not None
    assert settled[1].regression.p_holm is not None


def test_what_is_printed_depends_on_the_number_of_gates() -> None:
    alone, *_ = settle([judged(0.0)])
    among, *_ = settle([judged(0.0)] * 20)
    for field in ("detectable", "quiet_margin", "documents_needed"):
        assert getattr(among.regression, field) > getattr(alone.regression, field)
    assert "smallest loss it could see" in among.message
    assert "among 20 gates" in among.message
    assert f"or measure {among.regression.documents_needed} documents" in among.message  # type: ignore[union-attr]


def test_other_verdicts_are_left_alone() -> None:
    subject = GateSubject("t", "m", TierSummary("suite/tier", {}, 0, 0, 0))
    other = judge_threshold(subject, ACCURACY, rule(min=0.5))
    lost = judge_regression(subject, ACCURACY, rule(), {})
    assert settle([other, lost]) == [other, lost]
    assert settle([]) == []


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from([0.0, 0.01, 0.0145, 0.03]), min_size=1, max_size=25), st.randoms(use_true_random=False))
def test_settling_only_ever_turns_failures_into_doubt(drops: list[float], random: Any) -> None:
    run = [judged(drop, seed=i % 3, documents=12, name=f"g{i}") for i, drop in enumerate(drops)]
    settled = settle(run)
    for before, after in zip(run, settled, strict=True):
        assert after.verdict == before.verdict or (before.verdict, after.verdict) == ("fail", "inconclusive")
        json.dumps(after.row(), allow_nan=False)
    order = list(range(len(run)))
    random.shuffle(order)
    assert settle([run[i] for i in order]) == [settled[i] for i in order]


# --- equivalence, noise, improvements ---


@pytest.mark.parametrize(
    ("drop", "margin", "loss", "equivalence"),
    [
        (0.0, 0.02, "pass", "pass"),
        (-0.1, 0.02, "pass", "fail"),
        (0.1, 0.02, "fail", "fail"),
        (-0.02, 0.02, "pass", "inconclusive"),
        (0.02, 0.02, "inconclusive", "inconclusive"),
    ],
)
def test_equivalence_bounds_both_directions(drop: float, margin: float, loss: str, equivalence: str) -> None:
    assert judged(drop, max_regression=margin).verdict == loss
    found = judged(drop, max_regression=margin, equivalence=True)
    assert found.verdict == equivalence
    assert f"allowed ±{margin:g}" in found.message
    assert "change" in found.message
    assert "suspicious" not in found.message
    assert settle([found])[0].verdict == equivalence


def test_a_metric_without_better_direction_can_be_equivalent() -> None:
    ratio_of = TierMetric("length_ratio", 0, ACCURACY.formula, 0.0, float("inf"))
    before = {f"d{i}": {"x": 1.0 + i / 50, "n": 1.0} for i in range(20)}
    longer = {d: {"x": row["x"] + 0.3, "n": 1.0} for d, row in before.items()}
    verdicts = []
    for new in (before, longer):
        summary = TierSummary("suite/tier", new, expected=20, measured=20, inapplicable=0)
        subject = GateSubject("g", "m", summary)
        verdicts.append(judge_regression(subject, ratio_of, rule(equivalence=True, max_regression=0.1), before))
    assert [v.verdict for v in verdicts] == ["pass", "fail"]
    assert verdicts[1].regression is not None
    assert verdicts[1].regression.loss == pytest.approx(0.3)  # a rise is positive


def test_a_suspicious_improvement_is_flagged_and_passes() -> None:
    better = judged(-0.1)
    assert better.verdict == "pass"
    assert better.regression is not None
    assert better.regression.improved
    assert "suspicious improvement" in better.message
    little = judged(-0.005)
    assert little.regression is not None
    assert not little.regression.improved
    assert "suspicious" not in little.message
