"""Pictures that show what an editor did: the page with its regions framed, and what differs from the reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

    from pytest_vtcfaith.pages.edits.regions import Pixels

FRAME = (213, 94, 0)
"""Orange that is told from black, white and blue without colour vision: frames on pages."""
MISSING = (0, 63, 146)
"""Dark blue: ink of the reference that the output lacks."""
ADDED = (235, 145, 0)
"""Light orange, by its brightness told from `MISSING` without colour vision: ink that the reference does not have."""
_FAINT = 0.2
"""Strength of the reference under the difference."""
_AROUND = 4
_WIDTH = 3


def framed(picture: Image.Image, regions: Sequence[Pixels], colour: tuple[int, int, int] = FRAME) -> Image.Image:
    """A copy of the picture with a frame around each region (pixels)."""
    from PIL import ImageDraw

    copy = picture.convert("RGB")
    draw = ImageDraw.Draw(copy)
    for left, top, right, bottom in regions:
        box = (left - _AROUND, top - _AROUND, right + _AROUND - 1, bottom + _AROUND - 1)
        draw.rectangle(box, outline=colour, width=_WIDTH)
    return copy


def difference(reference: Image.Image, output: Image.Image, regions: Sequence[Pixels]) -> Image.Image:
    """What an output changed beyond the reference, or left undone, over a faint grey of the reference.

    Where the output is lighter ink is `MISSING`, where it is darker, or of another colour as bright, ink is `ADDED`;
    the more a pixel differs in one of its channels, the stronger the colour. Regions are framed in black. Both pictures
    are RGB and of one size.
    """
    import numpy as np
    from PIL import Image

    ours, theirs = (np.asarray(picture.convert("L"), dtype=np.float32) for picture in (reference, output))
    channels = (np.asarray(picture, dtype=np.int16) for picture in (reference, output))
    strength = np.abs(next(channels) - next(channels)).max(axis=2, keepdims=True) / np.float32(255)
    faint = 255 - (255 - ours[..., None]) * np.float32(_FAINT)
    colour = np.where((theirs > ours)[..., None], np.array(MISSING), np.array(ADDED))
    shown = faint + (colour - faint) * strength
    return framed(Image.fromarray(shown.round().astype(np.uint8)), regions, (0, 0, 0))
