"""Final answers (`metrics/final_answers.py`)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pytest_vtcfaith.metrics.final_answers import answer_score, choice_in, number_in

OPTIONS = {"A": "a salmon", "B": "a bat", "C": "an eagle", "D": "a frog"}
NAMES = ["Anna", "Ben", "Annabel"]


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("B", "B"), ("b", "B"), ("(B)", "B"), ("B.", "B"), ("B: a bat", "B"), ("Option B", "B"), ("B a bat", "B"),
        ("a bat", "B"), ("A bat", "B"), ("a salmon", "A"), ("A", "A"), ("A. a salmon", "A"), ("a whale", None),
        ("E", None), ("", None), ("B or C", None), ("Bat", None), ("neither", None),
        ("[B]", "B"), ("\\boxed{B}", "B"), ("Option (B)", "B"), ("B, or C", None), ("B because", None), ("B?", None),
        ("B: I do not know", None), ("not B", None),
    ],
)  # fmt: skip
def test_choice(text: str, letter: str | None) -> None:
    assert choice_in(text, OPTIONS) == letter


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", Fraction(12)), ("n = 4", Fraction(4)), ("12 apples", Fraction(12)), ("$1,250.50", Fraction(2501, 2)),
        ("3/4", Fraction(3, 4)), ("-3", Fraction(-3)), ("− 3", Fraction(-3)), ("12 or 13", None), ("", None),
        ("twelve", None), ("1/0", None), ("9" * 50, None), ("12.", Fraction(12)),
        ("12 thousand", None), ("12k", None), ("12²", None), ("not 12", None), ("minus 12", None),
        ("more than 12", None),
        ("12 pears", None), ("It is 12.", Fraction(12)), ("12%", Fraction(12)), ("perhaps 12", None), ("2 × 6", None),
    ],
)  # fmt: skip
def test_number(text: str, number: Fraction | None) -> None:
    assert number_in(text, units={"apples"}) == number


@pytest.mark.parametrize(
    ("kind", "expected", "given", "score"),
    [
        ("choice", "B", ["B"], 1),
        ("choice", "B", ["a bat"], 1),
        ("choice", "B", ["C"], 0),
        ("choice", "B", ["B", "C"], 0),
        ("choice", "B", [], 0),
        ("number", "19", ["19"], 1),
        ("number", "19", ["19.0 baskets"], 1),
        ("number", "19", ["19 pears"], 0),
        ("number", "19 kg", ["19 kg"], 1),
        ("number", "19 kg", ["19 g"], 0),
        ("number", "19", ["It is not 19"], 0),
        ("number", "19", ["19 hundred"], 0),
        ("number", "19", ["19", "19"], 1),
        ("number", "19", ["20"], 0),
        ("number", "19", ["119"], 0),
        ("name", "Anna", ["Anna"], 1),
        ("name", "Anna", ["It was anna who took it"], 1),
        ("name", "Anna", ["Annabel"], 0),
        ("name", "Anna", ["Anna or Ben"], 0),
        ("name", "Anna", ["not Anna"], 0),
        ("name", "Anna", ["perhaps Anna"], 0),
        ("name", "Anna", ["Anna?"], 0),
        ("free", "\\frac{3}{4}", ["3/4"], 1),
        ("free", "$x^2 + 1$", ["x^2+1"], 1),
        ("free", "12", ["12.0"], 1),
        ("free", "12", ["21"], 0),
        ("free", "the Danes", ["The Danes"], 1),
    ],
)
def test_answer_score(kind: str, expected: str, given: list[str], score: int) -> None:
    choices = OPTIONS if kind == "choice" else NAMES
    assert answer_score(kind, expected, given, choices=choices, units={"baskets"}) == score  # type: ignore[arg-type]


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="answer kind 'vague' is unknown"):
        answer_score("vague", "1", ["1"])  # type: ignore[arg-type]
