"""Which part of a page a model sees that is shown every picture in one size, and in which tokens."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from pytest_vtcfaith.models.probe.patches import Box

FAMILIES = ("gemma3", "llava")
"""`model_type` of the models whose picture is one rectangle of equal tokens, row by row, that covers what is shown."""


def shown_part(pictures: Any, size: tuple[int, int]) -> tuple[float, float, float, float]:
    """Left, top, right and bottom, in pixels of a page of `size` (width, height), of what the picture processor
    `pictures` leaves of it: it pads to a square (over the edges of the page), scales, and crops the middle.

    Raises ValueError for a processor that scales in another way.
    """
    width, height = (float(side) for side in size)
    left = top = 0.0
    if getattr(pictures, "do_pad", False):
        side = max(width, height)
        left, top = -float((side - width) // 2), -float((side - height) // 2)
        width = height = side
    if not getattr(pictures, "do_center_crop", False):
        return left, top, left + width, top + height
    scaled = _scaled(pictures, width, height)
    crop = (pictures.crop_size["width"], pictures.crop_size["height"])
    edges = []
    for start, side, drawn, kept in zip((left, top), (width, height), scaled, crop, strict=True):
        begin = (drawn - kept) // 2
        edges.append((start + begin * side / drawn, start + (begin + kept) * side / drawn))
    (left, right), (top, bottom) = edges
    return left, top, right, bottom


def _scaled(pictures: Any, width: float, height: float) -> tuple[int, int]:
    size = pictures.size if pictures.do_resize else {"width": int(width), "height": int(height)}
    if size.get("width") and size.get("height"):
        return size["width"], size["height"]
    shortest = size.get("shortest_edge")
    if shortest is None or size.get("longest_edge"):
        raise ValueError(f"the probe does not know how {type(pictures).__name__} scales to size = {dict(size)}")
    if width <= height:
        return shortest, int(shortest * height / width)
    return int(shortest * width / height), shortest


def is_inside(boxes: Sequence[Box], shown: Box) -> bool:
    """Whether all of the boxes lies in the part that is shown."""
    return all(
        shown[0] <= left and shown[1] <= top and right <= shown[2] and bottom <= shown[3]
        for left, top, right, bottom in boxes
    )


def square_grid(inputs: Any, tokens: int) -> tuple[int, int]:
    """Rows and columns of the picture's `tokens`, in the proportions of the processed picture.

    Raises ValueError for a picture that was cut into several, and for a number of tokens that is no such rectangle.
    """
    shape = tuple(inputs["pixel_values"].shape)
    if len(shape) != 4 or shape[0] != 1:
        raise ValueError(
            f"the picture processor made {list(shape)} of one page, several pictures: switch cutting off in "
            "preprocessor_config.json (do_pan_and_scan)"
        )
    height, width = shape[2:]
    rows = round(math.sqrt(tokens * height / width))
    if rows == 0 or tokens % rows or rows * width != tokens // rows * height:
        raise ValueError(f"{tokens} image tokens are no grid over a picture of {width} x {height} pixels")
    return rows, tokens // rows
