"""The pages and edits of the embedded set as they were written: a TOML file a page."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from pytest_vtcfaith.metrics.edit import Operation
from pytest_vtcfaith.metrics.table_html import Cell

LANGUAGES = ("en", "zh", "mixed")
REGIONS = ("text", "table")

Rows = tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class EditSource:
    """An edit as it was written: what is asked, and what the changed texts and the table then are.

    `rows` and `widths` are None where the table stays; `widths` of columns are pixels.
    """

    name: str
    region: str
    operation: Operation
    instruction: str
    texts: Mapping[str, str]
    rows: Rows | None
    widths: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class PageSource:
    """A page as it was written: its kind (`pages.edits.templates.KINDS`), language, texts by place, table, edits."""

    name: str
    kind: str
    lang: str
    texts: Mapping[str, str]
    rows: Rows
    widths: tuple[int, ...]
    edits: tuple[EditSource, ...]


def page_sources(lang: str) -> list[PageSource]:
    """The pages of a language (`en`, `zh`, `mixed`), by name."""
    folder = files("pytest_vtcfaith.texts.edits") / "pages"
    entries = sorted((entry for entry in folder.iterdir() if entry.name.startswith(f"{lang}-")), key=lambda e: e.name)
    return [
        _page(entry.name.removesuffix(".toml"), tomllib.loads(entry.read_text(encoding="utf-8"))) for entry in entries
    ]


def _page(name: str, data: Mapping[str, Any]) -> PageSource:
    table = data["table"]
    return PageSource(
        name=name,
        kind=data["kind"],
        lang=data["lang"],
        texts=data["texts"],
        rows=_rows(table["rows"]),
        widths=tuple(table.get("widths", ())),
        edits=tuple(map(_edit, data["edits"])),
    )


def _edit(data: Mapping[str, Any]) -> EditSource:
    table = data.get("table", {})
    return EditSource(
        name=data["name"],
        region=data["region"],
        operation=data["operation"],
        instruction=data["instruction"],
        texts=data.get("texts", {}),
        rows=_rows(table["rows"]) if table else None,
        widths=tuple(table["widths"]) if "widths" in table else None,
    )


def _rows(rows: Sequence[Sequence[str | Mapping[str, Any]]]) -> Rows:
    return tuple(tuple(Cell(cell) if isinstance(cell, str) else Cell(**cell) for cell in row) for row in rows)
