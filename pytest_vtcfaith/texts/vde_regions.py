"""The regions of an item of VDE Bench: boxes of `label_output`, in percent, as pixels of the reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pytest_vtcfaith.metrics.boxes import merged, percent_to_pixels
from pytest_vtcfaith.metrics.edit import has_outside
from pytest_vtcfaith.pages.checks import is_number
from pytest_vtcfaith.texts.errors import TextsError

Pixels = tuple[int, int, int, int]
Wrong = Callable[[str, object, str], TextsError]
"""The error for a field, its value and the mend."""

_TOLERANCE = 0.5  # percent of the page
_SHAPE = 0.01  # how far the shapes of two pictures of one page may be apart: a side is a whole number of pixels
_PLACES = 6  # as `percent_to_pixels`


def read_regions(
    labels: object,
    *,
    reference: tuple[int, int],
    source: tuple[int, int],
    name: str,
    notes: list[str],
    wrong: Wrong,
) -> tuple[Pixels, ...]:
    """The boxes, none of which overlaps another.

    - `labels`: what stands in `label_output`; `reference`, `source`: width and height of the pictures, upright.
    - `name`: of the item, for `notes`, to which every rule that applied is added.

    Raises the TextsError of `wrong` for what is no box in percent, passes the page's edge by over half a percent, is
    under one pixel wide or high, was drawn on a picture of another shape, or leaves nothing of the page outside.
    """
    if not isinstance(labels, list) or not labels:
        raise wrong("label_output", labels, "must be a list of boxes: add the edited region")
    boxes = [
        _box(label, f"label_output[{number}]", reference, source, name, notes, wrong)
        for number, label in enumerate(labels)
    ]
    regions = merged(boxes)
    if len(regions) < len(boxes):
        kept = ", ".join(map(str, regions))
        notes.append(f"{name}: boxes of label_output overlap: merged into the box around them, leaving {kept} (pixels)")
    if not has_outside(reference, regions):
        raise wrong(
            "label_output",
            labels,
            "leaves nothing of the page outside, so that nobody can tell what was preserved: narrow it",
        )
    return regions


def _box(
    label: object,
    field: str,
    page: tuple[int, int],
    source: tuple[int, int],
    name: str,
    notes: list[str],
    wrong: Wrong,
) -> Pixels:
    if not isinstance(label, Mapping):
        raise wrong(field, label, "must be an object with x, y, width and height in percent")
    x, y, width, height = (_percent(label, field, side, wrong) for side in ("x", "y", "width", "height"))
    if width <= 0 or height <= 0:
        raise wrong(field, dict(label), "must have a width and a height over 0")
    if label.get("rotation") not in (None, 0):
        raise wrong(f"{field}.rotation", label["rotation"], "must be 0: draw an upright box around the region")
    over = max(-x, -y, x + width - 100, y + height - 100)
    if over > _TOLERANCE:
        raise wrong(field, dict(label), f"passes the page's edge by {over:g} % of it: correct the box")
    if over > 0:
        notes.append(f"{name}: {field} passes the page's edge by {over:g} %: cut")
    _drawn_on(label, field, page, source, name, notes, wrong)
    for start, extent, side in ((x, width, page[0]), (y, height, page[1])):
        if round((min(100.0, start + extent) - max(0.0, start)) / 100 * side, _PLACES) < 1:
            raise wrong(field, dict(label), "is under one pixel wide or high: correct the box, it is in percent")
    return percent_to_pixels(x, y, width, height, page=page)


def _percent(label: Mapping[Any, Any], field: str, side: str, wrong: Wrong) -> float:
    value = label.get(side)
    if not is_number(value):
        raise wrong(f"{field}.{side}", value, "must be a number, in percent of the page: add it")
    return float(value)


def _drawn_on(
    label: Mapping[Any, Any],
    field: str,
    page: tuple[int, int],
    source: tuple[int, int],
    name: str,
    notes: list[str],
    wrong: Wrong,
) -> None:
    """Checks the size of the picture that the box was drawn on, where the label tells it."""
    told = (label.get("original_width"), label.get("original_height"))
    if told == (None, None):
        return
    for side, value in zip(("original_width", "original_height"), told, strict=True):
        if not is_number(value) or value < 1:
            raise wrong(f"{field}.{side}", value, "must be the picture's size in pixels, at least 1: correct it")
    if told == page:
        return
    across, down = float(told[0] or 0), float(told[1] or 0)
    where = f"on a picture of {told[0]} x {told[1]}, the reference is of {page[0]} x {page[1]}"
    if told != source and abs(across * page[1] / (down * page[0]) - 1) > _SHAPE:
        raise wrong(field, dict(label), f"was drawn {where}, another shape: give the picture or correct the box")
    notes.append(f"{name}: {field} was drawn {where}: taken in percent of the reference")
