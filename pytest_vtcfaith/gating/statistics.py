"""Intervals by bootstrap over documents, paired and seeded (definitions §8)."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.gating.bootstrap import DRAWS, Method, bounds, left_out, tail, weights
from pytest_vtcfaith.gating.power import level
from pytest_vtcfaith.gating.thresholds import SLACK
from pytest_vtcfaith.suites.base import Columns, TierMetric, totals, usable

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from pytest_vtcfaith.gating.bootstrap import Array


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval over documents, both ends inclusive; None where the metric is undefined in too many draws."""

    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Loss:
    """A change for the worse against the baseline, positive when worse, in the metric's unit; of a metric without
    better direction, a rise.

    `low`, `high`: its interval, None where the metric is undefined in too many draws. `p`: one-sided p-value of “the
    loss is within the margin”, that of an equivalence “within the margin either way”. `documents` are those of both
    runs, `changed` those whose own value changed. `spread`: the loss's standard deviation over draws. `worst`: the loss
    of one document that fails wholly. `losers`: those that lost most, each with old and new value, worst first.
    """

    value: float
    low: float | None
    high: float | None
    p: float
    documents: int
    changed: int
    spread: float
    worst: float
    losers: tuple[tuple[str, float, float], ...] = ()


def reduced(metric: TierMetric, columns: Columns) -> Columns:
    """What `usable` gives; columns that are it already are not copied: a tier may have many thousand documents."""
    first = next(iter(columns), "")
    names = usable(metric, {first: columns[first]} if columns else {}).get(first, {}).keys()
    if names and all(row.keys() == names for row in columns.values()):
        return columns
    return usable(metric, columns)


def pooled(metric: TierMetric, rows: Columns) -> float | None:
    """The value of a metric over reduced columns; None where it is undefined."""
    found = float(metric.formula(totals(rows))) if rows else math.nan
    return found if math.isfinite(found) else None


def interval(metric: TierMetric, columns: Columns, *, confidence: float, seed: int, method: Method = "bca") -> Interval:
    """Bootstrap of a tier's metric over its documents; one document gives an interval of no width."""
    columns = reduced(metric, columns)
    documents = sorted(columns)
    if not documents:
        return Interval(None, None)
    names, table = column_table(columns, documents)
    formula = over_rows(metric, names)
    point = _point(formula, table)
    if point is None or len(documents) == 1:
        return Interval(point, point)
    with quiet():
        draws = _defined(formula(weights(len(documents), seed) @ table))
        rest = formula(left_out(table))
    if len(draws) < DRAWS // 2:
        return Interval(None, None)
    low, high = bounds(draws, point, rest, confidence=confidence, documents=len(documents), method=method)
    return Interval(float(low), float(high))


def paired_loss(
    metric: TierMetric,
    now: Columns,
    before: Columns,
    *,
    confidence: float,
    margin: float,
    seed: int,
    equivalence: bool = False,
    method: Method = "percentile",
    listed: int = 3,
) -> Loss | None:
    """Bootstrap of the loss over the documents of both runs, drawn alike in both; None without a document in both.

    `margin` is the loss that is allowed, with `equivalence` in either direction, in the metric's unit. One document
    gives an interval of no width: it speaks about itself alone. At most `listed` documents are named.
    """
    now, before = reduced(metric, now), reduced(metric, before)
    documents = sorted(now.keys() & before.keys())
    if not documents:
        return None
    names, new_table = column_table(now, documents)
    _, old_table = column_table(before, documents)
    formula = over_rows(metric, names)
    new, old = _point(formula, new_table), _point(formula, old_table)
    if new is None or old is None:
        return None
    sign = metric.better or -1
    loss = (old - new) * sign
    losers, changed = _losers(formula(old_table), formula(new_table), sign, documents, listed)
    whole = _whole(metric, old)
    margin = margin + SLACK
    if len(documents) == 1:
        beyond = loss > margin or (equivalence and loss < -margin)
        return Loss(loss, loss, loss, 0.0 if beyond else 1.0, 1, changed, 0.0, max(whole, abs(loss)), losers)
    import numpy as np

    both = np.hstack((old_table, new_table))

    def losses(sums: Array) -> Array:
        old_sums, new_sums = np.hsplit(sums, 2)
        found: Array = (formula(old_sums) - formula(new_sums)) * sign
        return found

    with quiet():
        draws = _defined(losses(weights(len(documents), seed) @ both))
        rest = losses(left_out(both))
    moved = _defined(np.abs(rest - loss))
    worst = max(whole, float(moved.max()) * (len(documents) - 1) if len(moved) else 0.0)
    if len(draws) < DRAWS // 2:
        return Loss(loss, None, None, 1.0, len(documents), changed, 0.0, worst, losers)
    how: dict[str, Any] = {"documents": len(documents), "method": method}
    low, high = (float(end) for end in bounds(draws, loss, rest, confidence=confidence, **how))
    p = float(tail(draws, loss, rest, margin, **how))
    surely = low > margin
    if equivalence:
        p = min(p, float(tail(-draws, -loss, -rest, margin, **how)))
        surely = surely or high < -margin
    # what the interval says decides where draws and tail round differently
    p = min(p, level(confidence)) if surely else max(p, level(confidence))
    return Loss(loss, low, high, p, len(documents), changed, float(draws.std()), worst, losers)


def seed_of(*parts: object) -> int:
    """A 64-bit seed that depends on the parts only, alike in every process and on every platform."""
    text = "\0".join(str(part) for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode("utf-8")).digest()[:8], "big")


def column_table(columns: Columns, documents: Sequence[str]) -> tuple[list[str], Array]:
    """The names of the columns, sorted, and the table documents × columns."""
    import numpy as np

    names = sorted(columns[documents[0]])
    return names, np.array([[columns[d][name] for name in names] for d in documents])


def over_rows(metric: TierMetric, names: Sequence[str]) -> Callable[[Array], Array]:
    """The metric of every row of a table of sums."""
    import numpy as np

    return lambda sums: np.asarray(metric.formula({name: sums[:, i] for i, name in enumerate(names)}), dtype=float)


def quiet() -> AbstractContextManager[Any]:
    """No warnings about numbers that are not finite: what is undefined is left out."""
    import numpy as np

    return np.errstate(invalid="ignore", over="ignore")


def _point(formula: Callable[[Array], Array], table: Array) -> float | None:
    """The value of the whole table, added up row by row so that it is `pooled`'s to the last digit."""
    with quiet():
        found = float(formula(table.cumsum(axis=0)[-1:])[0])
    return found if math.isfinite(found) else None


def _defined(values: Array) -> Array:
    import numpy as np

    return values[np.isfinite(values)]


def _losers(
    old: Array, new: Array, sign: int, documents: Sequence[str], listed: int
) -> tuple[tuple[tuple[str, float, float], ...], int]:
    """The documents that lost most, and how many changed at all."""
    import numpy as np

    losses = np.nan_to_num((old - new) * sign, nan=0.0, posinf=0.0, neginf=0.0)
    worst = np.argsort(-losses, kind="stable")[:listed]
    named = tuple((documents[i], float(old[i]), float(new[i])) for i in worst if losses[i] > SLACK)
    return named, int((np.abs(losses) > SLACK).sum())


def _whole(metric: TierMetric, old: float) -> float:
    """What a document of the tier's value loses when it fails wholly; 0 where the metric has no such end."""
    down, up = old - metric.low, metric.high - old
    worst = {1: down, -1: up, 0: max(down, up)}[metric.better]
    return worst if math.isfinite(worst) else 0.0
