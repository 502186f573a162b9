"""Pictures without colours, which need a third of the room."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image


def is_grey(image: Image.Image) -> bool:
    """Whether red, green and blue are equal everywhere."""
    red, green, blue = (channel.tobytes() for channel in image.convert("RGB").split())
    return red == green == blue


def lossless(image: Image.Image) -> Image.Image:
    """The same pixels in one channel where one is enough."""
    return image.convert("L") if image.mode == "RGB" and is_grey(image) else image
