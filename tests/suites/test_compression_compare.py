"""A method is praised for what down-sampling cannot do, and for nothing else."""

from __future__ import annotations

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.suites.compression_compare import VERDICTS, Comparison, compare
from pytest_vtcfaith.suites.compression_groups import GroupsError, freeze

HARD, EASY = 12, 20
QUESTIONS = {
    **{f"h{n}-q": {1: True, 2: False} for n in range(HARD)},
    **{f"e{n}-q": {1: True, 2: True} for n in range(EASY)},
}
GROUPS = freeze(QUESTIONS, model="m", adapter="a", revision="", visual_tokens="nominal", manifests={})
DOCUMENTS = {name: name.partition("-")[0] for name in QUESTIONS}
DOWNSAMPLE = {name: answers[2] for name, answers in QUESTIONS.items()}


def against(hard_right: int, easy_right: int, base: dict[str, bool] | None = None, **options: float) -> Comparison:
    method = {f"h{n}-q": n < hard_right for n in range(HARD)} | {f"e{n}-q": n < easy_right for n in range(EASY)}
    return compare(method, DOWNSAMPLE if base is None else base, GROUPS, 2, DOCUMENTS, **options)  # type: ignore[arg-type]


def test_better_on_difficult_and_equal_on_simple_questions_is_better() -> None:
    found = against(8, EASY)
    assert found.verdict == "better"
    assert (found.difficult.method, found.difficult.downsample) == (8 / 12, 0.0)
    assert found.simple.gain == 0.0


def test_better_only_on_simple_questions_is_not_praised() -> None:
    """Down-sampling of another run got half of the simple questions wrong; the method gets them all right."""
    base = {**DOWNSAMPLE, **{f"e{n}-q": n < EASY // 2 for n in range(EASY)}}
    found = against(0, EASY, base)
    assert found.verdict == "not better"
    assert found.simple.gain == 0.5
    assert "do not count" in found.reason


def test_a_gain_that_costs_simple_questions_is_told_apart() -> None:
    assert against(8, EASY - 1).verdict == "better"  # 5 % is the margin
    assert against(8, EASY - 2).verdict == "trade-off"
    assert against(8, EASY - 2, margin=0.1).verdict == "better"


def test_gains_that_chance_explains_are_none() -> None:
    assert against(4, EASY).verdict == "not better"  # 4 of 4: 1 in 16
    assert against(5, EASY).verdict == "better"  # 5 of 5: 1 in 32


def test_worse_on_difficult_questions() -> None:
    base = {**DOWNSAMPLE, **{f"h{n}-q": n < 6 for n in range(HARD)}}
    assert against(0, EASY, base).verdict == "worse"
    assert against(6, EASY, base).verdict == "not better"


def test_questions_of_one_page_are_one_document() -> None:
    """Eight gains on one page are one document that gained."""
    one_page = dict.fromkeys(DOCUMENTS, "page")
    method = {**DOWNSAMPLE, **{f"h{n}-q": n < 8 for n in range(HARD)}}
    assert compare(method, DOWNSAMPLE, GROUPS, 2, one_page).verdict == "not better"


@given(st.lists(st.booleans(), min_size=HARD + EASY, max_size=HARD + EASY))
def test_praise_needs_a_gain_on_difficult_questions(right: list[bool]) -> None:
    method = dict(zip(QUESTIONS, right, strict=True))
    found = compare(method, DOWNSAMPLE, GROUPS, 2, DOCUMENTS)
    assert found.verdict in VERDICTS
    gained = sum(method[f"h{n}-q"] for n in range(HARD))
    assert found.difficult.chance == pytest.approx(sum(comb(gained, k) for k in range(gained, gained + 1)) / 2**gained)
    if found.verdict in ("better", "trade-off"):
        assert gained >= 5
    if found.verdict == "better":
        assert sum(not method[f"e{n}-q"] for n in range(EASY)) <= 1


def test_what_was_not_measured_is_refused() -> None:
    lacking = {name: right for name, right in DOWNSAMPLE.items() if name != "h3-q"}
    with pytest.raises(GroupsError, match=r"'h3-q' \(difficult\) was not measured with the method"):
        compare(lacking, DOWNSAMPLE, GROUPS, 2, DOCUMENTS)
    with pytest.raises(GroupsError, match="was not measured with the down-sampling"):
        compare(DOWNSAMPLE, lacking, GROUPS, 2, DOCUMENTS)
    with pytest.raises(GroupsError, match="no frozen groups at 3x"):
        compare(DOWNSAMPLE, DOWNSAMPLE, GROUPS, 3, DOCUMENTS)
    easy = freeze({"e-q": {1: True, 2: True}}, model="m", adapter="a", revision="", visual_tokens="n", manifests={})
    with pytest.raises(GroupsError, match="'difficult' is empty"):
        compare({"e-q": True}, {"e-q": True}, easy, 2, {"e-q": "e"})
