"""The exact judge (`models/judges/exact.py`) on generated solutions, valid and corrupted."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vtcfaith.models.judges.exact import judge_solution, judge_step
from pytest_vtcfaith.texts.tasks.corrupt import corrupted, faults_of
from pytest_vtcfaith.texts.tasks.facts import draw_of, fact_tasks
from pytest_vtcfaith.texts.tasks.long_context import long_context_tasks
from pytest_vtcfaith.texts.tasks.mathematics import mathematics_tasks
from pytest_vtcfaith.texts.tasks.prompts import question_text


def tasks(seed: int) -> list[dict[str, Any]]:
    draws = draw_of(seed)
    return [*fact_tasks(draws, 4), *long_context_tasks(draws), *mathematics_tasks(draws, 8)]


@settings(max_examples=6, deadline=None)
@given(st.integers(1, 10**6))
def test_no_error_on_valid_and_corrupted_steps(seed: int) -> None:
    """Every step of about 120 new tasks, and every step with every fault it can have: over 1,000 verdicts a seed."""
    count = 0
    for row in tasks(seed):
        question, texts = question_text(row), [step["text"] for step in row["steps"]]
        for number, step in enumerate(row["steps"]):
            verdict = judge_step(row["record"], question, texts[:number], step["text"])
            assert verdict.valid, (row["case"], step["text"], verdict)
            count += 1
            for fault in faults_of(step):
                wrong = corrupted(step, row["record"], fault, Random(seed + number).random)
                verdict = judge_step(row["record"], question, texts[:number], wrong)
                assert not verdict.valid, (row["case"], fault, wrong)
                assert verdict.decided, (row["case"], fault, wrong)
                count += 1
    assert count > 1000


ANIMALS = {
    "facts": {
        "class": {
            "subjects": {"a salmon": ["a fish"], "a bat": ["a mammal"], "Ben": []},
            "values": ["a fish", "a mammal", "a bird", "a flying fish"],
        },
        "number": {"subjects": {"Ben": ["12"]}, "values": ["12", "15"], "numeric": True},
    },
    "options": {"A": {"text": "a salmon", "right": False}, "B": {"text": "a bat", "right": True}},
}


@pytest.mark.parametrize(
    ("step", "valid", "decided"),
    [
        ("a salmon is a fish", True, True),
        ("A salmon is a fish, not a mammal.", True, True),
        ("A salmon is a fish and it is no mammal.", True, True),
        ("Salmons are fish.", True, True),
        ("A sa1mon is a fish.", False, False),  # too far from the name to be sure
        ("A salrnon is a fish.", False, False),
        ("A salmom is a fish.", True, True),  # one slip in a long word
        ("A salmon is a mammal.", False, True),
        ("A salmon is not a fish.", False, True),
        ("A salmon is a flying fish.", False, True),
        ("A bat is a mammal, so B is right.", True, True),
        ("A bat is a mammal, so B is wrong.", False, True),
        ("Option A: a salmon is a fish, so A is incorrect.", True, True),
        ("Option A is not correct.", True, True),
        ("Option A is correct.", False, True),
        ("Ben picked 12 apples.", True, True),
        ("Ben picked 15 apples.", False, True),
        ("Ben is a fish.", False, True),
        ("Let us think about it.", False, False),
        ("", False, False),
        ("A bat is a mammal and 12 + 15 = 28.", False, True),
        ("A bat is a mammal and 12 + + = 28.", False, False),
        ("x" * 5000, False, False),
    ],
)
def test_claims(step: str, valid: bool, decided: bool) -> None:
    verdict = judge_step(ANIMALS, "Ben picked 12 apples and 15 pears.", [], step)
    assert (verdict.valid, verdict.decided) == (valid, decided), verdict


@pytest.mark.parametrize(
    ("step", "valid"),
    [
        ("12 + 15 = 27", True),
        ("12 × 2 = 24", True),  # 2 needs no source
        ("13 + 15 = 28", False),  # right, but 13 comes from nowhere
        ("24 + 15 = 39", True),  # 24 comes from the step before
        ("27 = 27", False),  # says nothing
        ("12 + 15 = 27 = 12 + 15", True),
    ],
)
def test_calculations_set_out_from_known_numbers(step: str, valid: bool) -> None:
    assert judge_step({}, "12 apples and 15 pears", ["2 × 12 = 24"], step).valid is valid


def test_a_wrong_step_does_not_spoil_the_next() -> None:
    verdicts = judge_solution({}, "12 and 15", ["12 + 15 = 28", "28 × 2 = 56"])
    assert [verdict.valid for verdict in verdicts] == [False, True]


def test_the_reason_is_the_claim_that_is_false() -> None:
    assert judge_step(ANIMALS, "", [], "a bat is a bird").reason == "a bat: a bird"
    assert judge_step({}, "12 and 15", [], "So 12 + 15 = 28.").reason == "12 + 15 = 28"
