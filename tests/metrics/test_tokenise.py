from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.metrics import normalise, tokens


@pytest.mark.parametrize(
    ("text", "lang", "expect"),
    [
        ("a well-known ship", "en", ["a", "well-known", "ship"]),
        ("할 수 있다.", "ko", ["할", "수", "있다."]),
        ("a\x1cb c", "en", ["a\x1cb", "c"]),
        ("a\u3000b\x85c", "en", ["a", "b", "c"]),
        ("售价3.5元", "zh", ["售", "价", "3.5", "元"]),
        ("iPhone 15 Pro,256GB", "zh", ["iPhone", "15", "Pro", ",", "256GB"]),
        ("2024-05-06,1,000.5。", "zh", ["2024-05-06,1,000.5", "。"]),
        ("3.元-4", "zh", ["3", ".", "元", "-", "4"]),
        ("A-B 1..2 v1.2a", "zh", ["A", "-", "B", "1", ".", ".", "2", "v1.2a"]),
        ("café 한글", "mixed", ["café", "한", "글"]),
        ("海𠀀\ud83d", "zh", ["海", "𠀀", "\ud83d"]),
        ("", "zh", []),
        ("  ", "en", []),
    ],
)
def test_tokens(text: str, lang: str, expect: list[str]) -> None:
    assert tokens(text, lang) == expect


@given(st.text(max_size=20), st.sampled_from(["en", "zh", "ko", "mixed"]))
def test_tokens_are_the_text_without_its_spaces(text: str, lang: str) -> None:
    flat = normalise(text, lang=lang)
    assert "".join(tokens(flat, lang)) == flat.replace(" ", "")


@given(st.text("海边灯塔，。、", max_size=20))
def test_pure_chinese_has_one_token_a_character(text: str) -> None:
    assert tokens(text, "zh") == list(text)


def test_unknown_language() -> None:
    with pytest.raises(ValueError, match="lang 'jp' is unknown"):
        tokens("a", "jp")
