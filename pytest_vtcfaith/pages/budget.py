"""Visual tokens: what a picture costs a model, and which size of a page costs a given number (definitions §3)."""

from __future__ import annotations

import difflib
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

MAX_ASPECT = 200
ASPECT_TOLERANCE = 0.15
_SLACK = 1e-9


class Unsupported(ValueError):
    """A family's rule cannot give this page at this number of tokens; the message has the reason and both numbers."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A page size in pixels and its cost: `tokens` by the family's rule, `target` = N_text ÷ ratio."""

    width: int
    height: int
    tokens: int
    target: float


@dataclass(frozen=True, slots=True)
class _Rule:
    """`tokens(width, height)` is the cost; `sizes(aspect, tokens)` lists sizes (pixels) near the aspect ratio
    width ÷ height, one at least for every cost up to `tokens` that a page of more than a few pixels can have; where
    there is the choice, one which the model takes as it is."""

    tokens: Callable[[int, int], int]
    sizes: Callable[[float, int], Iterable[tuple[int, int]]]


def smart_resize(width: int, height: int, factor: int, min_pixels: float, max_pixels: float) -> tuple[int, int]:
    """The size a model of the Qwen-VL kind resizes a picture to, as (width, height) in pixels.

    Both sides are rounded to multiples of `factor` (half to even); outside [min_pixels, max_pixels] they are scaled by
    a square root (floor when above, ceil when below); no side is under `factor`. Definitions §3, SR(f, min, max).
    Raises ValueError for sides under 1 pixel and for an aspect ratio over 200 (exactly 200 is allowed).
    """
    _check_size(width, height)
    if max(width, height) > MAX_ASPECT * min(width, height):
        raise ValueError(
            f"picture of {width}x{height} pixels: aspect ratio {max(width, height) / min(width, height):.1f} is over "
            f"{MAX_ASPECT}; crop it or pad its short side"
        )
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


def resize_within(width: int, height: int, *, factor: int, max_tokens: int) -> tuple[int, int]:
    """`smart_resize` of a given picture to at most `max_tokens` tokens of factor² pixels, as (width, height) in pixels.

    Raises Unsupported where the short side's minimum of `factor` pixels costs more than that (definitions §3: never a
    picture at another budget), ValueError as `smart_resize` does.
    """
    new_width, new_height = smart_resize(width, height, factor, 0, max_tokens * factor**2)
    tokens = new_width * new_height // factor**2
    if tokens > max_tokens:
        raise Unsupported(f"picture of {width}x{height} pixels: {tokens} tokens at the least, {max_tokens} allowed")
    return new_width, new_height


def visual_tokens(family: str, width: int, height: int) -> int:
    """What a picture of width × height pixels costs a family of models, in visual tokens (definitions §3, table).

    `family` is a name of `FAMILIES`, or `nominal-S` for the nominal rule with a stride of S pixels. Raises ValueError
    for an unknown family (the known ones are listed, the nearest first), a side under 1 pixel, and an aspect ratio the
    family refuses.
    """
    _check_size(width, height)
    return _rule(family).tokens(width, height)


@lru_cache(maxsize=4096)
def fit_budget(n_text: int, ratio: float, *, family: str, page_width: int, page_height: int) -> Fit:
    """The page size whose visual tokens come nearest to n_text ÷ ratio without passing it (definitions §3, Budget).

    `n_text` is the number of text tokens, `ratio` the compression ratio (> 0); `page_width` and `page_height` give the
    layout's aspect ratio, from which the result differs by at most 15 %. Among sizes of equal cost: the nearest aspect
    ratio, then the largest area. Raises Unsupported where no size comes within max(1 token, 5 %) of the target, and
    ValueError for an unknown family or numbers out of range.
    """
    if n_text < 1 or not (ratio > 0 and math.isfinite(ratio)):
        raise ValueError(f"n_text must be at least 1 and ratio finite and over 0, got n_text={n_text}, ratio={ratio}")
    _check_size(page_width, page_height)
    rule = _rule(family)
    aspect = page_width / page_height
    target = n_text / ratio
    limit = math.floor(target + _SLACK)
    where = f"{family}, page of {page_width}x{page_height}, ratio {ratio:g} of {n_text} text tokens"

    best: tuple[int, float, int, int, int] | None = None
    for tokens, width, height in _costs(rule, aspect, limit):
        if tokens <= limit:
            candidate = (tokens, -abs(width / height / aspect - 1), width * height, width, height)
            best = candidate if best is None else max(best, candidate)
    if best is None:
        raise Unsupported(f"{where}: the target is {target:g} visual tokens, {_least(rule, aspect, limit)}")
    tokens, _, _, width, height = best
    if target - tokens > max(1.0, 0.05 * target) + _SLACK:
        raise Unsupported(
            f"{where}: the target is {target:g} visual tokens, the nearest size that does not pass it costs {tokens}"
        )
    return Fit(width, height, tokens, target)


def _costs(rule: _Rule, aspect: float, limit: int) -> Iterator[tuple[int, int, int]]:
    for width, height in rule.sizes(aspect, limit):
        if abs(width / height / aspect - 1) <= ASPECT_TOLERANCE + _SLACK:
            yield rule.tokens(width, height), width, height


def _least(rule: _Rule, aspect: float, limit: int) -> str:
    """What a page of this shape costs at least, in words; searched in growing budgets because a rule has no top."""
    budget = max(1, limit)
    while budget < 1 << 16:
        costs = [tokens for tokens, _, _ in _costs(rule, aspect, budget)]
        if costs:
            return f"the least a page of this shape costs is {min(costs)}"
        budget *= 2
    return "no size near this aspect ratio exists for the family"


def _check_size(width: int, height: int) -> None:
    if width < 1 or height < 1:
        raise ValueError(f"a picture needs sides of at least 1 pixel, got {width}x{height}")


# --- sizes -----------------------------------------------------------------------------------------------------------


def _cells(aspect: float, limit: int, quantum: int) -> Iterator[tuple[int, int]]:
    """Columns and rows of cells: at most `limit` of them, the aspect ratio within one cell of the tolerance."""
    low, high = aspect * (1 - ASPECT_TOLERANCE), aspect * (1 + ASPECT_TOLERANCE)
    for columns in range(1, limit + 1):
        first = max(1, math.floor((columns - 1) / high))
        last = min(limit // columns, math.ceil((columns + 1) / low) + 1)
        if first > limit // columns:
            return
        for rows in range(first, last + 1):
            yield columns * quantum, rows * quantum


def _grid_sizes(
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
    low, high = aspect * (1 - ASPECT_TOLERANCE), aspect * (1 + ASPECT_TOLERANCE)
    for width, height in _cells(aspect, limit, quantum):
        if not (min_pixels <= width * height <= max_pixels and max(width, height) <= max_side):
            continue
        (narrowest, widest), (lowest, highest) = cell(width, quantum), cell(height, quantum)
        # One side grows as far as it may, then the other shrinks
        if width < low * height:
            width = min(widest, max_side, math.ceil(low * height - _SLACK))
            height = max(lowest, min(height, math.floor(width / low + _SLACK)))
        elif width > high * height:
            height = min(highest, max_side, math.ceil(width / high - _SLACK))
            width = max(narrowest, min(width, math.floor(high * height + _SLACK)))
        if max(width, height) <= MAX_ASPECT * min(width, height):
            yield width, height


def _half_to_even(side: int, quantum: int) -> tuple[int, int]:
    """The cell of a side that is rounded to a multiple of an even quantum; a half belongs to the even multiple."""
    play = quantum // 2 - side // quantum % 2
    return side - play, side + play


def _lighton_cell(side: int, quantum: int) -> tuple[int, int]:
    """The cell of a side that is rounded up to half a quantum, then down to a whole one, but not to 0."""
    half = quantum // 2
    return (side - half + 1 if side > quantum else 1), side + half


def _trimmed_sizes(aspect: float, limit: int, *, stride: int) -> Iterator[tuple[int, int]]:
    """Full cells, then one side trimmed towards the layout's aspect ratio as far as its last cell reaches."""
    for width, height in _cells(aspect, limit, stride):
        if width / height > aspect:
            yield max(width - stride + 1, round(height * aspect)), height
        else:
            yield width, max(height - stride + 1, round(width / aspect))


def _canvas_sizes(aspect: float, limit: int, *, side: int) -> Iterator[tuple[int, int]]:
    """The long side fills the model's square canvas; smaller pages would only lose resolution at the same cost."""
    low, high = aspect * (1 - ASPECT_TOLERANCE), aspect * (1 + ASPECT_TOLERANCE)
    for width in range(max(1, math.ceil(side * low)), min(side, math.floor(side * high)) + 1):
        yield width, side
    for height in range(max(1, math.ceil(side / high)), min(side, math.floor(side / low)) + 1):
        yield side, height


def _tile_sizes(aspect: float, limit: int, *, tile: int, most: int) -> Iterator[tuple[int, int]]:
    """Whole grids of tiles; where their aspect ratio is too far off, the longer side cut to the tolerance."""
    low, high = aspect * (1 - ASPECT_TOLERANCE), aspect * (1 + ASPECT_TOLERANCE)
    for columns, rows in _tile_grids(1, most):
        width, height = columns * tile, rows * tile
        narrowed, lowered = math.floor(high * height + _SLACK), math.floor(width / low + _SLACK)
        yield max(1, min(width, narrowed)), max(1, min(height, lowered))


def _gundam_sizes(aspect: float, limit: int, *, tile: int, most: int) -> Iterator[tuple[int, int]]:
    """Pages that fit into one tile, and grids of tiles."""
    yield from _canvas_sizes(aspect, limit, side=tile)
    yield from _tile_sizes(aspect, limit, tile=tile, most=most)


# --- costs -----------------------------------------------------------------------------------------------------------


def _smart_tokens(width: int, height: int, *, factor: int, min_pixels: int, max_pixels: int) -> int:
    width, height = smart_resize(width, height, factor, min_pixels, max_pixels)
    return (width // factor) * (height // factor)


def _hunyuan_tokens(width: int, height: int) -> int:
    """Sequence slots: a row separator per row, and the two ends of the picture."""
    width, height = smart_resize(width, height, 32, 512**2, 2048**2)
    return (height // 32) * (width // 32 + 1) + 2


def _glm_tokens(width: int, height: int) -> int:
    """GLM grows a picture with a side under 28 pixels before anything else, and counts two frames' area."""
    grow = max(28 / width, 28 / height)
    if grow > 1:
        width, height = int(width * grow), int(height * grow)
    return _smart_tokens(width, height, factor=28, min_pixels=12_544 // 2, max_pixels=9_633_792 // 2)


def _fixed_tokens(width: int, height: int, *, tokens: int) -> int:
    return tokens


def _padded_tokens(width: int, height: int, *, tokens: int) -> int:
    """Valid tokens of a picture padded to a square: ⌈N(1 − (max − min)/max)⌉."""
    return -(-tokens * min(width, height) // max(width, height))


@lru_cache(maxsize=16)
def _tile_grids(least: int, most: int) -> tuple[tuple[int, int], ...]:
    grids = [(c, r) for c in range(1, most + 1) for r in range(1, most + 1) if least <= c * r <= most]
    return tuple(sorted(grids, key=lambda grid: (grid[0] * grid[1], grid)))


def _tiles(width: int, height: int, *, tile: int, least: int, most: int) -> int:
    """Tiles of the grid nearest in aspect ratio; of equal ones the largest the picture has over half the pixels of."""
    best, best_distance = (1, 1), math.inf
    for columns, rows in _tile_grids(least, most):
        distance = abs(width / height - columns / rows)
        larger = width * height > 0.5 * tile * tile * columns * rows
        if distance < best_distance or (distance == best_distance and larger):
            best, best_distance = (columns, rows), distance
    return best[0] * best[1]


def _gundam_tokens(width: int, height: int, *, base: int, per_tile: int, tile: int, most: int) -> int:
    """One view of the whole page, and tiles of it unless it fits into one tile."""
    if max(width, height) <= tile:
        return base
    return base + per_tile * _tiles(width, height, tile=tile, least=2, most=most)


def _internvl_tokens(width: int, height: int) -> int:
    tiles = _tiles(width, height, tile=448, least=1, most=12)
    return 256 * (tiles + (tiles > 1))


def _lighton_tokens(width: int, height: int) -> int:
    longest = max(width, height)
    if longest > 1540:
        width, height = width * 1540 // longest, height * 1540 // longest
    return max(1, -(-height // 14) * 14 // 28) * max(1, -(-width // 14) * 14 // 28)


def _nominal_tokens(width: int, height: int, *, stride: int) -> int:
    return -(-width // stride) * -(-height // stride)


# --- families --------------------------------------------------------------------------------------------------------


def _smart(factor: int, min_pixels: int, max_pixels: int) -> _Rule:
    return _Rule(
        partial(_smart_tokens, factor=factor, min_pixels=min_pixels, max_pixels=max_pixels),
        partial(_grid_sizes, quantum=factor, cell=_half_to_even, min_pixels=min_pixels, max_pixels=max_pixels),
    )


def _gundam(base: int, per_tile: int, tile: int, most: int) -> _Rule:
    return _Rule(
        partial(_gundam_tokens, base=base, per_tile=per_tile, tile=tile, most=most),
        partial(_gundam_sizes, tile=tile, most=most),
    )


def _nominal(stride: int) -> _Rule:
    return _Rule(partial(_nominal_tokens, stride=stride), partial(_trimmed_sizes, stride=stride))


def _fixed(side: int, tokens: int) -> _Rule:
    return _Rule(partial(_fixed_tokens, tokens=tokens), partial(_canvas_sizes, side=side))


def _padded(side: int, tokens: int) -> _Rule:
    return _Rule(partial(_padded_tokens, tokens=tokens), partial(_canvas_sizes, side=side))


_QWEN2 = _smart(28, 3136, 12_845_056)
_GLM = _Rule(
    _glm_tokens,
    partial(_grid_sizes, quantum=28, cell=_half_to_even, min_pixels=12_544 // 2, max_pixels=9_633_792 // 2),
)
_RULES: dict[str, _Rule] = {
    "qwen2-vl": _QWEN2,
    "qwen2.5-vl": _QWEN2,
    "qwen3-vl": _smart(32, 65_536, 16_777_216),
    "hunyuan-ocr": _Rule(
        _hunyuan_tokens,
        partial(_grid_sizes, quantum=32, cell=_half_to_even, min_pixels=512**2, max_pixels=2048**2),
    ),
    "glm-4.1v": _GLM,
    "glyph": _GLM,
    "paddleocr-vl": _smart(28, 147_384, 2_822_400),
    "deepseek-ocr-tiny": _fixed(512, 64),
    "deepseek-ocr-small": _fixed(640, 100),
    "deepseek-ocr-base": _padded(1024, 256),
    "deepseek-ocr-large": _padded(1280, 400),
    "deepseek-ocr-gundam": _gundam(256, 100, 640, 9),
    "deepseek-ocr-2": _gundam(257, 144, 768, 6),
    "internvl3.5": _Rule(_internvl_tokens, partial(_tile_sizes, tile=448, most=12)),
    "lighton-ocr": _Rule(_lighton_tokens, partial(_grid_sizes, quantum=28, cell=_lighton_cell, max_side=1540)),
    "gemma3": _fixed(896, 256),
    "nominal": _nominal(64),
}
FAMILIES: tuple[str, ...] = tuple(_RULES)


def _rule(family: str) -> _Rule:
    if family in _RULES:
        return _RULES[family]
    if match := re.fullmatch(r"nominal-([1-9][0-9]{0,4})", family):
        return _nominal(int(match[1]))
    nearest = difflib.get_close_matches(family, FAMILIES, n=len(FAMILIES), cutoff=0.0)
    raise ValueError(
        f"unknown visual-token family {family!r}; known, nearest first: {', '.join(nearest)}, "
        "nominal-S for a stride of S pixels"
    )
