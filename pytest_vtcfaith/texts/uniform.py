"""Texts without sense: words drawn uniformly from a vocabulary, as long as a natural text."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Sequence

from pytest_vtcfaith.metrics.perturbed import core
from pytest_vtcfaith.metrics.scripts import is_han
from pytest_vtcfaith.metrics.tokenise import tokens
from pytest_vtcfaith.texts.checks import check_seed
from pytest_vtcfaith.texts.errors import TextsError
from pytest_vtcfaith.texts.scripts import check_lang, is_hangul_syllable

TOLERANCE = 0.01
"""How far the number of characters may lie from the natural text's, as a share of it."""

_MIN_ENGLISH = 3
_ATTEMPTS = 100
_EXCHANGES = 200


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

    `words` is the vocabulary, `length` at least 1, `seed` at least 0. Words are joined by a space, Chinese by nothing.
    Only the last word is drawn from those that fit. Raises TextsError when the words give no text of that length.
    """
    check_lang(lang)
    check_seed(seed)
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


def fitted_text(
    words: Sequence[str],
    length: int,
    *,
    lang: str,
    seed: int,
    count: Callable[[str], int],
    supported: Callable[[int], bool],
) -> str:
    """One paragraph of words drawn uniformly, of `length` characters ± 1 % and a supported number of tokens.

    `words`, `length`, `seed` and the separators are as in `uniform_text`; `count` gives the tokens of a text,
    `supported` tells which numbers of them will do. Of these, from half to twice the tokens that uniform words would
    have, the one with the mean word length nearest to theirs is aimed at. Words are drawn uniformly up to `length`;
    then one at a random place is exchanged for none, one or two drawn uniformly, as often as this does not lead away
    from both numbers. So the words are as uniform as the two numbers allow: where few tokens would do, and many must
    be, short words and those of several tokens are the more frequent. Raises TextsError when no text comes out of this.
    """
    check_lang(lang)
    check_seed(seed)
    separator = "" if lang == "zh" else " "
    slack = int(TOLERANCE * length)
    random_number = random.Random(seed).random
    problem = f"no text of {length} characters and a supported number of tokens comes out of {len(words)} words"
    if not words:
        raise TextsError(f"{problem}: give more texts")
    chars = sum(len(separator + word) for word in words)
    wanted = _best_number(length, chars / sum(count(separator + word) for word in words), supported)
    if wanted is None:
        raise TextsError(f"{problem}: give longer texts or fewer ratios")

    def draw(number: int) -> list[str]:
        return [words[int(random_number() * len(words))] for _ in range(number)]

    def off_length(total: int) -> float:
        return max(0, abs(total - length) - slack) / length

    def distance(total: int, tokens: int) -> float:
        return off_length(total) + (0.0 if supported(tokens) else abs(tokens - wanted) / wanted)

    drawn: list[str] = []
    while len(separator.join(drawn)) < length:
        drawn += draw(1)
    total, tokens = len(separator.join(drawn)), count(separator.join(drawn))
    for _ in range(_EXCHANGES * len(drawn)):
        now = distance(total, tokens)
        if not now:
            text = separator.join(drawn)
            # tokens may reach over more than one word's edge: those of the words beside an exchange are not all
            tokens = count(text)
            if supported(tokens):
                return text
            continue
        place = int(random_number() * len(drawn))
        new = draw(int(random_number() * 3))
        left, right = drawn[max(0, place - 1) : place], drawn[place + 1 : place + 2]
        before, after = (separator.join([*left, *middle, *right]) for middle in ([drawn[place]], new))
        changed = total + len(after) - len(before)
        if not after or off_length(changed) > now:
            continue
        changed_tokens = tokens + count(after) - count(before)
        if distance(changed, changed_tokens) <= now:
            drawn[place : place + 1] = new
            total, tokens = changed, changed_tokens
    raise TextsError(f"{problem}: give more texts, or texts of another length")


def _best_number(length: int, per_token: float, supported: Callable[[int], bool]) -> int | None:
    """The supported number of tokens, from half to twice the natural one, whose characters a token fit best."""
    natural = max(1, round(length / per_token))
    numbers = filter(supported, range(max(1, natural // 2), 2 * natural + 1))
    return min(numbers, key=lambda number: abs(length / number - per_token), default=None)
