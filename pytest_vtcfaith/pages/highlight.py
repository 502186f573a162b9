"""A page with some of its words marked as by a text marker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_vtcfaith.pages.colours import RGB

if TYPE_CHECKING:
    from PIL import Image

    from pytest_vtcfaith.pages.page import Page

YELLOW: RGB = (255, 255, 0)
PAD = 2
"""Pixels of colour around the ink of a word."""

Pixels = tuple[int, int, int, int]
"""left, top, right, bottom; the last two exclusive."""


def marked_boxes(page: Page, start: int, stop: int) -> tuple[Pixels, ...]:
    """The boxes in pixels of the words that show `page.text[start:stop]`, with `PAD` pixels around them, one a line.

    Raises ValueError where no word stands there.
    """
    lines: dict[int, list[Sequence[int]]] = {}
    for word in page.words:
        if word.start < stop and word.start + len(word.text) > start:
            lines.setdefault(word.line, []).append(word[1:5])
    if not lines:
        raise ValueError(f"no word of the page stands at {start} to {stop} of its {len(page.text)} characters")
    return tuple(
        (
            max(0, min(box[0] for box in boxes) - PAD),
            max(0, min(box[1] for box in boxes) - PAD),
            min(page.width, max(box[2] for box in boxes) + PAD),
            min(page.height, max(box[3] for box in boxes) + PAD),
        )
        for _, boxes in sorted(lines.items())
    )


def highlighted(page: Page, boxes: Sequence[Pixels], colour: RGB = YELLOW) -> Image.Image:
    """The page's picture, a copy, with `colour` laid over the boxes as by a text marker: paper takes it, ink stays."""
    from PIL import Image, ImageChops

    picture = page.image.copy()
    for box in boxes:
        under = picture.crop(box)
        picture.paste(ImageChops.multiply(under, Image.new("RGB", under.size, colour)), box)
    return picture
