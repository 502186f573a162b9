"""Loops: whether a text says the same thing over and over (definitions §4 "Outcomes"; FaithC4, appendix C)."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_vtcfaith.metrics.normalise import normalise
from pytest_vtcfaith.metrics.scripts import SPACELESS
from pytest_vtcfaith.metrics.tokenise import tokens

_UNIQUE_PER_100 = 5
_LEAST = 100
_REPEATS = 10


@dataclass(frozen=True, slots=True)
class _Loop:
    """A block of `period` units that follows itself, from the unit `start` on to before `stop`."""

    period: int
    start: int
    stop: int


def repeats_itself(page: str, reply: str, lang: str) -> bool:
    """Whether the reply loops where the page does not.

    A text loops when it has fewer than 5 unique tokens per 100, counted on 100 or more words, lines or (`zh`, `mixed`)
    code points, Latin words and numbers counting as one; or when a block of two or more lines follows itself 10 times
    or more over 100 or more characters and half of the lines: such a block has too many unique words for the counts.
    A page that repeats over at least half as many characters excuses its reply.
    `page`, `reply`: texts before normalising. Raises ValueError for an unknown language.
    """
    flat, flat_page = normalise(reply, lang=lang), normalise(page, lang=lang)
    if flat == flat_page:
        return False
    for of_reply, of_page in zip(_units(reply, flat, lang), _units(page, flat_page, lang), strict=True):
        if len(of_reply) >= _LEAST and _uniform(of_reply):
            excused = _uniform(of_page) and (len(of_page) >= _LEAST or 2 * len(flat_page) >= len(flat))
            if not excused:
                return True
    return _block_loops(_lines(reply), flat_page, lang)


def _lines(text: str) -> list[str]:
    # Not `splitlines`, which also splits at separators that no reader sees as the end of a line
    lines = (line.strip() for line in text.replace("\r", "\n").split("\n"))
    return [line for line in lines if line]


def _units(text: str, flat: str, lang: str) -> Iterator[Sequence[str]]:
    yield flat.split()
    yield _lines(text)
    if lang in SPACELESS:
        yield tokens(flat, lang)


def _uniform(units: Sequence[str]) -> bool:
    return bool(units) and 100 * len(set(units)) < _UNIQUE_PER_100 * len(units)


def _block_loops(lines: Sequence[str], flat_page: str, lang: str) -> bool:
    """Whether a block of two or more lines loops that the page has not half as often."""
    numbers = {line: number for number, line in enumerate(dict.fromkeys(lines))}
    # A code point for every line, so that lines are searched and compared as fast as characters
    loop = _main_loop("".join(chr(min(numbers[line], sys.maxunicode)) for line in lines))
    if loop is None or loop.period < 2:
        return False
    looped = lines[loop.start : loop.stop]
    length = sum(map(len, looped))
    if length < _LEAST:
        return False
    page_loop = _main_loop(flat_page)
    if page_loop and 2 * (page_loop.stop - page_loop.start) >= length:
        return False
    half = len(looped) // loop.period // 2 * loop.period
    return normalise("\n".join(looped[:half]), lang=lang) not in flat_page


def _main_loop(units: str) -> _Loop | None:
    """The loop that covers at least half of the units, a character each, with the shortest block.

    Such a loop fills the quarter before the middle or the one after it, and ten blocks of it fit into the text: so half
    a quarter is longer than a block, and its next occurrence inside the quarter is one block on.
    """
    quarter, middle = len(units) // 4, len(units) // 2
    for seed in (middle, middle - quarter):
        window = units[seed : seed + quarter]
        period = window.find(window[: (quarter + 1) // 2], 1)
        if period < 1:
            continue
        start = seed - _agreeing(units, seed, period, -1)
        stop = seed + _agreeing(units, seed, period, 1) + period
        if stop - start >= max(len(units) / 2, _REPEATS * period):
            return _Loop(period, start, stop)
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
