"""Reader of VDE Bench (`texts/vde.py`, `texts/vde_ocr.py`)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from vde_items import ITEM, RESULT, TABLE, built, read

from pytest_vtcfaith.metrics.blocks import Block
from pytest_vtcfaith.texts import TextsError
from pytest_vtcfaith.texts.vde import read_vde


def test_an_item(tmp_path: Path) -> None:
    found = read(tmp_path)
    (item,) = found.items
    assert found.notes == ()
    assert (item.id, item.operation, item.region, item.lang) == ("48234", "modify", "text", "en")
    assert (item.instruction, item.data_source) == (ITEM["instruction"], "eastmoney")
    assert item.source == tmp_path / "inputs/page_1.png"
    assert item.reference_size == (200, 100)
    assert item.regions == ((24, 4, 85, 9),)  # 24.6 to 84.6 across, 4 to 9 down
    assert item.blocks == (
        Block((10, 5, 60, 15), "Total 6"),
        Block((10, 20, 190, 90), "Fee 5 & 6", TABLE),
        Block((150, 5, 190, 15), ""),
    )
    assert item.kinds == ("text", "table", "image")


@pytest.mark.parametrize(
    ("written", "operation", "region"),
    [
        ("text replacement", "modify", "text"),
        ("Text Insertion", "add", "text"),
        ("text deletion", "delete", "text"),
        ("in-table text replacement", "modify", "table"),
        ("in_table text insertion", "add", "table"),
        ("table deletion", "delete", "table"),
        ("table structure modification", "structure", "table"),
        ("table structure edit", "structure", "table"),
        *((f"text {word}", word, "text") for word in ("modify", "add", "delete", "structure")),
        *((f"table {word}", word, "table") for word in ("modify", "add", "delete", "structure")),
        *((f"in-table {word}", word, "table") for word in ("modify", "add", "delete", "structure")),
    ],
)
def test_types_of_instruction(tmp_path: Path, written: str, operation: str, region: str) -> None:
    """The file's name tells no region."""
    (item,) = read(tmp_path, {**ITEM, "instruction type": written}, file="items.json").items
    assert (item.operation, item.region) == (operation, region)


def test_where_the_region_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    assert read(tmp_path / "a", file="table_info.json").items[0].region == "table"
    assert read(tmp_path / "a", {**ITEM, "region": "Text"}, file="table_info.json").items[0].region == "text"
    (tmp_path / "b").mkdir()
    with pytest.raises(TextsError, match=r"merged\.json, item 1: item 48234, field 'region' = None is not told"):
        read(tmp_path / "b", {**ITEM, "instruction type": "modify"}, file="merged.json")
    assert read(tmp_path / "b", file="merged.json").items[0].region == "text"
    assert read(tmp_path / "b", file="merged.json", region="table").items[0].region == "table"
    with pytest.raises(TextsError, match="region 'figure' is unknown"):
        read_vde(str(tmp_path / "b"), region="figure")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": None}, r"field 'id' = None must be a number or a text"),
        ({"id": True}, r"field 'id' = True must be"),
        ({"instruction": " "}, r"item 48234, field 'instruction' = ' ' must be text"),
        ({"instruction type": "rotation"}, r"field 'instruction type' = 'rotation' is unknown"),
        ({"language": "latin"}, r"field 'language' = 'latin' is unknown"),
        ({"image_input": "inputs/none.png"}, r"field 'image_input' = 'inputs/none.png' is missing in"),
        ({"image_input": "text_info_all.json"}, r"field 'image_input' = .* cannot be read as a picture"),
        ({"image_input": "../secret.png"}, r"field 'image_input' = '../secret.png' leads out of"),
        ({"image_output": "/etc/passwd"}, r"field 'image_output' = '/etc/passwd' leads out of"),
        ({"image_input": "link.png"}, r"field 'image_input' = 'link.png' leads out of"),
        ({"image_input": "a\0b"}, r"field 'image_input' = 'a\\x00b' is no path"),
        ({"image_input": None}, r"field 'image_input' = None must be the path of a picture"),
        ({"instruction": "a \ud83d"}, r"item 48234, field 'instruction' = 'a \\ud83d' holds half a character"),
        ({"data_source": "\ud83d"}, "field 'data_source' = .* holds half a character"),
        ({"id": "\ud83d"}, "field 'id' = .* holds half a character"),
        ({"region": "figure"}, r"field 'region' = 'figure' is unknown"),
        ({"data_source": 7}, r"field 'data_source' = 7 must be text"),
        ({"image_output": "inputs/page_1.png"}, r"has no result of OCR: there must be one, page_1\.json"),
    ],
)
def test_a_wrong_item_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    Image.new("RGB", (9, 9)).save(tmp_path / "secret.png")
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    with pytest.raises(TextsError, match=message) as caught:
        read(folder, {**ITEM, **change})
    assert str(caught.value).startswith(f"{folder / 'text_info_all.json'}, item 1: ")


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (None, "parsing_res_list[0].block_content is of the kind table and holds no table: compared by its text only"),
        ("Fee 5", "holds no table"),
        ("<table", "holds no table"),
        ("<table>Fee 5</table>", "holds a table without cells"),
        ("<table><tr></tr></table>", "holds a table without cells"),
    ],
)
def test_a_block_of_the_kind_table_without_one(tmp_path: Path, content: str | None, note: str) -> None:
    block = {"block_label": "table", "block_content": content, "block_bbox": [1, 1, 9, 9]}
    found = read(tmp_path, result={**RESULT, "parsing_res_list": [block, *RESULT["parsing_res_list"]]})
    assert found.items[0].blocks is not None
    assert found.items[0].blocks[0].table is None
    assert found.items[0].kinds[0] == "table"
    assert len(found.notes) == 1
    assert note in found.notes[0]


@pytest.mark.parametrize(
    ("content", "noted"), [("<table><tr><td>Fee<td>5", True), (TABLE, False), ("|Fee|5|\n|-|-|\n|a|b|", False)]
)
def test_a_table_that_is_not_closed(tmp_path: Path, content: str, noted: bool) -> None:
    block = {"block_label": "table", "block_content": content, "block_bbox": [1, 1, 9, 9]}
    found = read(tmp_path, result={**RESULT, "parsing_res_list": [block]})
    assert found.items[0].blocks is not None
    assert found.items[0].blocks[0].table == content
    assert any("the table is not closed: mended as browsers do" in note for note in found.notes) == noted


NO_TEXT = [{"block_bbox": [1, 9, 5, 15], "block_content": content} for content in (None, "", " \n")]


@pytest.mark.parametrize("kind", ["text replacement", "text insertion", "table structure edit"])
def test_blocks_without_text_are_for_deletions(tmp_path: Path, kind: str) -> None:
    (tmp_path / "set").mkdir()
    result = {**RESULT, "parsing_res_list": NO_TEXT}
    with pytest.raises(TextsError, match=r"item 48234, field 'image_output' = .* shows no text"):
        read(tmp_path / "set", {**ITEM, "instruction type": kind}, result=result)
    found = read(tmp_path / "set", {**ITEM, "instruction type": "text deletion"}, result=result)
    assert "no text was read on the reference: valid for a deletion" in found.notes[0]


def test_sizes_that_differ_are_noted(tmp_path: Path) -> None:
    found = read(tmp_path, sizes=((400, 200), (200, 100)))
    assert (found.items[0].source_size, found.items[0].reference_size) == ((400, 200), (200, 100))
    assert "of 400 x 200 and 200 x 100 pixels: the source is to be resized" in found.notes[0]


def test_a_turned_photograph_has_its_size_as_seen(tmp_path: Path) -> None:
    built(tmp_path, {**ITEM, "image_input": "inputs/photo.jpg"})
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (100, 200), "white").save(tmp_path / "inputs/photo.jpg", exif=exif)
    found = read_vde(str(tmp_path))
    assert found.items[0].source_size == (200, 100)
    assert found.notes == ()


@pytest.mark.parametrize(
    ("change", "note", "box"),
    [
        ({"width": None, "height": None}, "no width and height: its boxes are taken as pixels", (10, 5, 60, 15)),
        ({"width": 400, "height": 50}, "the page is of 400 x 50, the reference of 200 x 100: scaled", (5, 10, 30, 30)),
        (
            {"parsing_res_list": [{"block_bbox": [-4, 5, 60, 15], "block_content": "a"}]},
            "[0].block_bbox passes the page's edge: cut",
            (0, 5, 60, 15),
        ),
    ],
)
def test_rules_for_results(
    tmp_path: Path, change: dict[str, Any], note: str, box: tuple[float, float, float, float]
) -> None:
    found = read(tmp_path, result={**RESULT, **change})
    assert found.items[0].blocks is not None
    assert found.items[0].blocks[0].box == box
    assert found.items[0].kinds[0] == "text"  # also of a block without a label
    assert note in found.notes[0]


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ([], "field 'parsing_res_list' must be a list of blocks"),
        ({"width": 1, "height": 1}, "field 'parsing_res_list' must be a list of blocks"),
        ({**RESULT, "width": None}, "field 'width' = None must be the page's width in pixels"),
        ({**RESULT, "width": 10**400}, "field 'width' = 1000.* must be the page's width in pixels, at least 1"),
        ({**RESULT, "height": 1e-320}, "field 'height' = 1e-320 must be the page's height in pixels, at least 1"),
        (
            {**RESULT, "parsing_res_list": [{"block_bbox": [10**400, 9, 5, 5]}]},
            r"block_bbox' = .* must be four numbers",
        ),
        ({**RESULT, "height": 0}, "field 'height' = 0 must be the page's height in pixels"),
        ({**RESULT, "parsing_res_list": ["x"]}, r"field 'parsing_res_list\[0\]' = 'x' must be an object"),
        ({**RESULT, "parsing_res_list": [{}]}, r"\[0\].block_bbox' = None must be four numbers"),
        ({**RESULT, "parsing_res_list": [{"block_bbox": [9, 9, 5, 5]}]}, "must have right over left"),
        ({**RESULT, "parsing_res_list": [{"block_bbox": [201, 9, 205, 15]}]}, "lies outside the page"),
        ({**RESULT, "parsing_res_list": [{"block_bbox": [1, 9, 5, 15], "block_content": 5}]}, "block_content' = 5"),
        (
            {**RESULT, "parsing_res_list": [{"block_bbox": [1, 9, 5, 15], "block_label": ""}]},
            r"block_label' = '' must name the kind",
        ),
        (
            {**RESULT, "parsing_res_list": [{"block_bbox": [1, 9, 5, 15], "block_content": "\ud83d"}]},
            r"parsing_res_list\[0\].block_content' = .* holds half a character",
        ),
        (
            {
                **RESULT,
                "parsing_res_list": [
                    {"block_label": "table", "block_content": "<table><td>" * 501, "block_bbox": [1, 9, 5, 15]}
                ],
            },
            "tables lie more than 500 deep in one another: correct it",
        ),
        ({**RESULT, "parsing_res_list": []}, r"item 48234, field 'image_output' = .* shows no text"),
    ],
)
def test_a_wrong_result_is_named(tmp_path: Path, result: Any, message: str) -> None:
    with pytest.raises(TextsError, match=message) as caught:
        read(tmp_path, result=result)
    assert "page_1_modified_res.json" in str(caught.value)


def test_a_result_with_a_byte_order_mark(tmp_path: Path) -> None:
    expected = read(tmp_path).items[0].blocks
    (file,) = tmp_path.rglob("page_1_modified_res.json")
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert read_vde(str(tmp_path)).items[0].blocks == expected


def test_a_wrapped_result(tmp_path: Path) -> None:
    assert read(tmp_path, result={"res": RESULT}).items[0].blocks == read(tmp_path).items[0].blocks


def test_an_empty_page_is_valid_for_a_deletion(tmp_path: Path) -> None:
    item = {**ITEM, "instruction type": "text deletion"}
    found = read(tmp_path, item, result={**RESULT, "parsing_res_list": []})
    assert found.items[0].blocks == ()
    assert "no text was read on the reference: valid for a deletion" in found.notes[0]


def test_without_results_and_with_two(tmp_path: Path) -> None:
    (item,) = read(tmp_path, result=None).items
    assert (item.blocks, item.kinds) == (None, ())
    built(tmp_path)
    (tmp_path / "table_ocr").mkdir()
    (tmp_path / "table_ocr" / "page_1_modified.json").write_text("{}", encoding="utf-8")
    with pytest.raises(TextsError, match=r"has 2 results of OCR \(.*table_ocr"):
        read_vde(str(tmp_path))


def test_an_id_twice(tmp_path: Path) -> None:
    with pytest.raises(TextsError, match=r"item 2: item '48234', field 'id' = '48234' was found at .*item 1 too"):
        read(tmp_path, ITEM, {**ITEM, "id": "48234"})


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("text.json", b'{"id": 1}', r"text\.json: the file is not a list of items"),
        ("text.json", b"[1]", r"text\.json, item 1: 1 is not an object"),
        ("text.json", b"[", r"text\.json: not JSON"),
        ("text.json", b"[" * 100_000, r"text\.json: not JSON"),
        ("text.json", b"[]", "there is no item"),
        ("text.jsonl", b"\n[]\n", r"text\.jsonl:2: \[\] is not an object"),
        ("text.jsonl", b'\n{"id": "\xff"}\n', r"text\.jsonl:2: not JSON"),
        ("text.jsonl", b"", "there is no item"),
    ],
)
def test_wrong_item_files(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(TextsError, match=message):
        read_vde(str(tmp_path))
    with pytest.raises(TextsError, match="there is no such folder"):
        read_vde(str(tmp_path / "nowhere"))


def test_lines(tmp_path: Path) -> None:
    built(tmp_path)
    (tmp_path / "text_info_all.json").rename(tmp_path / "old")
    line = json.dumps({**ITEM, "instruction": "a\u2028b"}, ensure_ascii=False)
    (tmp_path / "text.jsonl").write_text(f"\ufeff{line}\n\n", encoding="utf-8")
    (item,) = read_vde(str(tmp_path)).items
    assert item.instruction == "a\u2028b"
    assert item.place == f"{tmp_path / 'text.jsonl'}:1"


def test_through_datasets(tmp_path: Path) -> None:
    """Rows with paths, and rows with the pictures in them; in a fresh process with a cache of its own."""
    pytest.importorskip("datasets", reason="needs the extra datasets")
    paths, pictures = tmp_path / "paths", tmp_path / "pictures"
    paths.mkdir()
    built(paths, file="train.json", result=None)
    pictures.mkdir()
    code = f"""
import json
import datasets
from pytest_vtcfaith.texts.vde import read_vde
row = json.load(open({str(paths / "train.json")!r}, encoding="utf-8"))[0]
columns = {{name: [value] for name, value in row.items()}}
for name in ("image_input", "image_output"):
    columns[name] = [{{"bytes": open({str(paths)!r} + "/" + row[name], "rb").read(), "path": None}}]
rows = datasets.Dataset.from_dict(columns)
for name in ("image_input", "image_output"):
    rows = rows.cast_column(name, datasets.Image())
rows.to_parquet({str(pictures / "train.parquet")!r})
for folder in {[str(paths), str(pictures)]!r}:
    item = read_vde("hf:" + folder, region="text").items[0]
    print(item.id, item.operation, item.reference_size, item.regions, type(item.source).__name__, item.blocks)
"""
    cache = tmp_path / "cache"
    environment = {**os.environ, "HF_HOME": str(cache), "HF_DATASETS_CACHE": str(cache / "sets"), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    lines = done.stdout.decode().splitlines()
    assert lines == [f"48234 modify (200, 100) ((24, 4, 85, 9),) {kind} None" for kind in ("PosixPath", "bytes")]
