"""Tables in Markdown as trees (definitions §5, TEDS)."""

from __future__ import annotations

import re
from html import unescape

from pytest_vtcfaith.metrics.tables import Node, collapse

_DELIMITER = re.compile(r":?-+:?")
_BAR = re.compile(r"(?<!\\)\|")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_STRONG = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")


def markdown_tables(text: str) -> list[Node]:
    """The pipe tables of a Markdown text, in order, as `tables.html_tables` would give them.

    A table is a line of cells, a line of as many delimiters (`---`, `:-:`) and the lines with a bar that follow; a row
    is filled with empty cells, or cut, to the width of the first. Bars around a row may be missing; `\\|` is a bar in a
    cell; `<br>`, character references, other escapes and a strong cell (`**…**`) are read as what they show. Fences
    around a table do not matter. Source: GitHub Flavored Markdown §4.10.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    tables: list[Node] = []
    at = 0
    while at + 1 < len(lines):
        header, delimiters = _cells(lines[at]), _cells(lines[at + 1])
        barred = "|" in lines[at] or "|" in lines[at + 1]
        at += 1
        if not barred or len(header) != len(delimiters) or not all(map(_DELIMITER.fullmatch, delimiters)):
            continue
        rows = [header]
        while at + 1 < len(lines) and "|" in lines[at + 1]:
            at += 1
            rows.append((_cells(lines[at]) + [""] * len(header))[: len(header)])
        at += 1
        tables.append(Node("table", children=[_section("thead", rows[:1], "th"), _section("tbody", rows[1:], "td")]))
    return tables


def _cells(line: str) -> list[str]:
    line = line.strip()
    parts = _BAR.split(line.removeprefix("|"))
    if len(parts) > 1 and not parts[-1].strip():
        parts.pop()
    return [part.strip() for part in parts]


def _section(tag: str, rows: list[list[str]], cell: str) -> Node:
    return Node(tag, children=[Node("tr", children=[Node(cell, _shown(text)) for text in row]) for row in rows])


def _shown(cell: str) -> str:
    if strong := _STRONG.fullmatch(cell):
        cell = strong[2]
    return collapse(unescape(_ESCAPE.sub(r"\1", _BREAK.sub(" ", cell))))
