"""What is found is shrunk to the same minimal form from every seed: words, perturbed words, length of words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import strategies as st

from pytest_vtcfaith.strategies import PerturbedDocument, documents, find_unfaithful
from pytest_vtcfaith.strategies.minimal import pairs_of
from pytest_vtcfaith.strategies.written import known

Telling = Callable[[Callable[[str], Any]], Any]
ALL = ("rewritten", "close", "moderate", "missing", "wrong")
SORTED: dict[str, str] = {}
for each in known("en"):
    SORTED.setdefault("".join(sorted(each)), each)


def repaired(word: str) -> str:
    return SORTED.get("".join(sorted(word)), word)


def each_word(repairs: Callable[[list[str], int], bool]) -> Callable[[str], str]:
    """A pipeline that repairs a word when `repairs(words, place)`."""

    def read(text: str) -> str:
        words = text.split()
        return " ".join(repaired(word) if repairs(words, i) else word for i, word in enumerate(words))

    return read


def sizes(document: PerturbedDocument) -> tuple[int, int, list[int]]:
    """Words, perturbed words, and the length of each word."""
    pairs = pairs_of(document)
    return len(pairs), sum(a != b for a, b in pairs), [len(a) for a, _ in pairs]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("read", "classes", "minimal"),
    [
        (lambda text: text.replace("rn", "m"), ALL[1:], (1, 1, [4])),
        (each_word(lambda words, i: repaired(words[i]).endswith("tion")), ALL[:1], (1, 1, [6])),
        (each_word(lambda words, i: len(words[i]) >= 9), ALL[:1], (1, 1, [9])),
        (each_word(lambda words, i: i > 0 and len(words[i - 1]) > 8), ALL[:1], (2, 1, [9, 4])),
        (each_word(lambda words, i: i >= 3), ALL[:1], (4, 1, [4, 4, 4, 4])),
        (each_word(lambda words, i: len(words) > 5), ALL[:1], (6, 1, [4] * 6)),
        (each_word(lambda words, i: len(" ".join(words)) > 40), ALL[:1], (3, 1, None)),
        (lambda text: " ".join(text.split()[:10]), ("missing",), (11, 1, [4] * 11)),
    ],
    ids=["rn", "tion", "nine-letters", "after-long", "from-fourth", "six-words", "forty-characters", "ten-words"],
)
def test_pipelines_shrink_to_the_same_size_from_every_seed(
    told: Telling, read: Callable[[str], str], classes: tuple[str, ...], minimal: tuple[int, int, Any], seed: int
) -> None:
    found = find_unfaithful(told(read), classes=classes, seed=seed, max_examples=300)
    words, perturbed, lengths = sizes(found.document)
    assert (words, perturbed) == minimal[:2]
    assert lengths == (minimal[2] or lengths)
    if minimal[2] is None:
        assert len(found.document.text) == 41


@pytest.mark.parametrize("seed", range(4))
def test_perturbed_words_stay_different(told: Telling, seed: int) -> None:
    expected = set(known("en"))
    read = each_word(lambda words, i: sum(word not in expected for word in words) >= 2)
    found = find_unfaithful(told(read), seed=seed)
    assert sizes(found.document) == (2, 2, [4, 4])
    assert len(set(found.document.text.split())) == 2


def test_shrinking_keeps_to_its_budget_and_says_so(told: Telling) -> None:
    model = told(each_word(lambda words, i: len(words) > 20))
    found = find_unfaithful(model, max_shrinks=5)
    searched = len(find_unfaithful(told(model.answer), max_shrinks=0).document.text.split())
    assert searched > 20
    assert not found.smallest
    assert "a smaller page may do: max_shrinks was reached" in str(found)
    whole = find_unfaithful(told(model.answer))
    assert whole.smallest
    assert whole.pages_read > found.pages_read
    assert len(whole.document.text.split()) == 21


@pytest.mark.parametrize("seed", range(4))
def test_no_word_can_be_left_out_or_printed_as_in_the_original(told: Telling, seed: int) -> None:
    """An oracle of its own: every page with a word less, or a perturbed word less, is read as printed."""
    read = each_word(lambda words, i: len(words[0]) % 2 == 1 and len(words) > 2 and len(words[i]) > 5)
    found = find_unfaithful(told(read), seed=seed)
    pairs = pairs_of(found.document)
    for i in range(len(pairs)):
        rest = " ".join(shown for j, (_, shown) in enumerate(pairs) if j != i)
        assert read(rest) == rest
        kept = " ".join(old if j == i else shown for j, (old, shown) in enumerate(pairs))
        assert pairs[i][0] == pairs[i][1] or read(kept) == kept


def test_chinese_documents_are_taken_apart_by_windows(told: Telling) -> None:
    def missing_end(text: str) -> str:
        return text[:-4] if len(text) >= 24 else text

    found = find_unfaithful(told(missing_end), lang="zh", kind="random", classes=ALL)
    assert sizes(found.document) == (6, 1, [4] * 6)


def test_marks_between_chinese_windows_stay_where_they_are() -> None:
    document = PerturbedDocument("海边小镇，每天早晨都", "海边小镇，甲乙丙丁都", "zh", "random")
    assert pairs_of(document) == (("海边小镇", "海边小镇"), ("，", "，"), ("每天早晨", "甲乙丙丁"), ("都", "都"))
    assert pairs_of(PerturbedDocument("海边", "海", "zh", "random")) == ()


def test_documents_that_are_no_pairs_of_words_shrink_as_their_strategy_does(told: Telling) -> None:
    glued = [
        PerturbedDocument("the lantern " + "on the pier " * n, "the lnatern " + "onthe pier " * n, "en", "scramble")
        for n in range(1, 5)
    ]
    assert pairs_of(glued[0]) == ()
    found = find_unfaithful(told(lambda text: text.replace("lnatern", "lantern")), pages=st.sampled_from(glued), seed=3)
    assert found.document == glued[0]
    assert not found.smallest


def test_words_of_other_domains_are_left_out_before_they_are_replaced(told: Telling) -> None:
    odd = st.just(
        PerturbedDocument("the stenosis of\na vessel, perhaps", "the stneosis of\na vessel, perhaps", "en", "scramble")
    )
    found = find_unfaithful(told(lambda text: text.replace("stneosis", "stenosis")), pages=odd)
    assert (found.document.original, found.document.text) == ("stenosis", "stneosis")


def test_a_page_whose_reply_is_not_complete_is_no_finding(told: Telling) -> None:
    """`able` is three quarters hexadecimal: a page that is nearly a hex dump becomes one when its other letters go."""
    able = "able " * 11
    document = PerturbedDocument(able + "grain", able + "giarn", "en", "scramble")

    def read(text: str) -> str:
        return text.replace("rn", "m") if text.count("able") == 11 else text

    with pytest.raises(RuntimeError, match="1 hex_dump"):
        find_unfaithful(told(read), pages=st.just(document), classes=ALL)
    assert find_unfaithful(told(str), pages=st.just(document), classes=ALL) is None


def test_the_default_strategy_is_documents(told: Telling) -> None:
    one = find_unfaithful(told(each_word(lambda words, i: True)), seed=7)
    same = find_unfaithful(told(each_word(lambda words, i: True)), pages=documents("en", "scramble"), seed=7)
    assert one == same
