"""The cases in the order in which somebody who asks why a run is red should see them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_vtcfaith.gating.flips import case_metric
from pytest_vtcfaith.report.view import BAD, Failure

if TYPE_CHECKING:
    from pytest_vtcfaith.gating.judge import Verdict
    from pytest_vtcfaith.report.html.run import Answer, HtmlRun

STATES = ("failed", "not measured", "in a red tier", "expected failure", "passed", "inapplicable")
"""What became of a case, worst first. `in a red tier`: its test passed, it lost something, and a gate that it counts
for did not pass."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A case in the list: its state, the metric it is judged by and that metric's value, how much it lost (0 for
    nothing, larger is worse), and the message of its failed test, "" for none."""

    answer: Answer
    state: str
    metric: str
    value: float | None
    loss: float
    message: str


def listed(run: HtmlRun) -> list[Listed]:
    """All cases, worst first; equal ones by model and id."""
    messages = failed_cases(run)
    red = _red_metrics(run)
    found = [_listed(run, answer, messages, red) for answer in run.answers]
    return sorted(found, key=lambda c: (STATES.index(c.state), -c.loss, c.answer.model, c.answer.case.id))


def failed_cases(run: HtmlRun) -> Mapping[str, str]:
    """Parameter id of a failed case → message of its test.

    A user's own parameters may stand before or behind ours, so the longest part of a test's parameters counts.
    """
    known = {answer.ask for answer in run.answers}
    found: dict[str, str] = {}
    for failure in run.view.failures:
        ask = ask_of(failure, known)
        if ask is not None:
            found.setdefault(ask, failure.message)
    return found


def ask_of(failure: Failure, known: Iterable[str]) -> str | None:
    """The parameter id among `known` that a failed test has; None for a test of something else."""
    names = known if isinstance(known, set | frozenset | dict) else set(known)
    inner = failure.test[failure.test.find("[") + 1 : failure.test.rfind("]")] if "[" in failure.test else ""
    if inner in names:
        return inner
    parts = inner.split("-")
    for length in range(len(parts) - 1, 0, -1):
        for start in range(len(parts) - length + 1):
            if (part := "-".join(parts[start : start + length])) in names:
                return part
    return None


def _red_metrics(run: HtmlRun) -> Mapping[tuple[str, str], str]:
    """Model and tier → the metric of its first gate that did not pass."""
    found: dict[tuple[str, str], str] = {}
    for verdict in bad_gates(run):
        found.setdefault((verdict.model, verdict.tier), verdict.metric)
    return found


def bad_gates(run: HtmlRun) -> list[Verdict]:
    """The gates that did not pass, in the order they were judged."""
    return [v for verdicts in run.view.verdicts.values() for v in verdicts if v.verdict in BAD]


def _listed(run: HtmlRun, answer: Answer, messages: Mapping[str, str], red: Mapping[tuple[str, str], str]) -> Listed:
    gated = next((red[answer.model, tier] for tier in answer.case.tiers if (answer.model, tier) in red), None)
    metric, value, loss = _judged_by(run, answer, gated)
    complete = answer.outcome == "complete"
    if answer.outcome == "inapplicable":
        state = "inapplicable"
    elif answer.ask in messages:
        state = "failed"
    elif answer.outcome == "infrastructure_error":
        state = "not measured"
    elif gated is not None and (loss > 0 or not complete):
        state = "in a red tier"
    else:
        state = "passed" if complete else "expected failure"
    return Listed(answer, state, metric, value, loss, messages.get(answer.ask, ""))


def _judged_by(run: HtmlRun, answer: Answer, gated: str | None) -> tuple[str, float | None, float]:
    """The metric of the gate that did not pass, else the suite's first one, else any that the case has."""
    suite = run.suites.get(answer.case.suite)
    directions: Mapping[str, int] = {} if suite is None else suite.case_metrics
    wanted = None if suite is None else case_metric(gated or suite.primary, directions)
    names = [wanted] if wanted is not None else []
    for name in [*names, *([] if suite is None else [suite.primary]), *directions]:
        value = answer.metrics.get(name)
        if value is not None:
            better = directions.get(name, 1)
            return name, float(value), max(0.0, 1.0 - value if better > 0 else float(value))
    return "", None, 0.0 if answer.outcome == "complete" else 1.0
