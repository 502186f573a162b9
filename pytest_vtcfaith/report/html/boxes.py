"""Where the words that differ stand on the pages: rectangles in pixels of the pictures."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from pytest_vtcfaith.metrics import normalise, tokens

if TYPE_CHECKING:
    from pytest_vtcfaith.pages.page import Page, WordBox
    from pytest_vtcfaith.report.html.words import Span

MOST = 600
"""A page on which everything is wrong is not made clearer by more boxes."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A rectangle on page `page` (from 0) around words of the span number `span`, in pixels of the picture."""

    page: int
    span: int
    left: int
    top: int
    right: int
    bottom: int


def marks_of(pages: Sequence[Page], spans: Sequence[Span], lang: str) -> list[Mark]:
    """A rectangle for every line of every span that differs; words only read stand behind the word before them.

    Tokens and the words of a page are cut by different rules, so they are matched by the characters before them.
    """
    found: list[Mark] = []
    offset = 0
    for number, page in enumerate(pages):
        cut = tokens(normalise(page.text, "verbatim", lang), lang)
        ends = list(accumulate((len(token) for token in cut), initial=0))
        words = page.words
        word_ends = list(accumulate(len(word.text) for word in words))
        last = number == len(pages) - 1
        for place, span in enumerate(spans):
            first, stop = span.start - offset, span.stop - offset
            if not span.kind or not words or stop < 0 or first > len(cut) or (first == len(cut) and not last):
                continue
            first, stop = max(first, 0), min(stop, len(cut))
            if span.kind == "added":
                before = words[min(bisect_right(word_ends, max(0, ends[first] - 1)), len(words) - 1)]
                found.append(Mark(number, place, before.right, before.top, before.right + 3, before.bottom))
            elif stop > first:
                chosen = words[
                    bisect_right(word_ends, ends[first]) : bisect_right(word_ends, max(0, ends[stop] - 1)) + 1
                ]
                found += _lines(number, place, chosen)
            if len(found) >= MOST:
                return found
        offset += len(cut)
    return found


def _lines(page: int, span: int, words: Sequence[WordBox]) -> list[Mark]:
    by_line: dict[int, list[WordBox]] = {}
    for word in words:
        by_line.setdefault(word.line, []).append(word)
    return [
        Mark(
            page,
            span,
            min(word.left for word in line),
            min(word.top for word in line),
            max(word.right for word in line),
            max(word.bottom for word in line),
        )
        for line in by_line.values()
    ]
