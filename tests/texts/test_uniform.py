"""Uniform texts."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.texts import TextsError
from pytest_vtcfaith.texts.uniform import uniform_text, vocabulary

WORDS = ("the", "boat", "lantern", "harbours", "extraordinarily")


@pytest.mark.parametrize(
    ("texts", "lang", "words"),
    [
        (["The boat, (boat) of Ingrid at 44 metres: well-known", "oil'd and OIL"], "en", ("and", "boat", "metres")),
        (["白鹭 2024 湾，湾a"], "zh", ("湾", "白", "鹭")),
        (["솔목항 27개가 (안전등) abc", "안전등."], "ko", ("솔목항", "안전등")),
        ([], "en", ()),
    ],
)
def test_vocabulary(texts: list[str], lang: str, words: tuple[str, ...]) -> None:
    assert vocabulary(texts, lang) == words


@given(st.integers(40, 3000), st.integers())
def test_length_is_within_one_per_cent_and_words_are_of_the_vocabulary(length: int, seed: int) -> None:
    text = uniform_text(WORDS, length, lang="en", seed=seed)
    assert abs(len(text) - length) <= 0.01 * length
    assert set(text.split(" ")) <= set(WORDS)
    assert text == uniform_text(WORDS, length, lang="en", seed=seed)


@given(st.integers(1, 500), st.integers())
def test_chinese_has_no_spaces(length: int, seed: int) -> None:
    text = uniform_text(("湾", "白", "鹭"), length, lang="zh", seed=seed)
    assert abs(len(text) - length) <= 0.01 * length
    assert set(text) <= set("湾白鹭")


def test_words_are_drawn_uniformly() -> None:
    counts = Counter(uniform_text(WORDS, 60_000, lang="en", seed=0).split(" "))
    total = counts.total()
    expected = total / len(WORDS)
    # chi-square with 4 degrees of freedom: 18.5 is its 0.999 quantile
    assert sum((counts[word] - expected) ** 2 / expected for word in WORDS) < 18.5


@pytest.mark.parametrize(("words", "length"), [((), 100), (("extraordinarily",), 7), (("abcdef",), 99)])
def test_a_length_that_cannot_be_met(words: tuple[str, ...], length: int) -> None:
    with pytest.raises(TextsError, match=f"no text of {length} characters"):
        uniform_text(words, length, lang="en", seed=0)
