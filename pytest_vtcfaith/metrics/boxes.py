"""Boxes on a page: overlap, and percent to pixels (definitions §5)."""

from __future__ import annotations

import math
from collections.abc import Sequence

Box = tuple[float, float, float, float]
"""Left, top, right, bottom; `right` and `bottom` lie just outside."""

_PLACES = 6  # 12.3 % of 1,000 px is 123.00000000000001 in floating point: such dust must not add a pixel


def ordered(box: Sequence[float]) -> Box:
    """The box with its corners sorted. Raises ValueError unless it is four finite numbers."""
    if len(box) != 4 or not all(math.isfinite(side) for side in box):
        raise ValueError(f"box {tuple(box)!r} must be four finite numbers: left, top, right, bottom")
    a, b, c, d = box
    return min(a, c), min(b, d), max(a, c), max(b, d)


def area(box: Sequence[float]) -> float:
    """Width times height. Raises ValueError as `ordered`."""
    left, top, right, bottom = ordered(box)
    return (right - left) * (bottom - top)


def overlap(a: Sequence[float], b: Sequence[float]) -> float:
    """The area that two boxes share; touching boxes share none. Raises ValueError as `ordered`."""
    a, b = ordered(a), ordered(b)
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    return width * height if width > 0 and height > 0 else 0.0


def iou(a: Sequence[float], b: Sequence[float]) -> float:
    """Intersection over union of two boxes, in [0, 1].

    `a`, `b`: left, top, right, bottom in one unit; corners are sorted first. Boxes without area, points and lines, give
    0 with every box, themselves included. Raises ValueError for what is no box. Source: VDE Bench F.1.3, Eq. 14.
    """
    shared = overlap(a, b)
    union = area(a) + area(b) - shared
    return min(1.0, shared / union) if shared and union > 0 else 0.0


def enclosing(boxes: Sequence[Sequence[float]]) -> Box:
    """The smallest box around all of `boxes`. Raises ValueError when there is none, or as `ordered`."""
    if not boxes:
        raise ValueError("there is no box to enclose: give at least one")
    lefts, tops, rights, bottoms = zip(*map(ordered, boxes), strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def merged(boxes: Sequence[tuple[int, int, int, int]]) -> tuple[tuple[int, int, int, int], ...]:
    """Boxes none of which overlaps another: those that do are replaced by the box around them, again and again.

    In the order of the first of each. Raises ValueError for what is no box.
    """
    found: list[tuple[int, int, int, int]] = []
    for box in boxes:
        whole, place = box, len(found)
        while (at := next((n for n, other in enumerate(found) if overlap(other, whole)), None)) is not None:
            left, top, right, bottom = map(int, enclosing((found.pop(at), whole)))
            whole, place = (left, top, right, bottom), min(place, at)
        found.insert(place, whole)
    return tuple(found)


def percent_to_pixels(
    x: float, y: float, width: float, height: float, *, page: tuple[int, int]
) -> tuple[int, int, int, int]:
    """The pixels a box in percent of a page covers, those it only touches included.

    `x`, `y`, `width`, `height`: percent of the page's width and height; `page`: width and height in pixels. The result
    lies on the page and holds at least one pixel. Raises ValueError when the box shares no area with the page.
    Source: definitions §5, "percent boxes → pixels of the reference".
    """
    across, down = page
    left, top, right, bottom = (
        round(share * side / 100, _PLACES)
        for share, side in ((x, across), (y, down), (x + width, across), (y + height, down))
    )
    if overlap((left, top, right, bottom), (0, 0, across, down)) <= 0:
        raise ValueError(f"box x={x}, y={y}, width={width}, height={height} (percent) shares nothing with the page")
    return (
        max(0, math.floor(left)),
        max(0, math.floor(top)),
        min(across, math.ceil(right)),
        min(down, math.ceil(bottom)),
    )
