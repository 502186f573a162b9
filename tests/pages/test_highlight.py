"""Highlighting: the paper of the marked word takes the colour, its ink and everything else stay."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_vtcfaith.pages import render
from pytest_vtcfaith.pages.highlight import PAD, highlighted, marked_boxes

TEXT = "The pier was mended in the spring, and the harbour stood open again by May."


def test_the_word_and_nothing_else_is_marked() -> None:
    page = render(TEXT)
    start = TEXT.index("mended")
    (box,) = marked_boxes(page, start, start + len("mended"))
    (word,) = [word for word in page.words if word.text == "mended"]
    assert box == (word.left - PAD, word.top - PAD, word.right + PAD, word.bottom + PAD)
    before, after = np.asarray(page.image), np.asarray(highlighted(page, [box]))
    inside = np.zeros(before.shape[:2], bool)
    inside[box[1] : box[3], box[0] : box[2]] = True
    assert (after[~inside] == before[~inside]).all()
    assert (after[..., :2] == before[..., :2]).all(), "yellow takes blue only"
    assert (after[inside][:, 2] == 0).all()
    assert before[box[1], box[0]].tolist() == [255, 255, 255]
    assert after[box[1], box[0]].tolist() == [255, 255, 0]


def test_a_word_over_two_lines_has_a_box_on_each() -> None:
    text = "海边的旧码头在春天重新开放" * 12
    page = render(text, lang="zh")
    second = page.line_starts[1]
    boxes = marked_boxes(page, second - 2, second + 2)
    assert len(boxes) == 2
    assert boxes[0][0] > boxes[1][2], "the end of a line, and the beginning of the next"
    assert boxes[0][3] < boxes[1][3]


def test_a_place_without_a_word_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no word of the page stands at 900 to 904 of its 75 characters"):
        marked_boxes(render(TEXT), 900, 904)
