"""Items of published question sets: every format once, and every inconsistency an error that names place and field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from pytest_vtcfaith.metrics.answers import AnswerKey
from pytest_vtcfaith.pages.questions.reduced import question_page
from pytest_vtcfaith.texts.errors import TextsError
from pytest_vtcfaith.texts.manifest import read_manifest, write_manifest
from pytest_vtcfaith.texts.questions.items import item_of
from pytest_vtcfaith.texts.questions.published import read_questions

MMSTAR = {
    "index": 7,
    "question": "Which is it?\nOptions: A: a red cat, B: two dogs, large, C: none, D: 3",
    "answer": "B",
}
MMBENCH = {
    "index": 12,
    "question": "Which?",
    "hint": "nan",
    "A": "ox",
    "B": "cow",
    "C": None,
    "D": "nan",
    "answer": "A",
}
MME = {"question_id": "code/0020.png", "question": "Is it 7? Please answer yes or no.", "answer": "Yes"}
POPE = {"id": "3", "question_id": "1", "question": "Is there a dog?", "answer": "no", "category": "random"}
OCRBENCH = {"question": "What is written?", "answer": ["CENTRE", "center"], "question_type": "Regular Text"}
CHARTQA = {"question": "How many?", "answer": ["14"], "type": "human_test"}
GQA = {"id": "201", "question": "What color?", "answer": "dark blue"}


@pytest.mark.parametrize(
    ("dataset", "fields", "document", "key"),
    [
        ("mmstar", MMSTAR, "mmstar-7", AnswerKey("choice", ("B",), ("a red cat", "two dogs, large", "none", "3"))),
        ("mmbench_en_dev", MMBENCH, "mmbench_en_dev", AnswerKey("choice", ("A",), ("ox", "cow"))),
        ("mme", MME, "mme-code-0020-png", AnswerKey("yes-no", ("yes",))),
        ("pope", POPE, "pope-3", AnswerKey("yes-no", ("no",))),
        ("ocrbench", OCRBENCH, "ocrbench-5", AnswerKey("contains", ("CENTRE", "center"))),
        ("chartqa", CHARTQA, "chartqa-5", AnswerKey("number", ("14",), tolerance=0.05)),
        ("chartqa", {**CHARTQA, "answer": "25.5%"}, "chartqa-5", AnswerKey("number", ("25.5%",), tolerance=0.05)),
        ("chartqa", {**CHARTQA, "answer": "Q3 2014"}, "chartqa-5", AnswerKey("exact", ("Q3 2014",))),
        ("gqa", GQA, "gqa-201", AnswerKey("exact", ("dark blue",))),
    ],
)
def test_a_format(dataset: str, fields: dict[str, Any], document: str, key: AnswerKey) -> None:
    item = item_of(dataset, fields, 5, "f.jsonl:6")
    assert item.key == key
    assert item.document.replace("-", "").startswith(document.replace("_", "").replace("-", ""))
    assert item.name[0] == "q"
    assert len(item.name) == 9
    assert fields["question"] in item.question


def test_options_of_mmbench_are_asked_too() -> None:
    item = item_of("mmbench", {**MMBENCH, "hint": "Look."}, 0, "p")
    assert item.question == "Look.\nWhich?\nA. ox\nB. cow"
    assert item.row()["options"] == ["ox", "cow"]


def test_pope_without_an_id_of_its_own() -> None:
    fields = {key: value for key, value in POPE.items() if key != "id"}
    assert item_of("pope", fields, 0, "p").document == "pope-random-1"


@pytest.mark.parametrize(
    ("dataset", "fields", "words"),
    [
        ("gqa", {**GQA, "answer": None}, "field 'answer' = None must be text"),
        ("gqa", {**GQA, "question": " "}, "field 'question' = ' ' must be text"),
        ("gqa", {"question": "x", "answer": "y"}, "field 'id or question_id' = None"),
        ("mme", {**MME, "answer": "maybe"}, "field 'answer' = 'maybe' must be yes or no"),
        ("mmstar", {**MMSTAR, "question": "Which?"}, "must have options A to D"),
        ("mmstar", {**MMSTAR, "question": "Which?\nOptions: A: x, C: y"}, "must have options A to D"),
        ("mmstar", {**MMSTAR, "answer": "E"}, "field 'answer' = 'E' is no key"),
        ("mmbench", {**MMBENCH, "B": None}, "field 'A to D'"),
        ("mmbench", {**MMBENCH, "C": None, "D": "x"}, "without a gap"),
        ("ocrbench", {**OCRBENCH, "answer": []}, "must be a text or a list of texts"),
        ("ocrbench", {**OCRBENCH, "answer": ["a", 3]}, "must be a text or a list of texts"),
        ("docvqa", GQA, "data set 'docvqa' is unknown"),
        ("mmerealworld", GQA, "data set 'mmerealworld' is unknown"),
    ],
)
def test_what_is_wrong_is_named(dataset: str, fields: dict[str, Any], words: str) -> None:
    with pytest.raises(TextsError, match=words) as caught:
        item_of(dataset, fields, 0, "f.jsonl:6")
    assert "is unknown" in words or str(caught.value).startswith("f.jsonl:6: ")


@pytest.fixture
def items(tmp_path: Path) -> Path:
    folder = tmp_path / "gqa"
    folder.mkdir()
    for number in (1, 2):
        Image.new("RGB", (40, 20), (number, 0, 0)).save(folder / f"{number}.png")
    rows = [{**GQA, "id": str(number), "image": f"{number}.png"} for number in (1, 2)]
    rows += [{**GQA, "id": "1", "question": "What else?", "image": "1.png"}, {**GQA, "id": "9"}]
    (folder / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def test_a_manifest_of_items_has_their_pictures(items: Path, tmp_path: Path) -> None:
    out = tmp_path / "cases"
    draft = read_questions(str(items), "gqa", factors=(2,), licence="CC", lang="en", folder=out)
    write_manifest(out / "gqa.jsonl", draft.header, draft.rows)
    rows = [row for _, row in read_manifest(out / "gqa.jsonl").rows]
    assert [(row["document"], len(row["questions"])) for row in rows] == [("gqa-1", 2), ("gqa-2", 1), ("gqa-9", 1)]
    assert question_page(rows[1], out, 2).image.size == (20, 10)
    assert "picture" not in rows[2]
    assert draft.notes == ("gqa-9: no picture, its answers can only be replayed",)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({**GQA, "id": "1", "image": "1.png"}, "the same question of 'gqa-1' is at"),
        ({**GQA, "id": "1", "question": "More?", "image": "2.png"}, "'gqa-1' has another picture than before"),
        ({**GQA, "id": "5", "image": "../secret.png"}, "leads out of"),
        ({**GQA, "id": "5", "image": "none.png"}, "cannot be read"),
        ({**GQA, "id": "5", "image": 7}, "must be a path"),
        ({**GQA, "id": "5", "image": "items.jsonl"}, "is no picture: give PNG"),
    ],
)
def test_inconsistent_items(items: Path, tmp_path: Path, row: dict[str, Any], words: str) -> None:
    with (items / "items.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
    with pytest.raises(TextsError, match=words):
        read_questions(str(items), "gqa", factors=(2,), licence="CC", lang="en", folder=tmp_path / "out")


def test_a_set_of_the_hub(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    rows = {"id": ["1"], "question": ["What color?"], "answer": ["red"], "image": [Image.new("RGB", (9, 7), "red")]}
    datasets.Dataset.from_dict(rows).to_parquet(str(tmp_path / "set" / "train.parquet"))
    draft = read_questions(f"hf:{tmp_path / 'set'}", "gqa", factors=(2,), licence="x", lang="en", folder=tmp_path / "o")
    assert question_page(draft.rows[0], tmp_path / "o", 1).image.size == (9, 7)
