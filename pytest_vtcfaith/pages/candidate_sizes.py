"""Sizes of a page near an aspect ratio, so many that every cost a family can ask for such a page occurs.

All take `aspect` (width ÷ height of the layout) and `limit` (visual tokens), and give sizes (width, height) in pixels:
one at least for every cost up to `limit` that a page of more than a few pixels can have; where there is the choice,
one that the model takes as it is. Some are up to a cell off the tolerance, which the caller checks.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator

from pytest_vtcfaith.pages.token_rules import MAX_ASPECT, tile_grids

ASPECT_TOLERANCE = 0.15  # definitions §3, Budget
SLACK = 1e-9


def _bounds(aspect: float) -> tuple[float, float]:
    return aspect * (1 - ASPECT_TOLERANCE), aspect * (1 + ASPECT_TOLERANCE)


def _cells(aspect: float, limit: int, quantum: int) -> Iterator[tuple[int, int]]:
    """Columns and rows of cells: at most `limit` of them, the aspect ratio within one cell of the tolerance."""
    low, high = _bounds(aspect)
    for columns in range(1, limit + 1):
        first = max(1, math.floor((columns - 1) / high))
        last = min(limit // columns, math.ceil((columns + 1) / low) + 1)
        if first > limit // columns:
            return
        for rows in range(first, last + 1):
            yield columns * quantum, rows * quantum


def grid_sizes(
    aspect: float,
    limit: int,
    *,
    quantum: int,
    cell: Callable[[int, int], tuple[int, int]],
    min_pixels: float = 0,
    max_pixels: float = math.inf,
    max_side: int = sys.maxsize,
) -> Iterator[tuple[int, int]]:
    """Whole cells; where their aspect ratio is too far off, the nearest size within the tolerance that costs the same.

    `cell(side, quantum)` gives the shortest and the longest side that are rounded to `side`.
    """
    low, high = _bounds(aspect)
    for width, height in _cells(aspect, limit, quantum):
        if not (min_pixels <= width * height <= max_pixels and max(width, height) <= max_side):
            continue
        (narrowest, widest), (lowest, highest) = cell(width, quantum), cell(height, quantum)
        # One side grows as far as it may, then the other shrinks
        if width < low * height:
            width = min(widest, max_side, math.ceil(low * height - SLACK))
            height = max(lowest, min(height, math.floor(width / low + SLACK)))
        elif width > high * height:
            height = min(highest, max_side, math.ceil(width / high - SLACK))
            width = max(narrowest, min(width, math.floor(high * height + SLACK)))
        if max(width, height) <= MAX_ASPECT * min(width, height):
            yield width, height


def half_to_even(side: int, quantum: int) -> tuple[int, int]:
    """The cell of a side that is rounded to a multiple of an even quantum; a half belongs to the even multiple."""
    play = quantum // 2 - side // quantum % 2
    return side - play, side + play


def up_to_half_then_down(side: int, quantum: int) -> tuple[int, int]:
    """The cell of a side that is rounded up to half a quantum, then down to a whole one."""
    half = quantum // 2
    return side - half + 1, side + half


def trimmed_sizes(aspect: float, limit: int, *, stride: int) -> Iterator[tuple[int, int]]:
    """Full cells, then one side trimmed towards the layout's aspect ratio as far as its last cell reaches."""
    for width, height in _cells(aspect, limit, stride):
        if width / height > aspect:
            yield max(width - stride + 1, round(height * aspect)), height
        else:
            yield width, max(height - stride + 1, round(width / aspect))


def canvas_sizes(aspect: float, limit: int, *, side: int) -> Iterator[tuple[int, int]]:
    """The long side fills the model's square canvas; smaller pages would only lose resolution at the same cost."""
    low, high = _bounds(aspect)
    for width in range(max(1, math.ceil(side * low)), min(side, math.floor(side * high)) + 1):
        yield width, side
    for height in range(max(1, math.ceil(side / high)), min(side, math.floor(side / low)) + 1):
        yield side, height


def tile_sizes(aspect: float, limit: int, *, tile: int, most: int) -> Iterator[tuple[int, int]]:
    """Whole grids of tiles; where their aspect ratio is too far off, the longer side cut to the tolerance."""
    low, high = _bounds(aspect)
    for columns, rows in tile_grids(1, most):
        width, height = columns * tile, rows * tile
        narrowed, lowered = math.floor(high * height + SLACK), math.floor(width / low + SLACK)
        yield max(1, min(width, narrowed)), max(1, min(height, lowered))


def gundam_sizes(aspect: float, limit: int, *, tile: int, most: int) -> Iterator[tuple[int, int]]:
    """Pages that fit into one tile, and grids of tiles."""
    yield from canvas_sizes(aspect, limit, side=tile)
    yield from tile_sizes(aspect, limit, tile=tile, most=most)
