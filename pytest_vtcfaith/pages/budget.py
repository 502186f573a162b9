"""Visual tokens: what a picture costs a model, and which size of a page costs a given number (definitions §3)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from pytest_vtcfaith.pages.candidate_sizes import ASPECT_TOLERANCE, SLACK
from pytest_vtcfaith.pages.families import FAMILIES, rule_named
from pytest_vtcfaith.pages.token_rules import Cost, check_size, smart_resize

__all__ = [
    "FAMILIES",
    "Cost",
    "Fit",
    "Unsupported",
    "fit_budget",
    "picture_cost",
    "resize_within",
    "smart_resize",
    "visual_tokens",
]

_SEARCHED = 1 << 16


class Unsupported(ValueError):
    """A family's rule cannot give this page at this number of tokens; the message has the reason and both numbers."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A page size in pixels and its cost: `tokens` by the family's rule, `target` = N_text ÷ ratio."""

    width: int
    height: int
    tokens: int
    target: float


def picture_cost(family: str, width: int, height: int) -> Cost:
    """What a picture of width × height pixels costs a family of models, and the size they resize it to.

    `family` is a name of `FAMILIES`, or `nominal-S` for the nominal rule with a stride of S pixels. Raises ValueError
    for an unknown family (the known ones are listed, the nearest first), a side under 1 pixel, and a picture the
    family's processor refuses: mostly one far longer than wide. Source: definitions §3, table of the families.
    """
    check_size(width, height)
    return rule_named(family).cost(width, height)


def visual_tokens(family: str, width: int, height: int) -> int:
    """The visual tokens of a picture of width × height pixels: `picture_cost` without the size."""
    return picture_cost(family, width, height).tokens


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


def fit_budget(n_text: int, ratio: float, *, family: str, page_width: int, page_height: int) -> Fit:
    """The page size whose visual tokens come nearest to n_text ÷ ratio without passing it (definitions §3, Budget).

    `n_text` is the number of text tokens, `ratio` the compression ratio (> 0); `page_width` and `page_height` give the
    layout's aspect ratio, from which the result differs by at most 15 %. Among sizes of equal cost: the nearest aspect
    ratio, then the largest area. Raises Unsupported where no size comes within max(1 token, 5 %) of the target, and
    ValueError for an unknown family or numbers out of range.
    """
    if n_text < 1 or not (ratio > 0 and math.isfinite(ratio)):
        raise ValueError(f"n_text must be at least 1 and ratio finite and over 0, got n_text={n_text}, ratio={ratio}")
    check_size(page_width, page_height)
    target = n_text / ratio
    limit = math.floor(target + SLACK)
    sizes = _size_of_each_cost(family, page_width / page_height, _next_power(limit))
    tokens = max((cost for cost in sizes if cost <= limit), default=0)
    if target - tokens <= max(1.0, 0.05 * target) + SLACK and tokens:
        return Fit(*sizes[tokens], tokens, target)
    where = f"{family}, page of {page_width}x{page_height}, ratio {ratio:g} of {n_text} text tokens"
    if tokens:
        reason = f"the nearest size that does not pass it costs {tokens}"
    else:
        reason = _least(family, page_width / page_height)
    raise Unsupported(f"{where}: the target is {target:g} visual tokens, {reason}")


def _next_power(limit: int) -> int:
    return 1 << limit.bit_length()


@lru_cache(maxsize=64)
def _size_of_each_cost(family: str, aspect: float, limit: int) -> Mapping[int, tuple[int, int]]:
    """For every cost up to about `limit` that a page of this shape can have, its best size."""
    rule = rule_named(family)
    best: dict[int, tuple[float, int, int, int]] = {}
    for width, height in rule.sizes(aspect, limit):
        off = abs(width / height / aspect - 1)
        if off > ASPECT_TOLERANCE + SLACK:
            continue
        try:
            tokens = rule.cost(width, height).tokens
        except ValueError:  # the family refuses pages as long as that
            continue
        candidate = (-off, width * height, width, height)
        best[tokens] = max(best.get(tokens, candidate), candidate)
    return {tokens: (width, height) for tokens, (_, _, width, height) in sorted(best.items())}


@lru_cache(maxsize=64)
def _least(family: str, aspect: float) -> str:
    """What a page of this shape costs at least, in words; searched in growing budgets because a rule has no top."""
    limit = 1
    while limit <= _SEARCHED:
        if costs := _size_of_each_cost(family, aspect, limit):
            return f"the least a page of this shape costs is {min(costs)}"
        limit *= 2
    return "no size near this aspect ratio exists for the family"
