"""Published tables: files beside this module, typed, and looked up by the words printed at their edges.

A file `<paper>/table_<number>.json` holds `paper`, `table`, `caption`, `unit` (see `Table`), `source`, `keys` (names of
the leading columns), `columns` (names of the others) and `rows`: the cells as texts, exactly as printed (but for a
leading +), and null where the paper prints “–”.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from math import inf
from typing import Any

UNITS = {"percent": (0, 100), "share": (0, 1), "points": (-inf, inf), "printed": (0, inf)}
"""Units with the least and the greatest figure of each."""
_FIELDS = ("paper", "table", "caption", "unit", "source", "keys", "columns", "rows")


@dataclass(frozen=True, slots=True)
class Row:
    """`keys` are the words that lead the row, e.g. {"rendering": "FOX layout", "ratio": "7.5×"}; `values` its figures
    by column, in the table's unit and with the digits as printed, None where the paper prints “–”."""

    keys: Mapping[str, str]
    values: Mapping[str, Decimal | None]


@dataclass(frozen=True, slots=True)
class Table:
    """A published table; `source` names paper, table, section.

    `unit` is `percent` (0 to 100), `share` (0 to 1), `points` (changes in percentage points, which may be negative,
    beside the counts and percents they are of) or `printed` (each column has its own).
    """

    paper: str
    number: str
    caption: str
    unit: str
    source: str
    keys: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    def value(self, column: str, *keys: str) -> Decimal | None:
        """The figure in `column` of the row that `keys` lead, in the order of the table's keys.

        Raises KeyError, with what there is, for an unknown column or row.
        """
        if column not in self.columns:
            raise KeyError(f"{self.paper}, Table {self.number}: no column {column!r}: {', '.join(self.columns)}")
        for row in self.rows:
            if tuple(row.keys.values()) == keys:
                return row.values[column]
        known = "; ".join(", ".join(row.keys.values()) for row in self.rows)
        raise KeyError(f"{self.paper}, Table {self.number}: no row {', '.join(keys)!r}: {known}")


def papers() -> tuple[str, ...]:
    """Names of the papers that have tables here."""
    return tuple(sorted(entry.name for entry in _root().iterdir() if entry.is_dir() and _files_of(entry)))


def table_numbers(paper: str) -> tuple[str, ...]:
    """Numbers of a paper's tables in the order of the paper, e.g. ("2", "3", "A4"). Raises ValueError if unknown."""
    known = papers()
    if paper not in known:
        raise ValueError(f"unknown paper {paper!r}: known are {_nearest_first(paper, known)}")
    numbers = (entry.name.removeprefix("table_").removesuffix(".json").upper() for entry in _files_of(_root() / paper))
    return tuple(sorted(numbers, key=lambda number: (number.rstrip("0123456789"), int(number.lstrip("ABCDEFGH") or 0))))


@lru_cache(maxsize=64)
def load_table(paper: str, number: str) -> Table:
    """The table of a paper by its printed number, e.g. "2" or "A4" (any case).

    Raises ValueError for an unknown paper or number, with the known ones, and for a file of another form, which it
    names.
    """
    known = table_numbers(paper)
    if number.upper() not in known:
        raise ValueError(f"{paper} has no Table {number!r} here: there are {', '.join(known)}")
    name = f"{paper}/table_{number.lower()}.json"
    return read_table((_root() / paper / f"table_{number.lower()}.json").read_text(encoding="utf-8"), name)


def published_value(paper: str, number: str, column: str, *keys: str) -> Decimal | None:
    """The figure of one cell, e.g. `published_value("zerosense", "2", "Ours · FOX", "FOX layout", "5×")`.

    None where the paper prints “–”. Raises ValueError as `load_table` does, KeyError as `Table.value` does.
    """
    return load_table(paper, number).value(column, *keys)


def read_table(text: str, name: str) -> Table:
    """A table from the text of a file called `name`. Raises ValueError that names file, field and value."""
    try:
        data = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{name}: not JSON: {error}") from error
    if not isinstance(data, dict) or sorted(data) != sorted(_FIELDS):
        raise ValueError(f"{name}: the fields must be {', '.join(_FIELDS)}")
    if data["unit"] not in UNITS:
        raise ValueError(f"{name}: unit {data['unit']!r}: choose one of {', '.join(UNITS)}")
    keys, columns = tuple(data["keys"]), tuple(data["columns"])
    rows = tuple(_row(cells, keys, columns, data["unit"], name) for cells in data["rows"])
    if len({tuple(row.keys.values()) for row in rows}) != len(rows):
        raise ValueError(f"{name}: rows: two rows have the same {', '.join(keys)}")
    return Table(data["paper"], data["table"], data["caption"], data["unit"], data["source"], keys, columns, rows)


def _row(cells: Any, keys: tuple[str, ...], columns: tuple[str, ...], unit: str, name: str) -> Row:
    if not isinstance(cells, list) or len(cells) != len(keys) + len(columns):
        raise ValueError(f"{name}: rows: {cells!r} must have {len(keys) + len(columns)} cells")
    figures = cells[len(keys) :]
    return Row(
        dict(zip(keys, cells, strict=False)),
        {column: _figure(cell, unit, name) for column, cell in zip(columns, figures, strict=True)},
    )


def _figure(cell: Any, unit: str, name: str) -> Decimal | None:
    if cell is None:
        return None
    low, top = UNITS[unit]
    try:
        figure = Decimal(cell) if isinstance(cell, str) else None
    except InvalidOperation:
        figure = None
    if figure is None or not figure.is_finite() or not low <= figure <= top:
        raise ValueError(f"{name}: rows: {cell!r} must be a text with a number from {low} to {top}, or null")
    return figure


def _root() -> Traversable:
    return files("pytest_vtcfaith.published")


def _files_of(folder: Traversable) -> list[Traversable]:
    return [entry for entry in folder.iterdir() if entry.name.startswith("table_") and entry.name.endswith(".json")]


def _nearest_first(name: str, known: Iterable[str]) -> str:
    names = list(known)
    return ", ".join(difflib.get_close_matches(name, names, n=len(names), cutoff=0.0))
