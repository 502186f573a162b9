"""Published results MODEL/METHOD/BUDGET/*.jsonl: read strictly, every reply to its case, missing ones counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_vtcfaith.texts.compression_results import (
    budget_folder,
    case_suffix,
    dataset_of,
    read_answers,
    replay_rows,
)
from pytest_vtcfaith.texts.errors import TextsError


def line(number: int, reply: Any = "red", **fields: Any) -> dict[str, Any]:
    doc = {"id": str(number), "question": f"Which colour is thing {number}?", "answer": "red"}
    return {"doc_id": number, "doc": doc, "filtered_resps": [reply], "target": "red", **fields}


def write(folder: Path, *rows: Any, name: str = "20250101_samples_gqa.jsonl") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_answers_are_read(tmp_path: Path) -> None:
    folder = write(
        tmp_path, line(0), line(1, "blue\u2028sky"), line(2, [["green"]]), line(3, None), line(4, filtered_resps=[])
    )
    answers = read_answers(folder)
    assert [answered.reply for answered in answers] == ["red", "blue\u2028sky", "green", None, None]
    assert [answered.item.document for answered in answers] == [f"gqa-{n}" for n in range(5)]
    raw = {key: value for key, value in line(7).items() if key != "filtered_resps"}
    assert read_answers(write(tmp_path / "raw", {**raw, "resps": [["red"]]}))[0].reply == "red"


def test_names_of_data_sets() -> None:
    assert dataset_of(Path("20250101_samples_MMBench_en_dev.jsonl")) == "mmbench_en_dev"
    assert dataset_of(Path("gqa.jsonl")) == "gqa"


def test_several_data_sets_lie_in_one_folder(tmp_path: Path) -> None:
    write(tmp_path, line(0))
    pope = {"id": "1", "question": "Is there a dog?", "answer": "yes"}
    write(tmp_path, line(0, "Yes", doc=pope), name="pope.jsonl")
    assert len(read_answers(tmp_path)) == 2
    assert [answered.item.document for answered in read_answers(tmp_path, datasets=("pope",))] == ["pope-1"]
    with pytest.raises(TextsError, match="no answer of mme"):
        read_answers(tmp_path, datasets=("mme",))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("{", "2: not JSON in UTF-8"),
        ([1], "2: .* is not an object"),
        (line(0), "the question is answered at .*jsonl:1 too"),
        (line(1, doc_id=None), "field 'doc_id' = None"),
        (line(1, doc_id=-1), "field 'doc_id' = -1"),
        (line(1, doc="x"), "field 'doc' = 'x' must be the item"),
        (line(1, filtered_resps=["a", "b"]), "field 'filtered_resps' .* must be one text"),
        (line(1, filtered_resps={"a": 1}), "field 'filtered_resps' .* must be one text"),
        (line(1, doc={"id": "1", "question": "x"}), "field 'answer' = None must be text"),
    ],
)
def test_what_is_wrong_names_file_and_line(tmp_path: Path, row: Any, words: str) -> None:
    write(tmp_path, line(0), row)
    with pytest.raises(TextsError, match=words) as caught:
        read_answers(tmp_path)
    assert "20250101_samples_gqa.jsonl:2" in str(caught.value)


@pytest.mark.parametrize(
    ("method", "budget", "suffix"),
    [
        ("Downsample", "1", "full"),
        ("downsample", "3", "3x"),
        ("VisionZip", "0.1111", "full"),
        ("PruMerge+", "1", "full"),
    ],
)
def test_which_cases_a_budget_answers(method: str, budget: str, suffix: str) -> None:
    assert case_suffix(method, budget) == suffix


@pytest.mark.parametrize(
    ("method", "budget"), [("Downsample", "0.25"), ("Downsample", "0"), ("FastV", "3"), ("FastV", "x")]
)
def test_budgets_that_are_none(method: str, budget: str) -> None:
    with pytest.raises(TextsError, match="budget"):
        case_suffix(method, budget)


def test_folders_are_found_in_any_case(tmp_path: Path) -> None:
    folder = tmp_path / "Qwen2-VL" / "VisionZip" / "0.25"
    folder.mkdir(parents=True)
    assert budget_folder(tmp_path, "qwen2-vl", "visionzip", "0.25") == folder
    with pytest.raises(TextsError, match=r"has no '0\.5': choose one of 0\.25"):
        budget_folder(tmp_path, "Qwen2-VL", "VisionZip", "0.5")
    with pytest.raises(TextsError, match="has no 'x': choose one of no folder"):
        budget_folder(folder, "x", "y", "z")


def test_a_replay_has_a_line_for_every_question(tmp_path: Path) -> None:
    answers = read_answers(write(tmp_path, line(0), line(1, None)))
    wanted = {answered.item.id: "" for answered in answers} | {"gqa-9-q00000000": ""}
    rows, missing = replay_rows(answers, "2x", "m/Downsample", wanted)
    assert [row["text"] for row in rows] == ["red", None, None]
    assert missing == 2
    assert {row["model"] for row in rows} == {"m/Downsample"}
    assert all(row["case"].endswith("-2x") for row in rows)
    with pytest.raises(TextsError, match="is not in the manifest"):
        replay_rows(answers, "2x", "m", {})
