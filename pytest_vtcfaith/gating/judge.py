"""One gate, one verdict (definitions §8)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from pytest_vtcfaith.gating.noisefloor import Noise, noise_floor
from pytest_vtcfaith.gating.regression import Regression, describe_regression
from pytest_vtcfaith.gating.statistics import interval, paired_loss, pooled, reduced, seed_of
from pytest_vtcfaith.gating.thresholds import SLACK, GateRule
from pytest_vtcfaith.gating.wilson import Wilson, pooled_rate
from pytest_vtcfaith.report.worddiff import visible
from pytest_vtcfaith.suites.base import Columns, TierMetric, TierSummary

Word = Literal["pass", "fail", "inconclusive", "not_measured", "not_applicable"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a gate found; the fields are those of a line of `gates.json`, `message` is why, in one line or several.

    `low` and `high` are the interval of the value, of a regression gate that of the loss. `documents` are those that
    the metric was computed from, of a regression gate those of both runs. `wilson` is the interval of a pooled rate,
    `regression` what a comparison with the baseline found.
    """

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
    documents: int = 0
    wilson: Wilson | None = None
    regression: Regression | None = None

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
        lost = f"; {subject.lost} have no result" if subject.lost else ""
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
    columns = reduced(metric, subject.summary.columns)
    found = pooled(metric, columns)
    if found is None:
        return Verdict(**start, verdict="not_measured", message=_undefined(metric.name, subject.summary))
    span = interval(metric, columns, confidence=rule.confidence, seed=seed_of(seed), method=rule.interval or "bca")
    rate, documents = pooled_rate(metric, columns, rule.confidence), len(columns)
    start |= {"value": found, "low": span.low, "high": span.high, "documents": documents, "wilson": rate}
    problems = []
    if rule.min is not None and not found >= rule.min - SLACK:
        problems.append(f"< {rule.min:g}")
    if rule.max is not None and not found <= rule.max + SLACK:
        problems.append(f"> {rule.max:g}")
    if not problems:
        return Verdict(**start, verdict="pass")
    said = [f"{subject.summary.measured} cases in {documents} documents"]
    if span.low is not None:
        said.insert(0, f"{rule.confidence:.0%} interval {span.low:.4f} to {span.high:.4f}")
    if rate is not None:
        said.append(f"Wilson {rate.low:.4f} to {rate.high:.4f} for {rate.count} of {rate.trials}")
    message = f"{metric.name} = {found:.6g} {' and '.join(problems)} ({', '.join(said)})"
    if remark := subject.summary.remarks.get(metric.name):
        message += f"; {remark}"
    return Verdict(**start, verdict="fail", message=message)


def _undefined(metric: str, summary: TierSummary) -> str:
    failed = ", ".join(f"{count} {name}" for name, count in summary.failures.items())
    return f"{metric} is undefined: no document has complete answers to all that it is computed from" + (
        f" (here: {failed})" if failed else ""
    )


def judge_regression(
    subject: GateSubject,
    metric: TierMetric,
    rule: GateRule,
    before: Columns,
    *,
    seed: int = 0,
    noise: Noise | None = None,
) -> Verdict:
    """Whether the loss from the baseline is surely within `max_regression`, surely beyond it, or neither.

    The gate is judged by itself: what several gates of a run mean together, `family.settle` says. With `noise`, a
    margin below the noise floor is not judged at all: such a gate would decide by dice.
    """
    margin = rule.max_regression or 0.0
    start = _start(subject, metric.name, rule) | {"min": None, "max": None}
    if short := _uncovered(subject, rule):
        return Verdict(**start, verdict=short[0], message=short[1])
    columns, before = reduced(metric, subject.summary.columns), reduced(metric, before)
    found, old = pooled(metric, columns), pooled(metric, before)
    if found is None:
        return Verdict(**start, verdict="not_measured", message=_undefined(metric.name, subject.summary))
    if old is None:
        return Verdict(**start, value=found, verdict="not_measured", message=f"the baseline holds no {metric.name}")
    start |= {"value": found, "baseline": old}
    loss = paired_loss(
        metric,
        columns,
        before,
        confidence=rule.confidence,
        margin=margin,
        seed=seed_of(seed),
        equivalence=rule.equivalence,
        method=rule.interval or "percentile",
    )
    if loss is None:
        return Verdict(**start, verdict="not_measured", message="no document is complete in both runs")
    start |= {"documents": loss.documents, "low": loss.low, "high": loss.high}
    floor = None if noise is None else noise_floor(noise, loss.documents, confidence=rule.confidence)
    compared = Regression.of(loss, rule, floor, metric.high - metric.low)
    if noise is not None and floor is not None and margin < floor - SLACK:
        return Verdict(
            **start,
            regression=compared,
            verdict="not_measured",
            message=_too_noisy(margin, floor, noise, loss.documents),
        )
    within = loss.high is not None and loss.high <= margin + SLACK
    beyond = loss.low is not None and loss.low > margin + SLACK
    if rule.equivalence:
        beyond = beyond or (loss.high is not None and loss.high < -margin - SLACK)
        within = within and loss.low is not None and loss.low >= -margin - SLACK
    verdict = Verdict(**start, regression=compared, verdict="pass" if within else "fail" if beyond else "inconclusive")
    lines = [] if within else [f"  {name}: {was:.4f} → {now:.4f}" for name, was, now in loss.losers]
    return replace(verdict, message="\n".join((describe_regression(metric.name, old, found, compared), *lines)))


def _too_noisy(margin: float, floor: float, noise: Noise, documents: int) -> str:
    reached = f"{floor:.4f}" if math.isfinite(floor) else "unknown"
    return (
        f"allowed {margin:g} is below the noise floor {reached}: of {noise.documents} documents asked twice "
        f"{noise.changed} changed, and {documents} documents move that far without any change of the model; raise "
        f"max_regression or measure more documents"
    )
