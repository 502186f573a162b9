"""Rows of `vtcfaith/editing-pictures`, and the pictures beside their manifest."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from made_vde import item, made_vde
from PIL import Image

from pytest_vtcfaith.suites.editing_cases import editing_cases, pair_of
from pytest_vtcfaith.texts.edits.picture_build import build_vde
from pytest_vtcfaith.texts.edits.pictures import write_pictures
from pytest_vtcfaith.texts.errors import TextsError
from pytest_vtcfaith.texts.manifest import ManifestError, manifest_bytes, write_manifest


def built(folder: Path) -> Path:
    out = folder / "cases" / "e.jsonl"
    made = build_vde(str(made_vde(folder / "vde", item())), out)
    write_pictures(out.parent, made.pictures)
    write_manifest(out, made.draft.header, made.draft.rows)
    return out


@pytest.mark.parametrize(
    ("field", "change", "message"),
    [
        ("source", {"file": "../secret.png"}, r"field 'source\.file' = '\.\./secret\.png' must lie inside"),
        ("reference", {"file": "/etc/passwd"}, r"field 'reference\.file' = '/etc/passwd' must lie inside"),
        ("source", {"file": "a\\b.png"}, "must lie inside the manifest's folder"),
        ("source", {"file": "link/secret.png"}, "leads out of the manifest's folder by a link"),
        ("source", {"file": "a\0b"}, "is no path"),
        ("source", {"file": ""}, "field 'source.file' = ''"),
        ("source", {"sha256": "abc"}, "field 'source.sha256' = 'abc'"),
        ("source", {"width": 0}, "field 'source.width' = 0"),
        ("reference", {"width": 60}, r"box \(24, 4, 85, 9\) must lie on the reference of 60 x 100 pixels"),
    ],
)
def test_a_wrong_row_is_named(tmp_path: Path, field: str, change: dict[str, Any], message: str) -> None:
    out = built(tmp_path)
    made = build_vde(str(tmp_path / "vde"), out)
    (out.parent / "link").symlink_to(tmp_path)
    (row,) = made.draft.rows
    with pytest.raises(ManifestError, match=message) as caught:
        manifest_bytes(out, made.draft.header, [{**row, field: {**row[field], **change}}])
    assert str(caught.value).startswith(f"{out}:2: ")


@pytest.mark.parametrize(
    "blocks", [[{"box": [0, 0, 300, 10], "text": "a", "kind": "text"}], [{"box": [0.0, 0.0, 9.0, 9.0], "text": "a"}]]
)
def test_wrong_blocks(tmp_path: Path, blocks: list[dict[str, Any]]) -> None:
    out = built(tmp_path)
    made = build_vde(str(tmp_path / "vde"), out)
    with pytest.raises(ManifestError, match=r"block \(|'blocks\.0\.kind' is missing"):
        manifest_bytes(out, made.draft.header, [{**made.draft.rows[0], "blocks": blocks}])


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda file: file.unlink(), "cannot be read"),
        (lambda file: file.write_bytes(file.read_bytes() + b" "), "was changed, its SHA-256 is another"),
        (lambda file: Image.new("RGB", (200, 100), "red").save(file), "was changed"),
    ],
)
@pytest.mark.parametrize("field", ["source", "reference"])
def test_a_spoilt_picture_is_named_when_it_is_read(tmp_path: Path, spoil: Any, message: str, field: str) -> None:
    out = built(tmp_path)
    (case,) = editing_cases(out.parent)
    file = out.parent / case.params[field]["file"]
    spoil(file)
    assert len(editing_cases(out.parent)) == 1  # listing reads no picture
    with pytest.raises(ManifestError, match=message) as caught:
        pair_of(case)
    assert f"{out}:2: field '{field}.file'" in str(caught.value)
    assert str(file.resolve()) in str(caught.value)
    assert str(caught.value).endswith("build the manifest again with vtcfaith build vde")


def test_a_size_that_is_not_the_rows(tmp_path: Path) -> None:
    out = built(tmp_path)
    made = build_vde(str(tmp_path / "vde"), out)
    (row,) = made.draft.rows
    write_manifest(out, made.draft.header, [{**row, "source": {**row["source"], "width": 300}}])
    with pytest.raises(ManifestError, match="is of 200 x 100 pixels, the row says 300 x 100"):
        pair_of(editing_cases(out.parent)[0])


def test_jpeg_bytes_stay_and_a_turned_page_is_read_upright(tmp_path: Path) -> None:
    folder = made_vde(tmp_path / "vde", item(image_input="inputs/photo.jpg"))
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (100, 200), "white").save(folder / "inputs/photo.jpg", exif=exif)
    out = tmp_path / "cases" / "e.jsonl"
    made = build_vde(str(folder), out)
    write_pictures(out.parent, made.pictures)
    write_manifest(out, made.draft.header, made.draft.rows)
    (case,) = editing_cases(out.parent)
    file = out.parent / case.params["source"]["file"]
    assert (file.suffix, file.read_bytes()) == (".jpg", (folder / "inputs/photo.jpg").read_bytes())
    assert pair_of(case).source.size == (200, 100)


def test_a_picture_that_changes_while_it_is_copied(tmp_path: Path) -> None:
    out = tmp_path / "cases" / "e.jsonl"
    made = build_vde(str(made_vde(tmp_path / "vde", item())), out)
    Image.new("RGB", (200, 100), "red").save(tmp_path / "vde/inputs/page.png")
    with pytest.raises(TextsError, match=r"page\.png: it changed meanwhile: build again"):
        write_pictures(out.parent, made.pictures)
    assert not [path for path in out.parent.rglob("*") if path.suffix == ".tmp"]


def test_bytes_of_a_data_set_are_written(tmp_path: Path) -> None:
    data = json.dumps("any bytes").encode()
    write_pictures(tmp_path, {"p/a.png": (hashlib.sha256(data).hexdigest(), data)})
    assert (tmp_path / "p/a.png").read_bytes() == data
