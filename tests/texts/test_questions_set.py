"""The embedded questions: enough of them, equal seeds equal bytes, and every answer stands on its page."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pytest_vtcfaith.metrics.answers import AnswerKey, is_right
from pytest_vtcfaith.pages.edits.design import Design, design_of
from pytest_vtcfaith.pages.edits.setting import set_page
from pytest_vtcfaith.suites import load_suite
from pytest_vtcfaith.suites.compression_cases import compression_cases
from pytest_vtcfaith.texts.bundled import bundled_folder
from pytest_vtcfaith.texts.errors import TextsError
from pytest_vtcfaith.texts.manifest import ManifestError, manifest_bytes
from pytest_vtcfaith.texts.questions.build import build_questions

DRAFT = build_questions()


def key_of(question: dict[str, Any]) -> AnswerKey:
    return AnswerKey(question["kind"], tuple(question["answers"]), tuple(question.get("options", ())))


def test_how_many_there_are() -> None:
    questions = [question for row in DRAFT.rows for question in row["questions"]]
    assert len(questions) == 176
    tasks = Counter(question["task"] for question in questions)
    assert tasks == {"read-value": 33, "compare": 22, "count": 22, "find-word": 55, "small-print": 44}
    assert Counter(question["kind"] for question in questions) == {
        "number": 66,
        "choice": 22,
        "exact": 66,
        "yes-no": 11,
        "contains": 11,
    }


def test_choices_and_yes_no_questions_have_both_answers() -> None:
    for kind in ("choice", "yes-no"):
        answers = Counter(q["answers"][0] for row in DRAFT.rows for q in row["questions"] if q["kind"] == kind)
        assert len(answers) == 2
        assert min(answers.values()) >= 3


def test_a_seed_draws_the_pages() -> None:
    name = Path("q.jsonl")
    assert manifest_bytes(name, DRAFT.header, DRAFT.rows) == manifest_bytes(name, DRAFT.header, build_questions().rows)
    assert build_questions(seed=1).rows != DRAFT.rows
    assert build_questions(pages=3).rows == [row for row in DRAFT.rows if int(row["document"][-2:]) <= 3]
    with pytest.raises(TextsError, match="at least 1"):
        build_questions(pages=0)


def solved(design: Design, question: str) -> str:
    """The answer by looking at the page's description, without any picture."""
    texts = {name: text.text for name, text in design.texts.items()}
    if "small print" in question:
        return re.findall(r"[A-Z]{2}-\d{4}|\d{4}", texts["small-print"])[-1]
    bars = {texts[f"name-{n}"]: texts[f"value-{n}"] for n in range(8) if f"name-{n}" in texts}
    if match := re.search(r"above the bar (.+)\?", question):
        return bars[match[1]]
    if match := re.search(r"bar is taller: A\. (.+) or B\. (.+)\? ", question):
        panels = dict(zip(bars, design.panels, strict=False))
        return "A" if panels[match[1]].height > panels[match[2]].height else "B"
    if "How many bars" in question:
        return str(len(bars))
    cells = [[cell.text for cell in row] for table in design.tables.values() for row in table.rows]
    rows = {row[0]: dict(zip(cells[0], row, strict=True)) for row in cells}
    if match := re.search(r"column (.+) of the row (.+)\?", question):
        return rows[match[2]][match[1]]
    if match := re.search(r"column Sacks: A\. (.+) or B\. (.+)\? ", question):
        return "A" if int(rows[match[1]]["Sacks"]) > int(rows[match[2]]["Sacks"]) else "B"
    words = {tuple(map(int, n.split("-")[1:])): t for n, t in texts.items() if n.startswith("word-")}
    if match := re.search(r"right of the word (.+)\?", question):
        ((row, column),) = [place for place, word in words.items() if word == match[1]]
        return words[row, column + 1]
    if match := re.search(r"Is the word (.+) in the list", question):
        return "yes" if match[1] in words.values() else "no"
    if "rows of words" in question:
        return str(len({row for row, _ in words}))
    for pattern, asked in ((r"Signed by (.+)", "signed"), (r"pays (\d+)", "pence"), (r"at the (\w+)", "gate")):
        if asked in question:
            return next(m[1] for text in texts.values() if (m := re.search(pattern, text)))
    raise AssertionError(question)


@pytest.mark.parametrize("row", DRAFT.rows, ids=lambda row: row["document"])
def test_every_answer_is_right_by_the_page_itself(row: dict[str, Any]) -> None:
    design = design_of(row["page"])
    set_page(design, "en")  # everything fits
    for question in row["questions"]:
        assert is_right(key_of(question), solved(design, question["question"])), question


def test_both_groups_are_populated_at_every_factor() -> None:
    """By the frozen groups of RapidOCR with rules: a fifth of the questions at least on either side."""
    cases = compression_cases(None)
    for factor in (2, 3, 4):
        own = [case for case in cases if case.params["factor"] == factor]
        sizes = Counter(part.rpartition("/")[2] for case in own for part in case.parts)
        assert sizes["difficult"] + sizes["simple"] == len(own) == 176
        assert min(sizes["difficult"], sizes["simple"]) >= 35, sizes


def test_the_bundled_groups_go_with_the_bundled_manifest() -> None:
    assert len(load_suite("compression").cases()) == 704
    assert (bundled_folder() / "data" / "compression.groups.json").is_file()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"document": "Q 1"}, "must be an ASCII slug"),
        ({"lang": "fr"}, "lang"),
        ({"questions": []}, "questions"),
        ({"questions": [{**DRAFT.rows[0]["questions"][0]}] * 2}, "different names"),
        ({"questions": [{**DRAFT.rows[0]["questions"][0], "answers": []}]}, "at least one text"),
        ({"questions": [{**DRAFT.rows[0]["questions"][0], "kind": "fuzzy"}]}, "kind"),
        ({"questions": [{**DRAFT.rows[0]["questions"][0], "task": "difficult"}]}, "is the name of a group"),
        ({"picture": "x.png", "picture_sha256": "0" * 64}, "exclude each other"),
        ({"page": None, "picture": "x.png"}, "belong together"),
        ({"page": None, "picture": "../x.png", "picture_sha256": "0" * 64}, "inside the manifest's folder"),
        ({"page": {"width": 3}}, "no page of this release"),
        ({"more": 1}, "unknown"),
    ],
)
def test_a_wrong_row_is_named(change: dict[str, Any], words: str) -> None:
    row = {key: value for key, value in {**DRAFT.rows[0], **change}.items() if value is not None}
    with pytest.raises(ManifestError, match=words):
        manifest_bytes(Path("q.jsonl"), DRAFT.header, [row])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"factors": []}, "factors"),
        ({"factors": [1]}, "factors"),
        ({"factors": [2, 2]}, "twice"),
        ({"resampler": "box"}, "bicubic"),
    ],
)
def test_a_wrong_header_is_named(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ManifestError, match=words):
        manifest_bytes(Path("q.jsonl"), {**DRAFT.header, **change}, DRAFT.rows)
