"""Loops: whether a text says the same thing over and over (definitions §4 "Outcomes"; FaithC4, appendix C)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_vtcfaith.metrics.normalise import normalise
from pytest_vtcfaith.metrics.scripts import SPACELESS
from pytest_vtcfaith.metrics.tokenise import tokens

_DIVERSITY = 0.05
_LEAST = 100
_REPEATS = 10


@dataclass(frozen=True, slots=True)
class _Loop:
    """A block of text, how many times it follows itself, and over how many characters."""

    block: str
    repeats: int
    length: int


def repeats_itself(page: str, reply: str, lang: str) -> bool:
    """Whether the reply loops where the page does not.

    A text loops when it has fewer than 5 unique tokens per 100, counted on 100 or more words, lines or (`zh`, `mixed`)
    code points, Latin words and numbers counting as one; or when one block follows itself 10 times or more over 100 or
    more characters that are at least half of the text: loops of a few lines or of a phrase have more unique tokens.
    A page that repeats over at least half as many characters excuses its reply.
    `page`, `reply`: texts before normalising. Raises ValueError for an unknown language.
    """
    flat, flat_page = normalise(reply, lang=lang), normalise(page, lang=lang)
    for of_reply, of_page in zip(_units(reply, flat, lang), _units(page, flat_page, lang), strict=True):
        if len(of_reply) >= _LEAST and _uniform(of_reply):
            excused = _uniform(of_page) and (len(of_page) >= _LEAST or 2 * len(flat_page) >= len(flat))
            if not excused:
                return True
    loop, page_loop = _main_loop(flat), _main_loop(flat_page)
    if loop is None or loop.length < _LEAST:
        return False
    if page_loop and (page_loop.length >= _LEAST or 2 * page_loop.length >= loop.length):
        return False
    return loop.block * (loop.repeats // 2) not in flat_page


def _units(text: str, flat: str, lang: str) -> Iterator[Sequence[str]]:
    yield flat.split()
    # Not `splitlines`, which also splits at separators that no reader sees as the end of a line
    lines = (line.strip() for line in text.replace("\r", "\n").split("\n"))
    yield [line for line in lines if line]
    if lang in SPACELESS:
        yield tokens(flat, lang)


def _uniform(units: Sequence[str]) -> bool:
    return bool(units) and len(set(units)) < _DIVERSITY * len(units)


def _main_loop(text: str) -> _Loop | None:
    """The loop that covers at least half of the text, with the shortest block.

    Such a loop fills the quarter before the middle or the one after it, and ten blocks of it fit into the text: so half
    a quarter is longer than a block, and its next occurrence inside the quarter is one block on.
    """
    quarter, middle = len(text) // 4, len(text) // 2
    for seed in (middle, middle - quarter):
        window = text[seed : seed + quarter]
        period = window.find(window[: (quarter + 1) // 2], 1)
        if period < 1:
            continue
        start = seed - _agreeing(text, seed, period, -1)
        stop = seed + _agreeing(text, seed, period, 1) + period
        if stop - start >= max(len(text) / 2, _REPEATS * period):
            return _Loop(text[start : start + period], (stop - start) // period, stop - start)
    return None


def _agreeing(text: str, seed: int, period: int, direction: int) -> int:
    """How many characters from `seed` on (or before it) equal the one a period later."""

    def agree(count: int) -> bool:
        start = seed if direction > 0 else seed - count
        return text[start : start + count] == text[start + period : start + period + count]

    # Grows by doubling, then halves: slices compare at C speed
    most = len(text) - period - seed if direction > 0 else seed
    low, high = 0, 1
    while high <= most and agree(high):
        low, high = high, 2 * high
    high = min(high, most + 1)
    while high - low > 1:
        half = (low + high) // 2
        low, high = (half, high) if agree(half) else (low, half)
    return low
