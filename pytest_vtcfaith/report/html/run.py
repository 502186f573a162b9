"""What the HTML report is made from: plain values and calls, whether a session or files on disk give them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.suites.instruments import NO_INSTRUMENTS, Instruments

if TYPE_CHECKING:
    from pytest_vtcfaith.gating.judge import Verdict
    from pytest_vtcfaith.report.view import RunView
    from pytest_vtcfaith.suites.base import Columns, Request, Suite, TierMetric
    from pytest_vtcfaith.suites.case import Case


@dataclass(frozen=True, slots=True)
class Answer:
    """A row of results.jsonl with its case: `ask` is the parameter id of its test, `model` the slug of its model."""

    ask: str
    model: str
    case: Case
    row: Mapping[str, Any]

    @property
    def outcome(self) -> str:
        """One of `metrics.outcomes.OUTCOMES`, or `inapplicable`."""
        return str(self.row["outcome"])

    @property
    def metrics(self) -> Mapping[str, Any]:
        """The metrics of the case: numbers, None where undefined."""
        found: Mapping[str, Any] = self.row["metrics"]
        return found


@dataclass(frozen=True, slots=True)
class TierFound:
    """One tier with one model: its counts, and every metric of the suite that is defined there; `columns` has by metric
    the sums by document that it is computed from."""

    suite: str
    tier: str
    model: str
    expected: int
    measured: int
    inapplicable: int
    failures: Mapping[str, int]
    metrics: Mapping[str, float]
    columns: Mapping[str, Columns] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class HtmlRun:
    """A run to be shown.

    `about` is what run.json says; `request` gives what the model was asked in a case, and may raise anything; `source`
    is the folder that the pictures of the run lie in; `instruments` read pictures, where the run has any at hand.
    """

    view: RunView
    answers: Sequence[Answer]
    tiers: Sequence[TierFound]
    suites: Mapping[str, Suite]
    about: Mapping[str, Any]
    request: Callable[[Answer], Request]
    source: Path
    instruments: Instruments = NO_INSTRUMENTS

    @cached_property
    def gates(self) -> Mapping[tuple[str, str, str], Sequence[Verdict]]:
        """Model, tier and metric → the gates that speak about them."""
        found: dict[tuple[str, str, str], list[Verdict]] = {}
        for verdict in (v for verdicts in self.view.verdicts.values() for v in verdicts):
            found.setdefault((verdict.model, verdict.tier, verdict.metric), []).append(verdict)
        return found

    def metric(self, suite: str, name: str) -> TierMetric | None:
        """A metric of a suite by name; None for one that the suite does not have."""
        return self.suites[suite].metrics.get(name) if suite in self.suites else None
