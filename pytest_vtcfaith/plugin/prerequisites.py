"""Cases that are asked only where the model passes others first: reasoning, once it can draw words (definitions §7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_vtcfaith.plugin.benchmark import Ask

if TYPE_CHECKING:
    from pytest_vtcfaith.plugin.run import Run
    from pytest_vtcfaith.suites.case import Case, CaseScore

Known = dict[tuple[str, tuple[str, ...]], str]


def unmet(run: Run, ask: Ask, known: Known) -> str:
    """Why the model is not asked this case: the gates of its prerequisites that it fails; "" when it is asked.

    The prerequisites are asked in this process, once for each model, whatever other process scores them too; `known`
    keeps what was found.
    """
    suite = run.suite(ask.case.suite)
    needed = suite.prerequisites(ask.case, run.selection.everything[ask.case.suite])
    if not needed:
        return ""
    key = ask.slug, tuple(case.id for case in needed)
    if key not in known:
        known[key] = _judged(run, ask, needed)
    return known[key]


def _judged(run: Run, ask: Ask, needed: Sequence[Case]) -> str:
    from pytest_vtcfaith.gating.thresholds import SLACK
    from pytest_vtcfaith.suites.base import value

    suite = run.suite(ask.case.suite)
    scores = [_score(run, Ask(case, ask.spec, ask.slug)) for case in needed]
    for tier in sorted({score.case.tier for score in scores}):
        summary = suite.summarise(tier, [score for score in scores if score.case.tier == tier])
        if summary.measured < summary.expected:
            reason = next(score.reason for score in scores if not score.measured and not score.inapplicable)
            return f"{tier} was not measured, which it takes to go on: {reason}"
        for rule in run.gate_rules(tier):
            found = value(suite.metrics[rule.metric], summary.columns)
            low, high = rule.min, rule.max
            if (low is None and high is None) or (found is None and not summary.expected):
                continue
            if found is None:
                return f"{rule.metric} of {tier} is not defined, which it takes to go on"
            if low is not None and found < low - SLACK:
                return f"fails {tier} first: {rule.metric} {found:.4g} is under {low:g}"
            if high is not None and found > high + SLACK:
                return f"fails {tier} first: {rule.metric} {found:.4g} is over {high:g}"
    return ""


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
