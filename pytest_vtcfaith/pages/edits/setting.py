"""A page of the editing set as it is set: where every word, cell and table stands."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_vtcfaith.metrics.blocks import Block
from pytest_vtcfaith.metrics.boxes import Box, enclosing
from pytest_vtcfaith.metrics.table_html import table_html
from pytest_vtcfaith.metrics.tables import without_tags
from pytest_vtcfaith.pages import drawing
from pytest_vtcfaith.pages.composing import _frame
from pytest_vtcfaith.pages.drawing import Face, Pane, Print
from pytest_vtcfaith.pages.edits.design import Design, Table
from pytest_vtcfaith.pages.fonts import MissingGlyphs, Style, font_for, missing_characters
from pytest_vtcfaith.pages.linebreaking import visible_text
from pytest_vtcfaith.pages.page import WordBox
from pytest_vtcfaith.pages.typesetting import PageOverflow, typeset

if TYPE_CHECKING:
    from PIL import Image

LINE_HEIGHT = 1.35
"""Distance of baselines over the letter size."""
CELL_PADDING = 12
"""Pixels between a cell's rule and its text."""


@dataclass(frozen=True, slots=True)
class SetText:
    """A text as it is set: `words` in reading order, their `start` counted in `text`."""

    name: str
    text: str
    words: tuple[WordBox, ...]
    face: Face
    ink: tuple[int, int, int]

    @property
    def box(self) -> Box:
        """The smallest box around its ink."""
        return enclosing([word[1:5] for word in self.words])


@dataclass(frozen=True, slots=True)
class SetTable:
    """A table as it is set: its outer `box`, its cells with text in the order of their rows, and its HTML."""

    name: str
    box: tuple[int, int, int, int]
    cells: tuple[SetText, ...]
    panes: tuple[Pane, ...]
    html: str

    @property
    def block(self) -> Block:
        """The table as a block that was read."""
        return Block(self.box, without_tags(self.html), self.html)


@dataclass(frozen=True, slots=True)
class SetPage:
    """A page as it is set, in pixels; texts without ink are left out."""

    design: Design
    lang: str
    texts: tuple[SetText, ...]
    tables: tuple[SetTable, ...]
    panels: tuple[Pane, ...]

    def pieces(self) -> Iterator[SetText]:
        """All texts and cells."""
        yield from self.texts
        for table in self.tables:
            yield from table.cells

    def words(self) -> list[WordBox]:
        """All words."""
        return [word for piece in self.pieces() for word in piece.words]

    def blocks(self) -> tuple[Block, ...]:
        """Every text and table as a block that was read, from top to bottom."""
        found = [Block(text.box, text.text) for text in self.texts]
        found += [table.block for table in self.tables]
        return tuple(sorted(found, key=lambda block: (block.box[1], block.box[0])))

    def text(self) -> str:
        """All that is printed, a line for every text and cell."""
        return "\n".join(piece.text for piece in self.pieces())

    def draw(self) -> Image.Image:
        """The picture, mode RGB."""
        panes = [*self.panels, *(pane for table in self.tables for pane in table.panes)]
        prints = [Print(piece.face, piece.ink, [word[:5] for word in piece.words]) for piece in self.pieces()]
        size = (self.design.width, self.design.height)
        return drawing.draw(size, prints, panes=panes, resized=None, paper=self.design.paper)


@lru_cache(maxsize=64)
def _face(style: Style, lang: str, size: float) -> Face:
    font = font_for(style, lang)
    return Face(font.path, size, font.stretch, spelled=True)


def set_page(design: Design, lang: str) -> SetPage:
    """Sets a page in a language (`en`, `zh`, `mixed`).

    Raises PageOverflow for a text that its rectangle or cell does not hold, MissingGlyphs for characters that the font
    lacks, ValueError for a table whose rows do not fill its columns, FontUnavailable.
    """
    texts = [
        _set(name, text.text, lang, text.style, text.size, (text.left, text.top, text.width, text.height), text.ink)
        for name, text in design.texts.items()
        if text.text.strip()
    ]
    tables = [_table(name, table, lang) for name, table in design.tables.items()]
    panels = tuple(
        Pane(p.left, p.top, p.left + p.width, p.top + p.height, p.fill, p.border, p.border_ink) for p in design.panels
    )
    return SetPage(design, lang, tuple(texts), tuple(tables), panels)


def _set(
    name: str,
    text: str,
    lang: str,
    style: Style,
    size: float,
    area: tuple[int, int, int, int],
    ink: tuple[int, int, int],
    *,
    middle: bool = False,
) -> SetText:
    text = visible_text(text)
    font, face = font_for(style, lang), _face(style, lang, size)
    if missing := missing_characters(text, font):
        raise MissingGlyphs(missing, font)
    left, top, width, height = area
    setting = typeset(text, lang, [_frame(face, font, width, height, size * LINE_HEIGHT, "left")])
    if setting.rest is not None or (middle and len(setting.lines) > 1):
        raise PageOverflow(f"{name}: {text[:40]!r} does not fit into {width} x {height} pixels: shorten it")
    if middle:
        top += math.floor((height - setting.heights[0]) / 2)
    words = tuple(
        WordBox(
            word.text,
            left + word.x + word.ink.left,
            top + line.baseline + word.ink.top,
            left + word.x + word.ink.right,
            top + line.baseline + word.ink.bottom,
            number,
            word.start,
        )
        for number, line in enumerate(setting.lines)
        for word in line.words
    )
    return SetText(name, text, words, face, ink)


def _table(name: str, table: Table, lang: str) -> SetTable:
    across = [table.left]
    for width in table.widths:
        across.append(across[-1] + width)
    taken: set[tuple[int, int]] = set()
    cells: list[SetText] = []
    panes: list[Pane] = []
    for row, line in enumerate(table.rows):
        column = 0
        for number, cell in enumerate(line, 1):
            while (row, column) in taken:
                column += 1
            places = {(row + r, column + c) for r in range(cell.rowspan) for c in range(cell.colspan)}
            if places & taken or column + cell.colspan > len(table.widths):
                raise ValueError(f"table {name!r}: row {row + 1} does not fit its {len(table.widths)} columns")
            taken |= places
            left, right = across[column], across[column + cell.colspan]
            top = table.top + row * table.row_height
            bottom = top + cell.rowspan * table.row_height
            fill = table.head if row == 0 else (255, 255, 255)
            panes.append(Pane(left, top, right + table.rule, bottom + table.rule, fill, table.rule, table.rule_ink))
            if cell.text.strip():
                inset = table.rule + CELL_PADDING
                area = (
                    left + inset,
                    top + table.rule,
                    right - left - 2 * inset + table.rule,
                    bottom - top - table.rule,
                )
                place = f"{name}, row {row + 1}, cell {number}"
                cells.append(_set(place, cell.text, lang, table.style, table.size, area, table.ink, middle=True))
            column += cell.colspan
    if taken != {(row, column) for row in range(len(table.rows)) for column in range(len(table.widths))}:
        raise ValueError(f"table {name!r}: the rows do not fill {len(table.rows)} x {len(table.widths)} cells")
    box = (
        table.left,
        table.top,
        across[-1] + table.rule,
        table.top + len(table.rows) * table.row_height + table.rule,
    )
    return SetTable(name, box, tuple(cells), tuple(panes), table_html(table.rows))
