"""A trigram model of ordinary text: how probable each word is after the two before it.

Witten–Bell interpolation of trigrams, bigrams and the word frequencies of the package wordfreq.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import fmean

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_RARE = 1e-9  # a word that wordfreq does not know


def words_of(text: str) -> list[str]:
    """The words of an English text, in lower case."""
    return _WORD.findall(text.lower())


class Trigrams:
    """Counts of the words of some texts."""

    def __init__(self, texts: Iterable[Sequence[str]]) -> None:
        self.after_two: Counter[tuple[str, str, str]] = Counter()
        self.after_one: Counter[tuple[str, str]] = Counter()
        for words in texts:
            padded = ["", "", *words]
            self.after_two.update(zip(padded, padded[1:], padded[2:], strict=False))
            self.after_one.update(pairwise(padded[1:]))
        self.seen_two, self.kinds_two = _totals(self.after_two, 2)
        self.seen_one, self.kinds_one = _totals(self.after_one, 1)

    def probability(self, first: str, second: str, word: str) -> float:
        """P(word | first second)."""
        from wordfreq import word_frequency

        value = float(word_frequency(word, "en", minimum=_RARE))
        one, two = (second,), (first, second)
        value = _mixed(self.after_one[(second, word)], self.seen_one[one], self.kinds_one[one], value)
        return _mixed(self.after_two[(first, second, word)], self.seen_two[two], self.kinds_two[two], value)

    def mean(self, words: Sequence[str]) -> float:
        """The mean probability of the words of a text."""
        padded = ["", "", *words]
        return fmean(self.probability(*three) for three in zip(padded, padded[1:], padded[2:], strict=False))


def _totals(counts: Counter[tuple[str, ...]], size: int) -> tuple[Counter[tuple[str, ...]], Counter[tuple[str, ...]]]:
    """How often each beginning of `size` words was seen, and with how many different words after it."""
    seen: Counter[tuple[str, ...]] = Counter()
    kinds: Counter[tuple[str, ...]] = Counter()
    for words, count in counts.items():
        seen[words[:size]] += count
        kinds[words[:size]] += 1
    return seen, kinds


def _mixed(count: int, seen: int, kinds: int, below: float) -> float:
    return (count + kinds * below) / (seen + kinds) if seen else below
