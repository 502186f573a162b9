"""Which tokens of the input show a part of the picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

Box = Sequence[float]


def image_grid(inputs: Any, merge: int) -> tuple[int, int]:
    """Rows and columns of the picture's tokens: the processor's grid of patches, `merge` × `merge` of them a token.

    Raises ValueError for a processor that gives no `image_grid_thw`, for several pictures and for frames.
    """
    grid = inputs.get("image_grid_thw")
    if grid is None:
        raise ValueError(
            "this model's processor does not say how it cuts the picture into patches (no image_grid_thw): probe a "
            "model of the Qwen2-VL, Qwen2.5-VL, Qwen3-VL or GLM-4.1V family, a LLaVA or a Gemma 3"
        )
    if tuple(grid.shape) != (1, 3) or int(grid[0, 0]) != 1:
        raise ValueError(f"the probe shows one picture of one frame, the processor made {grid.tolist()} of it")
    rows, columns = int(grid[0, 1]), int(grid[0, 2])
    if merge < 1 or rows % merge or columns % merge:
        raise ValueError(f"a grid of {rows} x {columns} patches cannot be merged by {merge}")
    return rows // merge, columns // merge


def cells_of(boxes: Sequence[Box], size: tuple[float, float], grid: tuple[int, int]) -> list[int]:
    """The cells (row by row, from 0) of a grid laid over a picture that the boxes touch, sorted.

    `boxes` are in pixels of the picture (right and bottom exclusive), `size` is its (width, height), `grid` (rows,
    columns). The processor may scale the picture, each side by its own factor: a cell covers the same share of the
    picture whatever its size in pixels.
    """
    (width, height), (rows, columns) = size, grid
    cells = set()
    for left, top, right, bottom in boxes:
        for row in range(math.floor(top * rows / height), math.ceil(bottom * rows / height)):
            for column in range(math.floor(left * columns / width), math.ceil(right * columns / width)):
                if 0 <= row < rows and 0 <= column < columns:
                    cells.add(row * columns + column)
    return sorted(cells)


def highlighted_positions(
    tokens: Sequence[int],
    image_token: int | None,
    boxes: Sequence[Box],
    size: tuple[float, float],
    grid: tuple[int, int],
) -> list[int]:
    """The positions in the input `tokens` of the picture's tokens that the boxes touch; others as `cells_of`.

    Raises ValueError when the input has not one image token for each cell of the grid.
    """
    pictured = [position for position, token in enumerate(tokens) if token == image_token]
    if len(pictured) != grid[0] * grid[1]:
        raise ValueError(
            f"the input has {len(pictured)} image tokens, the picture {grid[0]} x {grid[1]} cells: this family puts "
            "its patches into the sequence in a way that the probe does not know"
        )
    return [pictured[cell] for cell in cells_of(boxes, size, grid)]
