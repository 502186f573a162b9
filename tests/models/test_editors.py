"""The reference editors do what their names say; pixels and set pages are the judges, no OCR."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from PIL import Image

from pytest_vtcfaith.models.editors import ReferenceEditor, garble
from pytest_vtcfaith.models.protocols import Editor
from pytest_vtcfaith.pages.edits.pair import EditPair, draw_pair
from pytest_vtcfaith.texts.edits.build import build_edits

ROWS: list[Mapping[str, Any]] = [row for lang in ("en", "zh", "mixed") for row in build_edits(lang).rows]
BY_CASE = {row["case"]: row for row in ROWS}
SOME = [
    "en-report-supplier",
    "zh-tables-days",
    "en-form-fuel",
    "mixed-slide-columns",
    "zh-report-date",
    "en-tables-column",
    "mixed-tables-moved",
]


def edited(name: str, case: str) -> tuple[EditPair, Image.Image]:
    row = BY_CASE[case]
    pair = draw_pair(row)
    (output,) = ReferenceEditor(name, [row]).edit([pair.source], [row["instruction"]])
    return pair, output


def differs(pair: EditPair, output: Image.Image, other: Image.Image) -> tuple[bool, bool]:
    """Whether two pictures differ inside the regions, and outside."""
    apart = (np.asarray(output) != np.asarray(other)).any(axis=2)
    inside = np.zeros_like(apart)
    for left, top, right, bottom in pair.regions:
        inside[top:bottom, left:right] = True
    return bool(apart[inside].any()), bool(apart[~inside].any())


@pytest.mark.parametrize("case", SOME)
def test_perfect_and_no_op(case: str) -> None:
    pair, output = edited("perfect", case)
    assert differs(pair, output, pair.reference) == (False, False)
    pair, output = edited("no-op", case)
    assert differs(pair, output, pair.source) == (False, False)
    assert differs(pair, output, pair.reference) == (True, False)


@pytest.mark.parametrize("case", SOME)
def test_wrong_text_is_wrong_inside_and_right_outside(case: str) -> None:
    pair, output = edited("wrong-text", case)
    assert differs(pair, output, pair.source) == (True, False)
    assert differs(pair, output, pair.reference) == (True, False)


@pytest.mark.parametrize("case", SOME)
def test_the_wrong_place_is_not_the_region(case: str) -> None:
    pair, output = edited("wrong-place", case)
    assert differs(pair, output, pair.source) == (False, True)


@pytest.mark.parametrize("case", SOME)
def test_collateral_damage_is_outside(case: str) -> None:
    pair, output = edited("collateral-damage", case)
    assert differs(pair, output, pair.reference) == (False, True)


@pytest.mark.parametrize("case", SOME)
def test_the_others(case: str) -> None:
    for name in ("re-typeset", "blurred"):
        pair, output = edited(name, case)
        assert output.size == pair.reference.size
        assert differs(pair, output, pair.reference)[1]
    pair, output = edited("deletes-everything", case)
    assert set(np.asarray(output).flat) == {255}


@pytest.mark.parametrize("name", ["re-typeset", "collateral-damage", "wrong-text", "wrong-place"])
def test_what_is_drawn_anew_can_be_drawn_for_every_edit(name: str) -> None:
    editor = ReferenceEditor(name, ROWS)
    assert isinstance(editor, Editor)
    for document in sorted({row["document"] for row in ROWS}):
        rows = [row for row in ROWS if row["document"] == document]
        source = draw_pair(rows[0]).source
        outputs = editor.edit([source] * len(rows), [row["instruction"] for row in rows])
        assert {(output.mode, output.size) for output in outputs} == {("RGB", source.size)}


def test_what_it_was_not_made_for() -> None:
    row = BY_CASE["en-report-supplier"]
    editor = ReferenceEditor("perfect", [row])
    with pytest.raises(ValueError, match="no case asks 'Delete this'"):
        editor.edit([draw_pair(row).source], ["Delete this"])
    with pytest.raises(ValueError, match="no case asks"):
        editor.edit([Image.new("RGB", (10, 10))], [row["instruction"]])
    with pytest.raises(ValueError, match="editor 'best' is unknown: choose one of perfect, "):
        ReferenceEditor("best", [])
    with pytest.raises(ValueError, match="ask the same of one picture"):
        ReferenceEditor("perfect", [row, {**row, "case": "en-report-other"}])


def test_the_picture_may_come_in_another_mode() -> None:
    row = BY_CASE["en-report-supplier"]
    pair = draw_pair(row)
    (output,) = ReferenceEditor("perfect", [row]).edit([pair.source.convert("RGBA")], [row["instruction"]])
    assert output.tobytes() == pair.reference.tobytes()


def test_garbled_words() -> None:
    assert [garble(word) for word in ("Dunholt", "88", "7,460", "面议")] == ["tlohnuD", "33", "519,2", "议面"]
