"""Prompt conditions of FaithC4."""

from __future__ import annotations

import pytest

from pytest_vtcfaith.suites.prompts import CONDITIONS, prompt


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_prompt_carries_its_condition_and_language(condition: str) -> None:
    found = prompt(condition, "ko")
    assert (found.condition, found.lang) == (condition, "ko")
    assert "text" in found.text


def test_only_the_no_correct_conditions_forbid_correcting() -> None:
    assert {c: "Do not correct" in prompt(c, "en").text for c in CONDITIONS} == {
        "plain": False,
        "no_correct": True,
        "no_correct+think": True,
    }
    assert prompt("no_correct", "en").text.startswith(prompt("plain", "en").text)


def test_an_unknown_condition() -> None:
    with pytest.raises(KeyError, match="politely"):
        prompt("politely", "en")
