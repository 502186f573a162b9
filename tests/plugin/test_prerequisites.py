"""Cases that are asked once the model passes others: which gates count, and that each is asked once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_vtcfaith.engine.transcript import Transcript
from pytest_vtcfaith.gating.thresholds import GateRule
from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.models import ModelSpec
from pytest_vtcfaith.plugin.benchmark import Ask
from pytest_vtcfaith.plugin.prerequisites import unmet
from pytest_vtcfaith.suites.base import (
    FAILURE_METRICS,
    Inapplicable,
    TierMetric,
    TierSummary,
    count_tier,
    failure_columns,
    ratio,
)
from pytest_vtcfaith.suites.case import Case, CaseScore

SPEC = ModelSpec("m", load=object, languages=None)


def case(name: str, tier: str = "made/first") -> Case:
    return Case(name, "made", tier, name, "en", "word", Path("made.jsonl"), 2)


FIRST = [case("a"), case("b")]
SECOND = case("z", "made/second")


class Made:
    """A suite whose cases of the tier `second` wait for those of the others."""

    name = "made"
    task = "transcribe"
    metrics: Mapping[str, TierMetric] = {
        m.name: m for m in (TierMetric("right", 1, lambda sums: ratio(sums["right"], sums["n"])), *FAILURE_METRICS)
    }

    def __init__(self, inapplicable: Sequence[str] = (), without_page: Sequence[str] = ()) -> None:
        self._inapplicable, self._without_page = inapplicable, without_page

    def prerequisites(self, case: Case, cases: Sequence[Case]) -> Sequence[Case]:
        return [] if case.tier != "made/second" else [other for other in cases if other.tier != case.tier]

    def inapplicable(self, case: Case, spec: ModelSpec) -> str:
        return "not this one" if case.id in self._inapplicable else ""

    def request(self, case: Case, spec: ModelSpec) -> Any:
        if case.id in self._without_page:
            raise Inapplicable("no page")
        return case

    def summarise(self, tier: str, scores: Sequence[CaseScore]) -> TierSummary:
        columns = {
            score.case.document: failure_columns(score)
            | ({"right": score.metrics["right"] or 0.0, "n": 1.0} if score.metrics else {})
            for score in scores
            if not score.inapplicable
        }
        return TierSummary(columns=columns, **count_tier(tier, scores))


@dataclass
class Run:
    """What `unmet` needs of a run; `replies` are the share that is right by case, or an outcome."""

    replies: Mapping[str, float | str]
    rules: Mapping[str, Sequence[GateRule]]
    made: Made = field(default_factory=Made)
    cases: Sequence[Case] = (*FIRST, SECOND)
    asked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.selection = SimpleNamespace(everything={"made": self.cases})
        self.measuring = self

    def suite(self, name: str) -> Made:
        return self.made

    def gate_rules(self, tier: str) -> Sequence[GateRule]:
        return self.rules.get(tier, ())

    def respond(self, ask: Ask, request: Any) -> Transcript:
        self.asked.append(ask.case.id)
        found = self.replies[ask.case.id]
        if isinstance(found, str):
            return Transcript(Reply(None, error="503" if found == "infrastructure_error" else None), found, 0.0, False)
        return Transcript(Reply(str(found)), "complete", 0.0, False)

    def score(self, suite: Made, case: Case, transcript: Transcript, request: Any) -> tuple[Transcript, dict[str, Any]]:
        if transcript.outcome != "complete":
            return transcript, {} if transcript.outcome == "infrastructure_error" else {"right": 0.0}
        return transcript, {"right": float(transcript.text)}


def rule(metric: str = "right", **bounds: Any) -> GateRule:
    return GateRule(where="made/*", metric=metric, **bounds)


def found(run: Run, which: Case = SECOND, known: dict[Any, Any] | None = None) -> str:
    told = unmet(run, Ask(which, SPEC, "m"), {} if known is None else known)  # type: ignore[arg-type]
    assert told is None or told.measured == told.reason.startswith("fails ")
    return "" if told is None else told.reason


HALF = {"made/first": [rule(min=0.5)]}


@pytest.mark.parametrize(
    ("replies", "rules", "says"),
    [
        ({"a": 1.0, "b": 0.0}, HALF, ""),
        ({"a": 0.9, "b": 0.0}, HALF, "fails made/first first: right 0.45 is under 0.5"),
        ({"a": 0.0, "b": "refused"}, HALF, "fails made/first first: right 0 is under 0.5"),
        ({"a": 1.0, "b": 1.0}, {"made/first": [rule(max=0.5)]}, "fails made/first first: right 1 is over 0.5"),
        ({"a": 0.2, "b": 0.2}, {"made/second": [rule(min=0.5)]}, ""),
        ({"a": 0.2, "b": 0.2}, {"made/first": [rule(max_regression=0.1)]}, ""),
        ({"a": 0.2, "b": 0.2}, {}, ""),
        ({"a": 1.0, "b": "refused"}, {"made/first": [rule("failure_rate", max=0.2)]}, "failure_rate 0.5 is over 0.2"),
        ({"a": 0.7, "b": 0.7}, {"made/first": [rule(min=0.7 + 1e-12)]}, ""),
        ({"a": 1.0, "b": "infrastructure_error"}, HALF, "made/first was not measured, which it takes to go on: 503"),
        ({"a": 1.0, "b": "infrastructure_error"}, {}, "made/first was not measured, which it takes to go on: 503"),
    ],
)
def test_the_gates_of_the_tiers_before(replies: dict[str, Any], rules: dict[str, Any], says: str) -> None:
    said = found(Run(replies, rules))
    assert says in said if says else said == ""


def test_a_case_without_prerequisites_asks_nothing() -> None:
    run = Run({}, HALF)
    assert found(run, FIRST[0]) == ""
    assert run.asked == []


def test_prerequisites_are_asked_once() -> None:
    run, known = Run({"a": 1.0, "b": 1.0}, HALF), {}
    for which in (SECOND, case("y", "made/second"), SECOND):
        assert found(run, which, known) == ""
    assert run.asked == ["a", "b"]


def test_what_the_model_cannot_be_asked_is_left_out() -> None:
    run = Run({"a": 1.0}, HALF, Made(inapplicable=["b"]))
    assert found(run) == ""
    assert run.asked == ["a"]
    run = Run({"b": 0.1}, HALF, Made(without_page=["a"]))
    assert "right 0.1 is under 0.5" in found(run)


def test_a_tier_that_is_inapplicable_as_a_whole_is_no_hindrance() -> None:
    run = Run({}, HALF, Made(inapplicable=["a", "b"]))
    assert found(run) == ""
    assert run.asked == []


def test_a_number_that_is_not_defined_is_no_pass() -> None:
    class Undefined(Made):
        def summarise(self, tier: str, scores: Sequence[CaseScore]) -> TierSummary:
            return TierSummary(columns={}, **count_tier(tier, scores))

    said = found(Run({"a": 1.0, "b": 1.0}, HALF, Undefined()))
    assert said == "right of made/first is not defined, which it takes to go on"
