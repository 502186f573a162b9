"""The embedded reasoning tasks (`texts/tasks/`): that they are complete, unambiguous and say what their records say."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pytest_vtcfaith.metrics.final_answers import answer_score
from pytest_vtcfaith.metrics.steps import extract_solution
from pytest_vtcfaith.texts import ManifestError, TextsError, read_manifest, write_manifest
from pytest_vtcfaith.texts.tasks.build import build_tasks
from pytest_vtcfaith.texts.tasks.facts import TABLES
from pytest_vtcfaith.texts.tasks.prompts import drawing_prompt, question_text, solution_text

ROOT = Path(__file__).resolve().parents[2]
TEXTS = ROOT / "benchmark_cases" / "data" / "texts" / "en"
ROWS = [row for _, row in read_manifest(ROOT / "benchmark_cases" / "data" / "reasoning-en.jsonl").rows]
TASKS = [row for row in ROWS if row["kind"] != "rendering"]


def test_there_are_enough_of_each_kind() -> None:
    kinds = Counter(row["kind"] for row in ROWS)
    assert all(kinds[kind] >= 40 for kind in ("facts", "long-context", "mathematics"))
    assert Counter(row["level"] for row in TASKS if row["kind"] == "mathematics") == dict.fromkeys(range(1, 6), 8)
    assert Counter(row["words"] for row in ROWS if row["kind"] == "rendering") == dict.fromkeys((64, 128, 256, 512), 4)
    skills = Counter(row["skill"] for row in TASKS if row["kind"] == "long-context")
    assert skills == dict.fromkeys(("counting", "coreference", "addition"), 14)


def test_no_two_rows_ask_the_same() -> None:
    assert len({drawing_prompt(row) for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", TASKS, ids=[row["case"] for row in TASKS])
def test_the_solution_can_be_read_back_and_answers_the_question(row: dict[str, Any]) -> None:
    found = extract_solution(solution_text(row))
    assert list(found.steps) == [step["text"] for step in row["steps"]]
    choices = {letter: option["text"] for letter, option in row["record"].get("options", {}).items()}
    answer = row["answer"]
    score = answer_score(answer["kind"], answer["text"], found.answers, choices=choices or answer.get("choices", ()))
    assert score == 1
    assert all(step.get("relations") or step.get("facts") for step in row["steps"])


def test_facts_explain_every_option() -> None:
    for row in TASKS:
        if row["kind"] == "facts":
            assert [step["text"][7] for step in row["steps"]] == list(row["record"]["options"])
            right = [letter for letter, option in row["record"]["options"].items() if option["right"]]
            assert right == [row["answer"]["text"]]


def test_a_subject_stands_once_in_its_table() -> None:
    for table in TABLES:
        subjects = [subject for found in table.values.values() for subject in found]
        assert len(set(subjects)) == len(subjects)


def test_answers_about_passages_are_counted_anew() -> None:
    """The answer follows from the passage's own sentences, read by other rules than those that made them."""
    for row in TASKS:
        if row["kind"] != "long-context":
            continue
        text, question, answer = row["context"], row["question"], row["answer"]["text"]
        if row["skill"] == "counting":
            done, kind = re.search(r"six people (\w+) (\w+)\?", question).groups()  # type: ignore[union-attr]
            assert len(re.findall(rf"\b[A-Z]\w+ {done} {kind}\.", text)) == int(answer)
        elif row["skill"] == "addition":
            names = re.search(r"did (\w+) and (\w+) ", question).groups()  # type: ignore[union-attr]
            numbers = [int(re.search(rf"By evening {name} had \w+ (\d+)", text)[1]) for name in names]  # type: ignore[index]
            assert sum(numbers) == int(answer)
        else:
            thing = re.search(r"took the (\w+)\?", question)[1]  # type: ignore[index]
            woman, man = re.search(r"(\w+) came together with (\w+)\.", text).groups()  # type: ignore[union-attr]
            assert answer == (woman if f"She took the {thing}" in text else man)


def test_another_seed_makes_other_tasks() -> None:
    first, second = (build_tasks(TEXTS, seed=seed) for seed in (1, 2))
    assert first.rows == build_tasks(TEXTS, seed=1).rows
    assert [question_text(r) for r in first.rows[16:]] != [question_text(r) for r in second.rows[16:]]


def test_too_few_long_texts(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("word " * 600, encoding="utf-8")
    with pytest.raises(TextsError, match="1 texts have 512 words or more"):
        build_tasks(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"answer": {"kind": "choice", "text": "Z"}}, "must be the only option that is right"),
        ({"level": 3}, "only mathematics has a level"),
        ({"question": None}, "needs question and answer"),
        ({"steps": [{"text": "a", "relations": ["1 + 1 = 2"]}]}, "does not stand in the step's text"),
        ({"steps": [{"text": "a", "facts": [["x", "y", "z"]]}]}, "the record lacks the fact"),
        ({"kind": "rendering"}, "needs words and text"),
        ({"kind": "rendering", "words": 64, "text": "too short"}, "text has 2 words, not 64"),
    ],
)
def test_wrong_rows_are_refused(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    draft = build_tasks(TEXTS)
    row = next(row for row in draft.rows if row["kind"] == "facts") | change
    with pytest.raises(ManifestError, match=message):
        write_manifest(tmp_path / "m.jsonl", draft.header, [row])
