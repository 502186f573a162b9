"""Boxes stand where the words stand."""

from __future__ import annotations

import pytest
from made_html import SPEC, case

from pytest_vtcfaith.pages import render
from pytest_vtcfaith.report.html.boxes import marks_of
from pytest_vtcfaith.report.html.words import spans_of
from pytest_vtcfaith.suites import load_suite

ENGLISH = "the old harbour master counted seven grey boats and wrote the number down"
CHINESE = "港口的旧船在晨雾里等待出发，船上有7名水手。"


@pytest.mark.parametrize("wrong", ["the", "harbour", "down"])
def test_the_box_of_a_wrong_word_is_that_word_of_the_page(wrong: str) -> None:
    page = render(ENGLISH, layout="faithc4", lang="en")
    spans = spans_of(case(text=ENGLISH, params={}), ENGLISH.replace(wrong, "steamer", 1))
    marks = marks_of([page], spans, "en")
    (word,) = (word for word in page.words if word.text == wrong and word.start == ENGLISH.index(wrong))
    assert [(m.left, m.top, m.right, m.bottom) for m in marks] == [(word.left, word.top, word.right, word.bottom)]
    assert spans[marks[0].span].printed == wrong


def test_an_added_word_stands_behind_the_word_before_it() -> None:
    page = render(ENGLISH, layout="faithc4", lang="en")
    (mark,) = marks_of([page], spans_of(case(text=ENGLISH, params={}), ENGLISH.replace("grey", "grey old")), "en")
    before = next(word for word in page.words if word.text == "grey")
    assert (mark.left, mark.top, mark.bottom) == (before.right, before.top, before.bottom)


def test_chinese_tokens_and_drawn_characters_are_matched() -> None:
    page = render(CHINESE, layout="faithc4", lang="zh")
    spans = spans_of(case(text=CHINESE, lang="zh", params={}), CHINESE.replace("水手", "木手"))
    (mark,) = marks_of([page], spans, "zh")
    word = next(word for word in page.words if word.text == "水")
    assert (mark.left, mark.right) == (word.left, word.right)


def test_of_several_pages_the_right_one_is_marked() -> None:
    text = " ".join(f"word{number}" for number in range(2500))
    of = case(text=text, params={"condition": "original", "original": text, "prompt": "plain"})
    pages = load_suite("rewriting").request(of, SPEC).pages
    assert len(pages) > 1
    (mark,) = marks_of(pages, spans_of(of, text.replace("word2490", "nothing")), "en")
    assert mark.page == len(pages) - 1
    word = next(word for word in pages[-1].words if word.text == "word2490")
    assert (mark.left, mark.top) == (word.left, word.top)


def test_a_line_break_in_a_place_gives_a_box_a_line() -> None:
    text = " ".join(["harbour"] * 60)
    page = render(text, layout="faithc4", lang="en")
    marks = marks_of([page], spans_of(case(text=text, params={}), ""), "en")
    assert len(marks) == len({word.line for word in page.words}) > 1


def test_nothing_is_marked_where_all_is_right() -> None:
    page = render(ENGLISH, layout="faithc4", lang="en")
    assert marks_of([page], spans_of(case(text=ENGLISH, params={}), ENGLISH), "en") == []
