"""CDM and TextSim (`metrics/textsim.py`)."""

from __future__ import annotations

import difflib
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.metrics import cdm, textsim

TEXTS = st.text(alphabet="abc 海é", max_size=12)


@given(TEXTS, TEXTS)
def test_cdm_against_the_recurrence(reference: str, hypothesis: str) -> None:
    @cache
    def distance(a: str, b: str) -> int:
        if not a or not b:
            return len(a) + len(b)
        return min(distance(a[1:], b) + 1, distance(a, b[1:]) + 1, distance(a[1:], b[1:]) + (a[0] != b[0]))

    longest = max(len(reference), len(hypothesis))
    expected = 1 - distance(reference, hypothesis) / longest if longest else 1.0
    assert cdm(reference, hypothesis) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "value"), [("2024", "2023", 0.75), ("", "", 1.0), ("", "x", 0.0), ("海路", "海", 0.5)]
)
def test_cdm(a: str, b: str, value: float) -> None:
    assert cdm(a, b) == cdm(b, a) == value


def test_textsim_keeps_the_reference_first() -> None:
    assert textsim("tide", "diet") == difflib.SequenceMatcher(None, "tide", "diet", autojunk=False).ratio() == 0.25
    assert textsim("diet", "tide") == 0.5
    assert textsim("", "") == 1.0
    assert textsim("", "a") == 0.0


def test_autojunk_is_what_tells_the_columns_apart() -> None:
    text = "the tide turns at noon and the tide returns at one; " * 7
    longer = "note " + text
    assert textsim(text, longer) == pytest.approx(2 * len(text) / (len(text) + len(longer)))
    assert textsim(text, longer, column="published") == 0.0
    with pytest.raises(ValueError, match="column 'best' is unknown"):
        textsim("a", "a", column="best")  # type: ignore[arg-type]
