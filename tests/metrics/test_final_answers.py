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
        ("twelve", Fraction(12)), ("+42", Fraction(42)), ("84/2", Fraction(42)), ("84/2/1", None),
        ("十二", Fraction(12)),
        ("1,5", None), (".5", None), ("25°", None), ("25‰", None), ("12.5 per cent", Fraction(25, 2)),
        ("1/0", None), ("9" * 50, None), ("12.", Fraction(12)),
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


@pytest.mark.parametrize(
    ("expected", "given", "score"),
    [
        (r"\frac{1}{2x}", r"\frac{1}{2}x", 0),
        (r"\frac{1}{2x}", "1/(2x)", 1),
        (r"\frac{1}{2}x", "1/2x", 1),
        (r"\frac{x+1}{2}", "(x+1)/2", 1),
        (r"\frac{x+1}{2}", "x+1/2", 0),
        (r"\frac{2\pi}{3}", "2π/3", 1),
        (r"\frac{\sqrt{3}}{2}", "√3/2", 1),
        (r"\dfrac12", "1/2", 1),
        ("e^{2x}", "e^{2}x", 0),
        ("e^{2x}", "e^(2x)", 1),
        ("e^{2}x", "e^2x", 1),
        ("x^{10}", "x^10", 1),
        ("x^{-1}", "x^-1", 1),
        ("x²", "x^2", 1),
        (r"\sqrt{2x}", r"\sqrt{2}x", 0),
        (r"\sqrt{2}3", r"\sqrt{23}", 0),
        (r"\sqrt{\frac{3}{2}}", r"\frac{\sqrt{3}}{2}", 0),
        (r"1\frac{1}{2}", "11/2", 0),
        (r"1\frac{1}{2}", "1 1/2", 1),
        (r"\frac{1}{2}3", "1/23", 0),
        ("12", "1 2", 0),
        ("12", r"\boxed{1 2}", 0),
        (r"10\%", "10%", 1),
        (r"10\%", "0.1", 0),
        (r"90^\circ", "90°", 1),
        (r"90^{\circ}", r"90^\circ", 1),
        (r"90^\circ", "80°", 0),
        (r"2\sqrt{3}", "2√3", 1),
        (r"\pi", "π", 1),
        (r"(-\infty, 3]", "(-∞,3]", 1),
        ("(3, 4)", "[3, 4]", 0),
        ("(3, 4)", r"\left(3,4\right)", 1),
        (r"\frac{3}{4}", "0.75", 1),
        (r"\frac{3}{4}", r"\boxed{\frac{3}{4}}", 1),
        (r"\frac{3}{4}", "The answer is $\\frac{3}{4}$.", 1),
        (r"\frac{3}{4}", "4/3", 0),
        (r"10{,}000", "10000", 1),
        (r"12\text{ cm}", "12 cm", 1),
        (r"12\text{ cm}", "12 m", 0),
        (r"\{1,2\}", "{1,2}", 1),
        ("Evelyn", "The answer is Evelyn", 1),
        (r"\text{Evelyn}", "Evelyn.", 1),
        ("Evelyn", "Not Evelyn", 0),
        ("3", "{", 0),
        ("0.5", ".5", 1),
        ("5!", "5", 0),
        ("5", "5!", 0),
        ("5!", r"\boxed{5!}", 1),
        ("Evelyn", "Evelyn!", 1),
    ],
)
def test_a_free_answer(expected: str, given: str, score: int) -> None:
    assert answer_score("free", expected, [given]) == score


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="answer kind 'vague' is unknown"):
        answer_score("vague", "1", ["1"])  # type: ignore[arg-type]
