"""The reference illustrators (`models/illustrators.py`): what each writes, and what the judge makes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageStat

from pytest_vtcfaith.metrics.final_answers import answer_score
from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.metrics.steps import extract_solution
from pytest_vtcfaith.models.illustrators import ILLUSTRATORS, ReferenceIllustrator
from pytest_vtcfaith.models.judges.exact import judge_solution
from pytest_vtcfaith.models.registry import resolve
from pytest_vtcfaith.texts import read_manifest
from pytest_vtcfaith.texts.tasks.prompts import drawing_prompt, question_text

DATA = Path(__file__).resolve().parents[2] / "benchmark_cases" / "data"
ROWS = [row for _, row in read_manifest(DATA / "reasoning-en.jsonl").rows]
TASKS = [row for row in ROWS if row["kind"] != "rendering"]


def marks(name: str, row: dict[str, Any]) -> tuple[int, float, int]:
    """S_a, S_p and the number of steps of what an illustrator writes, were it read without a slip."""
    found = extract_solution(ILLUSTRATORS[name](row))
    answer, choices = row["answer"], {k: o["text"] for k, o in row["record"].get("options", {}).items()}
    score = answer_score(answer["kind"], answer["text"], found.answers, choices=choices or answer.get("choices", ()))
    verdicts = judge_solution(row["record"], question_text(row), found.steps)
    return score, sum(verdict.valid for verdict in verdicts), len(verdicts)


@pytest.mark.parametrize("row", TASKS, ids=[row["case"] for row in TASKS])
def test_each_does_what_its_name_says(row: dict[str, Any]) -> None:
    steps = len(row["steps"])
    assert marks("right", row) == (1, steps, steps)
    assert marks("wrong-answer-right-steps", row) == (0, steps, steps)
    assert marks("right-answer-wrong-steps", row) == (1, 0, steps)
    assert marks("repeats-question", row)[0] == 0
    assert marks("repeats-question", row)[1:] == (0, 0)


def test_pages_are_drawn_by_the_prompt() -> None:
    rows = [ROWS[0], TASKS[0], TASKS[-1]]
    prompts = [drawing_prompt(row) for row in rows]
    pages = ReferenceIllustrator("right", ROWS).draw(prompts)
    assert all(isinstance(page, Image.Image) and page.mode == "RGB" for page in pages)
    again = ReferenceIllustrator("right", rows).draw(prompts)
    assert [page.tobytes() for page in pages] == [page.tobytes() for page in again]  # type: ignore[union-attr]
    blurred = ReferenceIllustrator("illegible", rows).draw(prompts)
    for page, other in zip(pages, blurred, strict=True):
        assert ImageStat.Stat(other.convert("L")).stddev[0] < ImageStat.Stat(page.convert("L")).stddev[0] / 2  # type: ignore[union-attr]


def test_an_unknown_task_is_an_error_not_a_picture() -> None:
    (reply,) = ReferenceIllustrator("right", ROWS).draw(["Draw a cat."])
    assert isinstance(reply, Reply)
    assert reply.error is not None


def test_as_a_model() -> None:
    spec = resolve("illustrator:right")
    assert spec.languages == {"en"}
    assert spec.revision != ""
    assert resolve("illustrator:illegible").identity != spec.identity
    assert isinstance(spec.load(), ReferenceIllustrator)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("brilliant", {}, "reference illustrator 'brilliant' is unknown: choose one of right,"),
        ("right", {"colour": 1}, "unknown option 'colour'"),
        ("right", {"cases": "/nowhere"}, "no manifest of vtcfaith/reasoning lies there"),
    ],
)
def test_wrong_names_and_options(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        resolve("mine", {"mine": {"adapter": "illustrator", "model": name, **options}})


def test_two_rows_of_one_prompt() -> None:
    with pytest.raises(ValueError, match="have one prompt"):
        ReferenceIllustrator("right", [TASKS[0], dict(TASKS[0], case="other")])
