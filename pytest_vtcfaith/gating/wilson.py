"""Wilson intervals of pooled rates, for as many independent trials as clustered counts are worth."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pytest_vtcfaith.gating.statistics import reduced
from pytest_vtcfaith.gating.student import NORMAL
from pytest_vtcfaith.suites.base import Columns, TierMetric

EXACT = 2.0**53
"""Up to here floats count."""


@dataclass(frozen=True, slots=True)
class Wilson:
    """A pooled rate of `count` in `trials` with its interval, both ends inclusive; `effective`: independent trials
    that as much is known from.
    """

    low: float
    high: float
    count: int
    trials: int
    effective: float


def wilson_bounds(rate: float, trials: float, confidence: float) -> tuple[float, float]:
    """The two-sided score interval of a `rate` (0–1) of `trials` > 0 (Wilson, "Probable inference, the law of
    succession, and statistical inference", 1927).
    """
    z = NORMAL.inv_cdf((1.0 + confidence) / 2.0)
    middle = (rate + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    return max(0.0, min(rate, middle - half)), min(1.0, max(rate, middle + half))


def pooled_rate(metric: TierMetric, columns: Columns, confidence: float) -> Wilson | None:
    """The Wilson interval of a share that pools counts over documents; None for any other metric, or without trials.

    Trials of one document are not independent: their number is divided by the design effect, the variance of the rate
    between documents over that of independent trials, but at least 1 (Kish, "Survey sampling", 1965). Where the
    rate is 0 or 1 nothing is known of that effect, and a document counts as one trial.
    """
    if (metric.low, metric.high) != (0.0, 1.0):  # not a share: a length ratio of 0.99 is no 99 of 100 trials
        return None
    rows = reduced(metric, columns)
    counted = _numerator(metric, set().union(*rows.values()) if rows else set())
    if counted is None:
        return None
    above, below = counted
    counts = [(row[above], row[below]) for row in rows.values()]
    if not all(x.is_integer() and n.is_integer() and 0 <= x <= n <= EXACT for x, n in counts):
        return None
    count, trials = (int(sum(column)) for column in zip(*counts, strict=True))
    if not trials:
        return None
    rate, documents = count / trials, sum(n > 0 for _, n in counts)
    if 0 < count < trials and documents > 1:
        between = documents / (documents - 1) * sum((x - rate * n) ** 2 for x, n in counts) / trials**2
        effective = trials / max(1.0, between * trials / (rate * (1 - rate)))
    else:
        effective = float(documents)
    return Wilson(*wilson_bounds(rate, effective, confidence), count, trials, effective)


def _numerator(metric: TierMetric, asked: set[str]) -> tuple[str, str] | None:
    """The two columns of a plain ratio, what is counted first."""
    if len(asked) != 2:
        return None
    for above, below in (tuple(sorted(asked)), tuple(sorted(asked, reverse=True))):
        if all(metric.formula({above: x, below: n}) == x / n for x, n in ((3.0, 7.0), (5.0, 8.0))):
            return above, below
    return None
