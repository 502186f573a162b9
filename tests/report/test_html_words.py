"""Page and transcript word by word: nothing is lost, and a rewritten word is called so."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_html import ORIGINAL, PRINTED, case

from pytest_vtcfaith.metrics import align, normalise, tokens
from pytest_vtcfaith.report.html.words import KINDS, spans_of

SAME = ("", "the old", "the old")


def told(text: str, read: str, original: str | None = None, lang: str = "en") -> list[tuple[str, str, str]]:
    params = {} if original is None else {"original": original}
    return [(s.kind, s.printed, s.read) for s in spans_of(case(text=text, lang=lang, params=params), read)]


@pytest.mark.parametrize(
    ("page", "read", "expected"),
    [
        ("the old boat", "the old boat", [("", "the old boat", "the old boat")]),
        ("the old boat", "the old goat", [SAME, ("close", "boat", "goat")]),
        ("the old boat", "the old steamer", [SAME, ("wrong", "boat", "steamer")]),
        ("the old boat", "the old", [SAME, ("missing", "boat", "")]),
        ("the old", "the old boat", [SAME, ("added", "", "boat")]),
        ("the old boat", "", [("missing", "the old boat", "")]),
    ],
)
def test_a_place_that_differs_has_the_name_of_how(page: str, read: str, expected: list[tuple[str, str, str]]) -> None:
    assert told(page, read) == expected


def test_a_perturbed_word_that_comes_back_as_the_original_is_rewritten() -> None:
    spans = spans_of(case(), PRINTED.replace("hafbcur", "harbour").replace("grey", "gray"))
    wrong = [(s.kind, s.printed, s.read, s.original) for s in spans if s.kind]
    assert wrong == [("rewritten", "hafbcur", "harbour", "harbour"), ("close", "grey", "gray", "")]


def test_a_perturbed_word_that_comes_back_as_something_else_is_not_rewritten() -> None:
    spans = spans_of(case(), PRINTED.replace("hafbcur", "hafbeur").replace("sewen", "telephone"))
    assert [(s.kind, s.original) for s in spans if s.kind] == [("close", "harbour"), ("wrong", "seven")]


def test_a_chinese_window_is_one_place() -> None:
    original, page = "港口的旧船在晨雾里等待出发", "港口的旧般在辰雾里等待出发"
    spans = spans_of(case(text=page, lang="zh", params={"original": original}), original)
    assert {s.kind for s in spans if s.kind} == {"rewritten"}
    assert "".join(s.printed for s in spans) == page
    assert "".join(s.read for s in spans) == original


WORDS = st.lists(st.sampled_from(["the", "old", "boat", "goat", "harbour", "hafbcur", "a", "I"]), max_size=12)


@settings(max_examples=150, deadline=None)
@given(WORDS, WORDS, st.sampled_from([None, ORIGINAL]))
def test_printed_and_read_words_are_those_of_page_and_transcript(
    page: list[str], read: list[str], original: str | None
) -> None:
    params = {} if original is None else {"original": original}
    spans = spans_of(case(text=" ".join(page), params=params), " ".join(read))
    assert " ".join(s.printed for s in spans if s.printed).split() == page
    assert " ".join(s.read for s in spans if s.read).split() == read
    assert all(s.kind in ("", *KINDS) for s in spans)
    assert [s.start for s in spans] == sorted(s.start for s in spans)
    matched = sum(s.stop - s.start for s in spans if not s.kind)
    texts = (tokens(normalise(" ".join(words), "verbatim", "en"), "en") for words in (page, read))
    assert matched == len(align(*texts).matches)
