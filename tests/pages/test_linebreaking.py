from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.pages.linebreaking import INKLESS, may_break, may_part, visible_text, words


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("a\nb", "a\nb"),
        ("a\tb", "a b"),
        ("two  spaces", "two spaces"),
        ("a\r\nb", "a\nb"),
        ("a \n\n \n b", "a\nb"),
        ("\n a\n", "a"),
        ("a\xa0b\u3000c\u2028d\x0ce\x85f", "a b c d e f"),
        ("e\u0301", "é"),
        ("한", "한"),  # conjoining jamo
        ("so\xadft\u200b zero\u2060\ufeff \u200emark\u200f ☃\ufe0f", "soft zero mark ☃"),
        ("e\u200b\u0301", "é"),
        ("", ""),
        (" \n\t ", ""),
        ("①Ａ", "①Ａ"),  # no compatibility folding
        ("a\x1cb", "a\x1cb"),  # a control character is no white space: it has no glyph and is reported
    ],
)
def test_visible_text(text: str, visible: str) -> None:
    assert visible_text(text) == visible


@given(st.text())
def test_visible_text_is_settled(text: str) -> None:
    visible = visible_text(text)
    assert visible_text(visible) == visible
    assert unicodedata.is_normalized("NFC", visible)
    assert "  " not in visible
    assert "\n\n" not in visible


@pytest.mark.parametrize(
    ("text", "lang", "expected"),
    [
        ("Low tide, 9:40", "en", ["Low", "tide,", "9:40"]),
        ("길 것이다.", "ko", ["길", "것이다."]),
        ("海水3.50元", "zh", ["海", "水", "3.50", "元"]),
        ("GPT-4.5的", "zh", ["GPT", "-", "4.5", "的"]),
        ("1,284箱。", "zh", ["1,284", "箱", "。"]),
        ("3.元", "zh", ["3", ".", "元"]),
        ("在 café 里", "mixed", ["在", "café", "里"]),
    ],
)
def test_words(text: str, lang: str, expected: list[str]) -> None:
    assert [word.text for word in words(text, lang)] == expected


@given(
    st.text(alphabet="海路，。“ab1.-,é가 ", max_size=60),
    st.sampled_from(["en", "zh", "ko", "mixed"]),
    st.integers(0, 9),
)
def test_words_cover_all_but_the_spaces(text: str, lang: str, offset: int) -> None:
    paragraph = visible_text(text)
    found = list(words(paragraph, lang, offset))
    assert "".join(word.text for word in found) == paragraph.replace(" ", "")
    for word in found:
        start = word.start - offset
        assert paragraph[start : start + len(word.text)] == word.text
        assert word.spaced == (start > 0 and paragraph[start - 1] == " ")


@pytest.mark.parametrize(
    ("before", "after", "spaced", "lang", "allowed"),
    [
        ("low", "tide", True, "en", True),
        ("바다와", "등대", True, "ko", True),
        ("low", ".", True, "en", False),
        ("low", ")", True, "en", False),
        ("low", "...", True, "en", False),
        ("low", "”", True, "en", False),
        ("low", "’)", True, "en", False),
        ("바다", "。", True, "ko", False),
        ("바다", "!", True, "ko", False),
        ("low", "’tis", True, "en", True),
        ("low", ".5", True, "en", True),
        ("low", "…and", True, "en", True),
        ("low", ".)", True, "mixed", False),
        ("low", ".", True, "zh", False),
        ("海", "路", False, "zh", True),
        ("海", "tide", False, "zh", True),
        ("tide", "海", False, "zh", True),
        ("GPT", "-", False, "zh", False),
        ("low", "tide", True, "zh", True),
        ("海", "。", False, "zh", False),
        ("海", "，", True, "zh", False),
        ("海", "”", False, "zh", False),
        ("海", "…", False, "zh", False),
        ("海", ".", False, "zh", False),
        ("（", "海", False, "zh", False),
        ("“", "海", False, "zh", False),
        ("海", "“", False, "zh", True),
        ("。", "海", False, "zh", True),
        ("。", "”", False, "zh", False),
        ("海", "(", False, "zh", True),
        ("(", "海", False, "zh", False),
    ],
)
def test_where_a_line_may_end(before: str, after: str, spaced: bool, lang: str, allowed: bool) -> None:
    assert may_break(before, after, spaced=spaced, lang=lang) is allowed


@pytest.mark.parametrize("closing", "，。、；：？！）》」』”’…")
def test_no_line_begins_with_closing_punctuation(closing: str) -> None:
    assert not may_break("海", closing, spaced=False, lang="zh")


@pytest.mark.parametrize("closing", ".,;:!?)]}")
def test_no_line_begins_with_ascii_closing_punctuation_after_a_wide_character(closing: str) -> None:
    assert not may_break("海", closing, spaced=False, lang="zh")


@pytest.mark.parametrize(
    ("before", "after", "allowed"),
    [
        ("a", "b", True),
        ("a", ")", False),
        ("a", "，", False),
        ("(", "a", False),
        ("“", "a", False),
        ("x", "\u0302", False),
    ],
)
def test_where_a_long_word_may_be_broken(before: str, after: str, allowed: bool) -> None:
    assert may_part(before, after) is allowed


def test_inkless_characters_are_what_a_page_drops() -> None:
    """Oracle: every character up to the last script that has any, and the plane of tags, between two others."""
    codes = [*range(0x3000), *range(0xFE00, 0x10000), *range(0xE0000, 0xE0200)]
    dropped = {chr(code) for code in codes if visible_text(f"a{chr(code)}b") == "ab"}
    assert dropped == {chr(code) for code in range(0x110000) if INKLESS.fullmatch(chr(code))}
    assert {"\u200b", "\u200c", "\u200d", "\u180e", "\xad", "\ufeff", "\ufe0f"} <= dropped
    assert not {" ", "\n", "\t", "\x00", "a"} & dropped
