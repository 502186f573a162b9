"""What the papers printed for other systems, as lines to stand beside a model: grey, and named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_vtcfaith.published import Table, load_table

_RENDERING = {"glyph": "Glyph rendering", "fox": "FOX layout", "omni": "Omni layout"}
_SOURCES = {"ZeroSense": "zerosense", "FOX": "natural"}


def accuracy_by_ratio(layout: str, ratios: Sequence[str]) -> list[dict[str, Any]]:
    """Word accuracy of the systems of ZeroSense Table A4 over the compression ratios `5x`, `7.5x`, … of a layout."""
    if layout not in _RENDERING:
        return []
    table = load_table("zerosense", "A4")
    found = []
    for column in table.columns:
        system, _, source = column.partition(" · ")
        if source not in _SOURCES:
            continue
        points = [
            {"x": place, "y": value / 100}
            for place, ratio in enumerate(ratios)
            if (value := _cell(table, column, _RENDERING[layout], f"{ratio.removesuffix('x')}×")) is not None
        ]
        if points:
            found.append({"name": f"{system}, {_SOURCES[source]}", "published": True, "points": points})
    return found


def edits_by_operation(metric: str, operations: Sequence[str]) -> list[dict[str, Any]]:
    """Scores of the editors of VDE Bench Table 7 (whole page) in `metric`, by operation."""
    table = load_table("vde", "7")
    names = {row.keys["edit type"].lower(): row.keys["edit type"] for row in table.rows}
    rows = [next((name for key, name in names.items() if _OPERATIONS.get(o, o) in key), "") for o in operations]
    found = []
    for column in table.columns:
        points = [
            {"x": place, "y": value}
            for place, row in enumerate(rows)
            if (value := _cell(table, column, row, metric.upper())) is not None
        ]
        if points and column != "Avg.":
            found.append({"name": column, "published": True, "points": points})
    return found


_OPERATIONS = {"add": "addition", "delete": "deletion"}


def _cell(table: Table, column: str, *keys: str) -> float | None:
    try:
        value = table.value(column, *keys)
    except KeyError:
        return None
    return None if value is None else float(value)
