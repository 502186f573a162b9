"""Pictures for people to look at, in no more bytes than they are given: a report of 200 failures stays under 20 MB."""

from __future__ import annotations

import io
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
_LEAST = 48
"""Pixels of the longer side below which a picture is not reduced any more."""


def save_small(image: Image.Image, path: Path, room: int = CASE, *, exact: bool = False) -> int:
    """Writes a picture as PNG of at most `room` bytes, and gives its size; raises OSError.

    With `exact` pixel for pixel where that fits. Else in 16 colours (greys where it has no colours), else in 8, else in
    8 and reduced until it fits. One of 48 pixels is not reduced any further.
    """
    png = _png(lossless(image)) if exact else b""
    if not png or len(png) > room:
        png = _fitting(image.convert("RGB"), room)
    write_bytes(path, png)
    return len(png)


def thumbnail(image: Image.Image, path: Path, width: int) -> int:
    """Writes a picture in 16 greys, `width` pixels wide, and gives its size in bytes; raises OSError."""
    height = max(1, round(image.height * width / image.width))
    png = _reduced(image.convert("L").resize((width, height)).convert("RGB"), COLOURS[0])
    write_bytes(path, png)
    return len(png)


def _fitting(image: Image.Image, room: int) -> bytes:
    for colours in COLOURS:
        png = _reduced(image, colours)
        if len(png) <= room:
            return png
    side = 1.0
    while len(png) > room and max(image.size) * side > _LEAST:
        side *= min(0.9, max(0.3, (room / len(png)) ** 0.5))
        size = (max(1, round(image.width * side)), max(1, round(image.height * side)))
        png = _reduced(image.resize(size), COLOURS[-1])
    return png


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
