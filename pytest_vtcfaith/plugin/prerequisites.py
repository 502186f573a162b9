"""Cases that are asked only where the model passes others first: reasoning, once it can draw words (definitions §7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_vtcfaith.plugin.benchmark import Ask

if TYPE_CHECKING:
    from pytest_vtcfaith.plugin.run import Run
    from pytest_vtcfaith.suites.case import Case, CaseScore


@dataclass(frozen=True, slots=True)
class Unmet:
    """Why a model is not asked a case. With `measured` it fails a gate first, and the case is inapplicable; without, it
    is not known whether it passes, and the case was not measured either.
    """

    reason: str
    measured: bool


Known = dict[tuple[str, tuple[str, ...]], Unmet | None]


def unmet(run: Run, ask: Ask, known: Known) -> Unmet | None:
    """Why the model is not asked this case: the gates of its prerequisites that it fails; None when it is asked.

    The prerequisites are asked in this process, once for each model, whatever other process scores them too; `known`
    keeps what was found.
    """
    suite = run.suite(ask.case.suite)
    needed = suite.prerequisites(ask.case, run.selection.everything[ask.case.suite])
    if not needed:
        return None
    key = ask.slug, tuple(case.id for case in needed)
    if key not in known:
        known[key] = _judged(run, ask, needed)
    return known[key]


def _judged(run: Run, ask: Ask, needed: Sequence[Case]) -> Unmet | None:
    from pytest_vtcfaith.gating.thresholds import SLACK
    from pytest_vtcfaith.suites.base import value

    suite = run.suite(ask.case.suite)
    scores = [_score(run, Ask(case, ask.spec, ask.slug)) for case in needed]
    for tier in sorted({score.case.tier for score in scores}):
        summary = suite.summarise(tier, [score for score in scores if score.case.tier == tier])
        if summary.measured < summary.expected:
            reason = next(score.reason for score in scores if not score.measured and not score.inapplicable)
            return Unmet(f"{tier} was not measured, which it takes to go on: {reason}", measured=False)
        for rule in run.gate_rules(tier):
            found = value(suite.metrics[rule.metric], summary.columns)
            low, high = rule.min, rule.max
            if (low is None and high is None) or (found is None and not summary.expected):
                continue
            if found is None:
                return Unmet(f"{rule.metric} of {tier} is not defined, which it takes to go on", measured=False)
            if low is not None and found < low - SLACK:
                return Unmet(f"fails {tier} first: {rule.metric} {found:.4g} is under {low:g}", measured=True)
            if high is not None and found > high + SLACK:
                return Unmet(f"fails {tier} first: {rule.metric} {found:.4g} is over {high:g}", measured=True)
    return None


def _score(run: Run, ask: Ask) -> CaseScore:
    from pytest_vtcfaith.suites.base import Inapplicable
    from pytest_vtcfaith.suites.case import CaseScore

    suite = run.suite(ask.case.suite)
    reason = suite.inapplicable(ask.case, ask.spec)
    try:
        request = suite.request(ask.case, ask.spec) if not reason else None
    except Inapplicable as problem:
        reason, request = str(problem), None
    if request is None:
        return CaseScore(ask.case, ask.slug, "", {}, reason)
    transcript, metrics = run.measuring.score(suite, ask.case, run.respond(ask, request), request)
    error = transcript.reply.error or "" if transcript.outcome == "infrastructure_error" else ""
    return CaseScore(ask.case, ask.slug, transcript.outcome, metrics, error)
