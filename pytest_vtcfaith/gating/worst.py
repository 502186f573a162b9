"""The cases that a threshold gate on a tier fails for: the worst, by the case metric of the same name."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_vtcfaith.gating.thresholds import SLACK, GateRule
from pytest_vtcfaith.suites.case import CaseScore

NAMED = 3
"""Cases that a message names."""


def worst_cases(tier: str, scores: Iterable[CaseScore], rule: GateRule) -> str:
    """`ID VALUE, …` of at most `NAMED` measured cases of the tier beyond the rule's bound, the farthest first; "" where
    there are none.
    """
    beyond: list[tuple[float, str, float]] = []
    for score in scores:
        value = score.metrics.get(rule.metric)
        if tier not in score.case.tiers or not score.measured or value is None:
            continue
        below = -1.0 if rule.min is None else rule.min - value
        above = -1.0 if rule.max is None else value - rule.max
        if max(below, above) > SLACK:
            beyond.append((-max(below, above), score.case.id, value))
    return ", ".join(f"{case} {value:.4g}" for _, case, value in sorted(beyond)[:NAMED])
