"""Pictures that show what an editor did: the page with its regions framed, and what differs from the reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

    from pytest_vtcfaith.pages.edits.regions import Pixels

FRAME = (213, 94, 0)
"""Orange that is told from black, white and blue without colour vision."""
_AROUND = 4
_WIDTH = 3


def framed(picture: Image.Image, regions: Sequence[Pixels]) -> Image.Image:
    """A copy of the picture with a frame around each region (pixels)."""
    from PIL import ImageDraw

    copy = picture.convert("RGB")
    draw = ImageDraw.Draw(copy)
    for left, top, right, bottom in regions:
        box = (left - _AROUND, top - _AROUND, right + _AROUND - 1, bottom + _AROUND - 1)
        draw.rectangle(box, outline=FRAME, width=_WIDTH)
    return copy


def difference(reference: Image.Image, output: Image.Image, regions: Sequence[Pixels]) -> Image.Image:
    """What an output changed beyond the reference, or left undone: the darker a pixel, the more it differs; regions
    framed. Both pictures are RGB and of one size.
    """
    from PIL import ImageChops

    apart = ImageChops.difference(reference, output)
    red, green, blue = apart.split()
    most = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    return framed(ImageChops.invert(most), regions)
