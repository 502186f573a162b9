"""Blocks of a page that was read, and which of two readings belong together (definitions §5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

from pytest_vtcfaith.metrics.boxes import Box, iou, overlap

Method = Literal["optimal", "greedy"]
THRESHOLD = 0.1
"""Boxes that overlap less (IoU) do not belong together (VDE Bench F.1.1)."""

_TIE = 1e-9  # what the nearer of two equally good assignments is worth; far below any difference that counts


@dataclass(frozen=True, slots=True)
class Block:
    """What was read at one place: its box, its text and, where it is a table, the table in HTML or Markdown.

    `score`: how sure the reader is of the text, 0 to 1, None where it does not say; two blocks are equal without it.
    """

    box: Box
    text: str
    table: str | None = None
    score: float | None = field(default=None, compare=False)


class Match(NamedTuple):
    """A reference block and a predicted block that belong together: their places in their lists, and their IoU."""

    reference: int
    prediction: int
    iou: float


def match_blocks(
    reference: Sequence[Sequence[float]],
    prediction: Sequence[Sequence[float]],
    *,
    method: Method = "optimal",
    threshold: float = THRESHOLD,
) -> list[Match]:
    """Pairs of boxes, one to one, sorted by the reference.

    - `reference`, `prediction`: boxes, left, top, right, bottom.
    - `method`: `optimal` (column `audited`) pairs so that the sum of the IoUs is largest; `greedy` (`published`) takes
      the pair of highest IoU first, among equal ones the earliest in the reference, then in the prediction.
    - `threshold`: pairs of a lower IoU do not count, in (0, 1].

    Raises ValueError for another method or threshold, or what is no box. Source: VDE Bench F.1.1; definitions §5.
    """
    if method not in get_args(Method):
        raise ValueError(f"method {method!r} is unknown: choose one of {', '.join(get_args(Method))}")
    if not 0 < threshold <= 1:
        raise ValueError(f"threshold {threshold!r} must be over 0 and at most 1")
    pairs = [
        Match(row, column, shared)
        for row, ours in enumerate(reference)
        for column, theirs in enumerate(prediction)
        if (shared := iou(ours, theirs)) >= threshold
    ]
    if method == "optimal":
        return _optimal(pairs, len(reference), len(prediction))
    taken: list[Match] = []
    rows, columns = set(), set()
    for pair in sorted(pairs, key=lambda pair: -pair.iou):
        if pair.reference not in rows and pair.prediction not in columns:
            taken.append(pair)
            rows.add(pair.reference)
            columns.add(pair.prediction)
    return sorted(taken)


def _optimal(pairs: Sequence[Match], rows: int, columns: int) -> list[Match]:
    if not pairs:
        return []
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    gains = np.zeros((rows, columns))
    for row, column, shared in pairs:
        # Of two equal sums (lines read twice at one place) the one in reading order: the squares add up to less
        gains[row, column] = shared - _TIE * ((row - column) / (rows + columns)) ** 2
    chosen = set(zip(*(side.tolist() for side in linear_sum_assignment(gains, maximize=True)), strict=True))
    return [pair for pair in pairs if (pair.reference, pair.prediction) in chosen]


def by_place(reference: Sequence[Block], prediction: Sequence[Block]) -> list[tuple[str, str]]:
    """The texts of two readings, each block against the one at its place, "" where there is none, from top to bottom.

    Blocks match as `match_blocks` has it, optimally. Raises ValueError for a box that is none.
    """
    matches = {
        m.reference: m.prediction for m in match_blocks(*([b.box for b in side] for side in (reference, prediction)))
    }
    found = [
        (block, block.text, prediction[matches[number]].text if number in matches else "")
        for number, block in enumerate(reference)
    ]
    matched = set(matches.values())
    found += [(block, "", block.text) for number, block in enumerate(prediction) if number not in matched]
    found.sort(key=lambda entry: (entry[0].box[1], entry[0].box[0]))
    return [(ours, theirs) for _, ours, theirs in found]


def blocks_touching(blocks: Sequence[Block], boxes: Sequence[Sequence[float]]) -> list[Block]:
    """The blocks that share area with any of the boxes: those of the scope `local`, as the benchmark's code has it."""
    return [block for block in blocks if any(overlap(block.box, box) > 0 for box in boxes)]
