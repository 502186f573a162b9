"""The exact judge (`models/judges/exact.py`) on generated solutions, valid and corrupted."""

from __future__ import annotations

import re
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
                denied = re.search(r"(\w[\w ]*), not (\w[\w ]*)", wrong)
                assert denied is None or not denied[1].endswith(denied[2]), wrong  # "rowing, not rowing"
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
        ("A bat cannot be a bird.", True, True),
        ("A bat isn’t a bird.", True, True),
        ("It is false that a bat is a bird.", False, False),
        ("It is not false that a bat is a bird.", False, False),
        ("A bat is hardly a bird.", False, False),
        ("Nobody thinks a bat is a bird.", False, False),
        ("A bat might be a mammal.", False, False),
        ("Unlike a bird, a bat is a mammal.", False, False),
        ("Option A cannot be right.", True, True),
        ("Option B cannot be right.", False, True),
        ("Option A is far from right.", False, False),
        ("Perhaps option B is right.", False, False),
        ("A bat is a mammal and √144 = 12.", False, False),
        ("A bat is a mammal. It is false that 12 + 15 = 27.", False, False),
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


@pytest.mark.parametrize(
    "step", ["2 > 1", "100 > 10", "1 + 1 = 2", "0^0 = 1", "10 × 10 = 100", "S(12) = 12", "12 = 12"]
)
def test_a_calculation_has_a_number_of_the_task(step: str) -> None:
    verdict = judge_step({}, "12 apples and 30 pears", [], step)
    assert (verdict.valid, verdict.decided) == (False, False)
    assert not judge_step({}, "12 apples and 30 pears", ["2 > 1", step], step).valid


def test_a_number_of_the_task_may_be_a_small_one() -> None:
    assert judge_step({}, "1 apple and 2 pears", [], "1 + 2 = 3").valid
    assert judge_step({"constants": ["100"]}, "", [], "100 > 10").valid


@pytest.mark.parametrize(
    "step",
    [
        "12 + 30 = 42²", "½ × 12 = 6", "½ of 12 = 6", "√144 = 12", "sqrt(144) = 12", "12 mod 5 = 2", "⅓ × 30 = 10",
        "12e3 = 12000", "1_2 + 30 = 42", "0x0C + 30 = 42", "half of 12 = 6", "twice 12 = 24", "12 : 5 = 2.4",
        "12 and 30 = 42", "12 multiplied by 30 = 360", "12 ÷ 5 = 2 remainder 2", "12 + 30 = 42 thousand",
        "12 + 30 = 42,0", "12 + 30 = 42 =", "12 + 30 = 42!", "12 kg + 30 kg = 42 g", "12 apples + 30 apples = 42 pears",
        "12 apples + 30 pears = 42 apples", "€12 + $30 = €42", "the square root of 144 = 12", "12 => 30", "Ⅻ + 30 = 42",
        "It is false that 12 + 30 = 42.", "It is not true that 12 + 30 = 43.", "12 + 30 = 43 is wrong.",
        "12 + 30 = 42. This is wrong: 12 + 30 = 43.", "Suppose 12 + 30 = 43.", "Perhaps 12 + 30 = 42.",
        "12 + 30 = 42 would be too much", "I doubt that 12 + 30 = 42", "12 × 30 is never 12 + 30 = 42",
    ],
)  # fmt: skip
def test_what_is_not_understood_is_not_decided(step: str) -> None:
    verdict = judge_step({}, "A farmer has 12 apples and buys 30 more at 5 euros.", [], step)
    assert (verdict.valid, verdict.decided) == (False, False), verdict


@pytest.mark.parametrize(
    "step",
    [
        "12⁄30 = 0.4", "12∕30 = 0.4", "(12 + 30 = 42)", "**12 + 30 = 42**", "– 12 + 30 = 42.", "So far 12 + 30 = 42",
        "Adding gives 12 + 30 = 42 apples in all.", "12 apples + 1 apple = 13 apples", "total = 12 + 30 = 42",
        "12 kg + 30 kg = 42 kg", "€12 + €30 = €42", "12 boxes + 1 box = 13 boxes", "We have 30 > 12, so 30 − 12 = 18.",
        "12 + 30 = 42 and 42 + 5 = 47", "$12 + $30 = $42 altogether", "12 red apples + 30 red apples = 42 apples",
    ],
)  # fmt: skip
def test_what_is_understood_is_decided(step: str) -> None:
    assert judge_step({}, "A farmer has 12 apples and buys 30 more at 5 euros.", [], step).valid


BEASTS = {
    "facts": {
        "class": {
            "subjects": {
                "an eagle": ["a bird"], "a beetle": ["an insect"], "a trout": ["a fish"], "a bee": ["an insect"],
            },
            "values": ["a bird", "an insect", "a fish"],
        },
        "brought": {
            "subjects": {"Tom": ["soup"], "Edith": ["cheese"], "Paul": ["soup"]},
            "values": ["soup", "cheese", "bread"],
        },
    },
    "options": {
        "A": {"text": "a beetle", "right": False},
        "B": {"text": "a trout", "right": False},
        "C": {"text": "a bee", "right": False},
        "D": {"text": "an eagle", "right": True},
    },
}  # fmt: skip
FARM = "A farmer has 12 apples and buys 30 more. There are 45 and 33 books, 2 boxes, 3 trays, 80 jars and 24 eggs."


@pytest.mark.parametrize(
    "step",
    [
        "45 + 33 = 78, so there are 80 books.", "12+30=42, so the answer is 43.",
        "Tom brought soup, so the count is 2.",
        "An eagle is a bird, so the answer is A.", "12 + 30 = 42 which is less than 12",
        "45 + 33 = 78, so there are eighty books.", "An eagle is a bird, so the answer is a beetle.",
        "12 + 30 = 42, which is an odd number.", "12 + 30 = 42. He has 43 apples.", "12 + 30 = 42, more than 50.",
        "An eagle is a bird, so choose option B.", "Tom brought soup 3 times.",
        "45 + 33 = 78 and the total is less than 78", "An eagle is a bird, so the answer is A or D.",
        "Options A, B and D are wrong.", "A, B, and D are wrong.", "(A), (B) and (D) are wrong.", "D and A are right.",
        "Options A & D are wrong.", "Option A is wrong. The others are wrong.", "A or D is right.",
        "A is wrong. So are B and D.", "The answer: B. An eagle is a bird.", "An eagle is a bird, therefore B.",
        "An eagle is a bird. Answer B", "12 + 30 = 42, making forty-three.", "12 + 30 = 42 i.e. forty-three",
        "Only an eagle is a bird.", "A beetle is an insect too.", "An eagle is also a bird.", "Tom did bring soup.",
        "Edith and Tom brought cheese.", "Tom brought soup or bread.",
    ],
)  # fmt: skip
def test_a_right_claim_beside_an_unchecked_or_false_one_is_not_valid(step: str) -> None:
    assert not judge_step(BEASTS, FARM, [], step).valid


@pytest.mark.parametrize(
    "step",
    [
        "45 + 33 = 78, so there are 78 books.", "12+30=42, so the answer is 42.", "Step 3: 12 + 30 = 42.",
        "42 = 12 + 30", "42 = 12 + 30, so there are 42 apples.", "Options A, B and C are wrong.", "Option D is right.",
        "A, B and C are wrong, so D is right.", "Tom brought no cheese or bread.", "Tom and Paul brought soup.",
        "Tom brought neither very good cheese nor fresh bread.", "25% of 80 = 20, so 20 jars are left.",
        "Tom brought soup, so the count is 0 + 1 = 1.", "Beetles are insects.", "An eagle is a big bird.",
        "An eagle is a bird, so the answer is D.", "Option D: an eagle is a bird.",
        "A is wrong, B is wrong and D is right.",
    ],
)  # fmt: skip
def test_a_right_step_with_a_checked_conclusion_is_valid(step: str) -> None:
    question = f"{FARM} Tom brings 0 or 1 jars, 25% of them."
    assert judge_step(BEASTS, question, [], step).valid, judge_step(BEASTS, question, [], step)


@pytest.mark.parametrize(
    "step",
    [
        "42 = 12 + 30", "Tom did not bring cheese or bread.", "An eagle, unlike a beetle, is not an insect.",
        "An eagle eats fish and is a bird.", "Edith came with Tom and brought cheese.", "2 dozen eggs = 24 eggs",
        "3 thousand + 2 = 3002", "80 - 25% = 60", "80 jars − 25% = 60 jars", "An eagle likes fish.",
        "An eagle is an insect eater.",
    ],
)  # fmt: skip
def test_a_true_step_is_never_judged_wrong(step: str) -> None:
    verdict = judge_step(BEASTS, FARM, [], step)
    assert verdict.valid or not verdict.decided, verdict


@pytest.mark.parametrize(
    "step", ["43 = 12 + 30", "Options A, B and C are right.", "Tom brought no soup or bread.", "An eagle is an insect."]
)
def test_a_false_step_is_judged_wrong(step: str) -> None:
    verdict = judge_step(BEASTS, FARM, [], step)
    assert (verdict.valid, verdict.decided) == (False, True), verdict


@settings(max_examples=150, deadline=None)
@given(
    st.integers(3, 99),
    st.integers(3, 99),
    st.integers(-3, 3),
    st.sampled_from(["√", "½", "²", "∛", "∑", "π", "|", "_", "\\", "°", "‰", "mod ", "half ", "twice ", "sqrt", "∞"]),
    st.booleans(),
)
def test_a_sign_beside_an_equation_is_never_passed_over(one: int, two: int, off: int, sign: str, behind: bool) -> None:
    equation = f"{one} + {two} = {one + two + off}"
    step = f"{equation} {sign}" if behind else f"{sign}{equation}"
    verdict = judge_step({}, f"{one} and {two}", [], step)
    assert not verdict.decided, (step, verdict)


def test_a_wrong_step_does_not_spoil_the_next() -> None:
    verdicts = judge_solution({}, "12 and 15", ["12 + 15 = 28", "28 × 2 = 56"])
    assert [verdict.valid for verdict in verdicts] == [False, True]


def test_the_reason_is_the_claim_that_is_false() -> None:
    assert judge_step(ANIMALS, "", [], "a bat is a bird").reason == "a bat: a bird"
    assert judge_step({}, "12 and 15", [], "So 12 + 15 = 28.").reason == "12 + 15 = 28"
