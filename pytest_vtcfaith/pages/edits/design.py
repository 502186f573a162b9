"""What stands on a page of the editing set, and where: the description that a manifest row holds.

All lengths are pixels of the page, from its top left corner.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from pytest_vtcfaith.metrics.table_html import Cell
from pytest_vtcfaith.pages.colours import RGB
from pytest_vtcfaith.pages.fonts import Style

BLACK: RGB = (20, 20, 20)
WHITE: RGB = (255, 255, 255)


@dataclass(frozen=True, slots=True)
class Panel:
    """A filled rectangle with a border inside its edges; it lies under all text."""

    left: int
    top: int
    width: int
    height: int
    fill: RGB
    border: int = 0
    border_ink: RGB = BLACK


@dataclass(frozen=True, slots=True)
class Text:
    """Text in a rectangle, set left-aligned from its top; `size` in pixels per em, an empty text is not drawn."""

    text: str
    left: int
    top: int
    width: int
    height: int
    size: float
    style: Style = "sans"
    ink: RGB = BLACK


@dataclass(frozen=True, slots=True)
class Table:
    """A ruled table.

    `rows`: the cells, each in the row it begins in; `widths` of the columns and `row_height` are the distances of
    rules; `size` in pixels per em. The first row is filled with `head`; rules are `rule` pixels wide.
    """

    rows: tuple[tuple[Cell, ...], ...]
    left: int
    top: int
    widths: tuple[int, ...]
    row_height: int
    size: float
    style: Style = "sans"
    ink: RGB = BLACK
    head: RGB = (232, 232, 232)
    rule: int = 2
    rule_ink: RGB = (70, 70, 70)


@dataclass(frozen=True, slots=True)
class Design:
    """A page: its size, and its panels, texts and tables, the latter two by name."""

    width: int
    height: int
    panels: tuple[Panel, ...] = ()
    texts: Mapping[str, Text] = field(default_factory=dict)
    tables: Mapping[str, Table] = field(default_factory=dict)
    paper: RGB = WHITE

    def edited(self, changes: Mapping[str, Any]) -> Design:
        """The page with other texts or tables.

        `changes`: new fields by the name of what they change, as in {"title": {"text": "Report"}}. Raises KeyError for
        a name that is not on the page.
        """
        texts, tables = dict(self.texts), dict(self.tables)
        for name, fields in changes.items():
            if name in texts:
                texts[name] = replace(texts[name], **fields)
            else:
                tables[name] = replace(tables[name], **_table_fields(fields))
        return replace(self, texts=texts, tables=tables)


def plain(design: Design) -> dict[str, Any]:
    """The page as JSON holds it; `design_of` makes it a page again."""
    data = asdict(design)
    for table in data["tables"].values():
        table["rows"] = plain_rows(table["rows"])
    return {name: _lists(value) for name, value in data.items()}


def plain_rows(rows: Sequence[Sequence[Sequence[Any]]]) -> list[list[Any]]:
    """The rows of a table as JSON holds them: a cell is its text, or [text, colspan, rowspan] where it spans."""
    return [[cell[0] if tuple(cell[1:]) == (1, 1) else list(cell) for cell in map(tuple, row)] for row in rows]


def design_of(data: Mapping[str, Any]) -> Design:
    """The page that `plain` wrote. Raises TypeError or KeyError for another form."""
    return Design(
        width=data["width"],
        height=data["height"],
        panels=tuple(Panel(**_tuples(panel)) for panel in data["panels"]),
        texts={name: Text(**_tuples(text)) for name, text in data["texts"].items()},
        tables={name: Table(**_table_fields(table)) for name, table in data["tables"].items()},
        paper=tuple(data["paper"]),
    )


def _table_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    rows = {} if "rows" not in fields else {"rows": tuple(tuple(map(_cell, row)) for row in fields["rows"])}
    return _tuples(fields) | rows


def _cell(value: str | Sequence[Any]) -> Cell:
    return Cell(value) if isinstance(value, str) else Cell(*value)


def _tuples(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}


def _lists(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _lists(inner) for name, inner in value.items()}
    return [_lists(inner) for inner in value] if isinstance(value, (list, tuple)) else value
