"""Equations and comparisons in running text (`models/judges/expressions.py`), against Python's own arithmetic."""

from __future__ import annotations

import operator
import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vtcfaith.models.judges.expressions import find_relations, holds


def checked(text: str, **values: list[str]) -> list[tuple[str, bool | None]]:
    return [(relation.text, holds(relation, values)) for relation in find_relations(text, values)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("So 12 apples + 7 apples = 19 apples.", [("12 apples + 7 apples = 19", True)]),
        ("total = 12 + 7 = 20", [("12 + 7 = 20", False)]),
        ("25% of 80 = 25 ÷ 100 × 80 = 20", [("25% of 80 = 25 ÷ 100 × 80 = 20", True)]),
        ("3/4 of 20 = 15", [("3/4 of 20 = 15", True)]),
        ("3 x 4 = 12, 12 x 1,000 = 12,000 (3 + 4 = 7)", [("3 x 4 = 12", True), ("12 x 1,000 = 12,000", True),
                                                          ("3 + 4 = 7", True)]),
        ("– 12 + 7 = 19", [("12 + 7 = 19", True)]),
        ("-5 + 3 = -2", [("-5 + 3 = -2", True)]),
        ("10/3 ≈ 3.33 but 10/3 = 3.33", [("10/3 ≈ 3.33", True), ("10/3 = 3.33", False)]),
        ("1 / 0 = 5", [("1 / 0 = 5", False)]),
        ("2 < 3 < 5 and 5 < 3", [("2 < 3 < 5", True), ("5 < 3", False)]),
        ("2 ≤ 2, 2 >= 3, 2 != 2", [("2 ≤ 2", True), ("2 >= 3", False), ("2 != 2", False)]),
        ("12 plus 7 equals 19", [("12 plus 7 equals 19", True)]),
        ("2(3 + 4) = 14 and (1 + 1)(2 + 2) = 8", [("2(3 + 4) = 14", True), ("(1 + 1)(2 + 2) = 8", True)]),
        ("2^10 = 1024 and -2^2 = -4", [("2^10 = 1024", True), ("-2^2 = -4", True)]),
        ("$5.50 + $4.50 = $10", [("5.50 + $4.50 = $10", True)]),
        ("9^64^64 = 2", [("9^64^64 = 2", None)]),
        ("7^999999999 = 1", [("7^999999999 = 1", None)]),
        ("12 + + = 3", [("12 + + = 3", None)]),
        ("there are 12 of them", []),
        ("the perimeter = 14", []),
        ("", []),
    ],
)  # fmt: skip
def test_relations(text: str, found: list[tuple[str, bool | None]]) -> None:
    assert checked(text) == found


@pytest.mark.parametrize(
    ("text", "true"),
    [
        ("n × n − 7 × n + 12 = (n − 3) × (n − 4)", True),
        ("n × n − 7 × n + 12 = (n − 3) × (n − 5)", False),
        ("n × n − 7 × n + 12 = 0", True),
        ("n = 3", True),
        ("4 = n", True),
        ("n = 5", False),
        ("2n = 6", False),  # does not hold for the other solution
        ("n > 2", True),
        ("(n+1)^64 = 1", None),
    ],
)
def test_unknowns(text: str, true: bool | None) -> None:
    assert checked(text, n=["3", "4"]) == [(text, true)]


OPERATIONS = {"+": operator.add, "−": operator.sub, "×": operator.mul, "÷": operator.truediv}
NUMBERS = st.integers(0, 10**6)


@settings(max_examples=200)
@given(st.lists(st.tuples(st.sampled_from("+−×÷"), NUMBERS), max_size=5), NUMBERS, st.integers(-3, 3))
def test_calculations_are_judged_as_by_python(rest: list[tuple[str, int]], first: int, off: int) -> None:
    text = str(first) + "".join(f" {sign} {number}" for sign, number in rest)
    terms: list[Fraction] = [Fraction(first)]
    zero = False
    for sign, number in rest:
        if sign == "+" or sign == "−":
            terms.append(Fraction(number if sign == "+" else -number))
        elif sign == "÷" and number == 0:
            zero = True
        else:
            terms[-1] = OPERATIONS[sign](terms[-1], Fraction(number))
    if zero:
        assert checked(f"{text} = 1") == [(f"{text} = 1", False)]
        return
    value = sum(terms) + off
    shown = str(value).replace("/", " / ").replace("-", "−")
    assert checked(f"{text} = {shown}") == [(f"{text} = {shown}", off == 0)]


@settings(max_examples=200)
@given(st.text(st.sampled_from("0123456789+-*/^()=<>.,% nxof!_[]"), max_size=120))
def test_hostile_texts_end_quickly(text: str) -> None:
    for relation in find_relations(text, "n"):
        assert holds(relation, {"n": ["3"]}) in (True, False, None)


def test_nothing_of_the_text_is_run() -> None:
    text = "__import__('os').system('touch pwned') = 1, exec(1) = 1, lambda n: 1 = 1, n.__class__ = 1"
    for relation in find_relations(text, "n"):
        assert holds(relation, {"n": ["1"]}) in (True, False, None)


def test_sympy_is_only_imported_when_a_relation_is_judged() -> None:
    code = (
        "import sys; from pytest_vtcfaith.models.judges.exact import judge_step;"
        "from pytest_vtcfaith.models.judges.questions import parse_verdict; sys.exit('sympy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
