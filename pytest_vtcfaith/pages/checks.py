"""What a layout may be made of: numbers in a range, colours, letters that can be read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

LARGEST_SIDE_PT = 5000
LARGEST_LETTER_PT = 500
LARGEST_DPI = 1200
MOST_PIXELS = 100_000_000
"""A page at its layout's own resolution."""
LEAST_LETTER_PX = 5
"""Letters of fewer pixels an em are no letters any more."""

_SHOWN = 80


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a value, maybe of a JSON file, is a number that a float can hold, and neither NaN nor infinite."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer of over 308 digits
        return False


def shown(value: object, longest: int = _SHOWN) -> str:
    """A value as a message shows it, cut after `longest` characters."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deeply, or an integer of over 4,300 digits
        text = f"<{type(value).__name__}>"
    return text if len(text) <= longest else text[:longest] + "…"


def check_numbers(layout: Any, ranges: Mapping[str, tuple[float, float]], *, over: bool = False) -> None:
    """Raises ValueError unless each field of a layout that `ranges` names is a number from its least to its most.

    With `over` the least itself is refused too.
    """
    for field, (least, most) in ranges.items():
        value = getattr(layout, field)
        if not is_number(value) or not (least < value <= most if over else least <= value <= most):
            bound = f"over {least:g} and" if over else f"at least {least:g} and"
            raise ValueError(f"layout {layout.name!r}: {field} must be {bound} at most {most:g}, got {shown(value)}")


def check_choice(layout: Any, field: str, known: Sequence[str]) -> None:
    """Raises ValueError unless a field of a layout is one of `known`."""
    value = getattr(layout, field)
    if value not in known:
        raise ValueError(f"layout {layout.name!r}: {field} must be one of {', '.join(known)}, got {shown(value)}")


def check_colours(layout: Any, inks: Sequence[str], papers: Sequence[str], others: Sequence[str] = ()) -> None:
    """Raises ValueError unless these fields of a layout are colours, and no ink is that of a paper it is printed on.

    A paper may be None: then it is another's.
    """
    for field in (*inks, *papers, *others):
        value = getattr(layout, field)
        if value is None and field in papers:
            continue
        if not (isinstance(value, tuple) and len(value) == 3 and all(map(_is_level, value))):
            raise ValueError(
                f"layout {layout.name!r}: {field} must be a colour, a tuple of three whole numbers from 0 to 255, "
                f"got {shown(value)}"
            )
    for ink in inks:
        for paper in papers:
            if getattr(layout, ink) == getattr(layout, paper):
                raise ValueError(
                    f"layout {layout.name!r}: {ink} must differ from {paper}, both are {getattr(layout, ink)}: "
                    "nothing would be seen"
                )


def _is_level(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 255


def check_resolution(layout: Any, letter: str) -> None:
    """Raises ValueError where a layout's `dpi` makes its smallest letters, field `letter` in points, under 5 pixels, or
    its page of more than `MOST_PIXELS`. Pages of a given size have a resolution of their own.
    """
    scale, size = layout.dpi / 72, getattr(layout, letter)
    if size * scale < LEAST_LETTER_PX:
        raise ValueError(
            f"layout {layout.name!r}: {letter} must be at least {LEAST_LETTER_PX / scale:g} at {layout.dpi} dpi, "
            f"so that letters have {LEAST_LETTER_PX} pixels, got {size:g}: {size * scale:.1f} pixels"
        )
    pixels = layout.width_pt * scale * layout.height_pt * scale
    if pixels > MOST_PIXELS:
        raise ValueError(
            f"layout {layout.name!r}: dpi {layout.dpi} makes a page of {pixels:,.0f} pixels, at most {MOST_PIXELS:,} "
            "are drawn: take a lower one, or a smaller page"
        )
