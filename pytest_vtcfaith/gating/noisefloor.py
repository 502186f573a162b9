"""The noise floor: how far a metric moves when nothing changed but the asking."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pytest_vtcfaith.gating.statistics import column_table, over_rows, pooled, quiet, reduced
from pytest_vtcfaith.gating.student import NORMAL, widened
from pytest_vtcfaith.gating.thresholds import SLACK
from pytest_vtcfaith.suites.base import Columns, TierMetric


@dataclass(frozen=True, slots=True)
class Noise:
    """What asking the same documents twice showed of one metric of a tier.

    `documents` were asked twice, `changed` of them have another value of their own; `spread` is the root mean square of
    what one document's change adds to the metric of a tier of one document, in the metric's unit.
    """

    documents: int
    changed: int
    spread: float


def measure_noise(metric: TierMetric, first: Columns, again: Columns) -> Noise | None:
    """The noise of a metric from the first and the second answers, over the documents of both.

    None where the metric is undefined in one of them: nothing was measured.
    """
    first, again = reduced(metric, first), reduced(metric, again)
    documents = sorted(first.keys() & again.keys())
    before, after = {d: first[d] for d in documents}, {d: again[d] for d in documents}
    old, new = pooled(metric, before), pooled(metric, after)
    if old is None or new is None:
        return None
    import numpy as np

    names, table = column_table(before, documents)
    _, second = column_table(after, documents)
    formula = over_rows(metric, names)
    with quiet():
        # the tier with one document's second answer: its share of the change, times the number of documents
        moved = len(documents) * (formula(table.sum(axis=0) - table + second) - old)
        alone = np.nan_to_num(formula(second) - formula(table), nan=0.0)
    moved = moved[np.isfinite(moved)]
    spread = float(np.sqrt((moved**2).mean())) if len(moved) else 0.0
    return Noise(len(documents), int((np.abs(alone) > SLACK).sum()), spread)


def noise_floor(noise: Noise, documents: int, *, confidence: float) -> float:
    """How far a tier of `documents` documents moves by noise alone, at most, with `confidence` (0.5–1, two-sided).

    0 where nothing changed: such a model is taken as deterministic, as far as it was asked. Infinite where a change was
    seen and one document was asked twice, which shows nothing about others.
    """
    if noise.spread <= SLACK:
        return 0.0
    if noise.documents < 2:
        return math.inf
    return widened(NORMAL.inv_cdf((1.0 + confidence) / 2.0), noise.documents) * noise.spread / math.sqrt(documents)
