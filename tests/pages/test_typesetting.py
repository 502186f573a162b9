from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.pages.linebreaking import CLOSING, may_part, visible_text
from pytest_vtcfaith.pages.typesetting import Ink, PageOverflow, Setting, typeset

EM = 10


def block(word: str) -> Ink:
    """A font in which every character is a solid block of 10 x 8 pixels on the baseline."""
    return Ink(EM * len(word), 0, -8, EM * len(word), 0)


def lines(setting: Setting) -> list[list[str]]:
    return [[word.text for word in line.words] for line in setting.lines]


def set_text(text: str, lang: str, width: int) -> Setting:
    return typeset(text, lang, width=width, line_height=12, first_baseline=9, measure=block, space=EM)


@pytest.mark.parametrize(
    ("text", "lang", "characters", "expected"),
    [
        ("low tide at nine", "en", 8, [["low", "tide"], ["at", "nine"]]),
        ("low tide", "en", 7, [["low"], ["tide"]]),
        ("a\nb c", "en", 9, [["a"], ["b", "c"]]),
        ("low unfathomable", "en", 5, [["low"], ["unfat"], ["homab"], ["le"]]),
        ("바다와 등대", "ko", 4, [["바다와"], ["등대"]]),
        ("海海海海海", "zh", 3, [["海", "海", "海"], ["海", "海"]]),
        ("海路报告。", "zh", 4, [["海", "路", "报"], ["告", "。"]]),
        ("海路“报告”", "zh", 3, [["海", "路"], ["“", "报"], ["告", "”"]]),
        ("去 tide 海", "zh", 5, [["去"], ["tide"], ["海"]]),
        ("海GPT-4好", "zh", 5, [["海"], ["GPT", "-", "4"], ["好"]]),
        ("。。。。", "zh", 3, [["。", "。", "。"], ["。"]]),
        ("ab ab . x", "en", 5, [["ab"], ["ab", "."], ["x"]]),
        ("ab ab ) x", "en", 5, [["ab"], ["ab", ")"], ["x"]]),
        ("바다 바다 ” x", "ko", 5, [["바다"], ["바다", "”"], ["x"]]),
        ("ab ’tis", "en", 5, [["ab"], ["’tis"]]),
        ("aaaaaaaa).", "en", 4, [["aaaa"], ["aaa"], ["a)."]]),
        ("aaaaaa.x", "en", 3, [["aaa"], ["aa"], ["a.x"]]),
        ("aaaa .", "en", 4, [["aaa"], ["a", "."]]),
        ("AAAAAA，海海", "zh", 3, [["AAA"], ["AA"], ["A", "，", "海"], ["海"]]),
        ("（AAAA）。海", "zh", 5, [["（", "AAA"], ["A", "）", "。", "海"]]),
        ("海AA-BBB-CC海", "zh", 4, [["海"], ["AA", "-"], ["BBB", "-"], ["CC", "海"]]),  # between words first
        ("ab . . . . .", "en", 4, [["a"], ["b", "."], [".", "."], [".", "."]]),  # cannot be helped
        ("", "en", 5, []),
    ],
)
def test_lines(text: str, lang: str, characters: int, expected: list[list[str]]) -> None:
    assert lines(set_text(text, lang, characters * EM)) == expected


def test_fifty_han_characters_wrap_at_twenty() -> None:
    assert [len(line) for line in lines(set_text("海" * 50, "zh", 20 * EM))] == [20, 20, 10]


def test_a_line_too_narrow_for_a_character_is_an_error() -> None:
    with pytest.raises(PageOverflow, match=r"a line of 9 pixels cannot hold the character 'l' \(10 pixels wide\)"):
        set_text("low", "en", 9)


def test_a_long_word_is_not_parted_from_its_combining_mark() -> None:
    text = "xx̂y"
    assert lines(typeset(text, "en", width=20, line_height=12, first_baseline=9, measure=block, space=EM)) == [
        ["x"],
        ["x̂"],
        ["y"],
    ]


sentences = st.lists(
    st.one_of(
        st.text(alphabet="海路港务长潮水", min_size=1, max_size=6).flatmap(
            lambda han: st.sampled_from(["，", "。", "！”", "……", "）", "."]).map(lambda end: han + end)
        ),
        st.text(alphabet="海路港务长潮水", min_size=1, max_size=4).map(lambda han: "《" + han + "》"),
        st.sampled_from(["GPT4", "3.50", " tide ", "（"]),
    ),
    max_size=30,
).map(lambda parts: "".join(parts) + "海")


@given(sentences, st.integers(14, 30))
def test_chinese_lines_neither_begin_nor_end_wrongly(text: str, characters: int) -> None:
    text = visible_text(text.replace("（（", "（"))
    for line in lines(set_text(text, "zh", characters * EM)):
        if "（" * 4 not in text:
            assert line[0][0] not in "，。！”…）》."
            assert line[-1][-1] not in "《（"


@given(
    st.lists(
        st.one_of(
            st.text(alphabet="abc", min_size=1, max_size=40),
            st.sampled_from([".", ")", "”", "x).", "海", "海。", "（AB）。", "，", "A-B", "(x", " ", "  "]),
        ),
        max_size=30,
    ),
    st.booleans(),
    st.integers(12, 25),
    st.sampled_from(["en", "ko", "zh", "mixed"]),
)
def test_no_line_begins_with_closing_punctuation_that_has_room_behind_a_character(
    parts: list[str], spaced: bool, characters: int, lang: str
) -> None:
    text = visible_text((" " if spaced else "").join(["ab", *parts]))
    found = lines(set_text(text, lang, characters * EM))
    for above, line in pairwise(found):
        if line[0][0] in CLOSING:
            # All of the line above but its first character is punctuation that must stay together
            assert all(not may_part(a, b) for a, b in pairwise("".join(above)))


def awkward(word: str) -> Ink:
    """Ink that overhangs its advance on all sides, by the word's own letters."""
    reach = 1 + sum(map(ord, word)) % 5
    return Ink(EM * len(word), -reach, -8 - reach, EM * len(word) + reach, reach)


@given(
    st.text(alphabet="海路，。“ab1.-é가 \n", max_size=150).map(visible_text),
    st.sampled_from(["en", "zh", "ko"]),
    st.integers(30, 300),
    st.sampled_from([block, awkward]),
)
def test_every_character_is_set_once_in_place_and_apart(text: str, lang: str, width: int, measure: object) -> None:
    setting = typeset(text, lang, width=width, line_height=9.5, first_baseline=7.5, measure=measure, space=EM)  # type: ignore[arg-type]
    placed = [(line.baseline, word) for line in setting.lines for word in line.words]
    assert "".join(word.text for _, word in placed) == text.replace(" ", "").replace("\n", "")
    boxes = []
    for baseline, word in placed:
        assert text[word.start : word.start + len(word.text)] == word.text
        box = (word.x + word.ink.left, baseline + word.ink.top, word.x + word.ink.right, baseline + word.ink.bottom)
        assert box[0] >= 0
        assert box[1] >= 0
        assert box[2] <= width
        assert box[3] <= setting.height
        boxes.append(box)
    for i, a in enumerate(boxes):
        for b in boxes[i + 1 :]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    for upper, lower in pairwise(line.baseline for line in setting.lines):
        assert lower - upper >= 9


def test_tall_letters_push_their_line_down_and_the_rest_with_it() -> None:
    def measure(word: str) -> Ink:
        return Ink(EM, 0, -20 if word == "A" else -8, EM, 0)

    setting = typeset("x\nA\nx", "en", width=50, line_height=12, first_baseline=9, measure=measure, space=EM)
    assert [line.baseline for line in setting.lines] == [9, 29, 41]
    assert setting.height == 44
