"""Boxes (`metrics/boxes.py`)."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.metrics import iou
from pytest_vtcfaith.metrics.boxes import area, enclosing, merged, overlap, percent_to_pixels

SIDES = st.integers(-20, 20)
BOXES = st.tuples(SIDES, SIDES, SIDES, SIDES)


@pytest.mark.parametrize(
    ("a", "b", "value"),
    [
        ((0, 0, 10, 10), (0, 0, 10, 10), 1.0),
        ((10, 10, 0, 0), (0, 0, 10, 10), 1.0),
        ((0, 0, 10, 10), (10, 0, 20, 10), 0.0),  # touching
        ((5, 5, 5, 5), (5, 5, 5, 5), 0.0),
        ((0, 0, 10, 0), (0, 0, 10, 0), 0.0),
        ((5, 5, 5, 5), (0, 0, 10, 10), 0.0),
        ((0, 0, 10, 10), (5, 0, 15, 10), 1 / 3),
        ((0, 0, 1e-200, 1e-200), (0, 0, 1e-200, 1e-200), 0.0),
    ],
)
def test_iou(a: tuple[float, ...], b: tuple[float, ...], value: float) -> None:
    assert iou(a, b) == pytest.approx(value, abs=1e-12)


@given(BOXES, BOXES)
def test_iou_counts_the_shared_pixels(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    def cells(box: tuple[int, ...]) -> set[tuple[int, int]]:
        return {
            (x, y)
            for x in range(min(box[0], box[2]), max(box[0], box[2]))
            for y in range(min(box[1], box[3]), max(box[1], box[3]))
        }

    both, either = cells(a) & cells(b), cells(a) | cells(b)
    assert overlap(a, b) == len(both)
    assert area(a) == len(cells(a))
    assert iou(a, b) == iou(b, a) == pytest.approx(len(both) / len(either) if either else 0.0)


@pytest.mark.parametrize("box", [(0, 0, 1), (0, 0, 1, math.nan), (0, 0, math.inf, 1), ()])
def test_no_box(box: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="must be four finite numbers"):
        iou(box, (0, 0, 1, 1))


def test_enclosing() -> None:
    assert enclosing([(5, 6, 1, 2), (0, 3, 2, 9)]) == (0, 2, 5, 9)
    with pytest.raises(ValueError, match="no box to enclose"):
        enclosing([])


@pytest.mark.parametrize(
    ("percent", "page", "pixels"),
    [
        ((0, 0, 100, 100), (200, 100), (0, 0, 200, 100)),
        ((12.3, 4.1, 30.0, 4.5), (1000, 1000), (123, 41, 423, 86)),  # 12.3 % of 1000 is 123.00000000000001
        ((12.35, 0, 1, 100), (100, 10), (12, 0, 14, 10)),
        ((-1, -1, 50, 102), (10, 10), (0, 0, 5, 10)),
        ((99.99, 0, 0.001, 100), (10, 10), (9, 0, 10, 10)),
    ],
)
def test_percent_to_pixels(
    percent: tuple[float, float, float, float], page: tuple[int, int], pixels: tuple[int, int, int, int]
) -> None:
    assert percent_to_pixels(*percent, page=page) == pixels


def test_a_box_beside_the_page() -> None:
    with pytest.raises(ValueError, match="shares nothing with the page"):
        percent_to_pixels(100, 0, 5, 5, page=(10, 10))


CORNERS = st.integers(0, 30)
PIXELS = st.lists(st.tuples(CORNERS, CORNERS, st.integers(1, 12), st.integers(1, 12)), max_size=8).map(
    lambda found: [(x, y, x + width, y + height) for x, y, width, height in found]
)


@given(PIXELS)
def test_merged(boxes: list[tuple[int, int, int, int]]) -> None:
    found = merged(boxes)
    assert all(overlap(a, b) == 0 for a, b in combinations(found, 2))
    assert all(any(enclosing((box, whole)) == whole for whole in found) for box in boxes)
    assert merged(found) == found
    assert set(merged(boxes[::-1])) == set(found)
    if all(overlap(a, b) == 0 for a, b in combinations(boxes, 2)):
        assert found == tuple(boxes)
