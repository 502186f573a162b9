"""The intervals of the charts where no gate gives one: the bootstrap of gates, over all cases of a point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_vtcfaith.gating.statistics import Interval, interval, pooled, reduced, seed_of

if TYPE_CHECKING:
    from pytest_vtcfaith.report.html.run import HtmlRun, TierFound
    from pytest_vtcfaith.suites.base import Columns, TierMetric

CONFIDENCE = 0.95
"""That of a gate whose rule names none."""


def interval_of(run: HtmlRun, tiers: Sequence[TierFound], metric: str) -> tuple[float | None, Interval]:
    """The value of a metric over all cases of the tiers, and its interval over their documents with the run's seed.

    None, and an interval without ends, where the tiers do not have what the metric is computed from. Bootstrap as in
    `gating.statistics.interval` (definitions §8); points of as many documents share their draws.
    """
    found = run.metric(tiers[0].suite, metric) if tiers else None
    if found is None:
        return None, Interval(None, None)
    columns = merged(found, [tier.columns[metric] for tier in tiers if metric in tier.columns])
    seed = seed_of(run.about.get("seed", 0))
    return pooled(found, columns), interval(found, columns, confidence=CONFIDENCE, seed=seed)


def merged(metric: TierMetric, tables: Sequence[Columns]) -> Columns:
    """The tiers' columns as those of one tier: sums by document, of the documents that each tier has complete."""
    parts = [reduced(metric, columns) for columns in tables]
    if len(parts) == 1:
        return parts[0]
    sums: dict[str, dict[str, float]] = {}
    for part in parts:
        for document, row in part.items():
            own = sums.setdefault(document, {})
            for name, value in row.items():
                own[name] = own.get(name, 0.0) + value
    return sums
