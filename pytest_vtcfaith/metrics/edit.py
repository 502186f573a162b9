"""Edit fidelity and the five properties of an edit (definitions §5; VDE Bench A.2).

Pictures are arrays as in `metrics.pictures`, all of the reference's size: the suite resizes an output of another size
and records it. Regions are boxes in pixels of the reference. What cannot be measured is None.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, get_args

from rapidfuzz.distance import Levenshtein

from pytest_vtcfaith.metrics.block_scores import block_scores, cdm_by_place
from pytest_vtcfaith.metrics.blocks import Block
from pytest_vtcfaith.metrics.boxes import Box, enclosing, iou, ordered
from pytest_vtcfaith.metrics.normalise import normalise
from pytest_vtcfaith.metrics.pictures import differing_box, ssim, ssim_map, window

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from pytest_vtcfaith.metrics.pictures import Picture

Operation = Literal["modify", "add", "delete", "structure"]
DILATION = 8
"""Pixels around a region that do not count as outside it: an edge is smoothed, and a picture compressed."""

_LEAST_SIDE = 3  # pixels: SSIM needs them


def text_correctness(
    reference: Sequence[Block], output: Sequence[Block], *, lang: str, operation: Operation
) -> float | None:
    """Property 1: the audited `cdm` of what was read in the region, in [0, 1].

    `reference`, `output`: the blocks of the region. After a deletion a region that shows nothing is right even where
    the reference keeps what stood around the deleted text, and text where the reference has none is wrong. None when
    another operation's reference has no text. Raises ValueError for an unknown operation or language.
    """
    _check_operation(operation)
    wanted, found = (_text(blocks, lang) for blocks in (reference, output))
    if operation == "delete" and not found:
        return 1.0
    if not wanted:
        return 0.0 if operation == "delete" else None
    shown = [block for block in reference if normalise(block.text, "verbatim", lang)]
    value = block_scores(shown, output, lang=lang)["cdm"]
    return None if value is None else float(value)


def visual_fidelity(reference: Picture, output: Picture, regions: Sequence[Sequence[float]]) -> float | None:
    """Property 2: SSIM of the box around the regions, in [−1, 1]; None where a side has under three pixels.

    Raises ValueError as `pictures.ssim`, or when there is no region.
    """
    left, top, right, bottom = _pixels(enclosing(regions), reference)
    if right - left < _LEAST_SIDE or bottom - top < _LEAST_SIDE:
        return None
    return ssim(reference[top:bottom, left:right], output[top:bottom, left:right])


def preservation_outside(
    source_blocks: Sequence[Block],
    output_blocks: Sequence[Block],
    source: Picture,
    output: Picture,
    regions: Sequence[Sequence[float]],
    *,
    lang: str,
) -> float | None:
    """Property 3: the lesser of `cdm_by_place` of the texts and the mean of the SSIM map outside the regions.

    - `source_blocks`, `output_blocks`: what was read outside the regions, in the source and in the output.
    - `source`, `output`: whole pages; the windows of the map count whose centre is over `DILATION` pixels from every
      region.

    In [−1, 1]; None when no such window exists. Raises ValueError as `pictures.ssim_map` and `cdm_by_place`.
    """
    similar = ssim_map(source, output)
    outside = _outside(source.shape, regions)
    if not outside.any():
        return None
    return min(cdm_by_place(source_blocks, output_blocks, lang=lang), float(similar[outside].mean()))


def has_outside(page: tuple[int, int], regions: Sequence[Sequence[float]]) -> bool:
    """Whether `preservation_outside` can be measured on a page of this width and height, in pixels."""
    return min(page) >= _LEAST_SIDE and bool(_outside((page[1], page[0]), regions).any())


def localization(source: Picture, output: Picture, regions: Sequence[Sequence[float]]) -> float:
    """Property 4: IoU of the box around the regions with the box of the pixels that changed, in [0, 1]; 0 without any.

    Raises ValueError as `pictures.differing_box`, or when there is no region.
    """
    changed = differing_box(source, output)
    return iou(enclosing(regions), changed) if changed else 0.0


def completeness(
    source_text: str,
    reference_text: str,
    output_text: str,
    *,
    lang: str,
    source: Picture,
    reference: Picture,
    output: Picture,
    regions: Sequence[Sequence[float]],
) -> int:
    """Property 5: 1 when the edit was made, 0 when it is missing.

    It is missing when what was read in the region is at least as near to the source's text as to the reference's, by
    Levenshtein distance of normalised texts (profile `verbatim`). Where those two are equal, as after merging empty
    cells, the pictures of the region tell, by the mean absolute difference of their pixels.
    Raises ValueError for an unknown language, pictures of different shapes, or when there is no region.
    """
    import numpy as np

    before, wanted, found = (normalise(text, "verbatim", lang) for text in (source_text, reference_text, output_text))
    if before != wanted:
        return int(Levenshtein.distance(found, before) > Levenshtein.distance(found, wanted))
    if not source.shape == reference.shape == output.shape:
        raise ValueError(
            f"the shapes {source.shape}, {reference.shape}, {output.shape} differ: resize to the reference"
        )
    left, top, right, bottom = _pixels(enclosing(regions), reference)
    old, new, made = (picture[top:bottom, left:right].astype(np.float64) for picture in (source, reference, output))
    return int(np.abs(made - old).mean() > np.abs(made - new).mean()) if made.size else 0


def edit_fidelity(correctness: float | None, preservation: float | None, complete: int) -> float | None:
    """The harmonic mean of properties 1 and 3, in [0, 1]; 0 when the edit is missing, or when either is not above 0.

    None when either is None and the edit is not missing. Raises ValueError for a value that is no number.
    Source: definitions §5.
    """
    if not complete:
        return 0.0
    if correctness is None or preservation is None:
        return None
    if not (math.isfinite(correctness) and math.isfinite(preservation)):
        raise ValueError(f"properties {correctness!r} and {preservation!r} must be finite numbers")
    if correctness <= 0 or preservation <= 0:
        return 0.0
    return 2 * correctness * preservation / (correctness + preservation)


def _outside(shape: tuple[int, ...], regions: Sequence[Sequence[float]]) -> NDArray[numpy.bool_]:
    """Which windows of the SSIM map of a picture of this shape have their centre outside the regions and around."""
    import numpy as np

    height, width = shape[:2]
    outside = np.ones((height, width), dtype=bool)
    for region in regions:
        left, top, right, bottom = ordered(region)
        grown = (left - DILATION, top - DILATION, right + DILATION, bottom + DILATION)
        left, top, right, bottom = _within(grown, height, width)
        outside[top:bottom, left:right] = False
    margin = window(shape) // 2
    return outside[margin : height - margin, margin : width - margin]


def _check_operation(operation: str) -> None:
    if operation not in get_args(Operation):
        raise ValueError(f"operation {operation!r} is unknown: choose one of {', '.join(get_args(Operation))}")


def _text(blocks: Sequence[Block], lang: str) -> str:
    return "".join(normalise(block.text, "verbatim", lang) for block in blocks)


def _pixels(box: Box, picture: Picture) -> tuple[int, int, int, int]:
    """The whole pixels that a box covers of a picture."""
    return _within(box, *picture.shape[:2])


def _within(box: Box, height: int, width: int) -> tuple[int, int, int, int]:
    left, top, right, bottom = box
    return (
        max(0, math.floor(left)),
        max(0, math.floor(top)),
        min(width, math.ceil(right)),
        min(height, math.ceil(bottom)),
    )
