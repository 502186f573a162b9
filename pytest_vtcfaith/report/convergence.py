"""convergence.json: how a tier's means settle as documents are added (ZeroSense §5.3, Table 4)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_vtcfaith.gating.statistics import seed_of
from pytest_vtcfaith.report.results import write_atomic
from pytest_vtcfaith.suites.base import Columns, TierMetric, usable

FIRST = 10
"""Documents of the smallest subset; every next one has twice as many."""


def nested_order(strata: Mapping[str, str], seed: int) -> list[str]:
    """The documents in a random order, any beginning of which has the strata in the proportions of the whole.

    `strata` maps document to stratum (its length bucket). The documents of each stratum are shuffled and spread evenly
    over the order: the first k of N documents have k/N of each stratum, but for half a document and half the number of
    strata at most. The order depends on seed and names only.
    """
    members: dict[str, list[str]] = {}
    for document in sorted(strata, key=lambda name: (seed_of(seed, name), name)):
        members.setdefault(strata[document], []).append(document)
    places = [
        ((rank + 0.5) / len(documents), seed_of(seed, stratum), document)
        for stratum, documents in members.items()
        for rank, document in enumerate(documents)
    ]
    return [document for _, _, document in sorted(places)]


def subset_sizes(documents: int) -> list[int]:
    """10, 20, 40, … as far as they are under the number of documents, then that number."""
    sizes = []
    size = FIRST
    while size < documents:
        sizes.append(size)
        size *= 2
    return [*sizes, documents]


def convergence(metric: TierMetric, columns: Columns, order: Sequence[str]) -> dict[str, Any] | None:
    """The metric on the first 10, 20, 40, … documents of the order that have it, and on all of them.

    Gives `documents` (their number), `sizes`, `values` (None where undefined) and `largest_deviation`, the largest
    difference of any value from the last; None when the metric is undefined on all documents.
    """
    rows = usable(metric, columns)
    kept = [document for document in order if document in rows]
    if not kept:
        return None
    sizes = subset_sizes(len(kept))
    values: list[float | None] = []
    sums: dict[str, float] = {}
    for count, document in enumerate(kept, start=1):
        for name, value in rows[document].items():
            sums[name] = sums.get(name, 0.0) + value
        if count == sizes[len(values)]:
            found = float(metric.formula(sums))
            values.append(round(found, 10) if found == found else None)
    whole = values[-1]
    if whole is None:
        return None
    deviation = max(abs(value - whole) for value in values if value is not None)
    return {"documents": len(kept), "sizes": sizes, "values": values, "largest_deviation": round(deviation, 10)}


def write_convergence(folder: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Writes convergence.json: a list of rows, one for each model, tier and metric."""
    path = folder / "convergence.json"
    write_atomic(path, [json.dumps(list(rows), indent=1, sort_keys=True, allow_nan=False) + "\n"])
    return path
