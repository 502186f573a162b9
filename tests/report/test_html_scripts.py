"""Data reach the page as JSON in scripts: whatever they hold, they end no script and turn no line."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.report.html.scripts import script

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!--<script>",
    "]]>",
    "a\u2028b\u2029c",
    "\ud83d alone",
    "\u202eevil\u202c",
    "'+alert(1)+'",
    "`${alert(1)}`",
    "\\u0022);alert(1);//",
    "\x00\x1b[31m",
)


def arguments(text: str) -> list[Any]:
    assert text.startswith("vtc.take(")
    assert text.endswith(");\n")
    found: list[Any] = json.loads(f"[{text[len('vtc.take(') : -3]}]")
    return found


@pytest.mark.parametrize("text", HOSTILE)
def test_neither_name_nor_value_nor_key_ends_the_script(text: str) -> None:
    made = script(text, {text: [text, {"a": text}]})
    assert made.isascii()
    assert not set("<>&") & set(made)
    assert made.count("\n") == 1
    name, data = arguments(made)
    shown = next(iter(data))
    assert name == shown == data[shown][0] == data[shown][1]["a"]
    assert "alert" not in text or "alert" in shown  # nothing is lost


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists))
def test_anything_is_json_of_ascii(value: Any) -> None:
    made = script("x", value)
    assert made.isascii()
    assert not set("<>&") & set(made)
    arguments(made)


@given(st.text(st.characters(categories=["Lu", "Ll", "Lo", "Nd", "Zs"], max_codepoint=0x9FFF), min_size=1))
def test_letters_arrive_as_they_are(text: str) -> None:
    assert arguments(script("x", text))[1] == text


@pytest.mark.parametrize("char", ["\u202e", "\u200f", "\u2066", "\ufeff", "\ud800", "\u2028", "\x1b"])
def test_what_changes_how_a_text_shows_is_an_escape(char: str) -> None:
    shown = arguments(script("x", f"a{char}b"))[1]
    assert char not in shown
    assert f"{ord(char):x}" in shown


def test_line_breaks_stay_and_numbers_are_finite() -> None:
    data = {"text": "a\nb", "numbers": [math.nan, math.inf, 1 / 3, -0.0, 2**60]}
    assert arguments(script("x", data))[1] == {"text": "a\nb", "numbers": [None, None, 0.333333, 0.0, 2**60]}
