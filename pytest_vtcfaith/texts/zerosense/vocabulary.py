"""V_valid: the words that are one token for every model (definitions §3, ZeroSense §4.1)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vtcfaith.texts.documents import decode, read_file
from pytest_vtcfaith.texts.errors import TextsError, import_extra, show

if TYPE_CHECKING:
    from pytest_vtcfaith.models.protocols import Tokenizer

_WORD = re.compile(rb" ([A-Za-z]{2,})")
_BEFORE = "to"  # a word is looked at where it stands in a text: after another word and a space


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """V_valid, sorted, and how many words each tokenizer alone would allow."""

    words: tuple[str, ...]
    alone: Mapping[str, int]


def valid_words(tokenizers: Sequence[Tokenizer], known: Container[str] | None = None) -> Vocabulary:
    """The English words that are one token of the same bytes, in the form with a leading space, in every tokenizer.

    A word is two or more letters A–Z, a–z. Of spellings that differ in case only one is kept: that in lower case
    where it is among them, else the last in the order of ASCII. `known` (lower case) drops words that are not in it.
    A word counts when its bytes are a token and the tokenizer really cuts it to this token. Raises TextsError when
    nothing is left.
    """
    left: set[str] | None = None
    alone = {}
    for tokenizer in tokenizers:
        single = set(single_tokens(tokenizer))
        alone[tokenizer.name] = len(single)
        left = single if left is None else left & single
    kept: dict[str, str] = {}
    for word in sorted(left or ()):
        if known is None or word.lower() in known:
            kept[word.lower()] = word  # lower case sorts last
    if not kept:
        sizes = ", ".join(f"{name} {size}" for name, size in alone.items())
        raise TextsError(f"no word is one token in every tokenizer and in the word list ({sizes}): name fewer")
    return Vocabulary(tuple(sorted(kept.values())), alone)


def single_tokens(tokenizer: Tokenizer) -> dict[str, int]:
    """The token of every English word that this tokenizer cuts to one, in the form with a leading space."""
    before = tokenizer.encode(_BEFORE)
    found = {}
    for piece, number in tokenizer.pieces().items():
        match = _WORD.fullmatch(piece)
        if match is not None:
            word = match[1].decode("ascii")
            if tokenizer.encode(f"{_BEFORE} {word}") == [*before, number]:
                found[word] = number
    return found


def token_ids(words: Sequence[str], tokenizer: Tokenizer) -> list[int]:
    """The tokens of words of `valid_words`. Raises TextsError for a word that is not one token in this tokenizer."""
    single = single_tokens(tokenizer)
    for word in words:
        if word not in single:
            raise TextsError(f"word {show(word)} is not one token of {tokenizer.name!r}: give it to valid_words too")
    return [single[word] for word in words]


def words_sha256(words: Sequence[str]) -> str:
    """The SHA-256 of words, one a line: what identifies a V_valid."""
    return hashlib.sha256("".join(f"{word}\n" for word in words).encode()).hexdigest()


def word_list(name: str) -> frozenset[str]:
    """A list of words in lower case: a UTF-8 file of words between white space, or `wordfreq:LANG[:MINZIPF]`.

    MINZIPF is the least Zipf frequency (log10 of occurrences in 10⁹ words) that the package wordfreq gives a word.
    Raises TextsError for anything else, MissingExtra without wordfreq.
    """
    if not name.startswith("wordfreq:"):
        return frozenset(decode(read_file(Path(name)), name)[0].lower().split())
    _, lang, *rest = name.split(":")
    try:
        (least,) = [float(value) for value in rest] or [0.0]
        wordfreq = import_extra("wordfreq", "build")
        frequencies = wordfreq.get_frequency_dict(lang, wordlist="best")
    except (ValueError, LookupError) as error:
        raise TextsError(f"word list {show(name)} ({error}): write wordfreq:LANG or wordfreq:LANG:MINZIPF") from error
    return frozenset(word for word, share in frequencies.items() if share >= 10 ** (least - 9))
