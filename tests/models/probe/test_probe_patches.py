"""From a box on the page to positions in the input, against a picture cut by hand and a real processor."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.models.probe.patches import cells_of, highlighted_positions, image_grid


class Grid:
    """What a processor gives, as far as the grid goes."""

    def __init__(self, *rows: list[int]) -> None:
        self.values = np.array(rows)

    def get(self, name: str) -> np.ndarray | None:
        return self.values if name == "image_grid_thw" else None


@pytest.mark.parametrize(
    ("box", "cells"),
    [
        ((0, 0, 1, 1), [0]),
        ((0, 0, 100, 100), [0]),
        ((99, 0, 101, 100), [0, 1]),
        ((100, 100, 200, 200), [5]),
        ((350, 250, 400, 300), [11]),
        ((0, 0, 400, 300), list(range(12))),
        ((150, 50, 250, 150), [1, 2, 5, 6]),
    ],
)
def test_cells_of_a_picture_of_3_by_4_cells(box: tuple[int, ...], cells: list[int]) -> None:
    assert cells_of([box], (400, 300), (3, 4)) == cells


def test_boxes_are_joined_and_sorted() -> None:
    assert cells_of([(350, 250, 400, 300), (0, 0, 10, 10), (5, 5, 12, 12)], (400, 300), (3, 4)) == [0, 11]


@given(st.data())
def test_cells_are_those_with_a_marked_pixel(data: st.DataObject) -> None:
    """An oracle by pixels, for sides that the cells divide: where every pixel lies in one cell."""
    rows, columns, side = (data.draw(st.integers(1, 6)) for _ in range(3))
    width, height = columns * side, rows * side
    left, top = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
    box = (left, top, data.draw(st.integers(left + 1, width)), data.draw(st.integers(top + 1, height)))
    marked = {(y // side) * columns + x // side for y in range(box[1], box[3]) for x in range(box[0], box[2])}
    assert cells_of([box], (width, height), (rows, columns)) == sorted(marked)


@given(st.integers(1, 50), st.integers(1, 50), st.integers(2, 9), st.integers(2, 9))
def test_scaling_the_page_changes_no_cell(left: int, top: int, rows: int, columns: int) -> None:
    box = (left, top, left + 20, top + 10)
    doubled = tuple(2 * side for side in box)
    assert cells_of([box], (100, 90), (rows, columns)) == cells_of([doubled], (200, 180), (rows, columns))


def test_positions_count_image_tokens_only() -> None:
    tokens = [1, 2, 9, 9, 9, 9, 3, 4]
    assert highlighted_positions(tokens, 9, [(0, 50, 100, 100)], (200, 100), (2, 2)) == [4]
    with pytest.raises(ValueError, match=r"the input has 4 image tokens, the picture 3 x 2 cells"):
        highlighted_positions(tokens, 9, [(0, 0, 1, 1)], (200, 100), (3, 2))


def test_the_grid_is_merged() -> None:
    assert image_grid(Grid([1, 24, 60]), 2) == (12, 30)
    assert image_grid(Grid([1, 24, 60]), 1) == (24, 60)


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({}, "does not say how it cuts the picture into patches"),
        (Grid([1, 4, 4], [1, 4, 4]), "shows one picture of one frame"),
        (Grid([2, 4, 4]), "shows one picture of one frame"),
        (Grid([1, 5, 4]), "5 x 4 patches cannot be merged by 2"),
    ],
)
def test_a_picture_it_does_not_know_is_refused(inputs: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        image_grid(inputs, 2)


@pytest.mark.parametrize(("patch", "family"), [(14, "qwen2.5-vl"), (16, "qwen3-vl")])
def test_marked_pixels_arrive_in_those_patches_of_a_real_processor(patch: int, family: str) -> None:
    """The processor itself says where colour went: the mean of every token's patches differs from paper there only."""
    pytest.importorskip("transformers", reason="the extra 'torch' is not installed")
    from PIL import Image
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    processor = Qwen2VLImageProcessorPil(patch_size=patch, merge_size=2, min_pixels=3136, max_pixels=400_000)
    page = Image.new("RGB", (1240, 466), "white")
    box = (462, 78, 516, 100)
    page.paste((255, 0, 0), box)
    found = processor(images=[page], return_tensors="np")
    grid = image_grid(found, 2)
    pixels = np.asarray(found["pixel_values"]).reshape(grid[0] * grid[1], -1)
    # Bicubic scaling rings a little over the edges of the box: patches in which colour covers at least one pixel row
    coloured = np.abs(pixels - pixels[-1]).mean(axis=1)
    expected = cells_of([box], page.size, grid)
    assert math.prod(grid) == len(pixels)
    assert set(np.flatnonzero(coloured > 0.02)) <= set(expected)
    assert int(coloured.argmax()) in expected
    assert coloured[expected].sum() > 0.98 * coloured.sum()
