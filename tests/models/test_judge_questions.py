"""The language model as a judge (`models/judges/questions.py`): what it is asked, and what counts as a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.models.judges.questions import (
    JudgeFailed,
    answer_by_model,
    judge_by_model,
    legibility_by_model,
    parse_legibility,
    parse_verdict,
    step_question,
)

LONG = "The step adds 12 and 7, which the question gives. The sum is 19.\nSo all of it is right.\n"


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("VALID", True),
        ("invalid", False),
        ("**VALID**", True),
        (f"{LONG}\nVALID", True),
        (f"{LONG}\nVerdict: INVALID.\n", False),
        ("The step may look invalid at first, but it is right.\nVALID", None),  # may be a contradiction
        ("The step is not valid.\nVALID", None),
        ("Verdict: not valid.\nVALID", None),
        ("I find it INVALID.\nVALID", None),
        ("The step is incorrect.\n\nVALID", None),
        ("This isn’t a correct step.\nIt adds.\nVALID", None),
        ("The sum is wrong.\nSo:\nIt is valid.", None),
        ("It does not follow.\nVALID", None),
        ("The sum is wrong.\n\nINVALID", False),
        ("“VALID”", True),
        ("‘INVALID’.", False),
        ("It's valid", True),
        ("It’s invalid.", False),
        ("\\boxed{VALID}", True),
        ("The sum is right.\n$\\boxed{\\text{INVALID}}$", False),
        ("INVALID: 12+30=42", False),
        ("INVALID: it is valid", None),
        ("VALID: if n is even", None),
        ("VALID!", True),
        ("~VALID", None),
        ("¬VALID", None),
        ("!VALID", None),
        ("Verdict: ¬VALID", None),
        ("Verdict: !VALID", None),
        ("The step is valid.", True),
        ("This step is INVALID because 12 + 7 is 19.", False),
        ("The step is not valid.", None),
        ("It is valid if n is even.", None),
        ("Valid or invalid?", None),
        ("VALID\nINVALID and VALID", None),  # contradictory
        ("It is valid. It is invalid.", None),
        (f"VALID\n{LONG}", None),  # the verdict is not at the end
        ("", None),
        ("   \n \n", None),
        ("Oui, cette étape est correcte.", None),
        ("这一步是有效的。", None),
        ("Gültig", None),
        ("yes", None),
        ("I cannot judge this step.", None),
        ("VALIDATED", None),
        ("I cannot say it is valid", None),
        ("It is hardly valid.", None),
        ("No step is valid", None),
        ("The step is never valid", None),
        ("It would be valid were 2+2=5", None),
        ("Reply VALID when ok.", None),
        ("not\nVALID", None),
        ("The answer is not\n\nVALID", None),
        ("I would not call it\n**VALID**", None),
        ("It might be\nVALID", None),
        ("INVALID\nVALID", None),
        ("The step is valid.\nINVALID", None),
        ("This is valid? No.", None),
        ("VALID?", None),
        ("NOT VALID", None),
        ("Far from valid", None),
        ("Nobody could call this step valid.", None),
        ("The step is valid because I was told so.", None),
        ("The step is anything but VALID", None),
        ("- 12 + 7 = 19\n- the sum is right\n\nVALID", True),
        ("The answer is VALID.", True),
        ("Verdict: **VALID**", True),
        ("Step 2 is valid.", True),
        ("It is invalid because 12 + 7 is not 20.", False),
        (Reply(text="VALID"), True),
        (Reply(text=None), None),
        (Reply(text="VALID", refusal="no"), None),
        (Reply(text="The step is VALID", finish_reason="length"), None),
    ],
)
def test_verdicts(reply: Reply | str, verdict: bool | None) -> None:
    assert parse_verdict(reply) is verdict


@given(st.text(max_size=200))
def test_any_reply_is_taken_and_only_the_word_is_a_verdict(text: str) -> None:
    verdict = parse_verdict(text)
    assert verdict is None or "valid" in text.lower()


@given(st.text(st.characters(categories=["L", "P", "Zs"]), min_size=1, max_size=20).filter(lambda text: text.strip()))
def test_no_unknown_words_beside_the_word_are_passed_over(words: str) -> None:
    known = ("verdict", "answer", "result", "conclusion", "it", "step", "this", "so", "thus", "hence", "therefore")
    if any(character.isalpha() for character in words) and not any(word in words.lower() for word in known):
        assert parse_verdict(f"{words} VALID") is None
        assert parse_verdict(f"The step is {words} valid") is None


def test_the_question_has_question_steps_before_and_step() -> None:
    asked = step_question("How many?", ["12 + 7 = 19"], "19 × 2 = 38")
    for part in ("How many?", "Step 1: 12 + 7 = 19", "Step 2: 19 × 2 = 38", "VALID", "INVALID"):
        assert part in asked
    assert "(none)" in step_question("How many?", [], "a")


class Answering:
    """A judge with given replies, which keeps what it was asked."""

    def __init__(self, *replies: Any) -> None:
        self.replies, self.asked = list(replies), []  # type: ignore[var-annotated]

    def judge(self, questions: Sequence[str]) -> list[Any]:
        self.asked += questions
        return self.replies

    def answer(self, images: Sequence[Any], questions: Sequence[str]) -> list[Any]:
        self.asked += questions
        return self.replies


def test_steps_are_judged_with_those_before() -> None:
    judge = Answering("VALID", "INVALID", "hm")
    verdicts = judge_by_model(judge, "Q", ["a", "b", "c"])
    assert [(v.valid, v.decided) for v in verdicts] == [(True, True), (False, True), (False, False)]
    assert "Step 1: a\nStep 2: b\n" in judge.asked[2]
    assert judge_by_model(judge, "Q", []) == []
    assert len(judge.asked) == 3


def test_answers_are_compared() -> None:
    judge = Answering("VALID")
    assert answer_by_model(judge, "Q", "one half", "0.5").valid
    assert "one half" in judge.asked[0]
    assert "0.5" in judge.asked[0]


@pytest.mark.parametrize("replies", [[], ["VALID", "VALID"], [Reply(text=None, error="no connection")]])
def test_a_judge_that_gives_no_reply_measures_nothing(replies: list[Any]) -> None:
    with pytest.raises(JudgeFailed, match="judge gave"):
        judge_by_model(Answering(*replies), "Q", ["a"])


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("CLEAR: 97\nALL CLEAR: NO", (0.97, 0)),
        ("CLEAR: 100%\nALL CLEAR: YES", (1.0, 1)),
        ("Here you are.\n**CLEAR: 99.5**\n**ALL CLEAR: no**", (0.995, 0)),
        ("CLEAR: 97\nALL CLEAR: YES", None),  # contradictory
        ("CLEAR: 970\nALL CLEAR: NO", None),
        ("CLEAR: 97\nCLEAR: 98\nALL CLEAR: NO", None),
        ("about 97 of 100", None),
        ("CLEAR: -5\nALL CLEAR: NO", None),
        ("CLEAR: <95\nALL CLEAR: NO", None),
        ("CLEAR: ~95\nALL CLEAR: NO", None),
        ("CLEAR: 95+\nALL CLEAR: NO", None),
        ("CLEAR: .95\nALL CLEAR: NO", None),
        ("CLEAR: 0.95\nALL CLEAR: NO", None),  # a share or a number of 100?
        ("CLEAR: 0\nALL CLEAR: !NO", None),
        ("CLEAR: 0\r\nALL CLEAR: NO.", (0.0, 0)),
        ("**CLEAR:** 100 %\n**ALL CLEAR:** YES", (1.0, 1)),
        ("", None),
    ],
)
def test_legibility(reply: str, found: tuple[float, int] | None) -> None:
    assert parse_legibility(reply) == found
    image: Any = None
    assert legibility_by_model(Answering(reply), image) == found


def test_a_judge_without_eyes_sees_nothing() -> None:
    class Blind:
        def judge(self, questions: Sequence[str]) -> list[str]:
            return ["VALID" for _ in questions]

    image: Any = None
    assert legibility_by_model(Blind(), image) is None
