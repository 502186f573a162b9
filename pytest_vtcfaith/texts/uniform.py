"""Texts without sense: words drawn uniformly from a vocabulary, as long as a natural text."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence

from pytest_vtcfaith.metrics.perturbed import core
from pytest_vtcfaith.metrics.scripts import is_han
from pytest_vtcfaith.metrics.tokenise import tokens
from pytest_vtcfaith.texts.errors import TextsError
from pytest_vtcfaith.texts.scripts import check_lang, is_hangul_syllable

TOLERANCE = 0.01
"""How far the number of characters may lie from the natural text's, as a share of it."""

_MIN_ENGLISH = 3
_ATTEMPTS = 100


def vocabulary(texts: Iterable[str], lang: str) -> tuple[str, ...]:
    """The distinct words of the texts, sorted.

    `en`: words of 3 or more letters that occur in lower case, so that no name is among them. `zh`: Han characters.
    `ko`: words of Hangul syllables. Punctuation at a word's edges is dropped. `lang` outside these raises TextsError.
    """
    check_lang(lang)
    words: set[str] = set()
    for text in texts:
        if lang == "zh":
            words.update(filter(is_han, text))
            continue
        for word in map(core, tokens(text, lang)):
            if lang == "ko":
                known = word != "" and all(map(is_hangul_syllable, word))
            else:
                known = re.fullmatch(f"[a-z]{{{_MIN_ENGLISH},}}", word) is not None
            if known:
                words.add(word)
    return tuple(sorted(words))


def uniform_text(words: Sequence[str], length: int, *, lang: str, seed: int) -> str:
    """One paragraph of words drawn uniformly, with replacement, of `length` characters ± 1 %.

    `words` is the vocabulary, `length` at least 1, `seed` any int. Words are joined by a space, Chinese by nothing.
    Only the last word is drawn from those that fit. Raises TextsError when the words give no text of that length.
    """
    check_lang(lang)
    separator = "" if lang == "zh" else " "
    slack = int(TOLERANCE * length)
    draw = random.Random(seed).random
    for _ in range(_ATTEMPTS):
        drawn: list[str] = []
        total = -len(separator)
        while total < length - slack:
            room = length + slack - total - len(separator)
            word = words[int(draw() * len(words))] if words else ""
            if len(word) > room or not word:
                fitting = [other for other in words if room - 2 * slack <= len(other) <= room]
                if not fitting:
                    break
                word = fitting[int(draw() * len(fitting))]
            drawn.append(word)
            total += len(separator) + len(word)
        if total >= length - slack and drawn:
            return separator.join(drawn)
    raise TextsError(f"no text of {length} characters comes out of a vocabulary of {len(words)} words: give more texts")
