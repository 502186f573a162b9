"""Word differences: readable, safe to print anywhere, coloured for a terminal only."""

from __future__ import annotations

import re
import unicodedata
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.metrics import normalise
from pytest_vtcfaith.report.worddiff import coloured, hunks, printable, quoted, visible

any_text = st.text(st.characters(exclude_categories=()), max_size=60)
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ascii", "plain ascii"),
        ("한글 灯塔 é", "한글 灯塔 é"),
        ("a\x00b\x0bc\x1b[31m\ufffe", "a\\x00b\\x0bc\\x1b[31m\\ufffe"),
        ("bad \ud83d", "bad \\ud83d"),
        ("\u202eright\u2066to\u200fleft", "\\u202eright\\u2066to\\u200fleft"),
        ("a\r\nb\x85\u2028c\u2029", "a\\x0d\\x0ab\\x85\\u2028c\\u2029"),
        ("\ufeff\u200b\xad", "\\ufeff\\u200b\\xad"),
        ("\U000e0041\U0010ffff", "\\U000e0041\\U0010ffff"),
        ("x ##[add-mask]y", "x ##\\x5badd-mask]y"),
        ("海 ##[group]", "海 ##\\x5bgroup]"),
    ],
)
def test_what_does_not_show_is_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(any_text)
def test_visible_text_is_one_line_that_every_file_takes(text: str) -> None:
    shown = visible(text)
    assert visible(shown) == shown
    assert not any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") for c in shown)
    assert len(f"{shown}.".splitlines()) == 1
    assert ElementTree.fromstring(f"<a>{shown.replace('&', '&amp;').replace('<', '&lt;')}</a>").text in (shown, None)
    shown.encode("utf-8")


@given(any_text, st.integers(80, 200))
def test_printable_text_keeps_its_lines_and_its_limit(text: str, limit: int) -> None:
    shown = printable(text, limit)
    assert len(shown) <= limit
    if len(visible(text)) <= limit and "##[" not in text:
        assert shown.count("\n") == text.count("\n")
        assert [visible(line) for line in text.replace("\t", "").split("\n")] == shown.replace("\t", "").split("\n")


@pytest.mark.parametrize("character", ["A", "\x1b", "\ud83d", "海", "\n"])
def test_a_runaway_transcript_keeps_head_and_tail(character: str) -> None:
    shown = printable("HEAD" + character * 12_000_000 + "TAIL")
    assert len(shown) <= 65536
    assert shown.startswith("HEAD")
    assert shown.endswith("TAIL")
    assert "12000008 characters, the middle is left out" in shown


def test_quotes() -> None:
    assert quoted("don't\x00") == "'don't\\x00'"
    assert quoted("a" * 41) == f"'{'a' * 40}…'"
    assert quoted("a" * 40) == f"'{'a' * 40}'"


@pytest.mark.parametrize(
    ("lang", "printed", "read", "lines", "first"),
    [
        ("en", "go to the makret today", "go to the market today", ["word 4: go to the -makret- +market+ today"], 3),
        ("en", "go to the market", "go to market", ["word 3: go to -the- market"], 2),
        ("en", "go to market", "go to the market", ["word 3: go to +the+ market"], 2),
        ("en", "go to", "go to market", ["word 3: go to +market+"], None),
        ("en", "go", "", ["word 1: -go-"], 0),
        ("en", "", "go", ["word 1: +go+"], None),
        ("en", "same", "same", [], None),
        ("en", "a b c d e f g h i j", "x b c d e f g h i y", ["word 1: -a- +x+ b c d", "word 10: g h i -j- +y+"], 0),
        ("zh", "灯搭看守人每天", "灯塔看守人每天", ["word 2: 灯 -搭- +塔+ 看守人"], 1),
        ("ko", "바다 둥대 이야기", "바다 등대 이야기", ["word 2: 바다 -둥대- +등대+ 이야기"], 1),
    ],
)
def test_one_line_for_every_place_that_differs(
    lang: str, printed: str, read: str, lines: list[str], first: int | None
) -> None:
    assert hunks(printed, read, lang) == (lines, first)


def test_long_runs_are_cut() -> None:
    lines, first = hunks("word " * 3 + "end", "x" * 5_000_000, "en")
    assert first == 0
    assert lines == [f"word 1: -word word word end- +{'x' * 60}…+"]
    lines, _ = hunks("a" * 100 + " b c", "a" * 100 + " x c", "en")
    assert lines == [f"word 2: …{'a' * 60} -b- +x+ c"]
    lines, _ = hunks("a", "\x1b" * 1000, "en")
    assert len(lines[0]) < 400


@given(any_text, any_text, st.sampled_from(["en", "zh", "ko"]))
def test_lines_are_safe_and_tell_difference_from_equality(printed: str, read: str, lang: str) -> None:
    a, b = normalise(printed, "verbatim", lang), normalise(read, "verbatim", lang)
    lines, first = hunks(a, b, lang)
    assert all(visible(line) == line for line in lines)
    assert bool(lines) == (a.split(" ") != b.split(" ") if lang != "zh" else a.replace(" ", "") != b.replace(" ", ""))
    if first is not None:
        assert any(line.startswith(f"word {first + 1}: ") for line in lines)


RED, GREEN, BOLD, END = "\x1b[31m", "\x1b[32m", "\x1b[1;31m", "\x1b[0m"


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (
            "  word 4: go to the -makret- +market+ today",
            f"  word 4: go to the {RED}-makret-{END} {GREEN}+market+{END} today",
        ),
        ("word 1: -two words- then", f"word 1: {RED}-two words-{END} then"),
        ("word 3: at +well-known+ places", f"word 3: at {GREEN}+well-known+{END} places"),
        ("word 3: well-known -a-b- +a+b+", f"word 3: well-known {RED}-a-b-{END} {GREEN}+a+b+{END}"),
        ("word 2: 灯 -搭- +塔+ 看守人", f"word 2: 灯 {RED}-搭-{END} {GREEN}+塔+{END} 看守人"),
        (
            "  word 6: original 'fishing'  page 'fihsing'  model 'fishing'  +REWRITTEN+",
            f"  word 6: original 'fishing'  page 'fihsing'  model 'fishing'  {BOLD}+REWRITTEN+{END}",
        ),
        ("word 1: it was -- as said - so + there", "word 1: it was -- as said - so + there"),
        ("rewrite_rate 1 > 0.25: 2 of 2 -rewritten- +words+", "rewrite_rate 1 > 0.25: 2 of 2 -rewritten- +words+"),
        ("  page: report/pages/m-d1.png", "  page: report/pages/m-d1.png"),
        ("", ""),
    ],
)
def test_colours(line: str, shown: str) -> None:
    assert coloured(line) == shown


@given(any_text.map(normalise), any_text.map(normalise), st.sampled_from(["en", "zh", "ko"]))
def test_colours_change_no_text_and_hunks_have_none(printed: str, read: str, lang: str) -> None:
    for line in hunks(printed, read, lang)[0]:
        assert "\x1b" not in line
        assert ESCAPE.sub("", coloured(line)) == line
        assert "\x1b" in coloured(line)
