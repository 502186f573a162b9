"""`vtcfaith build vde`: the manifest, and the pictures beside it."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from made_vde import item, made_vde
from PIL import Image
from typer.testing import CliRunner

from pytest_vtcfaith.cli import app
from pytest_vtcfaith.suites.editing_cases import editing_cases, layout_of, pair_of, source_of
from pytest_vtcfaith.texts.manifest import read_manifest


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["build", "vde", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Two edits of one page, told in two languages, and a deletion of another page."""
    other = item("A b", image_input="inputs/other.png", **{"instruction type": "text deletion"})
    folder = made_vde(tmp_path / "vde", item(7), item(8, language="mixed"), other)
    Image.new("RGB", (200, 100), "beige").save(folder / "inputs/other.png")
    return folder


def test_rows_and_pictures(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "cases" / "editing-vde.jsonl"
    assert "3 rows of 2 documents" in run(source, "--out", out)
    manifest = read_manifest(out)
    assert {name: manifest.header[name] for name in ("schema", "seed", "licence", "generator")} == {
        "schema": "vtcfaith/editing-pictures",
        "seed": None,
        "licence": "not stated",
        "generator": "vtcfaith build vde",
    }
    first, second, third = (row for _, row in manifest.rows)
    assert [row["case"] for row in (first, second)] == ["vde-7", "vde-8"]
    assert third["case"].startswith("vde-a-b-")
    assert first["document"] == second["document"] != third["document"]
    assert (first["boxes"], first["record"]) == ([[24, 4, 85, 9]], {"id": "7", "data_source": "made"})
    assert [block["kind"] for block in first["blocks"]] == ["text", "text", "image"]
    for row, field, written in ((first, "source", "inputs/page.png"), (third, "reference", "outputs/page-A b.png")):
        picture = row[field]
        data = (source / written).read_bytes()
        assert (out.parent / picture["file"]).read_bytes() == data
        assert picture["sha256"] == hashlib.sha256(data).hexdigest()
        assert picture["file"] == f"editing-vde-pictures/{picture['sha256']}.png"
        assert (picture["width"], picture["height"]) == (200, 100)
    assert len(list((out.parent / "editing-vde-pictures").iterdir())) == 5  # two sources, three references


def test_it_says_unchanged_and_needs_force(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "editing-vde.jsonl"
    run(source, "--out", out)
    before = out.read_bytes()
    (picture,) = {out.parent / row["source"]["file"] for _, row in read_manifest(out).rows[:1]}
    picture.write_bytes(b"damaged")
    assert "unchanged" in run(source, "--out", out)
    assert hashlib.sha256(picture.read_bytes()).hexdigest() == picture.stem  # the damaged copy is mended
    Image.new("RGB", (200, 100), "red").save(source / "inputs/page.png")
    pictures = sorted(picture.parent.iterdir())
    assert "give --force to replace it" in run(source, "--out", out, code=2)
    assert (out.read_bytes(), sorted(picture.parent.iterdir())) == (before, pictures)
    run(source, "--out", out, "--force")
    assert out.read_bytes() != before


def test_the_notes_of_the_reader_are_printed(tmp_path: Path) -> None:
    folder = made_vde(tmp_path / "vde", item(), size=(400, 200))
    assert "note: " in run(folder, "--out", tmp_path / "e.jsonl")
    assert "400 x 200 and 200 x 100 pixels: the source is to be resized" in run(folder, "--out", tmp_path / "e.jsonl")


def test_cases_of_both_schemas_stand_side_by_side(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "cases" / "editing-vde.jsonl"
    run(source, "--out", out)
    assert (
        CliRunner().invoke(app, ["build", "edits", "--lang", "en", "--out", str(out.parent / "e.jsonl")]).exit_code == 0
    )
    cases = editing_cases(out.parent)
    assert len(cases) == 35
    listed = CliRunner().invoke(app, ["cases", "--vtc-suite", "editing", "--vtc-cases", str(out.parent)])
    lines = {line["case"]: line for line in map(json.loads, listed.output.split("\n")[:-1])}
    assert len(lines) == 35
    assert lines["vde-7"]["tier"] == "editing/text/modify/en"
    assert lines["vde-7"]["reference"] == "Total 6"


def test_the_source_page_is_brought_to_the_size_of_the_reference(tmp_path: Path) -> None:
    run(made_vde(tmp_path / "vde", item(), size=(400, 200)), "--out", tmp_path / "cases" / "e.jsonl")
    (case,) = editing_cases(tmp_path / "cases")
    page, pair = source_of(case), pair_of(case)
    assert (page.width, page.height) == page.image.size == pair.source.size == pair.reference.size == (200, 100)
    assert pair.reference.getpixel((24, 4)) == (0, 0, 0)
    assert pair.reference.getpixel((85, 9)) == (255, 255, 255)
    layout = layout_of(case)
    assert layout is not None
    assert [element.kind for element in layout.elements] == ["text", "text", "image"]


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({"image_input": "../secret.png"}, (), "leads out of"),
        ({"image_input": "torn.jpg"}, (), r"field 'image_input' = .*torn\.jpg is damaged .*: download it again"),
        ({"language": "latin"}, (), "field 'language' = 'latin' is unknown"),
        ({"region": "figure"}, (), "field 'region' = 'figure' is unknown"),
        ({}, ("--region", "figure"), "region 'figure' is unknown"),
        (
            {"instruction": "\ud800"},
            (),
            r"text_info\.json, item 1: item 7, field 'instruction' = .* holds half a character",
        ),
    ],
)
def test_what_a_user_can_mend(tmp_path: Path, change: dict[str, Any], options: tuple[str, ...], message: str) -> None:
    folder = made_vde(tmp_path / "vde", item())
    Image.new("RGB", (9, 9)).save(tmp_path / "secret.png")
    Image.new("RGB", (200, 100)).save(folder / "torn.jpg")
    data = (folder / "torn.jpg").read_bytes()
    (folder / "torn.jpg").write_bytes(data[: len(data) - 30])
    (folder / "text_info.json").write_text(json.dumps([item(**change)]), encoding="utf-8")
    out = tmp_path / "cases" / "e.jsonl"
    shown = run(folder, "--out", out, *options, code=2)
    assert re.search(message, shown), shown
    assert not out.parent.exists()


def test_an_out_that_is_a_folder(source: Path, tmp_path: Path) -> None:
    assert "it is a folder" in run(source, "--out", tmp_path, code=2)
    assert "there is no such folder" in run(tmp_path / "nowhere", "--out", tmp_path / "e.jsonl", code=2)
