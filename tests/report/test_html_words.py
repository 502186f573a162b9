"""Page and transcript word by word: nothing is lost, and a rewritten word is called so."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_html import ORIGINAL, PRINTED, case

from pytest_vtcfaith.metrics import align, normalise, process_rewrites, tokens
from pytest_vtcfaith.report.html.pairing import steps
from pytest_vtcfaith.report.html.words import KINDS, counts_of, spans_of

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
        ("the old boats", "the boatz", [("", "the", "the"), ("missing", "old", ""), ("close", "boats", "boatz")]),
        ("beofre the", "before", [("close", "beofre", "before"), ("missing", "the", "")]),
        ("the beofre", "before", [("missing", "the", ""), ("close", "beofre", "before")]),
        ("grey boat", "gray old goat", [("close", "grey", "gray"), ("added", "", "old"), ("close", "boat", "goat")]),
        ("harbour master", "harbourmaster", [("close", "harbour master", "harbourmaster")]),
        ("harbourmaster", "harbor master", [("close", "harbourmaster", "harbor master")]),
        ("grey boat", "seven lanterns", [("wrong", "grey", "seven"), ("wrong", "boat", "lanterns")]),
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


def test_a_perturbed_word_and_its_missing_neighbour_are_two_places() -> None:
    page, original = "he left beofre the tide", "he left before the tide"
    spans = spans_of(case(text=page, params={"original": original}), "he left before tide")
    wrong = [(s.kind, s.printed, s.read, s.original) for s in spans if s.kind]
    assert wrong == [("rewritten", "beofre", "before", "before"), ("missing", "the", "", "")]


def test_a_run_that_has_nothing_to_do_with_the_page_stays_whole() -> None:
    printed, read = (" ".join(f"{letter}{n}" for n in range(50)) for letter in "xy")
    assert told(printed, f"{read} more") == [("wrong", printed, f"{read} more")]


@given(st.lists(st.text("ab", min_size=1), max_size=6), st.lists(st.text("ab", min_size=1), max_size=6))
def test_the_parts_of_a_run_are_all_of_it(printed: list[str], read: list[str]) -> None:
    found = steps(printed, read)
    assert [sum(step[side] for step in found) for side in (0, 1)] == [len(printed), len(read)]
    assert set(found) <= {(1, 1), (1, 0), (0, 1), (2, 1), (1, 2)}


def test_counts_are_of_words_and_say_which_are_perturbed() -> None:
    page, original = "he left beofre the old grey tide came", "he left before the old grey tide came"
    spans = spans_of(case(text=page, params={"original": original}), "he loft before tide came")
    assert counts_of(spans, "en") == {"rewritten": (1, 1), "close": (1, 0), "missing": (3, 0)}
    assert counts_of(spans_of(case(text="the old"), "the old boat came"), "en") == {"added": (2, 0)}
    old, new = "港口的旧船在晨雾里等待出发", "港口的旧般在辰雾里等待出发"
    spans = spans_of(case(text=new, lang="zh", params={"original": old}), old)
    assert {kind: perturbed for kind, (_, perturbed) in counts_of(spans, "zh").items()} == {
        "rewritten": len(process_rewrites(old, new, old, lang="zh").words)
    }


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
