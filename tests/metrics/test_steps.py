"""Steps and answers taken out of what an OCR engine read (`metrics/steps.py`)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.metrics.steps import extract_solution, process_score, reading_agreement

VOCABULARY = ("the", "count", "is", "now", "12", "+", "7", "=", "19", "so", "Anna", "has", "three", "plums", "left")
WORDS = st.lists(
    st.sampled_from(VOCABULARY),
    min_size=1,
)
LINES = WORDS.map(" ".join)


@pytest.mark.parametrize(
    ("text", "steps", "answers"),
    [
        ("Step 1: a b\nStep 2: c\nAnswer: 19", ["a b", "c"], ["19"]),
        ("Solution\nStep 1: a\nb c\nStep 2: d\nAnswer: C.", ["a b c", "d"], ["C"]),
        ("1. a\n2. b\n3) c\nThe answer is 7.", ["a", "b", "c"], ["7"]),
        ("(1) a\n(2) b\nFinal answer: 3/4", ["a", "b"], ["3/4"]),
        ("5tep 1: a\nStep l: b\nSTEP 3 - c\nAn5w3r; 4", ["a", "b", "c"], ["4"]),
        ("Step1:a\n**Step 2:** b\n- Step 3: c\n**Answer:** 4", ["a", "b", "c"], ["4"]),
        ("Step 1: 2 + 2 = 4. Step 2: 4 + 1 = 5. Answer: 5", ["2 + 2 = 4.", "4 + 1 = 5."], ["5"]),
        ("Step 1: from Step 3, a\nStep 2: b", ["from Step 3, a", "b"], []),
        ("Step 1: a\nAnswer:\n12", ["a"], ["12"]),
        ("Step 1: a\nAnswer: 12\nAnswer: 13", ["a"], ["12", "13"]),
        ("Step 1: a\nAnswer: 12\nthank you", ["a"], ["12"]),
        ("Step 1:\nStep 2: b", ["", "b"], []),
        ("Step 1: a\nStep 1: a\nStep 1: a", ["a", "a", "a"], []),
        ("How many answers are there? 12", [], []),
        ("Step 1: the answer to it is near, 12 apples", ["the answer to it is near, 12 apples"], []),
        ("Step 1: a\nSo the answer is 7.", ["a"], ["7"]),
        ("", [], []),
    ],
)
def test_extract_solution(text: str, steps: list[str], answers: list[str]) -> None:
    found = extract_solution(text)
    assert (list(found.steps), list(found.answers)) == (steps, answers)


@given(st.lists(LINES, max_size=6), st.sampled_from(["C", "19", "Anna", "3/4"]), st.sampled_from(["Step {}: ", "{}. "]))
def test_what_is_written_comes_back(steps: list[str], answer: str, marker: str) -> None:
    text = "\n".join([*(marker.format(n) + step for n, step in enumerate(steps, 1)), f"Answer: {answer}"])
    found = extract_solution(text)
    assert list(found.steps) == steps
    assert found.answers == (answer,)


@given(st.text(max_size=300))
def test_any_text_is_taken(text: str) -> None:
    extract_solution(text)


def test_process_score() -> None:
    assert process_score([]) == 0.0
    assert process_score([True, False, True, True]) == 0.75


@pytest.mark.parametrize(
    ("first", "second", "clear", "all_clear"),
    [("ab cd", "abcd", 1.0, 1), ("abcd", "abxd", 0.75, 0), ("", "", 0.0, 0), ("abcd", "", 0.0, 0)],
)
def test_reading_agreement(first: str, second: str, clear: float, all_clear: int) -> None:
    assert reading_agreement(first, second) == (clear, all_clear)
    assert reading_agreement(second, first) == (clear, all_clear)
