"""Intervals by bootstrap over documents, paired and seeded (definitions §8)."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.gating.thresholds import SLACK
from pytest_vtcfaith.suites.base import Columns, TierMetric, usable, value

if TYPE_CHECKING:
    import numpy as np

DRAWS = 2000


@dataclass(frozen=True, slots=True)
class Interval:
    """A percentile interval, both ends inclusive; None where the metric is undefined in too many draws."""

    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Loss:
    """A change for the worse against the baseline, positive when worse, in the metric's unit.

    `low`, `high`: its interval, None where the metric is undefined in too many draws. `p`: share of the draws whose
    loss is within the margin. `smallest`: the smallest loss that the documents could have shown to be over the margin
    with the gate's confidence and 80 % power, infinite for one document, which shows nothing about others.
    `documents_needed`: about how many would show a loss of one margin, None where that cannot be said.
    """

    value: float
    low: float | None
    high: float | None
    p: float
    documents: int
    smallest: float
    documents_needed: int | None


def interval(metric: TierMetric, columns: Columns, *, confidence: float, seed: int) -> Interval:
    """Percentile bootstrap of a tier's metric over its documents; one document gives an interval of no width."""
    columns = usable(metric, columns)
    documents = sorted(columns)
    point = value(metric, columns)
    if point is None:
        return Interval(None, None)
    if len(documents) == 1:
        return Interval(point, point)
    names = sorted({name for row in columns.values() for name in row})
    return _percentiles(metric.formula(_draw(columns, documents, names, seed)), confidence)


def paired_loss(
    metric: TierMetric, now: Columns, before: Columns, *, confidence: float, margin: float, seed: int
) -> Loss | None:
    """Bootstrap of the loss over the documents of both runs, drawn alike in both; None without a document in both.

    `margin` is the loss that is allowed, in the metric's unit. One document gives an interval of no width.
    """
    now, before = usable(metric, now), usable(metric, before)
    documents = sorted(now.keys() & before.keys())
    kept = {d: now[d] for d in documents}
    old = {d: before[d] for d in documents}
    new_value, old_value = value(metric, kept), value(metric, old)
    if new_value is None or old_value is None:
        return None
    loss = (old_value - new_value) * metric.better
    if len(documents) == 1:
        return Loss(loss, loss, loss, float(loss <= margin + SLACK), 1, math.inf, None)
    import numpy as np

    names = sorted({name for row in (*kept.values(), *old.values()) for name in row})
    losses = metric.formula(_draw(old, documents, names, seed)) - metric.formula(_draw(kept, documents, names, seed))
    losses = np.asarray(losses, dtype=float) * metric.better
    losses = losses[~np.isnan(losses)]
    if not len(losses):
        return None
    ends = _percentiles(losses, confidence)
    both = NormalDist().inv_cdf(confidence) + NormalDist().inv_cdf(0.8)
    spread = float(losses.std())
    needed = None if margin <= 0 else max(2, math.ceil(len(documents) * (both * spread / margin) ** 2))
    p = float((losses <= margin + SLACK).mean())
    return Loss(loss, ends.low, ends.high, p, len(documents), margin + both * spread, needed)


def seed_of(*parts: object) -> int:
    """A 64-bit seed that depends on the parts only, alike in every process and on every platform."""
    text = "\0".join(str(part) for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode("utf-8")).digest()[:8], "big")


def _draw(columns: Columns, documents: list[str], names: list[str], seed: int) -> Mapping[str, np.ndarray[Any, Any]]:
    import numpy as np

    table = np.array([[columns[d].get(name, 0.0) for name in names] for d in documents])
    sums = _weights(len(documents), seed) @ table
    return {name: sums[:, i] for i, name in enumerate(names)}


@lru_cache(maxsize=4)
def _weights(size: int, seed: int) -> np.ndarray[Any, Any]:
    """How often each of `size` documents is drawn, a row for each draw; gates of as many documents share them."""
    import numpy as np

    drawn = np.random.default_rng(seed).integers(size, size=(DRAWS, size))
    # how often each document is drawn: what multinomial() gives, several times faster
    cells = (drawn + size * np.arange(DRAWS)[:, None]).ravel()
    return np.bincount(cells, minlength=DRAWS * size).reshape(DRAWS, size).astype(float)


def _percentiles(drawn: Any, confidence: float) -> Interval:
    import numpy as np

    drawn = np.asarray(drawn, dtype=float)
    drawn = drawn[~np.isnan(drawn)]
    if len(drawn) < DRAWS // 2:
        return Interval(None, None)
    tail = 100.0 * (1.0 - confidence) / 2.0
    low, high = np.percentile(drawn, [tail, 100.0 - tail])
    return Interval(float(low), float(high))
