"""Tables as HTML, in the one form that everything here writes."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import NamedTuple


class Cell(NamedTuple):
    """A cell of a table: its text, and how many columns and rows it takes."""

    text: str
    colspan: int = 1
    rowspan: int = 1


def table_html(rows: Iterable[Iterable[Cell]]) -> str:
    """A table in HTML: `tr` and `td` only, spans where they are over 1. A cell stands in the row it begins in."""
    lines = ("".join(map(_cell, row)) for row in rows)
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def _cell(cell: Cell) -> str:
    spans = "".join(
        f' {name}="{span}"' for name, span in (("colspan", cell.colspan), ("rowspan", cell.rowspan)) if span > 1
    )
    return f"<td{spans}>{escape(cell.text, quote=False)}</td>"
