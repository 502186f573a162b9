"""Scripts and the pools of random replacement."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.texts import TextsError
from pytest_vtcfaith.texts.scripts import (
    common_han,
    common_syllables,
    in_script,
    is_ascii_letter,
    is_han,
    is_hangul_syllable,
    replacements,
)


@given(st.characters())
def test_predicates_agree_with_the_names_of_unicode(char: str) -> None:
    name = unicodedata.name(char, "")
    assert is_han(char) == name.startswith("CJK UNIFIED IDEOGRAPH-") or ord(char) > 0x2EBEF
    assert is_hangul_syllable(char) == name.startswith("HANGUL SYLLABLE ")
    assert is_ascii_letter(char) == (
        name.startswith(("LATIN SMALL LETTER", "LATIN CAPITAL LETTER")) and ord(char) < 128
    )


@pytest.mark.parametrize(
    ("char", "lang", "inside"),
    [
        ("q", "en", True),
        ("é", "en", False),
        ("7", "en", False),
        ("灯", "zh", True),
        ("한", "zh", False),
        ("ㄱ", "ko", False),
    ],
)
def test_in_script(char: str, lang: str, inside: bool) -> None:
    assert in_script(char, lang) is inside


def test_pools_have_the_sizes_of_their_standards() -> None:
    # GB 2312 level 1: 3,755 characters in rows 16-55; KS X 1001: 2,350 syllables in rows 16-40
    rows = [char.encode("gb2312")[0] - 0xA0 for char in common_han()]
    assert (min(rows), max(rows), len(rows)) == (16, 55, 3755)
    assert "啊" in common_han()
    assert "鹭" not in common_han()
    rows = [char.encode("euc_kr")[0] - 0xA0 for char in common_syllables()]
    assert (min(rows), max(rows), len(rows)) == (16, 40, 2350)
    assert (common_syllables()[0], common_syllables()[-1]) == ("가", "힝")


def test_replacements_keep_the_case_and_the_script() -> None:
    assert "".join(replacements("q", "en")) == "abcdefghijklmnopqrstuvwxyz"
    assert "".join(replacements("Q", "en")) == "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    assert replacements("灯", "zh") == common_han()
    assert replacements("뷁", "ko") == common_syllables()


@pytest.mark.parametrize(("char", "lang"), [("é", "en"), ("灯", "en"), ("a", "zh"), ("a", "fr")])
def test_replacements_refuse_what_is_not_in_the_script(char: str, lang: str) -> None:
    with pytest.raises(TextsError, match=rf"{lang}"):
        replacements(char, lang)
