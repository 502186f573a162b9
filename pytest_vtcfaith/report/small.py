"""Pictures for people to look at, in no more bytes than they are given: a report of 200 failures stays under 20 MB."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vtcfaith.report.greys import is_grey, lossless
from pytest_vtcfaith.report.results import write_bytes

if TYPE_CHECKING:
    from PIL import Image

CASE = 92_000
"""Bytes that all pictures of one failure may take together: 200 of them take 18.4 MB."""
CROP = 16_000
"""Of these, what the crop around a word may take."""
COLOURS = (16, 8)
"""How many colours, or greys, a picture keeps: the first number with which it fits."""
INK = 192
"""In black and white, what is darker than this is black."""
LEGIBLE = 800
"""Pixels of width down to which a page is reduced in black and white, which takes a third of 8 greys."""
OTHER_PAGE = 6_000
"""Bytes of a page of several that is not the one to look at."""
_LEAST = 48
"""Pixels of the longer side below which a picture is not reduced any more."""


def save_small(image: Image.Image, path: Path, room: int = CASE, *, exact: bool = False, page: bool = False) -> int:
    """Writes a picture as PNG of at most `room` bytes, and gives its size; raises OSError.

    With `exact` pixel for pixel where that fits. Else in 16 colours (greys where it has no colours), else in 8. Else a
    `page`, ink on paper to be read, in black and white, reduced to no less than `LEGIBLE` pixels of width; anything
    else, and a page that does not fit so, in 8 and reduced until it fits. One of 48 pixels is not reduced any further.
    """
    png = _png(lossless(image)) if exact else b""
    if not png or len(png) > room:
        png = _fitting(image.convert("RGB"), room, page=page)
    write_bytes(path, png)
    return len(png)


def page_rooms(room: int, pages: int, chosen: int) -> list[int]:
    """How the pictures of `pages` pages share `room` bytes: page `chosen` is to be read, the others are seen."""
    if pages < 2:
        return [room] * pages
    other = min(OTHER_PAGE, room // 3 // (pages - 1))
    return [room - other * (pages - 1) if number == chosen else other for number in range(pages)]


def thumbnail(image: Image.Image, path: Path, width: int) -> int:
    """Writes a picture in 16 greys, `width` pixels wide, and gives its size in bytes; raises OSError."""
    height = max(1, round(image.height * width / image.width))
    png = _reduced(image.convert("L").resize((width, height)).convert("RGB"), COLOURS[0])
    write_bytes(path, png)
    return len(png)


def _fitting(image: Image.Image, room: int, *, page: bool) -> bytes:
    for colours in COLOURS:
        png = _reduced(image, colours)
        if len(png) <= room:
            return png
    if page and (found := _black_and_white(image.convert("L"), room)):
        return found
    side = 1.0
    while len(png) > room and max(image.size) * side > _LEAST:
        side *= _closer(len(png), room)
        png = _reduced(image.resize(_scaled(image, side)), COLOURS[-1])
    return png


def _black_and_white(grey: Image.Image, room: int) -> bytes:
    """A page without greys, as wide as fits; b"" where it cannot be read so: too narrow, or too light."""
    counts = grey.histogram()
    if 4 * sum(counts[:INK]) < sum(counts[INK:250]):
        return b""
    side, least = 1.0, min(1.0, LEGIBLE / grey.width)
    while True:
        small = grey if side == 1.0 else grey.resize(_scaled(grey, side))
        png = _png(small.point([255 * (value >= INK) for value in range(256)]).convert("1"))
        if len(png) <= room or side <= least:
            return png if len(png) <= room else b""
        side = max(least, side * _closer(len(png), room))


def _closer(size: int, room: int) -> float:
    return min(0.9, max(0.3, math.sqrt(room / size)))


def _scaled(image: Image.Image, side: float) -> tuple[int, int]:
    return max(1, round(image.width * side)), max(1, round(image.height * side))


def _reduced(image: Image.Image, colours: int) -> bytes:
    """An RGB picture in a palette: greys are evenly spaced, so that white stays white."""
    from PIL import Image

    if not is_grey(image):
        return _png(image.quantize(colours, dither=Image.Dither.NONE), bits=4)
    step = 255 / (colours - 1)
    levels = image.getchannel(0).point([round(value / step) for value in range(256)])
    small = Image.frombytes("P", levels.size, levels.tobytes())
    small.putpalette(bytes(round(level * step) for level in range(colours) for _ in range(3)))
    return _png(small, bits=4)


def _png(image: Image.Image, **how: int) -> bytes:
    target = io.BytesIO()
    image.save(target, format="PNG", **how)
    return target.getvalue()
