"""V_valid against a naive oracle: put the word after a space and count the tokens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_zs_tokenfiles import rank_file, saved, sentencepiece_file
from tiny_language import WORDS, byte_level, metaspace

from pytest_vtcfaith.models.protocols import Tokenizer
from pytest_vtcfaith.texts import TextsError
from pytest_vtcfaith.texts.zerosense.tokenfiles import open_tokenizer
from pytest_vtcfaith.texts.zerosense.vocabulary import single_tokens, token_ids, valid_words, word_list

pytest.importorskip("tokenizers", reason="needs the extra torch")


@pytest.fixture(scope="module")
def tokenizers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Tokenizer]:
    folders = {name: tmp_path_factory.mktemp(name) for name in ("bytes", "bar", "spm", "ranks")}
    names = {
        "bytes": saved(byte_level(), folders["bytes"]),
        "bar": saved(metaspace(), folders["bar"]),
        "spm": sentencepiece_file(folders["spm"]),
        "ranks": rank_file(folders["ranks"]),
    }
    opened = {kind: open_tokenizer(str(path)) for kind, path in names.items()}
    return {kind: tokenizer for kind, tokenizer in opened.items() if tokenizer is not None}


def naive(tokenizer: Tokenizer, word: str) -> bool:
    """Whether the word after a space is one token more than what stands before it."""
    return len(tokenizer.encode(f"kettle {word}")) == len(tokenizer.encode("kettle")) + 1


letters = st.text("abcdefghijklmnopqrstuvwxyz", min_size=2, max_size=8)
cut = st.builds(lambda word, end: word[: 2 + end], st.sampled_from(WORDS), st.integers(0, 6))


@pytest.mark.parametrize("kind", ["bytes", "bar", "spm", "ranks"])
@given(word=letters | cut | st.sampled_from([word.capitalize() for word in WORDS]))
@settings(max_examples=150, deadline=None)
def test_single_tokens_are_those_of_the_naive_oracle(tokenizers: dict[str, Tokenizer], kind: str, word: str) -> None:
    tokenizer = tokenizers[kind]
    assert (word in single_tokens(tokenizer)) == naive(tokenizer, word)


def test_every_valid_word_is_one_token_everywhere_and_no_word_is_missed(tokenizers: dict[str, Tokenizer]) -> None:
    found = valid_words(list(tokenizers.values()))
    assert set(WORDS) <= set(found.words)
    assert all(naive(tokenizer, word) for tokenizer in tokenizers.values() for word in found.words)
    everything = {
        piece[1:].decode()
        for piece in tokenizers["ranks"].pieces()
        if re.fullmatch(rb" [A-Za-z]{2,}", piece) and all(naive(one, piece[1:].decode()) for one in tokenizers.values())
    }
    assert set(found.words) == everything
    assert found.words == tuple(sorted(found.words))


def test_a_word_list_drops_the_fragments(tokenizers: dict[str, Tokenizer]) -> None:
    known = frozenset(WORDS)
    assert set(valid_words(list(tokenizers.values()), known).words) == known


class Made:
    """A tokenizer of the words given, letters apart."""

    name, revision = "made", "0"

    def __init__(self, *words: str, unreachable: str = "") -> None:
        self._pieces = {f" {word}".encode(): number for number, word in enumerate(words, 1000)}
        self._unreachable = unreachable

    def pieces(self) -> dict[bytes, int]:
        return self._pieces

    def encode(self, text: str) -> list[int]:
        first, *words = re.findall(r" ?[^ ]*", text)[:-1]
        found = [ord(char) for char in first]
        for word in words:
            number = self._pieces.get(word.encode()) if word[1:] != self._unreachable else None
            found += [number] if number is not None else [ord(char) for char in word]
        return found


def test_case_duplicates_special_pieces_and_unreachable_tokens() -> None:
    tokenizer = Made(
        "house", "House", "HOUSE", "London", "LONDON", "a", "x1", "don't", "naïve", "lost", unreachable="lost"
    )
    assert valid_words([tokenizer]).words == ("London", "house")


def test_nothing_left_names_the_sizes() -> None:
    with pytest.raises(TextsError, match=r"no word is one token in every tokenizer.*\(made 1\)"):
        valid_words([Made("house")], known=frozenset({"other"}))


def test_tokens_of_words() -> None:
    assert token_ids(["two", "one"], Made("one", "two")) == [1001, 1000]
    with pytest.raises(TextsError, match="'three' is not one token of 'made'"):
        token_ids(["three"], Made("one"))


def test_word_lists(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("Apple\nbrook  candle\r\n", encoding="utf-8")
    assert word_list(str(path)) == {"apple", "brook", "candle"}
    with pytest.raises(TextsError, match="cannot be read"):
        word_list(str(tmp_path / "missing.txt"))


def test_frequencies_of_wordfreq() -> None:
    wordfreq = pytest.importorskip("wordfreq", reason="needs the extra build")
    every, common = word_list("wordfreq:en"), word_list("wordfreq:en:3.5")
    assert common < every
    assert "house" in common
    for word in ("house", "taxpay", "ubiquitous", "qubit", "lantern"):
        frequency = wordfreq.zipf_frequency(word, "en", wordlist="best")
        if abs(frequency - 3.5) > 0.01:  # it rounds
            assert (word in common) == (frequency >= 3.5)


@pytest.mark.parametrize("name", ["wordfreq:en:often", "wordfreq:xx", "wordfreq:en:3:4"])
def test_wrong_names_of_frequencies(name: str) -> None:
    pytest.importorskip("wordfreq", reason="needs the extra build")
    with pytest.raises(TextsError, match="write wordfreq:LANG or wordfreq:LANG:MINZIPF"):
        word_list(name)
