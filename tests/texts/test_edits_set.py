"""The embedded editing set: that it is complete, unambiguous, and that its references do what is asked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from pytest_vtcfaith.metrics.scripts import is_han
from pytest_vtcfaith.pages.edits.design import design_of, plain
from pytest_vtcfaith.pages.edits.pair import designs, draw_pair, regions_of
from pytest_vtcfaith.pages.edits.regions import changed_region, region_blocks
from pytest_vtcfaith.pages.edits.setting import SetPage, set_page
from pytest_vtcfaith.texts.edits.build import build_edits
from pytest_vtcfaith.texts.edits.rows import EditingRow
from pytest_vtcfaith.texts.edits.sources import LANGUAGES
from pytest_vtcfaith.texts.errors import TextsError
from pytest_vtcfaith.texts.manifest import ManifestError, manifest_bytes, read_manifest

CASES = Path(__file__).resolve().parents[2] / "benchmark_cases"
FILES = sorted(CASES.rglob("editing-*.jsonl"))
MANIFESTS = {file: read_manifest(file) for file in FILES}
ROWS: list[dict[str, Any]] = [row for manifest in MANIFESTS.values() for _, row in manifest.rows]
QUOTED = re.compile("‘([^’]*)’|“([^”]*)”")
each = pytest.mark.parametrize("row", ROWS, ids=[row["case"] for row in ROWS])


def pages(row: Mapping[str, Any]) -> tuple[SetPage, SetPage]:
    before, after = designs(row)
    return set_page(before, row["lang"]), set_page(after, row["lang"])


def quoted(row: Mapping[str, Any]) -> list[str]:
    return ["".join(match) for match in QUOTED.findall(row["instruction"])]


def test_every_combination_at_least_three_times() -> None:
    counts = Counter((row["region"], row["operation"], row["lang"]) for row in ROWS)
    assert len(ROWS) >= 84
    assert len(counts) == 2 * 4 * 3
    assert min(counts.values()) >= 3
    kinds = Counter((row["lang"], row["document"].rpartition("-")[2]) for row in ROWS)
    assert set(kinds) == {(lang, kind) for lang in LANGUAGES for kind in ("report", "tables", "form", "slide")}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_manifest_is_what_its_command_builds(file: Path) -> None:
    draft = build_edits(file.stem.removeprefix("editing-"), seed=MANIFESTS[file].header["seed"])
    assert manifest_bytes(file, draft.header, draft.rows) == file.read_bytes()


@each
def test_every_named_text_stands_once_on_the_source_or_is_new(row: dict[str, Any]) -> None:
    before, after = (page.text() for page in pages(row))
    named = quoted(row)
    assert named
    for text in named:
        assert before.count(text) == 1 or (before.count(text) == 0 and after.count(text) == 1), text
    assert any(before.count(text) == 1 for text in named)


def test_no_two_edits_ask_the_same_of_a_page() -> None:
    assert len({(row["document"], row["instruction"]) for row in ROWS}) == len(ROWS)


@each
def test_the_reference_does_what_is_asked(row: dict[str, Any]) -> None:
    """The instruction carried out on the text of the page, by its quotation marks alone."""
    before, after = (page.text() for page in pages(row))
    named = quoted(row)
    gone = [text for text in named if text in before and text not in after]
    new = [text for text in named if text in after and text not in before]
    if row["operation"] == "modify":
        assert len(gone) == len(new) == 1
        assert before.replace(gone[0], new[0]).split() == after.split()
    elif row["operation"] == "delete":
        assert len(gone) == 1
        assert before.replace(gone[0], "").split() == after.split()
    elif row["operation"] == "add":
        assert len(new) == 1
        assert sorted(after.replace(new[0], "").split()) == sorted(before.split())
    else:
        assert before.split("\n") != after.split("\n")


@each
def test_the_instruction_is_in_the_language_of_what_it_changes(row: dict[str, Any]) -> None:
    outside = QUOTED.sub("", row["instruction"])
    chinese = any(map(is_han, outside))
    changed = row["source_text"] + "".join(block["text"] for block in row["region_blocks"])
    if row["lang"] == "en":
        assert not chinese
        assert changed.isascii()
    elif row["lang"] == "zh":
        assert chinese
        assert not re.search("[A-Za-z]{4}", outside)
    elif not chinese:
        assert re.search("[A-Za-z]", changed)


@each
def test_the_reference_equals_the_source_outside_the_regions(row: dict[str, Any]) -> None:
    pair = draw_pair(row)
    source, reference = np.asarray(pair.source), np.asarray(pair.reference)
    differs = (source != reference).any(axis=2)
    assert differs.any()
    for left, top, right, bottom in pair.regions:
        differs[top:bottom, left:right] = False
    assert not differs.any()


@each
def test_the_region_holds_all_that_the_edit_changes_and_is_stored_exactly(row: dict[str, Any]) -> None:
    before, after = pages(row)
    candidate = np.asarray(after.draw())
    assert (candidate == np.asarray(draw_pair(row).reference)).all()  # the composite took nothing away
    assert regions_of(row) == (changed_region(before, after),)
    (left, top, right, bottom) = regions_of(row)[0]
    rows, columns = np.nonzero((np.asarray(before.draw()) != candidate).any(axis=2))
    assert left <= columns.min()
    assert columns.max() < right
    assert top <= rows.min()
    assert rows.max() < bottom


@each
def test_the_stored_blocks_are_those_of_the_page(row: dict[str, Any]) -> None:
    before, after = pages(row)
    (region,) = regions_of(row)
    for stored, blocks in ((row["blocks"], after.blocks()), (row["region_blocks"], region_blocks(after, region))):
        assert [(tuple(b["box"]), b["text"], b.get("table")) for b in stored] == [
            (tuple(map(float, b.box)), b.text, b.table) for b in blocks
        ]
    assert row["source_text"] == "\n".join(block.text for block in region_blocks(before, region))


@each
def test_the_row_holds_the_page(row: dict[str, Any]) -> None:
    assert plain(design_of(row["source"])) == row["source"]


def test_structure_edits_of_tables_have_the_table_in_their_region() -> None:
    for row in ROWS:
        if (row["region"], row["operation"]) == ("table", "structure"):
            assert [block.get("table") is not None for block in row["region_blocks"]] == [True], row["case"]


def test_the_seed_draws_the_look_and_not_the_text() -> None:
    one, other = build_edits("en", seed=0).rows, build_edits("en", seed=1).rows
    assert [row["instruction"] for row in one] == [row["instruction"] for row in other]
    assert [[b["text"] for b in row["blocks"]] for row in one] == [[b["text"] for b in row["blocks"]] for row in other]
    assert sum(a["source"] != b["source"] for a, b in zip(one, other, strict=True)) == len(one)
    assert build_edits("en", seed=1).rows == other


def test_an_unknown_language() -> None:
    with pytest.raises(TextsError, match="lang 'ko' is unknown: choose one of en, zh, mixed"):
        build_edits("ko")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"case": "other"}, "must begin with"),
        ({"operation": "replace"}, "operation"),
        ({"lang": "ko"}, "lang"),
        ({"boxes": []}, "boxes"),
        ({"boxes": [{"x": 1.0, "y": 1.0, "width": 0.0, "height": 3.0}]}, "width"),
        ({"boxes": [{"x": -1.0, "y": 1.0, "width": 2.0, "height": 3.0}]}, "x"),
        ({"changes": {"nowhere": {"text": "a"}}}, "no page of this release"),
        ({"changes": {"title": {"colour": "red"}}}, "no page of this release"),
        ({"source": {}}, "no page of this release"),
        ({"extra": 1}, "extra"),
    ],
)
def test_a_wrong_row_is_refused(change: dict[str, Any], message: str) -> None:
    EditingRow.model_validate(ROWS[0])
    with pytest.raises(ValidationError, match=message):
        EditingRow.model_validate(ROWS[0] | change)


def test_an_edited_manifest_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "editing.jsonl"
    path.write_bytes(FILES[0].read_bytes().replace(b"Dunholt", b"Dunhalt"))
    with pytest.raises(ManifestError, match="sha256"):
        read_manifest(path)
