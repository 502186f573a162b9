"""Numbers in answers: in any usual spelling, with their unit, and never out of a sentence about something else."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.metrics.answers import AnswerKey, is_right
from pytest_vtcfaith.metrics.assertions import units_of
from pytest_vtcfaith.metrics.numerals import numbers_in


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("120", [120]),
        ("1,234", [1234]),
        ("1,234,567.5", ["1234567.5"]),
        ("1'234", [1234]),
        ("1 234", [1, 234]),
        ("12,34", [None]),
        ("1.2.3", [None]),
        ("Q3: 120", [120]),
        ("KM-4821", []),
        ("from 2 to 3", [2, 3]),
        ("2-3", [2, 3]),
        ("-5", [-5]),
        ("\u22125", [-5]),
        ("120kg", [120]),
        ("25%", [25]),
        (".5", []),
        ("3万", [30000]),
        ("1.5亿", [150000000]),
        ("一百二十", [120]),
        ("三万二千", [32000]),
        ("十五", [15]),
        ("二〇二四", [2024]),
        ("百二十", [None]),
        ("五五十", [None]),
        ("seven", [7]),
        ("Seven.", [7]),
        ("seven bars", []),
        ("3 of 一百", [3]),
        ("", []),
    ],
)
def test_numbers_in_a_text(text: str, numbers: list[object]) -> None:
    assert numbers_in(text) == [None if n is None else Decimal(str(n)) for n in numbers]


@given(st.integers(0, 10**12))
def test_a_whole_number_is_itself_however_it_is_written(value: int) -> None:
    assert numbers_in(str(value)) == [value]
    assert numbers_in(f"{value:,}") == [value]
    assert numbers_in(f"{value} kg") == numbers_in(f"({value})") == [value]


@given(st.integers(1, 99_999_999))
def test_a_chinese_numeral_is_its_number(value: int) -> None:
    assert numbers_in(_chinese(value)) == [value]


def _chinese(value: int) -> str:
    """Written by groups of four digits, as it is taught."""
    digits = "零一二三四五六七八九"
    high, low = divmod(value, 10_000)
    if high:
        gap = "零" if 0 < low < 1000 else ""
        return _chinese(high) + "万" + gap + (_chinese(low) if low else "")
    text, zero = "", False
    for unit, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = value // unit % 10
        if digit:
            text += ("零" if zero and text else "") + digits[digit] + name
            zero = False
        else:
            zero = True
    return text


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("120", True),
        ("120 kg", True),
        ("120kg.", True),
        ("120 g", False),
        ("12", False),
        ("1200", False),
        ("0120", True),
        ("The value is 120.", True),
        ("Answer: 120", True),
        ("**120**", True),
        ("120 or 130", False),
        ("120, so 120", False),
        ("It is 120 kg.", True),
        ("It is not 120.", False),
        ("minus 120", False),
        ("120 thousand", False),
        ("120 million", False),
        ("120k", False),
        ("120²", False),
        ("120⁰", False),
        ("more than 120", False),
        ("at least 120", False),
        ("<120", False),
        ("about 120", False),
        ("120?", False),
        ("120-130", False),
        ("2 × 60", False),
        ("120/2", False),
        ("1.2e2", False),
        ("120 below zero", False),
        ("120 apples", False),
        ("$120", False),
        ("I see 120 bars but I cannot answer", False),
        ("It might be 120 or perhaps something else", False),
        ("(120)", True),
        ("\\boxed{120}", True),
        ("= 120", True),
        ("There are 120 kg.", True),
        ("120 in 1937", False),
        ("Q3", False),
        ("about", False),
        ("", False),
        ("１２０", True),
        ("一百二十", True),
        ("120.5", False),
    ],
)
def test_a_number(reply: str, right: bool) -> None:
    assert is_right(AnswerKey("number", ("120 kg",)), reply) is right


@given(
    st.sampled_from(["not", "minus", "under", "over", "nearly", "no", "<", "≠", "twice", "un", "I see"]),
    st.integers(0, 10**6),
)
def test_no_word_before_a_number_is_passed_over(word: str, value: int) -> None:
    assert not is_right(AnswerKey("number", (str(value),)), f"{word} {value}")
    assert not is_right(AnswerKey("number", (str(value),)), f"It is {word} {value}.")


def test_units_are_those_of_the_answer_or_of_the_question() -> None:
    assert units_of("How many bars does the chart have?") == {"bars", "bar"}
    assert units_of("How many of the six people brought tea?") == {"people", "person"}
    assert units_of("What does it cost then, in euros?") == {"euros"}
    assert (
        units_of("What is n × m?")
        == units_of("How many thousand?")
        == units_of("How many times?")
        == units_of("How much is it?")
        == set()
    )
    key = AnswerKey("number", ("4",), units=frozenset({"bars"}))
    assert is_right(key, "There are 4 bars.")
    assert not is_right(key, "4 pears")
    assert not is_right(key, "4 hundred")


@pytest.mark.parametrize(
    ("question", "answer", "reply", "right"),
    [
        ("How many bars are there?", "1", "1 bar", True),
        ("How many bars are there?", "1", "There is 1 bar.", True),
        ("How many red bars are there?", "4", "4 bars", True),
        ("How many red bars are there?", "4", "4 red", False),
        ("How many red bars are there?", "4", "4 pears", False),
        ("How many bus stops are there?", "4", "4 stops", True),
        ("How many sports cars are there?", "4", "4 cars", True),
        ("How many cities does it list?", "1", "1 city", True),
        ("How many boxes are open?", "1", "1 box", True),
        ("How many children play games?", "1", "1 child", True),
        ("How many does it have?", "4", "4 does", False),
        ("有多少根柱子？", "12", "12根", True),
        ("有多少根柱子？", "12", "12条", False),
        ("有多少根柱子？", "12", "共12个", True),
        ("", "12", "12个", True),
        ("", "12", "一共有十二个。", True),
        ("", "12.5", "12.5 per cent", True),
        ("", "12.5%", "12.5 per cent", True),
        ("How many bars?", "42", "There are 42 bars in the chart.", True),
        ("How many bars?", "42", "There are 42 bars in the cellar.", False),
        ("How many bars?", "42", "The number of bars is 42.", True),
        ("How many bars?", "42", "The number of red bars in the chart is 42.", True),
        ("How many bars?", "42", "The number of pears is 42.", False),
        ("How many bars?", "42", "The number of bars is not 42.", False),
        ("How many bars?", "42", "84/2", True),
        ("How many bars?", "42", "84/0", False),
        ("How many bars?", "42", "+42", True),
        ("", "25", "25‰", False),
        ("", "25", "25°", False),
        ("", "25°", "25°", True),
        ("", "25", "25%", True),
    ],
)
def test_a_count_with_its_unit(question: str, answer: str, reply: str, right: bool) -> None:
    lang = "zh" if not reply.isascii() else "en"
    assert is_right(AnswerKey("number", (answer,), units=units_of(question)), reply, lang=lang) is right


def test_what_multiplies_is_part_of_the_number() -> None:
    key = AnswerKey("number", ("3 million",))
    assert is_right(key, "3 million")
    assert not is_right(key, "3")
    assert not is_right(key, "3 thousand")


def test_what_belongs_to_the_answer_is_no_negation() -> None:
    key = AnswerKey("contains", ("No Parking",))
    assert is_right(key, "The sign says No Parking.")
    assert not is_right(key, "The sign does not say No Parking.")


def test_percent_is_what_is_printed() -> None:
    key = AnswerKey("number", ("25%",))
    assert is_right(key, "25")
    assert is_right(key, "25 percent")
    assert is_right(key, "25 %")
    assert not is_right(key, "0.25")
    assert not is_right(key, "25 kg")


@given(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6))
def test_two_whole_numbers_are_equal_only_when_they_are(one: int, other: int) -> None:
    assert is_right(AnswerKey("number", (str(one),)), str(other)) is (one == other)


@given(st.integers(1, 10**6), st.floats(0.5, 1.5))
def test_a_tolerance_is_a_share_of_the_right_number(value: int, factor: float) -> None:
    given_value = round(value * factor, 3)
    key = AnswerKey("number", (str(value),), tolerance=0.05)
    off = abs(Decimal(str(given_value)) - value) / value
    if abs(off - Decimal("0.05")) > Decimal("1e-6"):
        assert is_right(key, f"{given_value:f}") is (off < Decimal("0.05"))


def test_the_edge_of_a_tolerance_is_inside() -> None:
    key = AnswerKey("number", ("1.1",), tolerance=0.05)
    assert is_right(key, "1.155")
    assert is_right(key, "1.045")
    assert not is_right(key, "1.1551")
