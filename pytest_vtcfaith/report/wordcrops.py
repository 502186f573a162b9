"""The lines with the words that were misread, in the pixels of the page, one above the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_vtcfaith.pages.render import crop_word

if TYPE_CHECKING:
    from PIL import Image

    from pytest_vtcfaith.pages.page import Page
    from pytest_vtcfaith.report.html.boxes import Mark

LINES = 6
"""Lines at most: of more, the first ones on the pages."""
GAP = 6
"""Pixels between two lines."""


def word_lines(
    pages: Sequence[Page], marks: Sequence[Mark], first: tuple[int, int] | None = None
) -> Image.Image | None:
    """The lines that `marks` stand on, from the pages' own pixels; None where there is none.

    The line of the word `first`, a page and a word on it, stands above the others.
    """
    from PIL import Image

    places = [] if first is None else [first]
    places += [place for mark in marks if (place := _word_at(pages, mark)) is not None]
    lines = {(page, pages[page].words[word].line): (page, word) for page, word in reversed(places)}
    wanted = dict.fromkeys((page, pages[page].words[word].line) for page, word in places)
    crops = [crop_word(pages[page], word) for page, word in (lines[line] for line in list(wanted)[:LINES])]
    if len(crops) < 2:
        return crops[0] if crops else None
    sheet = Image.new(
        "RGB", (max(crop.width for crop in crops), sum(crop.height + GAP for crop in crops) - GAP), "grey"
    )
    top = 0
    for crop in crops:
        sheet.paste(crop, (0, top))
        top += crop.height + GAP
    return sheet


def _word_at(pages: Sequence[Page], mark: Mark) -> tuple[int, int] | None:
    """The first word of its page that a mark touches; of a bar behind a word, that word."""
    for number, word in enumerate(pages[mark.page].words):
        if word.left < mark.right and mark.left <= word.right and word.top < mark.bottom and mark.top < word.bottom:
            return mark.page, number
    return None
