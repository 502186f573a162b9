"""Words into pixels. The ink of a word is measured on the very pixels that are later put on the page."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from pytest_vtcfaith.pages.typesetting import Ink

if TYPE_CHECKING:
    from pathlib import Path

    from PIL import Image, ImageFont

    from pytest_vtcfaith.pages.layouts import RGB


@dataclass(frozen=True, slots=True)
class Stamp:
    """A word drawn alone: its measure, and the coverage (0..255) of the pixels of its ink box."""

    ink: Ink
    coverage: Image.Image


@lru_cache(maxsize=32)
def load_font(path: Path, size: float) -> ImageFont.FreeTypeFont:
    """The font at `size` pixels per em; the BASIC layout engine, because Raqm is not on every machine."""
    from PIL import ImageFont

    return ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=8192)
def stamp(word: str, path: Path, size: float) -> Stamp | None:
    """Draws a word alone in a font file at `size` pixels per em; None for a word without ink."""
    from PIL import Image, ImageDraw

    font = load_font(path, size)
    advance = font.getlength(word)
    reach = font.getbbox(word, anchor="ls")
    left, top = math.floor(reach[0]) - 1, math.floor(reach[1]) - 1
    right, bottom = math.ceil(reach[2]) + 1, math.ceil(reach[3]) + 1
    picture = Image.new("L", (right - left, bottom - top))
    ImageDraw.Draw(picture).text((-left, -top), word, fill=255, font=font, anchor="ls")
    box = picture.getbbox()
    if box is None:
        return None
    return Stamp(Ink(advance, left + box[0], top + box[1], left + box[2], top + box[3]), picture.crop(box))


def draw(
    size: tuple[int, int],
    stamps: Iterable[tuple[str, int, int]],
    *,
    path: Path,
    font_size: float,
    resized: tuple[int, int] | None,
    ink: RGB,
    paper: RGB,
) -> Image.Image:
    """Draws a page of `size` pixels, mode RGB: each word once, its ink box's corner at the given (left, top).

    With `resized` the page is a master that is brought to that size by Lanczos (definitions §3, Budget).
    """
    from PIL import Image

    coverage = Image.new("L", size)
    for word, left, top in stamps:
        drawn = stamp(word, path, font_size)
        if drawn is not None:
            coverage.paste(drawn.coverage, (left, top))
    if resized is not None:
        coverage = coverage.resize(resized, Image.Resampling.LANCZOS)
    page = Image.new("RGB", coverage.size, paper)
    page.paste(ink, (0, 0, *coverage.size), coverage)
    return page
