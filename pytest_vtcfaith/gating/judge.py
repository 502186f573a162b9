"""One gate, one verdict (definitions §8)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from pytest_vtcfaith.gating.statistics import Loss, interval, paired_loss, seed_of
from pytest_vtcfaith.gating.thresholds import SLACK, GateRule
from pytest_vtcfaith.report.worddiff import visible
from pytest_vtcfaith.suites.base import Columns, TierMetric, TierSummary, usable, value

Word = Literal["pass", "fail", "inconclusive", "not_measured", "not_applicable"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a gate found; the fields are those of a line of `gates.json`, `message` is why, in one line or several."""

    gate: str
    tier: str
    model: str
    metric: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    min: float | None = None
    max: float | None = None
    baseline: float | None = None
    verdict: Word = "not_measured"
    measured: int = 0
    expected: int = 0
    inapplicable: int = 0
    message: str = ""
    stored: bool = False

    def row(self) -> dict[str, Any]:
        """The line of `gates.json`."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class GateSubject:
    """What a gate speaks about: a tier with a model, and the number of its cases that gave no score.

    `stored`: scores of an earlier run take part; `not_run` of them are of the tier itself. `others` counts the
    applicable cases of the other tiers that its metric is computed from, `others_measured` those that were measured,
    `others_reason` says why one was not.
    """

    gate: str
    model: str
    summary: TierSummary
    lost: int = 0
    stored: bool = False
    not_run: int = 0
    others: int = 0
    others_measured: int = 0
    others_reason: str = ""


def _start(subject: GateSubject, metric: str, rule: GateRule) -> dict[str, Any]:
    summary = subject.summary
    return {
        "gate": subject.gate,
        "tier": summary.tier,
        "model": subject.model,
        "metric": metric,
        "min": rule.min,
        "max": rule.max,
        "measured": summary.measured,
        "expected": summary.expected + subject.lost,
        "inapplicable": summary.inapplicable,
        "stored": subject.stored,
    }


def _uncovered(subject: GateSubject, rule: GateRule) -> tuple[Word, str] | None:
    """The verdict where too little was measured to speak of a value."""
    summary = subject.summary
    expected = summary.expected + subject.lost
    if expected == 0:
        if summary.inapplicable:
            return "not_applicable", f"all {summary.inapplicable} cases are inapplicable: {_reasons(summary.reasons)}"
        return "not_measured", "no case of this tier ran"
    coverage = summary.measured / expected
    if not coverage >= rule.min_coverage - SLACK:
        lost = f"; {subject.lost} gave no report" if subject.lost else ""
        return "not_measured", (
            f"measured {summary.measured} of {expected} cases, coverage {coverage:.4f} < {rule.min_coverage:g}{lost}: "
            f"{_reasons(summary.reasons) or 'no reason given'}"
        )
    if not summary.measured:
        return "not_measured", "no case was measured"
    if subject.others and not subject.others_measured / subject.others >= rule.min_coverage - SLACK:
        return "not_measured", (
            f"it is computed from other tiers too, and of their {subject.others} cases {subject.others_measured} were "
            f"measured, coverage {subject.others_measured / subject.others:.4f} < {rule.min_coverage:g}: "
            f"{_reasons({subject.others_reason or 'no reason given': 1})}"
        )
    return None


def _reasons(reasons: Mapping[str, int]) -> str:
    shown = [(visible(" ".join(reason.split())), count) for reason, count in reasons.items()]
    shown = sorted(shown, key=lambda item: (-item[1], item[0]))[:2]
    return "; ".join(f"{reason} ({count}×)" if count > 1 else reason for reason, count in shown)


def judge_threshold(subject: GateSubject, metric: TierMetric, rule: GateRule, *, seed: int = 0) -> Verdict:
    """Whether the tier's value lies within `min` and `max`; nan, an empty tier and missing cases are not measured."""
    start = _start(subject, metric.name, rule)
    if short := _uncovered(subject, rule):
        return Verdict(**start, verdict=short[0], message=short[1])
    columns = subject.summary.columns
    found = value(metric, columns)
    if found is None:
        return Verdict(**start, verdict="not_measured", message=_undefined(metric.name, subject.summary))
    span = interval(metric, columns, confidence=rule.confidence, seed=seed_of(seed))
    start |= {"value": found, "low": span.low, "high": span.high}
    problems = []
    if rule.min is not None and not found >= rule.min - SLACK:
        problems.append(f"< {rule.min:g}")
    if rule.max is not None and not found <= rule.max + SLACK:
        problems.append(f"> {rule.max:g}")
    if not problems:
        return Verdict(**start, verdict="pass")
    return Verdict(
        **start,
        verdict="fail",
        message=f"{metric.name} = {found:.6g} {' and '.join(problems)}"
        + (f" ({rule.confidence:.0%} interval {span.low:.4f} to {span.high:.4f})" if span.low is not None else ""),
    )


def _undefined(metric: str, summary: TierSummary) -> str:
    failed = ", ".join(f"{count} {name}" for name, count in summary.failures.items())
    return f"{metric} is undefined: no document has complete answers to all that it is computed from" + (
        f" (here: {failed})" if failed else ""
    )


def judge_regression(
    subject: GateSubject, metric: TierMetric, rule: GateRule, before: Columns, *, seed: int = 0
) -> Verdict:
    """Whether the loss from the baseline is surely within `max_regression`, surely beyond it, or neither."""
    margin = rule.max_regression or 0.0
    start = _start(subject, metric.name, rule) | {"min": None, "max": None}
    if short := _uncovered(subject, rule):
        return Verdict(**start, verdict=short[0], message=short[1])
    columns = subject.summary.columns
    found, old = value(metric, columns), value(metric, before)
    if found is None:
        return Verdict(**start, verdict="not_measured", message=_undefined(metric.name, subject.summary))
    if old is None:
        return Verdict(**start, value=found, verdict="not_measured", message=f"the baseline holds no {metric.name}")
    seeded = seed_of(seed)
    loss = paired_loss(metric, columns, before, confidence=rule.confidence, margin=margin, seed=seeded)
    start |= {"value": found, "baseline": old}
    if loss is None:
        return Verdict(**start, verdict="not_measured", message="no document is complete in both runs")
    start |= {"low": loss.low, "high": loss.high}
    text = f"{metric.name}: {old:.4f} → {found:.4f}, loss {_range(loss)}, allowed {margin:g}; {_power(loss)}"
    if loss.high is not None and loss.high <= margin + SLACK:
        return Verdict(**start, verdict="pass", message=text)
    message = "\n".join(part for part in (text, worst_documents(metric, columns, before)) if part)
    surely = loss.low is not None and loss.low > margin + SLACK
    return Verdict(**start, verdict="fail" if surely else "inconclusive", message=message)


def _range(loss: Loss) -> str:
    ends = "interval unknown" if loss.low is None or loss.high is None else f"{loss.low:+.4f} to {loss.high:+.4f}"
    return f"{loss.value:+.4f} ({ends}, on {loss.documents} documents)"


def _power(loss: Loss) -> str:
    if not math.isfinite(loss.smallest):
        return "one document shows nothing about others"
    needed = f", {loss.documents_needed} documents would show one margin" if loss.documents_needed else ""
    return f"smallest loss it could see {loss.smallest:.4f}{needed}"


def worst_documents(metric: TierMetric, now: Columns, before: Columns, count: int = 3) -> str:
    """The documents that lost most, each with its old and new value."""
    now, before = usable(metric, now), usable(metric, before)
    losses = []
    for document in sorted(now.keys() & before.keys()):
        new, old = value(metric, {document: now[document]}), value(metric, {document: before[document]})
        if new is not None and old is not None and (old - new) * metric.better > SLACK:
            losses.append(((old - new) * metric.better, document, old, new))
    losses.sort(key=lambda row: (-row[0], row[1]))
    return "\n".join(f"  {document}: {old:.4f} → {new:.4f}" for _, document, old, new in losses[:count])
