"""Uniform texts."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.texts import TextsError
from pytest_vtcfaith.texts.uniform import fitted_text, uniform_text, vocabulary

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


@given(st.integers(40, 3000), st.integers(0))
def test_length_is_within_one_per_cent_and_words_are_of_the_vocabulary(length: int, seed: int) -> None:
    text = uniform_text(WORDS, length, lang="en", seed=seed)
    assert abs(len(text) - length) <= 0.01 * length
    assert set(text.split(" ")) <= set(WORDS)
    assert text == uniform_text(WORDS, length, lang="en", seed=seed)


@given(st.integers(1, 500), st.integers(0))
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


def test_a_seed_under_zero_is_refused() -> None:
    with pytest.raises(TextsError, match="seed -1 must be a whole number of at least 0"):
        uniform_text(WORDS, 100, lang="en", seed=-1)
    with pytest.raises(TextsError, match="seed -1 must be a whole number of at least 0"):
        fitted_text(WORDS, 100, lang="en", seed=-1, count=count, supported=lambda tokens: True)


@pytest.mark.parametrize(("words", "length"), [((), 100), (("extraordinarily",), 7), (("abcdef",), 99)])
def test_a_length_that_cannot_be_met(words: tuple[str, ...], length: int) -> None:
    with pytest.raises(TextsError, match=f"no text of {length} characters"):
        uniform_text(words, length, lang="en", seed=0)


# a token for each four letters begun, so that one word may cost several
def count(text: str) -> int:
    return sum(-(-len(word) // 4) for word in text.split())


@given(st.integers(800, 2000), st.integers(0), st.integers(0, 6))
def test_fitted_texts_meet_both_numbers(length: int, seed: int, remainder: int) -> None:
    def supported(n: int) -> bool:
        return n % 7 == remainder

    text = fitted_text(WORDS, length, lang="en", seed=seed, count=count, supported=supported)
    assert abs(len(text) - length) <= 0.01 * length
    assert supported(count(text))
    assert set(text.split(" ")) <= set(WORDS)
    assert text == fitted_text(WORDS, length, lang="en", seed=seed, count=count, supported=supported)


def test_where_every_number_will_do_fitted_words_are_uniform() -> None:
    counts: Counter[str] = Counter()
    for seed in range(60):
        text = fitted_text(WORDS, 3000, lang="en", seed=seed, count=count, supported=lambda n: True)
        counts.update(text.split(" "))
    expected = counts.total() / len(WORDS)
    # chi-square with 4 degrees of freedom: 18.5 is its 0.999 quantile
    assert sum((counts[word] - expected) ** 2 / expected for word in WORDS) < 18.5


def test_of_the_supported_numbers_the_one_with_the_usual_word_length_is_taken() -> None:
    # uniform: (3 + 4 + 7 + 8 + 15 + 5 spaces) / 10 tokens = 4.2 characters a token, so 500 tokens for 2100 characters
    text = fitted_text(WORDS, 2100, lang="en", seed=0, count=count, supported=lambda n: n in (440, 480, 540))
    assert count(text) == 480


def test_tokens_that_reach_over_the_edge_of_a_word() -> None:
    def merging(text: str) -> int:
        return len(text.replace("湾白", "湾"))

    for seed in range(20):
        text = fitted_text("湾白鹭", 200, lang="zh", seed=seed, count=merging, supported=lambda n: n == 180)
        assert abs(len(text) - 200) <= 2
        assert merging(text) == 180


@pytest.mark.parametrize(
    ("words", "numbers"), [((), {20}), (("abcdef",), {90}), (("ab", "cd"), {1000}), (("ab", "cd"), set())]
)
def test_numbers_that_cannot_be_met(words: tuple[str, ...], numbers: set[int]) -> None:
    with pytest.raises(TextsError, match="no text of 200 characters and a supported number of tokens"):
        fitted_text(words, 200, lang="en", seed=0, count=count, supported=numbers.__contains__)
