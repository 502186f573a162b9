"""Regions of VDE Bench (`texts/vde_regions.py`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from vde_items import BOX, ITEM, WHOLE, read

from pytest_vtcfaith.texts import TextsError


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"label_output": []}, r"field 'label_output' = \[\] must be a list of boxes"),
        ({"label_output": None}, r"field 'label_output' = None must be a list of boxes"),
        ({"label_output": [[1, 2, 3, 4]]}, r"field 'label_output\[0\]' = .* must be an object"),
        ({"label_output": [{"x": 1, "y": 1, "width": 5}]}, r"field 'label_output\[0\].height' = None must be a number"),
        ({"label_output": [{"x": 1, "y": 1, "width": 0, "height": 5}]}, "must have a width and a height over 0"),
        ({"label_output": [{"x": 80, "y": 1, "width": 21, "height": 5}]}, "passes the page's edge by 1 % of it"),
        ({"label_output": [{"x": -3, "y": 1, "width": 21, "height": 5}]}, "passes the page's edge by 3 % of it"),
        ({"label_output": [{"x": 1, "y": 1, "width": 2, "height": 5, "rotation": 9}]}, r"rotation' = 9 must be 0"),
        ({"label_output": [{"x": float("nan"), "y": 1, "width": 2, "height": 5}]}, r"\.x' = nan must be a number"),
        ({"label_output": [{"x": 10**400, "y": 1, "width": 2, "height": 5}]}, r"\.x' = 1000.* must be a number"),
        (
            {"label_output": [{"x": 1, "y": 1, "width": 0.4, "height": 5}]},
            r"\[0\]' = .* is under one pixel wide or high",
        ),
        ({"label_output": [{"x": 1, "y": 1, "width": 5, "height": 0.9}]}, "is under one pixel wide or high"),
        ({"label_output": [{"x": -0.4, "y": 1, "width": 0.8, "height": 5}]}, "is under one pixel wide or high"),
        ({"label_output": [WHOLE]}, r"field 'label_output' = .* leaves nothing of the page outside"),
        ({"label_output": [{**WHOLE, "x": 3, "width": 94}]}, "leaves nothing of the page outside"),
        ({"label_output": [{**WHOLE, "width": 50}, {**WHOLE, "x": 50, "width": 50}]}, "leaves nothing of the page"),
        (
            {"label_output": [{**BOX, "original_width": 999, "original_height": 999}]},
            "on a picture of 999 x 999, the ref",
        ),
        (
            {"label_output": [{**BOX, "original_width": 100, "original_height": 200}]},
            "of 100 x 200, the reference is of",
        ),
        (
            {"label_output": [{**BOX, "original_width": 200}]},
            r"\[0\].original_height' = None must be the picture's size",
        ),
        ({"label_output": [{**BOX, "original_width": "a", "original_height": 1}]}, r"original_width' = 'a' must be"),
    ],
)
def test_a_wrong_label_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(TextsError, match=message) as caught:
        read(tmp_path, {**ITEM, **change})
    assert str(caught.value).startswith(f"{tmp_path / 'text_info_all.json'}, item 1: item 48234, ")


def test_boxes_at_the_edge_are_cut_with_a_note(tmp_path: Path) -> None:
    found = read(tmp_path, {**ITEM, "label_output": [{"x": 80, "y": -0.2, "width": 20.4, "height": 10}]})
    assert found.items[0].regions == ((160, 0, 200, 10),)
    assert len(found.notes) == 1
    assert "label_output[0] passes the page's edge by 0.4 %: cut" in found.notes[0]


def test_several_regions(tmp_path: Path) -> None:
    boxes = [{"x": 0, "y": 0, "width": 10, "height": 10}, {"x": 50, "y": 50, "width": 50, "height": 50}]
    assert read(tmp_path, {**ITEM, "label_output": boxes}).items[0].regions == ((0, 0, 20, 10), (100, 50, 200, 100))


@pytest.mark.parametrize(
    ("boxes", "regions"),
    [
        ([(10, 10, 20, 20), (10, 10, 20, 20)], ((20, 10, 60, 30),)),  # one place twice
        ([(10, 10, 20, 20), (15, 15, 5, 5)], ((20, 10, 60, 30),)),  # one in another
        ([(15, 15, 5, 5), (10, 10, 20, 20)], ((20, 10, 60, 30),)),
        ([(10, 10, 20, 20), (20, 20, 20, 20)], ((20, 10, 80, 40),)),
        ([(10, 10, 10, 10), (60, 60, 9, 9), (15, 15, 10, 10)], ((20, 10, 50, 25), (120, 60, 138, 69))),
        # the box around the first two overlaps the third, which neither does
        ([(10, 10, 10, 10), (18, 18, 20, 20), (10, 30, 5, 5)], ((20, 10, 76, 38),)),
    ],
)
def test_regions_that_overlap_are_merged(
    tmp_path: Path, boxes: list[tuple[int, ...]], regions: tuple[tuple[int, ...], ...]
) -> None:
    labels = [dict(zip(("x", "y", "width", "height"), box, strict=True)) for box in boxes]
    found = read(tmp_path, {**ITEM, "label_output": labels})
    assert found.items[0].regions == regions
    assert len(found.notes) == 1
    assert "boxes of label_output overlap: merged into the box around them" in found.notes[0]


def test_regions_that_touch_stay_apart(tmp_path: Path) -> None:
    found = read(tmp_path, {**ITEM, "label_output": [BOX, {**BOX, "x": 30}]})
    assert (found.items[0].regions, found.notes) == (((20, 10, 60, 30), (60, 10, 100, 30)), ())


@pytest.mark.parametrize(
    ("drawn_on", "source", "noted"),
    [
        ((200, 100), (200, 100), False),
        ((400, 200), (200, 100), True),
        ((401, 200), (200, 100), True),
        ((300, 300), (300, 300), True),  # the source's
    ],
)
def test_the_picture_a_box_was_drawn_on(
    tmp_path: Path, drawn_on: tuple[int, int], source: tuple[int, int], noted: bool
) -> None:
    label = {**BOX, "original_width": drawn_on[0], "original_height": drawn_on[1]}
    found = read(tmp_path, {**ITEM, "label_output": [label]}, sizes=(source, (200, 100)))
    assert found.items[0].regions == ((20, 10, 60, 30),)
    assert any("taken in percent of the reference" in note for note in found.notes) == noted
