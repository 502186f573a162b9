"""Matching of answers: what is right is right in any usual spelling, and nothing is right by accident."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.metrics.answers import LETTERS, AnswerKey, is_right

OPTIONS = ("Rye", "Oats", "Winter barley")


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("B", True),
        ("b", True),
        ("(B)", True),
        ("B.", True),
        ("B) Oats", True),
        ("B: Oats.", True),
        ("Oats", True),
        ("oats", True),
        ("The answer is B", True),
        ("Answer: (B)", True),
        ("答案：B", True),
        ("A", False),
        ("B Rye", False),
        ("B or C", False),
        ("A, B", False),
        ("A. Rye B. Oats C. Winter barley", False),
        ("Rye, Oats, Winter barley", False),
        ("Boats", False),
        ("Not B", False),
        ("Bat", False),
        ("It is B, I think", False),
        ("D", False),
        ("Option B", True),
        ("option (B).", True),
        ("[B]", True),
        ("\\boxed{B}", True),
        ("$\\boxed{B}$", True),
        ("[B] Oats", True),
        ("B - Oats", True),
        ("B, Oats", True),
        ("B (Oats)", True),
        ("It's B", True),
        ("It is B.", True),
        ("The correct option is B", True),
        ("The correct option is: (B)", True),
        ("Option B is correct.", True),
        ("B is the correct answer.", True),
        ("B: Oats is correct", True),
        ("选择B", True),
        ("选B", True),
        ("选项B", True),
        ("正确答案是B", True),
        ("B是正确的", True),
        ("B正确", True),
        ("B - Rye", False),
        ("B, C", False),
        ("B (Rye)", False),
        ("B is wrong", False),
        ("B is not correct", False),
        ("It's A", False),
        ("It isn't B", False),
        ("Option A is correct, B", False),
        ("B不正确", False),
        ("不选B", False),
        ("Option B: Rye", False),
        ("B because", False),
        ("B?", False),
        ("Option", False),
        ("", False),
    ],
)
def test_a_choice(reply: str, right: bool) -> None:
    assert is_right(AnswerKey("choice", ("B",), OPTIONS), reply) is right


def test_a_lone_letter_is_a_letter_and_signs_belong_to_a_text() -> None:
    letters = ("B", "A", "C")
    assert is_right(AnswerKey("choice", ("A",), letters), "A")
    assert not is_right(AnswerKey("choice", ("B",), letters), "A")
    numbers = ("5", "-5")
    assert is_right(AnswerKey("choice", ("B",), numbers), "B: -5")
    assert not is_right(AnswerKey("choice", ("A",), numbers), "A: -5")
    assert not is_right(AnswerKey("choice", ("A",), numbers), "-5")


@given(
    st.lists(st.from_regex(r"[a-z]{2,8}", fullmatch=True), min_size=2, max_size=6, unique=True),
    st.data(),
)
def test_of_all_usual_replies_only_the_right_letter_is_right(options: list[str], data: st.DataObject) -> None:
    right, said = (data.draw(st.integers(0, len(options) - 1)) for _ in range(2))
    key = AnswerKey("choice", (LETTERS[right],), tuple(options))
    letter, text = LETTERS[said], options[said]
    for reply in (letter, f"({letter})", f"{letter}.", f"{letter}. {text}", text, f"The answer is {letter}."):
        assert is_right(key, reply) is (right == said), reply
    assert not is_right(key, ", ".join(options))
    assert not is_right(key, " ".join(f"{LETTERS[n]}. {option}" for n, option in enumerate(options)))


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("KM-4821", True),
        ("km-4821.", True),
        ('"KM-4821"', True),
        ("The answer is: KM-4821", True),
        ("KM-4821 ", True),
        ("KM-482", False),
        ("KM-48211", False),
        ("It is KM-4821", False),
        ("KM 4821", False),
        ("", False),
    ],
)
def test_an_exact_answer(reply: str, right: bool) -> None:
    assert is_right(AnswerKey("exact", ("KM-4821",)), reply) is right


def test_chinese_answers_have_no_spaces_and_any_width() -> None:
    key = AnswerKey("exact", ("码头7号",))
    assert is_right(key, "码头 7 号。", lang="zh")
    assert is_right(key, "答案：码头７号", lang="zh")
    assert not is_right(key, "码头70号", lang="zh")


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("Tilda Brock", True),
        ("It was signed by Tilda Brock.", True),
        ("tilda brock, of the Ferry", True),
        ("Tilda", False),
        ("Brock Tilda", False),
        ("Tilda Brocken", False),
        ("Tilda Brock or Owen Harrow", False),
        ("Owen Harrow", False),
        ("no Tilda Brock", False),
        ("I cannot see any Tilda Brock", False),
        ("It was not signed by Tilda Brock.", False),
        ("everything but Tilda Brock", False),
        ("perhaps Tilda Brock", False),
        ("Tilda Brock?", False),
        ("I think it is Tilda Brock", False),
        ("Tilda Brock, Tilda Brock", True),
        ("", False),
    ],
)
def test_words_contained(reply: str, right: bool) -> None:
    assert is_right(AnswerKey("contains", ("Tilda Brock",), ("Tilda Brock", "Owen Harrow")), reply) is right


@pytest.mark.parametrize(
    ("answer", "options", "reply", "lang", "right"),
    [
        ("?", (), "The sign is ?", "en", True),
        ("$", (), "The sign is $", "en", True),
        ("$", (), "The sign is €", "en", False),
        ("!", (), "!", "en", True),
        ("!", (), "nothing", "en", False),
        ("\u200b", (), "nothing", "en", False),
        ("-", ("plus", "-"), "It is -", "en", True),
        ("plus", ("plus", "-"), "plus -", "en", False),
        ("5", (), "It is -5.", "en", False),
        ("5", (), "It is .5", "en", False),
        ("5", (), ".5", "en", False),
        ("-5", (), "It is -5.", "en", True),
        ("C", (), "It is C++.", "en", False),
        ("C++", (), "It is (C++).", "en", True),
        ("A+", (), "A- it says", "en", False),
        ("A", (), "A+", "en", False),
        ("A+", (), 'It says "A+".', "en", True),
        ("5", (), "结果是-5。", "zh", False),
        ("-5", (), "结果是-5。", "zh", True),
        ("C", (), "语言是C++", "zh", False),
        ("3.5", (), "结果是3.5。", "zh", True),
        ("码头", (), "在码头，7号", "zh", True),
        ("Red Orange", ("Orange", "Red Orange"), "It is Red Orange.", "en", True),
        ("Orange", ("Orange", "Red Orange"), "It is Red Orange.", "en", False),
        ("Orange", ("Orange", "Orange Red"), "It is Orange Red.", "en", False),
        ("Orange", ("Orange", "Red Orange"), "It is Orange.", "en", True),
        ("Red Orange", ("Orange", "Red Orange"), "It is Red Orange, Orange.", "en", False),
    ],
)
def test_signs_and_options_of_what_is_contained(
    answer: str, options: tuple[str, ...], reply: str, lang: str, right: bool
) -> None:
    assert is_right(AnswerKey("contains", (answer,), options), reply, lang=lang) is right


@given(st.text("ab", min_size=1, max_size=4), st.lists(st.text("ab", min_size=1, max_size=4), max_size=6))
def test_contained_are_whole_words(word: str, words: list[str]) -> None:
    assert is_right(AnswerKey("contains", (word,)), " ".join(words)) is (word in words)


@pytest.mark.parametrize(
    ("reply", "lang", "said"),
    [
        ("yes", "en", "yes"),
        ("Yes, there is a dog.", "en", "yes"),
        ("No.", "en", "no"),
        ("no dog", "en", None),
        ("No idea", "en", None),
        ("No answer", "en", None),
        ("No way to tell", "en", None),
        ("No image was provided", "en", None),
        ("No doubt: it is.", "en", None),
        ("No. 5", "en", None),
        ("No-one", "en", None),
        ("No, I don't know", "en", None),
        ("No - there is none.", "en", "no"),
        ("No; a cat.", "en", "no"),
        ("No (a cat).", "en", "no"),
        ("有，没错", "zh", "yes"),
        ("**No**", "en", "no"),
        ("不知道", "zh", None),
        ("不清楚", "zh", None),
        ("不一定", "zh", None),
        ("没问题，是的", "zh", None),
        ("是不是", "zh", None),
        ("有没有", "zh", None),
        ("是否", "zh", None),
        ("有可能", "zh", None),
        ("对不起，我不知道", "zh", None),
        ("是的，可能", "zh", None),
        ("是，没有", "zh", None),
        ("不，是的", "zh", None),
        ("是的，有一只狗。", "zh", "yes"),
        ("没错", "zh", "yes"),
        ("没有，图中只有猫。", "zh", "no"),
        ("yes", "zh", "yes"),
        ("Yes and no", "en", None),
        ("Yes, but not here", "en", None),
        ("Yes, perhaps", "en", None),
        ("No, it is not.", "en", "no"),
        ("yesterday", "en", None),
        ("There is", "en", None),
        ("", "en", None),
        ("是的", "zh", "yes"),
        ("不是", "zh", "no"),
        ("没有", "zh", "no"),
        ("也许", "zh", None),
    ],
)
def test_yes_and_no(reply: str, lang: str, said: str | None) -> None:
    for answer in ("yes", "no"):
        assert is_right(AnswerKey("yes-no", (answer,)), reply, lang=lang) is (said == answer)


def test_several_answers_may_be_right() -> None:
    assert is_right(AnswerKey("exact", ("grey", "gray")), "Gray")
    assert is_right(AnswerKey("number", ("3", "4")), "4")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"kind": "fuzzy", "answers": ("x",)}, "unknown"),
        ({"kind": "exact", "answers": ()}, "at least one"),
        ({"kind": "exact", "answers": (" ",)}, "at least one"),
        ({"kind": "exact", "answers": ("x",), "tolerance": 0.1}, "be 0 for kind 'exact'"),
        ({"kind": "number", "answers": ("3",), "tolerance": 1.0}, "must lie in"),
        ({"kind": "number", "answers": ("none",)}, "must state one number"),
        ({"kind": "number", "answers": ("1,5",)}, "must state one number"),
        ({"kind": "number", "answers": ("3 to 4",)}, "must state one number"),
        ({"kind": "yes-no", "answers": ("maybe",)}, "must be yes or no"),
        ({"kind": "choice", "answers": ("A",)}, "has 0 options"),
        ({"kind": "choice", "answers": ("C",), "options": ("x", "y")}, "letter from A to B"),
    ],
)
def test_a_wrong_key_is_refused(fields: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        AnswerKey(**fields)  # type: ignore[arg-type]
