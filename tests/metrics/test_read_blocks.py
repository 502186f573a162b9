"""Blocks that were read: matching and scores (`metrics/blocks.py`, `metrics/block_scores.py`)."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vtcfaith.metrics import bleu, cdm, iou, match_blocks, textsim
from pytest_vtcfaith.metrics.block_scores import block_scores, cdm_by_place
from pytest_vtcfaith.metrics.blocks import Block, blocks_touching, by_place

SIDES = st.integers(0, 8)
BOXES = st.lists(st.tuples(SIDES, SIDES, st.integers(1, 6), st.integers(1, 6)), max_size=5).map(
    lambda boxes: [(x, y, x + width, y + height) for x, y, width, height in boxes]
)
TABLE = "<table><tr><td>a</td><td>b</td></tr></table>"


def line(number: int, text: str, table: str | None = None) -> Block:
    """A block in the place of a numbered line."""
    return Block((0, 20 * number, 100, 20 * number + 15), text, table)


def test_greedy_loses_a_block() -> None:
    reference, prediction = [(0, 0, 10, 10), (6, 0, 16, 10)], [(4, 0, 14, 10), (9, 0, 19, 10)]
    assert match_blocks(reference, prediction, method="greedy") == [(1, 0, pytest.approx(8 / 12))]
    assert match_blocks(reference, prediction) == [(0, 0, pytest.approx(6 / 14)), (1, 1, pytest.approx(7 / 13))]


@settings(deadline=None)
@given(BOXES, BOXES)
def test_optimal_is_the_best_of_all(reference: list[Any], prediction: list[Any]) -> None:
    best = 0.0
    few, many = sorted((reference, prediction), key=len)
    for order in permutations(many, len(few)):
        shared = [iou(a, b) for a, b in zip(few, order, strict=True)]
        best = max(best, sum(value for value in shared if value >= 0.1))
    matches = match_blocks(reference, prediction)
    assert sum(match.iou for match in matches) == pytest.approx(best, abs=1e-7)
    greedy = match_blocks(reference, prediction, method="greedy")
    for found in (matches, greedy):
        assert len({match.reference for match in found}) == len({match.prediction for match in found}) == len(found)
        assert all(match.iou == iou(reference[match.reference], prediction[match.prediction]) >= 0.1 for match in found)
        assert found == sorted(found)
    assert sum(match.iou for match in greedy) <= sum(match.iou for match in matches) + 1e-7


@given(BOXES, BOXES)
def test_greedy_takes_the_highest_first(reference: list[Any], prediction: list[Any]) -> None:
    left, right = set(range(len(reference))), set(range(len(prediction)))
    expected = []
    while True:
        free = [(-iou(reference[i], prediction[j]), i, j) for i in left for j in right]
        if not free or -min(free)[0] < 0.1:
            break
        value, i, j = min(free)
        expected.append((i, j, -value))
        left.remove(i)
        right.remove(j)
    assert match_blocks(reference, prediction, method="greedy") == sorted(expected)


def test_equal_places_pair_in_reading_order() -> None:
    boxes = [(0, 0, 9, 9)] * 4
    assert [match[:2] for match in match_blocks(boxes, boxes)] == [(0, 0), (1, 1), (2, 2), (3, 3)]


def test_wrong_options() -> None:
    with pytest.raises(ValueError, match="method 'best' is unknown: choose one of optimal, greedy"):
        match_blocks([], [], method="best")  # type: ignore[arg-type]
    for threshold in (0.0, 1.1, float("nan")):
        with pytest.raises(ValueError, match="threshold"):
            match_blocks([], [], threshold=threshold)
    with pytest.raises(ValueError, match="column 'best' is unknown"):
        block_scores([], [], lang="en", column="best")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="lang 'fr' is unknown"):
        block_scores([], [], lang="fr")


def test_columns_tell_a_missing_line_apart() -> None:
    reference = [line(0, "the first line"), line(1, "the second one")]
    scores = {
        column: block_scores(reference, reference[:1], lang="en", column=column) for column in ("published", "audited")
    }
    for column, text in (("published", 1.0), ("audited", 0.5)):
        assert scores[column]["iou"] == 0.5
        for metric in ("cdm", "bleu", "textsim"):
            assert scores[column][metric] == pytest.approx(text, abs=1e-12)
    assert [scores[column]["text_blocks"] for column in scores] == [1, 2]
    assert scores["audited"]["spurious"] == 0.0


def test_deletes_everything_has_no_published_text_score() -> None:
    published = block_scores([line(0, "a")], [], lang="en", column="published")
    assert (published["iou"], published["cdm"], published["text_blocks"]) == (0.0, None, 0)
    assert block_scores([line(0, "a")], [], lang="en")["cdm"] == 0.0


def test_text_in_the_wrong_place_is_spurious() -> None:
    scores = block_scores([line(0, "abcd")], [line(0, "abcd"), line(3, "xyz  xyz")], lang="en")
    assert scores["cdm"] == 1.0
    assert (scores["spurious_chars"], scores["predicted_chars"], scores["spurious"]) == (7, 11, 7 / 11)
    assert (scores["reference_blocks"], scores["predicted_blocks"], scores["matched_blocks"]) == (1, 2, 1)


def test_nothing_to_read() -> None:
    scores = block_scores([], [], lang="zh")
    assert [scores[name] for name in ("iou", "cdm", "bleu", "textsim", "teds", "spurious")] == [None] * 5 + [0.0]
    assert block_scores([], [line(0, "a")], lang="zh")["spurious"] == 1.0


def test_only_audited_normalises() -> None:
    reference, prediction = [line(0, "合计，共 5")], [line(0, "合计,共5\u200b")]
    assert block_scores(reference, prediction, lang="zh")["cdm"] == 1.0
    published = block_scores(reference, prediction, lang="zh", column="published")
    assert published["cdm"] == cdm("合计，共 5", "合计,共5\u200b")
    assert published["textsim"] == textsim("合计，共 5", "合计,共5\u200b", column="published")
    assert published["bleu"] == bleu("合计，共 5", "合计,共5\u200b", lang="zh", column="published")


def test_tables() -> None:
    reference = [line(0, "a b", TABLE), line(1, "a b", TABLE), line(2, "text"), line(3, "a b", TABLE)]
    prediction = [line(0, "a b", TABLE), line(1, "a b"), line(2, "text", TABLE)]
    audited = block_scores(reference, prediction, lang="en")
    assert (audited["teds"], audited["tables"], audited["tables_not_scored"]) == (0.25, 4, 0)
    published = block_scores(reference, prediction, lang="en", column="published")
    assert (published["teds"], published["tables"]) == (pytest.approx(1 / 3), 3)
    large = "<table>" + "<tr><td>a</td></tr>" * 600 + "</table>"
    scores = block_scores([line(0, "a", large)], [line(0, "a", large)], lang="en")
    assert (scores["teds"], scores["tables"], scores["tables_not_scored"]) == (None, 0, 1)


def test_touching() -> None:
    blocks = [line(number, str(number)) for number in range(4)]
    boxes = [(50, 10, 60, 21), (0, 75, 1, 80)]  # touches lines 0 and 1 inside, line 3 only at its edge
    assert [block.text for block in blocks_touching(blocks, boxes)] == ["0", "1"]


def test_texts_by_place() -> None:
    name, plot = Block((0, 1, 40, 16), "name"), Block((60, 0, 100, 15), "plot")
    read = [Block((0, 0, 40, 15), "name"), line(2, "more"), Block((60, 1, 100, 16), "plod")]
    assert by_place([plot, name, line(1, "gone")], read) == [
        ("plot", "plod"),
        ("name", "name"),
        ("gone", ""),
        ("", "more"),
    ]
    assert by_place([line(0, "moved")], [line(3, "moved")]) == [("moved", ""), ("", "moved")]
    assert by_place([], []) == []


def test_cdm_by_place() -> None:
    reference = [line(0, "abcd"), line(1, "efgh")]
    assert cdm_by_place(reference, reference[::-1], lang="en") == 1.0
    assert cdm_by_place(reference, [line(1, "efgx")], lang="en") == pytest.approx(1 - 5 / 8)
    assert cdm_by_place(reference, [*reference, line(2, "more text")], lang="en") == pytest.approx(1 - 9 / 17)
    assert cdm_by_place(reference, [], lang="en") == 0.0
    assert cdm_by_place([], [line(0, " ")], lang="en") == 1.0
