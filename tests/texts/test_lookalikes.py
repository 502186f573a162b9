"""The confusion maps, against the paper's table and Unicode's own decomposition."""

from __future__ import annotations

import string
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.texts import TextsError, lookalikes
from pytest_vtcfaith.texts.lookalikes import jamo, parse_groups, syllable
from pytest_vtcfaith.texts.scripts import common_han, common_syllables

# FaithC4, Table A.1, line by line as printed
TABLE_A1 = """
a | e, o, c | A | H, N
b | h, d | B | S, R, D, E
c | e, o | C | G, O
d | o, cl, b | D | O, B
e | a, c, o | E | F, B
f | l | F | E
g | q, c, o | G | C, O, Q
h | n, b, li | H | A, N
i | l, j | I | l, J, T
j | i, l | J | I, T
k | lc, l, x | K | X, Y
l | I, i, j, f | L | I, N
m | n, rn | M | N, H
n | h, m | N | M, H
o | a, e, c | O | C, D, G, Q
p | q, o | P | R, B
q | g, p | Q | O, G, C
r | n, c | R | P, B
s | a, e, z | S | B
t | i, l | T | I, J
u | v, n | U | V
v | u | V | U, N
w | vv, u, m | W | V, U, M, VV
x | k | X | K
y | j | Y | I, K
z | s, e | Z | S
"""


def test_english_is_table_a1() -> None:
    table = {}
    for line in TABLE_A1.strip().split("\n"):
        lower, lower_alike, upper, upper_alike = line.split(" | ")
        table[lower], table[upper] = tuple(lower_alike.split(", ")), tuple(upper_alike.split(", "))
    assert sorted(table) == sorted(string.ascii_letters)
    assert {char: lookalikes(char, "en") for char in string.ascii_letters} == table


@pytest.mark.parametrize("char", ["7", "é", "灯", "한", ""])
def test_english_has_none_for_others(char: str) -> None:
    assert lookalikes(char, "en") == ()


@given(st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3))
def test_jamo_are_unicodes_decomposition(char: str) -> None:
    initial, vowel, final = jamo(char)
    parts = [chr(0x1100 + initial), chr(0x1161 + vowel), *([chr(0x11A7 + final)] if final else [])]
    assert "".join(parts) == unicodedata.normalize("NFD", char)
    assert syllable(initial, vowel, final) == char


def test_korean_swaps_exactly_one_jamo_and_keeps_the_shape() -> None:
    with_some = 0
    for char in common_syllables():
        alike = lookalikes(char, "ko")
        with_some += bool(alike)
        assert len(set(alike)) == len(alike)
        for other in alike:
            parts, swapped = unicodedata.normalize("NFD", char), unicodedata.normalize("NFD", other)
            assert len(parts) == len(swapped)
            assert sum(a != b for a, b in zip(parts, swapped, strict=True)) == 1
            assert other in common_syllables()
    assert with_some >= 0.98 * len(common_syllables())


@pytest.mark.parametrize(
    ("char", "one"),
    [("가", "거"), ("가", "카"), ("개", "게"), ("도", "토"), ("밥", "팝"), ("종", "총"), ("앙", "항"), ("낙", "낚")],
)
def test_korean_examples(char: str, one: str) -> None:
    assert one in lookalikes(char, "ko")


@pytest.mark.parametrize("char", ["a", "ㄱ", "灯", " "])
def test_korean_has_none_for_others(char: str) -> None:
    assert lookalikes(char, "ko") == ()


def test_han_gives_common_ones_and_among_these_is_mutual() -> None:
    known = [char for char in map(chr, range(0x4E00, 0xA000)) if lookalikes(char, "zh")]
    common = set(common_han())
    assert len(common & set(known)) >= 3000
    for char in known:
        for other in lookalikes(char, "zh"):
            assert other != char
            assert other in common
            assert char in lookalikes(other, "zh") or char not in common


def test_a_rare_han_character_is_looked_up_but_never_given() -> None:
    # the group 按桉: 按 is of level 1, 桉 of level 2
    assert "按" in lookalikes("桉", "zh")
    assert "桉" not in lookalikes("按", "zh")


@pytest.mark.parametrize(("char", "other"), [("大", "太"), ("人", "入")])
def test_han_has_the_papers_examples(char: str, other: str) -> None:
    assert other in lookalikes(char, "zh")


def test_groups_join_over_lines_in_the_order_of_the_file() -> None:
    assert parse_groups("# note\n大太犬\n\n太夫大\n", "f") == {
        "大": ("太", "犬", "夫"),
        "太": ("大", "犬", "夫"),
        "犬": ("大", "太"),
        "夫": ("太", "大"),
    }


@pytest.mark.parametrize("line", ["大", "大大", "大a", "大 太"])
def test_groups_refuse_what_is_no_group(line: str) -> None:
    with pytest.raises(TextsError, match=r"f:2: .*two or more"):
        parse_groups(f"# note\n{line}\n", "f")


def test_unknown_language() -> None:
    with pytest.raises(TextsError, match="'fr' is unknown: choose one of en, zh, ko"):
        lookalikes("a", "fr")
