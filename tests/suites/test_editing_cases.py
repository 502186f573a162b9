from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from pytest_vtcfaith.metrics.layout_statistics import layout_statistics
from pytest_vtcfaith.suites.editing_cases import editing_cases, layout_of, pair_of, pair_of_item
from pytest_vtcfaith.texts.edits.build import build_edits
from pytest_vtcfaith.texts.manifest import write_manifest
from pytest_vtcfaith.texts.vde import read_vde


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cases")
    for lang in ("zh", "en", "mixed"):
        draft = build_edits(lang)
        write_manifest(path / f"editing-{lang}.jsonl", draft.header, draft.rows)
    return path


ITEM = {
    "image_input": "in.png",
    "image_output": "out.png",
    "instruction": "Make it dark",
    "instruction type": "text replacement",
    "language": "English",
    "label_output": [{"x": 5, "y": 5, "width": 40, "height": 40}],
}


def test_cases_are_sorted_and_name_their_tiers(folder: Path) -> None:
    cases = editing_cases(folder)
    assert len(cases) == 96
    assert [case.id for case in cases] == sorted({case.id for case in cases})
    assert len({case.tier for case in cases}) == 24
    (case,) = (case for case in cases if case.id == "en-form-merge")
    assert (case.suite, case.tier, case.document) == ("editing", "editing/table/structure/en", "en-form")
    assert case.reference.endswith("Seed drill on request")
    assert json.loads(case.file.read_bytes().split(b"\n")[case.line - 1])["case"] == case.id
    assert len({case.fingerprint for case in cases}) == 96


def test_the_pictures_of_a_case(folder: Path) -> None:
    case = editing_cases(folder)[0]
    pair = pair_of(case)
    assert pair.source.size == pair.reference.size
    assert pair.instruction == case.params["instruction"]


def test_the_layout_of_the_set(folder: Path) -> None:
    found = layout_statistics([layout_of(case) for case in editing_cases(folder)])
    assert 5 <= found.richness <= 10
    assert found.complexity == 2
    assert 0.1 < found.density < 0.9
    assert (found.text_ratio or 0) + (found.visual_ratio or 0) == pytest.approx(1)


def test_an_item_of_vde_bench(tmp_path: Path) -> None:
    Image.new("RGB", (100, 50), "white").save(tmp_path / "in.png")
    Image.new("RGB", (200, 100), "black").save(tmp_path / "out.png")
    (tmp_path / "ocr").mkdir()
    rows = [
        {"block_bbox": [20, 10, 60, 30], "block_content": "inside", "block_label": "text"},
        {"block_bbox": [120, 60, 180, 90], "block_content": "far", "block_label": "text"},
    ]
    result = {"width": 200, "height": 100, "parsing_res_list": rows}
    (tmp_path / "ocr" / "out_res.json").write_text(json.dumps(result), encoding="utf-8")
    item = {**ITEM, "id": 7}
    (tmp_path / "text.json").write_text(json.dumps([item]), encoding="utf-8")
    pair = pair_of_item(read_vde(str(tmp_path)).items[0])
    assert pair.source.size == pair.reference.size == (200, 100)
    assert pair.regions == ((10, 5, 90, 45),)
    assert [block.text for block in pair.region_blocks or ()] == ["inside"]
    assert pair.source_text is None
    assert pair.reference.getpixel((10, 5)) == (0, 0, 0)
    assert pair.reference.getpixel((90, 45)) == (255, 255, 255)


def test_an_item_that_was_not_read(tmp_path: Path) -> None:
    for name in ("in.png", "out.png"):
        Image.new("RGB", (100, 50), "white").save(tmp_path / name)
    item = {**ITEM, "id": "a"}
    (tmp_path / "text.json").write_text(json.dumps([item]), encoding="utf-8")
    with pytest.raises(ValueError, match="id a: there are no results of OCR"):
        pair_of_item(read_vde(str(tmp_path)).items[0])
