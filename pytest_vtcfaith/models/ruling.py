"""Ruled tables in a picture: where their cells are, by the lines that are drawn around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image

    Mask = NDArray[np.bool_]

CONTRAST = 30
"""Of 255: by so much a rule is darker, or lighter, than the ground on both its sides."""
REACH = 5
"""Pixels from a rule to the ground beside it; a rule is thinner than this."""
LEAST_ACROSS, LEAST_DOWN = 40, 28
"""Pixels of a straight rule, horizontal and vertical: longer than the strokes of letters."""

_NEAR = 3  # pixels by which a rule may be off the line of the others
_DRAWN = 0.6  # share of a cell's side that must be drawn for the side to part two cells


@dataclass(frozen=True, slots=True)
class GridCell:
    """A cell: its box in pixels, the row and column it begins in (from 0), and how many it takes."""

    box: tuple[int, int, int, int]
    row: int
    column: int
    rowspan: int
    colspan: int


@dataclass(frozen=True, slots=True)
class Grid:
    """A ruled table: its outer box in pixels, and its cells from left to right, row by row."""

    box: tuple[int, int, int, int]
    cells: tuple[GridCell, ...]


def find_grids(image: Image.Image) -> list[Grid]:
    """The ruled tables of an RGB picture, from top to bottom; a frame around a single cell is none."""
    import numpy as np
    from scipy.ndimage import binary_dilation, find_objects, label

    grey = np.asarray(image.convert("L"), dtype=np.int16)
    across = _rules(grey, LEAST_ACROSS)
    down = _rules(grey.T, LEAST_DOWN).T
    joined = binary_dilation(across | down, np.ones((2 * _NEAR + 1, 2 * _NEAR + 1), dtype=bool))
    parts, _ = label(joined)
    grids = []
    for number, place in enumerate(find_objects(parts), 1):
        inside = parts[place] == number
        grid = _grid(across[place] & inside, down[place] & inside, place[1].start, place[0].start)
        if grid is not None:
            grids.append(grid)
    return sorted(grids, key=lambda grid: (grid.box[1], grid.box[0]))


def _rules(grey: NDArray[np.int16], least: int) -> Mask:
    """The pixels of horizontal rules."""
    import numpy as np
    from scipy.ndimage import maximum_filter1d, minimum_filter1d

    height = grey.shape[0]
    padded = np.pad(grey, ((REACH, REACH), (0, 0)), mode="edge")
    above, below = grey - padded[:height], grey - padded[2 * REACH :]
    found = np.zeros(grey.shape, dtype=bool)
    for sign in (1, -1):
        apart = ((sign * above >= CONTRAST) & (sign * below >= CONTRAST)).astype(np.uint8)
        runs = minimum_filter1d(apart, least, axis=1, mode="constant")
        # The even window of the second filter is turned round, so that a run comes back where it was
        whole = maximum_filter1d(runs[:, ::-1], least, axis=1, mode="constant")[:, ::-1]
        found |= whole.astype(bool)
    return found


def _grid(across: Mask, down: Mask, left: int, top: int) -> Grid | None:
    """The grid of the rules of one connected part of the picture, whose corner is at `left`, `top`."""
    rows, columns = _lines(across.sum(axis=1) >= LEAST_ACROSS), _lines(down.sum(axis=0) >= LEAST_DOWN)
    if len(rows) < 2 or len(columns) < 2:
        return None
    taken: set[tuple[int, int]] = set()
    cells = []
    for row in range(len(rows) - 1):
        for column in range(len(columns) - 1):
            if (row, column) in taken:
                continue
            last = column
            while last < len(columns) - 2 and not _parts(down, columns[last + 1], rows[row], rows[row + 1]):
                last += 1
            lowest = row
            while lowest < len(rows) - 2 and not any(
                _parts(across.T, rows[lowest + 1], columns[c], columns[c + 1]) for c in range(column, last + 1)
            ):
                lowest += 1
            taken |= {(r, c) for r in range(row, lowest + 1) for c in range(column, last + 1)}
            box = (left + columns[column], top + rows[row], left + columns[last + 1], top + rows[lowest + 1])
            cells.append(GridCell(box, row, column, lowest - row + 1, last - column + 1))
    if len(cells) < 2:
        return None
    outer = (left + columns[0], top + rows[0], left + columns[-1] + 1, top + rows[-1] + 1)
    return Grid(outer, tuple(cells))


def _lines(drawn: Mask) -> list[int]:
    """The middles of the runs of positions at which a rule is drawn; runs that nearly touch are one."""
    import numpy as np

    lines: list[list[int]] = []
    for place in np.flatnonzero(drawn).tolist():
        if lines and place - lines[-1][-1] <= _NEAR:
            lines[-1].append(place)
        else:
            lines.append([place])
    return [(line[0] + line[-1]) // 2 for line in lines]


def _parts(rules: Mask, at: int, begin: int, end: int) -> bool:
    """Whether the vertical rule near the column `at` is drawn between two rows."""
    beside = rules[begin + _NEAR + 1 : end - _NEAR, max(0, at - _NEAR) : at + _NEAR + 1]
    return beside.size > 0 and float(beside.any(axis=1).mean()) >= _DRAWN
