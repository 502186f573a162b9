"""The four kinds of pages of the embedded questions, as designs of `pages.edits.design`.

`size` is the size of the letters that carry the answers, in pixels per em; `fine` that of the small print. A page is as
large as its text takes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pytest_vtcfaith.metrics.table_html import Cell
from pytest_vtcfaith.pages.colours import RGB
from pytest_vtcfaith.pages.edits.design import Design, Panel, Table, Text
from pytest_vtcfaith.pages.fonts import Style

MARGIN = 36
_TITLE = 34
_WIDE = 0.75  # em that a letter of these fonts takes at most on average in a word of several letters
_LINE = 1.6  # of the letters' size: the height that a line gets


def bar_chart(
    title: str,
    bars: Sequence[tuple[str, int]],
    small_print: str,
    *,
    size: float,
    fine: float,
    fill: RGB,
    style: Style = "sans",
) -> Design:
    """A chart of upright bars with their values above and their names below, all left-aligned with their bars.

    `bars`: name and value, the values over 0; heights are proportional to the values.
    """
    slot = max(72, *(math.ceil(_width(text, size)) for name, value in bars for text in (name, str(value)))) + 16
    line = math.ceil(size * _LINE)
    top, tall = MARGIN + 64 + line, 240
    base = top + tall
    highest = max(value for _, value in bars)
    panels, texts = [], {"title": _text(title, MARGIN, MARGIN, 1100, 56, _TITLE)}
    for number, (name, value) in enumerate(bars):
        left = MARGIN + number * slot
        height = max(4, round(tall * value / highest))
        panels.append(Panel(left, base - height, min(56, slot - 24), height, fill))
        texts[f"value-{number}"] = _text(str(value), left, base - height - line, slot, line, size, style)
        texts[f"name-{number}"] = _text(name, left, base + 8, slot, line, size, style)
    panels.append(Panel(MARGIN - 8, base, len(bars) * slot + 8, 3, (60, 60, 60)))
    below = base + 8 + line + 14
    width = max(MARGIN * 2 + len(bars) * slot, _needed(title, small_print, fine))
    texts["small-print"] = _text(small_print, MARGIN, below, width - 2 * MARGIN, math.ceil(fine * _LINE), fine)
    return Design(width, below + math.ceil(fine * _LINE) + MARGIN, tuple(panels), _within(texts, width))


def table_page(
    title: str,
    rows: Sequence[Sequence[str]],
    small_print: str,
    *,
    size: float,
    fine: float,
    head: RGB,
    style: Style = "sans",
) -> Design:
    """A ruled table, the first of `rows` its head, under a title; small print below it."""
    columns = list(zip(*rows, strict=True))
    widths = tuple(math.ceil(max(_width(cell, size) for cell in column)) + 40 for column in columns)
    row_height = math.ceil(size * _LINE) + 12
    top = MARGIN + 68
    table = Table(
        tuple(tuple(Cell(cell) for cell in row) for row in rows),
        MARGIN,
        top,
        widths,
        row_height,
        size,
        style,
        head=head,
    )
    below = top + row_height * len(rows) + 16
    width = max(2 * MARGIN + sum(widths) + 4, _needed(title, small_print, fine))
    texts = {
        "title": _text(title, MARGIN, MARGIN, 1100, 56, _TITLE),
        "small-print": _text(small_print, MARGIN, below, 1100, math.ceil(fine * _LINE), fine),
    }
    height = below + math.ceil(fine * _LINE) + MARGIN
    return Design(width, height, (), _within(texts, width), {"table": table})


def word_list(
    title: str,
    words: Sequence[Sequence[str]],
    small_print: str,
    *,
    size: float,
    fine: float,
    bar: RGB,
    style: Style = "serif",
) -> Design:
    """Rows of words in columns under a coloured bar; small print below them."""
    columns = list(zip(*words, strict=True))
    widths = [math.ceil(max(_width(word, size) for word in column)) + 44 for column in columns]
    line = math.ceil(size * _LINE) + 8
    top = MARGIN + 80
    texts = {"title": _text(title, MARGIN, MARGIN, 1100, 56, _TITLE)}
    for row, found in enumerate(words):
        for column, word in enumerate(found):
            left = MARGIN + sum(widths[:column])
            texts[f"word-{row}-{column}"] = _text(word, left, top + row * line, widths[column], line, size, style)
    below = top + line * len(words) + 12
    width = max(2 * MARGIN + sum(widths), _needed(title, small_print, fine))
    texts["small-print"] = _text(small_print, MARGIN, below, 1100, math.ceil(fine * _LINE), fine)
    rule = Panel(MARGIN, MARGIN + 60, width - 2 * MARGIN, 4, bar)
    return Design(width, below + math.ceil(fine * _LINE) + MARGIN, (rule,), _within(texts, width))


def notice(
    title: str,
    lines: Sequence[str],
    small_print: str,
    *,
    size: float,
    fine: float,
    band: RGB,
    style: Style = "serif",
) -> Design:
    """A notice: a title over a pale band, one line for each of `lines`, small print at the foot."""
    line = math.ceil(size * _LINE) + 6
    top = MARGIN + 84
    width = max(math.ceil(max(_width(text, size) for text in lines)) + 2 * MARGIN, _needed(title, small_print, fine))
    texts = {"title": _text(title, MARGIN, MARGIN, 1100, 56, _TITLE)}
    for number, text in enumerate(lines):
        texts[f"line-{number}"] = _text(text, MARGIN, top + number * line, width - 2 * MARGIN, line, size, style)
    below = top + line * len(lines) + 24
    texts["small-print"] = _text(small_print, MARGIN, below, 1100, math.ceil(fine * _LINE), fine)
    panel = Panel(0, 0, width, MARGIN + 66, band)
    return Design(width, below + math.ceil(fine * _LINE) + MARGIN, (panel,), _within(texts, width))


def _text(text: str, left: int, top: int, width: int, height: int, size: float, style: Style = "sans") -> Text:
    return Text(text, left, top, width, height, size, style)


def _width(text: str, size: float) -> float:
    return max(2, len(text)) * size * _WIDE


def _needed(title: str, small_print: str, fine: float) -> int:
    return 2 * MARGIN + math.ceil(max(_width(title, _TITLE), _width(small_print, fine)))


def _within(texts: Mapping[str, Text], width: int) -> dict[str, Text]:
    """The texts by name, none of them wider than the page leaves room for."""
    return {name: replace(text, width=min(text.width, width - text.left)) for name, text in texts.items()}
