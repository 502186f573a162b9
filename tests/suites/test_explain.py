"""The word of the page that a token of its text stands for, and heads of transcripts."""

from __future__ import annotations

import pytest

from pytest_vtcfaith.metrics import normalise, tokens
from pytest_vtcfaith.pages import render
from pytest_vtcfaith.suites import load_suite
from pytest_vtcfaith.suites.explain import describe_text, page_word


@pytest.mark.parametrize("lang", ["en", "zh", "ko"])
def test_every_token_of_the_bundled_pages_finds_its_word(lang: str) -> None:
    cases = [
        c for c in load_suite("rewriting").cases() if c.lang == lang and c.params["condition"] in ("original", "random")
    ]
    for case in cases[:6]:
        page = render(case.reference, layout="faithc4", lang=lang)
        for index, token in enumerate(tokens(normalise(case.reference, "verbatim", lang), lang)):
            found = page_word(page, lang, index)
            assert found is not None
            shown = normalise(page.words[found].text, "verbatim", lang)
            assert shown in token or token in shown, (case.id, index)


@pytest.mark.parametrize(
    ("text", "lang", "word", "printed"),
    [
        ("soft\u00adhyphen and zero\u200bwidth marks \u200f here", "en", "marks", "marks"),
        ("cafe\u0301 old pier", "en", "pier", "pier"),
        ("ＡＢＣ 海路 12.5 米，灯塔。", "zh", "塔", "塔"),
        ("iPhone 15 Pro 在海边", "zh", "海", "海"),
        ("한글 문서 \u1112\u1161\u11ab 등대", "ko", "등대", "등대"),
    ],
)
def test_marks_and_composition_shift_nothing(text: str, lang: str, word: str, printed: str) -> None:
    page = render(text, layout="faithc4", lang=lang)
    index = tokens(normalise(text, "verbatim", lang), lang).index(word)
    found = page_word(page, lang, index)
    assert found is not None
    assert page.words[found].text == printed


def test_no_word_to_look_at() -> None:
    page = render("one two", layout="faithc4", lang="en")
    assert page_word(page, "en", None) is None
    assert page_word(None, "en", 0) is None
    assert page_word(render("", layout="faithc4", lang="en"), "en", 0) is None
    assert page_word(page, "en", 99) == 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", "0 characters"),
        (" \n ", "3 characters"),
        ("I'm\nsorry", "9 characters, begins 'I'm sorry'"),
        ("a\x00\x1b[2J\u202e\ud83d", "8 characters, begins 'a\\x00\\x1b[2J\\u202e\\ud83d'"),
        ("A" * 5_000_000, f"5000000 characters, begins '{'A' * 80}…'"),
    ],
)
def test_heads_of_transcripts(text: str, shown: str) -> None:
    assert describe_text(text) == shown
