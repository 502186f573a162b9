"""What a picture costs a model, and the size the model sees it at: one rule for every kind of image processor.

Each rule is written after the image processor that `transformers` 5.24 runs for the family, float arithmetic included,
because a rounding on the edge of a cell is worth a row of tokens (definitions §3, Visual tokens).
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

MAX_ASPECT = 200


class Cost(NamedTuple):
    """`tokens` that a picture puts into the sequence, and the size in pixels it is resized to, None for engines
    that count cells of the picture as it is. For tiled families that is the size of all tiles together."""

    tokens: int
    resized: tuple[int, int] | None


def check_size(width: int, height: int) -> None:
    """Raises ValueError for a side under 1 pixel."""
    if width < 1 or height < 1:
        raise ValueError(f"a picture needs sides of at least 1 pixel, got {width}x{height}")


def smart_resize(width: int, height: int, factor: int, min_pixels: float, max_pixels: float) -> tuple[int, int]:
    """The size a model of the Qwen-VL kind resizes a picture to, as (width, height) in pixels.

    Both sides are rounded to multiples of `factor` (half to even); outside [min_pixels, max_pixels] they are scaled by
    a square root (floor when above, ceil when below); no side is under `factor`. Definitions §3, SR(f, min, max).
    Raises ValueError for sides under 1 pixel and for an aspect ratio over 200 (exactly 200 is allowed).
    """
    check_size(width, height)
    _check_aspect(width, height, f"{width}x{height} pixels")
    new_width = round(width / factor) * factor
    new_height = round(height / factor) * factor
    if new_width * new_height > max_pixels:
        shrink = math.sqrt(width * height / max_pixels)
        new_width = math.floor(width / shrink / factor) * factor
        new_height = math.floor(height / shrink / factor) * factor
    elif new_width * new_height < min_pixels:
        grow = math.sqrt(min_pixels / (width * height))
        new_width = math.ceil(width * grow / factor) * factor
        new_height = math.ceil(height * grow / factor) * factor
    return max(factor, new_width), max(factor, new_height)


def _check_aspect(width: int, height: int, shown: str) -> None:
    if max(width, height) > MAX_ASPECT * min(width, height):
        raise ValueError(
            f"picture of {shown}: aspect ratio {max(width, height) / min(width, height):.1f} is over {MAX_ASPECT}; "
            "crop it or pad its short side"
        )


def smart_cost(width: int, height: int, *, factor: int, min_pixels: int, max_pixels: int) -> Cost:
    """Qwen-VL: one token for each cell of factor × factor pixels after `smart_resize`."""
    width, height = smart_resize(width, height, factor, min_pixels, max_pixels)
    return Cost((width // factor) * (height // factor), (width, height))


def hunyuan_cost(width: int, height: int, *, factor: int, min_pixels: int, max_pixels: int) -> Cost:
    """HunyuanOCR counts sequence slots: its cells, a row separator after every row, and the picture's two ends."""
    width, height = smart_resize(width, height, factor, min_pixels, max_pixels)
    return Cost((height // factor) * (width // factor + 1) + 2, (width, height))


def glm_cost(width: int, height: int, *, factor: int, min_pixels: int, max_pixels: int) -> Cost:
    """GLM-4.1V grows a picture with a side under a cell first, then counts the area of two frames, so that its bounds
    are halved here."""
    grow = max(factor / width, factor / height)
    if grow > 1:
        shown = f"{width}x{height} pixels, grown to cells of {factor}"
        width, height = int(width * grow), int(height * grow)
        _check_aspect(width, height, shown)
    return smart_cost(width, height, factor=factor, min_pixels=min_pixels // 2, max_pixels=max_pixels // 2)


def paddle_cost(width: int, height: int, *, factor: int, min_pixels: int, max_pixels: int) -> Cost:
    """PaddleOCR-VL grows a picture with a side under a cell first (half to even), the height before the width."""
    shown = f"{width}x{height} pixels, grown to cells of {factor}"
    if height < factor:
        width, height = round(width * factor / height), factor
    if width < factor:
        width, height = factor, round(height * factor / width)
    _check_aspect(width, height, shown)
    return smart_cost(width, height, factor=factor, min_pixels=min_pixels, max_pixels=max_pixels)


def square_cost(width: int, height: int, *, side: int, tokens: int) -> Cost:
    """A fixed price: the picture is stretched to a square."""
    return Cost(tokens, (side, side))


def padded_cost(width: int, height: int, *, side: int, tokens: int) -> Cost:
    """Valid tokens of a picture padded to a square: ⌈N(1 − (max − min)/max)⌉ (DeepSeek-OCR, Eq. 1)."""
    return Cost(-(-tokens * min(width, height) // max(width, height)), _within_square(width, height, side))


def gundam_cost(width: int, height: int, *, page_side: int, page: int, tile: int, per_tile: int, most: int) -> Cost:
    """One view of the whole page, and 2 to `most` tiles of it unless it fits into one tile (DeepSeek-OCR)."""
    view = _within_square(width, height, page_side)
    if max(width, height) <= tile:
        return Cost(page, view)
    columns, rows = _grid(width, height, tile=tile, least=2, most=most)
    return Cost(page + per_tile * columns * rows, (columns * tile, rows * tile))


def internvl_cost(width: int, height: int, *, tile: int, per_tile: int, most: int) -> Cost:
    """1 to `most` tiles, and a thumbnail of the whole page where there are several."""
    columns, rows = _grid(width, height, tile=tile, least=1, most=most)
    tiles = columns * rows
    return Cost(per_tile * (tiles + (tiles > 1)), (columns * tile, rows * tile))


def pixtral_cost(width: int, height: int, *, patch: int, merge: int, longest: int) -> Cost:
    """LightOnOCR: shrunk to the longest side, rounded up to patches, one token for each whole square of merged ones.

    Raises ValueError for a side of which no whole square is left: the model would get a picture without a token.
    """
    shrink = max(height / longest, width / longest)
    seen_width, seen_height = width, height
    if shrink > 1:
        seen_width, seen_height = math.floor(width / shrink), math.floor(height / shrink)
    seen_width, seen_height = -(-seen_width // patch) * patch, -(-seen_height // patch) * patch
    tokens = (seen_width // (patch * merge)) * (seen_height // (patch * merge))
    if tokens == 0:
        raise ValueError(
            f"picture of {width}x{height} pixels: the model sees it at {seen_width}x{seen_height}, which is no token, "
            f"as its cells have {patch * merge} pixels; pad its short side"
        )
    return Cost(tokens, (seen_width, seen_height))


def nominal_cost(width: int, height: int, *, stride: int) -> Cost:
    """Started cells of stride × stride pixels: ⌈H/s⌉⌈W/s⌉."""
    return Cost(-(-width // stride) * -(-height // stride), None)


def _within_square(width: int, height: int, side: int) -> tuple[int, int]:
    """The picture's own size on the square canvas. Raises ValueError where its short side vanishes."""
    scale = side / max(width, height)
    seen = round(width * scale), round(height * scale)
    if 0 in seen:
        raise ValueError(
            f"picture of {width}x{height} pixels: its short side vanishes when the long one becomes {side} pixels; "
            "crop it or pad its short side"
        )
    return seen


@lru_cache(maxsize=16)
def tile_grids(least: int, most: int) -> tuple[tuple[int, int], ...]:
    """Grids (columns, rows) of `least` to `most` tiles, fewest tiles first."""
    grids = [(c, r) for c in range(1, most + 1) for r in range(1, most + 1) if least <= c * r <= most]
    return tuple(sorted(grids, key=lambda grid: (grid[0] * grid[1], grid)))


def _grid(width: int, height: int, *, tile: int, least: int, most: int) -> tuple[int, int]:
    """The grid nearest in aspect ratio; of equal ones the largest the picture has over half the pixels of."""
    best, best_distance = (1, 1), math.inf
    for columns, rows in tile_grids(least, most):
        distance = abs(width / height - columns / rows)
        larger = width * height > 0.5 * tile * tile * columns * rows
        if distance < best_distance or (distance == best_distance and larger):
            best, best_distance = (columns, rows), distance
    return best
