"""Perturbed texts: a few words changed so that what is on the page is no longer what a reader expects."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Collection

from pytest_vtcfaith.metrics.normalise import normalise
from pytest_vtcfaith.metrics.perturbed import WINDOW, core
from pytest_vtcfaith.metrics.scripts import WHITE_SPACE
from pytest_vtcfaith.texts.checks import check_seed, check_share
from pytest_vtcfaith.texts.documents import survives
from pytest_vtcfaith.texts.draws import Draw, below, shuffled
from pytest_vtcfaith.texts.errors import TextsError
from pytest_vtcfaith.texts.lookalikes import lookalikes
from pytest_vtcfaith.texts.scripts import check_lang, in_script, replacements

KINDS = ("scramble", "random", "visual")

_MIN_LENGTH = 4
# Enough that a five-letter word with a single allowed order (1 in 6) is missed once in 10^7
_ATTEMPTS = 100

_TOKEN = re.compile(f"[^{WHITE_SPACE}]+")


def eligible_words(text: str, lang: str) -> list[tuple[int, ...]]:
    """The words that may be perturbed, each as the indices of its characters in `text`.

    English, Korean: a word without the punctuation at its edges, of 4 or more characters, all ASCII letters or all
    Hangul syllables. Chinese: non-overlapping windows of 4, counted afresh in each run of Han characters, where what
    scoring drops (white space, zero-width characters) does not end a run. Source: definitions §4; FaithC4, appendix A.
    """
    check_lang(lang)
    if lang == "zh":
        return _windows(text)
    words = []
    for token in _TOKEN.finditer(text):
        word = core(token.group())
        if len(word) >= _MIN_LENGTH and all(in_script(char, lang) for char in word):
            start = token.start() + token.group().index(word)
            words.append(tuple(range(start, start + len(word))))
    return words


def _windows(text: str) -> list[tuple[int, ...]]:
    windows = []
    window: tuple[int, ...] = ()
    for token in _TOKEN.finditer(text):
        for place in range(token.start(), token.end()):
            if in_script(text[place], "zh"):
                window = (*window, place)
            elif normalise(text[place], "verbatim", "zh"):
                window = ()
            if len(window) == WINDOW:
                windows.append(window)
                window = ()
    return windows


def _other(char: str, pool: tuple[str, ...], draw: Draw) -> str:
    while (new := pool[below(draw, len(pool))]) == char:
        pass
    return new


def _form(word: str, kind: str, lang: str, visual_rate: float, keep_ends: bool | None, draw: Draw) -> list[str] | None:
    """One random form of the word, a string for each of its characters; None when it has none of this kind."""
    keep = kind == "scramble" and len(word) > _MIN_LENGTH if keep_ends is None else keep_ends
    free = range(1, len(word) - 1) if keep else range(len(word))
    form = list(word)
    if kind == "scramble":
        for place, source in zip(free, shuffled(free, draw), strict=True):
            form[place] = word[source]
    elif kind == "random":
        for place in free:
            form[place] = _other(word[place], replacements(word[place], lang), draw)
    else:
        similar = {place: found for place in free if (found := lookalikes(word[place], lang))}
        if not similar:
            return None
        for place in shuffled(similar, draw)[: max(1, round(visual_rate * len(word)))]:
            form[place] = similar[place][below(draw, len(similar[place]))]
    return form


def document_words(text: str) -> set[str]:
    """Everything in the text that reads as a word, casefolded: whole tokens, their cores, runs of letters in them."""
    words: set[str] = set()
    for token in _TOKEN.findall(text.casefold()):
        words.update((token, core(token), *re.findall(r"[^\W\d_]+", token)))
    return words


def _check(kind: str, lang: str, rate: float, visual_rate: float, seed: int) -> None:
    check_lang(lang)
    if kind not in KINDS:
        raise TextsError(f"kind {kind!r} is unknown: choose one of {', '.join(KINDS)}")
    if kind == "scramble" and lang == "zh":
        raise TextsError("kind 'scramble' is not defined for zh, which has no words: choose random or visual")
    check_share("rate", rate)
    check_share("visual_rate", visual_rate)
    check_seed(seed)


def perturb(
    text: str,
    kind: str,
    *,
    lang: str,
    rate: float = 0.08,
    seed: int,
    visual_rate: float = 1.0,
    keep_ends: bool | None = None,
    lexicon: Collection[str] | None = None,
) -> str:
    """Perturbs round(rate · n), at least 1, of the n eligible words of a text in NFC; all else of it stays as it is.

    Source: FaithC4, §3.1 and appendix A; definitions §4 "Perturbations". Halves are rounded to even (Python's `round`).

    - `text`: brought into NFC first: a Hangul syllable written as several characters is of no script.
    - `kind`: `scramble` (the characters permuted; not for Chinese), `random` (every character replaced by another of
      the script, English letters in their case), `visual` (replaced by a look-alike; characters without one stay).
    - `lang`: `en`, `zh`, `ko`. `seed`: at least 0; equal seeds give equal texts on every platform and Python.
    - `rate`: share of the eligible words, in (0, 1].
    - `visual_rate`: share of a word's characters that `visual` replaces, in (0, 1], rounded likewise, at least 1.
    - `keep_ends`: whether the first and last character of a word stay. None: only for `scramble` of 5 or more.
    - `lexicon`: words that no form may equal, case aside.

    No form is, case aside, its original, another word of the text (Chinese: a part of it), another form or a word of
    the lexicon, and none is lost in normalising. A word that allows no such form is passed over and another is taken;
    the text comes back as its NFC when no word allows one. Raises TextsError (a ValueError) for other arguments.
    """
    _check(kind, lang, rate, visual_rate, seed)
    text = unicodedata.normalize("NFC", text)
    words = eligible_words(text, lang)
    if not words:
        return text
    draw = random.Random(seed).random
    squeezed = "".join(_TOKEN.findall(text))
    taken = document_words(text) | {word.casefold() for word in lexicon or ()}
    wanted = max(1, round(rate * len(words)))
    result = list(text)
    for index in shuffled(range(len(words)), draw):
        if not wanted:
            break
        word = "".join(text[place] for place in words[index])
        for _ in range(_ATTEMPTS):
            form = _form(word, kind, lang, visual_rate, keep_ends, draw)
            if form is None:
                break
            joined = "".join(form)
            if joined.casefold() in taken or (lang == "zh" and joined in squeezed) or not survives(word, joined, lang):
                continue
            taken.add(joined.casefold())
            for place, char in zip(words[index], form, strict=True):
                result[place] = char
            wanted -= 1
            break
    return "".join(result)
