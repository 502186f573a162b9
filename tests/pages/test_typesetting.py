from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.pages.linebreaking import CLOSING, may_part, visible_text
from pytest_vtcfaith.pages.typesetting import Frame, Ink, Setting, Spacing, typeset

EM = 10


def block(word: str) -> Ink:
    """A font in which every character is a solid block of 10 x 8 pixels on the baseline."""
    return Ink(EM * len(word), 0, -8, EM * len(word), 0)


def lines(setting: Setting) -> list[list[str]]:
    return [[word.text for word in line.words] for line in setting.lines]


def frame(width: int, height: float = math.inf, **changes: Any) -> Frame:
    return replace(Frame(width, height, line_height=12, first_baseline=9, measure=block, space=EM), **changes)


def set_text(text: str, lang: str, width: int) -> Setting:
    return typeset(text, lang, [frame(width)])


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
    setting = set_text("low", "en", 9)
    assert (setting.lines, setting.rest) == ((), 0)
    assert setting.obstacle == "a line of 9 pixels cannot hold the character 'l' (10 pixels wide)"


def test_a_long_word_is_not_parted_from_its_combining_mark() -> None:
    text = "xx̂y"
    assert lines(set_text(text, "en", 20)) == [
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
        behind = line[0][0].lstrip("’.…")  # `.5` and `…and` are words: where spaces part words, they may begin a line
        word = lang in ("en", "ko") and behind[:1] not in ("", *CLOSING)
        if line[0][0] in CLOSING and not word:
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
    setting = typeset(text, lang, [frame(width, line_height=9.5, first_baseline=7.5, measure=measure)])
    placed = [(line.baseline, word) for line in setting.lines for word in line.words]
    assert "".join(word.text for _, word in placed) == text.replace(" ", "").replace("\n", "")
    boxes = []
    for baseline, word in placed:
        assert text[word.start : word.start + len(word.text)] == word.text
        box = (word.x + word.ink.left, baseline + word.ink.top, word.x + word.ink.right, baseline + word.ink.bottom)
        assert box[0] >= 0
        assert box[1] >= 0
        assert box[2] <= width
        assert box[3] <= setting.heights[0]
        boxes.append(box)
    for i, a in enumerate(boxes):
        for b in boxes[i + 1 :]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    for upper, lower in pairwise(line.baseline for line in setting.lines):
        assert lower - upper >= 9


def test_tall_letters_push_their_line_down_and_the_rest_with_it() -> None:
    def measure(word: str) -> Ink:
        return Ink(EM, 0, -20 if word == "A" else -8, EM, 0)

    setting = typeset("x\nA\nx", "en", [frame(50, measure=measure)])
    assert [line.baseline for line in setting.lines] == [9, 29, 41]
    assert setting.heights == (44,)


def test_frames_are_filled_one_after_another() -> None:
    frames = [frame(40, 24), frame(30, 5), frame(9, 60), frame(200, 60, max_lines=1), frame(60, 100)]
    setting = typeset("aa bb cccc dd eeeee f\ng hh ii", "en", frames)
    assert [(line.frame, [word.text for word in line.words], line.baseline) for line in setting.lines] == [
        (0, ["aa"], 9),
        (0, ["bb"], 21),
        (3, ["cccc", "dd", "eeeee", "f"], 9),
        (4, ["g", "hh"], 9),
        (4, ["ii"], 21),
    ]
    assert setting.heights == (24, 0, 0, 12, 24)
    assert setting.rest is None


def test_what_no_frame_has_room_for_is_the_rest() -> None:
    setting = typeset("aa bb\ncc", "en", [frame(20, 12), frame(20, 12)])
    assert (len(setting.lines), setting.rest) == (2, 6)
    assert typeset("aa bb\ncc", "en", [frame(50, 12)]).rest == 6
    assert typeset("aaaaa", "en", [frame(30, 12)]).rest == 3


@pytest.mark.parametrize(
    ("alignment", "expected"),
    [
        ("left", [[0, 30, 60], [0]]),
        ("right", [[15, 45, 75], [75]]),
        ("center", [[7, 37, 67], [37]]),
        ("justify", [[0, 37, 75], [0]]),
    ],
)
def test_alignments(alignment: str, expected: list[list[int]]) -> None:
    setting = typeset("aa bb cc dd", "en", [frame(95, alignment=alignment)])
    assert [[word.x for word in line.words] for line in setting.lines] == expected


def test_spacing_around_paragraphs() -> None:
    spacing = Spacing(first_line=10, left=20, right=5, before=3.0, after=4.0, padding=2)
    setting = typeset("aa bb\ncc", "en", [frame(64, 100)], spacing=spacing)
    assert [([word.x for word in line.words], line.baseline) for line in setting.lines] == [
        ([32], 11),
        ([22], 23),
        ([32], 46),
    ]
    assert [(part.top, part.bottom) for part in setting.parts] == [(0, 28), (35, 51)]


def test_parts_of_a_paragraph_in_two_frames() -> None:
    setting = typeset("aa bb cc", "en", [frame(24, 16), frame(24, 60)], spacing=Spacing(padding=2))
    assert setting.parts == ((0, 0, 16), (1, 0, 28))


@pytest.mark.parametrize(("lang", "text"), [("en", "aa\nbb, cc\n(d"), ("zh", "海路\n港。\nab")])
def test_a_mark_joins_paragraphs(lang: str, text: str) -> None:
    setting = typeset(text, lang, [frame(500)], mark="@")
    words = [word for line in setting.lines for word in line.words]
    assert len(setting.lines) == 1
    assert "".join(word.text for word in words) == text.replace("\n", "@").replace(" ", "")
    for word in words:
        assert text[word.start : word.start + len(word.text)] == ("\n" if word.mark else word.text)
    for word, after in pairwise(words):
        if word.mark or after.mark:
            assert after.x - (word.x + word.ink.right) == EM


@given(
    st.text(alphabet="海路，。“ab1.-é가 \n", max_size=150).map(visible_text),
    st.sampled_from(["en", "zh", "ko"]),
    st.lists(st.tuples(st.integers(5, 120), st.integers(0, 60), st.sampled_from([None, 1, 2])), min_size=1, max_size=6),
    st.sampled_from(["left", "right", "center", "justify"]),
    st.sampled_from(["", "@"]),
)
def test_frames_hold_what_stands_before_the_rest(
    text: str, lang: str, sizes: list[tuple[int, int, int | None]], alignment: str, mark: str
) -> None:
    frames = [
        frame(width, height, max_lines=lines, measure=awkward, alignment=alignment) for width, height, lines in sizes
    ]
    setting = typeset(text, lang, frames, mark=mark)
    words = [(line, word) for line in setting.lines for word in line.words]
    done = text if setting.rest is None else text[: setting.rest]
    assert "".join(word.text for _, word in words if not word.mark) == done.replace(" ", "").replace("\n", "")
    assert [line.frame for line in setting.lines] == sorted(line.frame for line in setting.lines)
    for number, size in enumerate(sizes):
        held = [line for line in setting.lines if line.frame == number]
        assert size[2] is None or len(held) <= size[2]
    for line, word in words:
        width, height, _ = sizes[line.frame]
        assert word.x + word.ink.left >= 0
        assert word.x + word.ink.right <= width
        assert line.baseline + word.ink.top >= 0
        assert line.baseline + word.ink.bottom <= setting.heights[line.frame] <= height


@pytest.mark.parametrize("text", ["x" * 6000, "ab " + "x,)" * 2000, "（" + "，" * 6000])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_word_of_any_length_costs_what_its_lines_hold(text: str, lang: str) -> None:
    measured = 0

    def counted(word: str) -> Ink:
        nonlocal measured
        measured += len(word)
        return block(word)

    setting = typeset(text, lang, [replace(frame(50 * EM), measure=counted)])
    assert "".join(word for line in lines(setting) for word in line) == text.replace(" ", "")
    assert measured < 40 * len(text)
