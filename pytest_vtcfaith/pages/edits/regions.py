"""The region that an edit changes, what is printed in it, and the composite of VDE Bench's Eq. 13."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from pytest_vtcfaith.metrics.blocks import Block
from pytest_vtcfaith.metrics.boxes import enclosing, overlap
from pytest_vtcfaith.pages.edits.setting import SetPage, SetText
from pytest_vtcfaith.pages.page import WordBox

if TYPE_CHECKING:
    from PIL import Image

PAD = 6
"""Pixels of paper around the ink of a region, fewer where something else stands nearer."""

Pixels = tuple[int, int, int, int]


def changed_region(source: SetPage, reference: SetPage) -> Pixels:
    """The box, in pixels, of all that differs between two settings of a page, with some paper around it.

    It cuts no word of either page: a word that it would cut belongs to it. A cell of a table belongs to it with all its
    text, and where several cells or the rules of a table differ, the whole table, before and after. Raises ValueError
    when nothing differs.
    """
    before, after = ({_key(text, word) for text in page.texts for word in text.words} for page in (source, reference))
    boxes: list[Sequence[float]] = [key[2:6] for key in before ^ after]
    old, new = ({table.name: table for table in page.tables} for page in (source, reference))
    for name in sorted(old.keys() | new.keys()):
        pair = [tables[name] for tables in (old, new) if name in tables]
        cells = [cell for table in pair for cell in table.cells if any(cell not in other.cells for other in pair)]
        whole = len(pair) < 2 or pair[0].panes != pair[1].panes or len({cell.name for cell in cells}) > 1
        boxes += [table.box for table in pair] if whole else [cell.box for cell in cells]
    if not boxes:
        raise ValueError("the edit changes nothing on the page: correct what it becomes")
    words = [word[1:5] for page in (source, reference) for word in page.words()]
    base = _whole_words(_pixels(boxes), words)
    outside = [word for word in words if not _within(word, base)]
    for pad in range(PAD, 0, -1):
        grown = base[0] - pad, base[1] - pad, base[2] + pad, base[3] + pad
        if not any(overlap(word, grown) for word in outside):
            return grown
    return base


def region_blocks(page: SetPage, region: Pixels) -> tuple[Block, ...]:
    """What is printed in a region, from top to bottom: tables that lie in it as tables, other text as blocks.

    Raises ValueError where the region cuts a word.
    """
    blocks: list[Block] = []
    for text in page.texts:
        blocks += _piece(text, region)
    for table in page.tables:
        if _within(table.box, region):
            blocks.append(table.block)
        else:
            for cell in table.cells:
                blocks += _piece(cell, region)
    return tuple(sorted(blocks, key=lambda block: (block.box[1], block.box[0])))


def composite(source: Image.Image, candidate: Image.Image, regions: Sequence[Sequence[float]]) -> Image.Image:
    """The candidate inside the regions, the source outside (VDE Bench C.2, Eq. 13); both of one size."""
    result = source.copy()
    for region in regions:
        left, top, right, bottom = map(int, region)
        result.paste(candidate.crop((left, top, right, bottom)), (left, top))
    return result


def percent(region: Pixels, width: int, height: int) -> dict[str, float]:
    """A box as VDE Bench annotates it: `x`, `y`, `width`, `height` in percent of the page's sides."""
    left, top, right, bottom = region
    return {
        "x": 100 * left / width,
        "y": 100 * top / height,
        "width": 100 * (right - left) / width,
        "height": 100 * (bottom - top) / height,
    }


def _key(piece: SetText, word: WordBox) -> tuple[object, str, int, int, int, int]:
    return (piece.face, piece.ink), *word[:5]


def _pixels(boxes: Sequence[Sequence[float]]) -> Pixels:
    left, top, right, bottom = map(int, enclosing(boxes))
    return left, top, right, bottom


def _whole_words(box: Pixels, words: Sequence[Pixels]) -> Pixels:
    while True:
        cut = [word for word in words if overlap(word, box) and not _within(word, box)]
        if not cut:
            return box
        box = _pixels([box, *cut])


def _within(inner: Sequence[float], outer: Sequence[float]) -> bool:
    return inner[0] >= outer[0] and inner[1] >= outer[1] and inner[2] <= outer[2] and inner[3] <= outer[3]


def _piece(piece: SetText, region: Pixels) -> list[Block]:
    """The words of a text that lie in the region, as one block of a line for each printed line."""
    inside = [word for word in piece.words if overlap(word[1:5], region)]
    if not inside:
        return []
    if not all(_within(word[1:5], region) for word in inside):
        raise ValueError(f"region {region} cuts a word of {piece.text[:40]!r}: enlarge it")
    lines = []
    for _, group in groupby(inside, key=lambda word: word.line):
        line = list(group)
        lines.append(piece.text[line[0].start : line[-1].start + len(line[-1].text)])
    return [Block(enclosing([word[1:5] for word in inside]), "\n".join(lines))]
