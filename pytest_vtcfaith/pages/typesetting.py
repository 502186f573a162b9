"""Words into lines, by measured pixels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from pytest_vtcfaith.pages.linebreaking import Word, may_break, may_part, words


class PageOverflow(ValueError):
    """The text does not fit on the page; the message has both sizes."""


@dataclass(frozen=True, slots=True)
class Ink:
    """The measure of a word: its advance in pixels, and the box its ink covers, relative to the pen on the baseline.

    `top` is negative above the baseline; `right` and `bottom` are exclusive.
    """

    advance: float
    left: int
    top: int
    right: int
    bottom: int


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word (or a piece of one longer than a line), its offset in the visible text, its pen's x, its measure."""

    text: str
    start: int
    x: int
    ink: Ink


@dataclass(frozen=True, slots=True)
class Line:
    """A printed line: its words and the y of its baseline, in pixels from the top of the text area."""

    words: tuple[PlacedWord, ...]
    baseline: int


@dataclass(frozen=True, slots=True)
class Setting:
    """Lines of text, and the height in pixels they take from the top of the text area."""

    lines: tuple[Line, ...]
    height: int


def typeset(
    text: str,
    lang: str,
    *,
    width: int,
    line_height: float,
    first_baseline: float,
    measure: Callable[[str], Ink],
    space: float,
) -> Setting:
    """Sets visible text left-aligned into lines.

    `width` is the text area's, `line_height` the distance of baselines, `first_baseline` the first one's distance from
    the top, `space` the advance of a space, all in pixels; `measure` gives the ink of a word. Words stand at integer
    pixels; no two words' ink boxes overlap: where they would, a word moves right or its line moves down by what it
    needs. Words that no line break may part (a long word, or words and the punctuation around them) are broken between
    characters where a line cannot hold them: as late as possible, not before closing punctuation where that can be
    helped. Raises PageOverflow for a width that cannot hold one character.
    """
    rows: list[list[PlacedWord]] = []
    offset = 0
    for paragraph in text.split("\n"):
        if paragraph:
            rows += _break_lines(_clusters(paragraph, lang, offset), width, measure, space)
        offset += len(paragraph) + 1
    return _stack(rows, width, line_height, first_baseline)


def _clusters(paragraph: str, lang: str, offset: int) -> Iterator[list[Word]]:
    """Words no line break may part."""
    cluster: list[Word] = []
    for word in words(paragraph, lang, offset):
        if cluster and may_break(cluster[-1].text, word.text, spaced=word.spaced, lang=lang):
            yield cluster
            cluster = []
        cluster.append(word)
    if cluster:
        yield cluster


class _Row:
    """The line being filled."""

    def __init__(self, width: int, measure: Callable[[str], Ink], space: float) -> None:
        self.width, self.measure, self.space = width, measure, space
        self.words: list[PlacedWord] = []
        self.pen = 0.0
        self.ink_right = 0

    def add(self, cluster: list[Word]) -> bool:
        """Adds all words of the cluster, or none where they do not fit."""
        pen, ink_right, placed = self.pen, self.ink_right, list[PlacedWord]()
        for word in cluster:
            ink = self.measure(word.text)
            if word.spaced and (self.words or placed):
                pen += self.space
            x = max(math.floor(pen + 0.5), ink_right - ink.left)
            pen = max(pen, x - 0.5) + ink.advance
            ink_right = max(ink_right, x + ink.right)
            if max(pen, ink_right) > self.width:
                return False
            placed.append(PlacedWord(word.text, word.start, x, ink))
        self.words += placed
        self.pen, self.ink_right = pen, ink_right
        return True


def _break_lines(
    clusters: Iterator[list[Word]], width: int, measure: Callable[[str], Ink], space: float
) -> list[list[PlacedWord]]:
    rows = [_Row(width, measure, space)]

    def add(cluster: list[Word]) -> bool:
        if rows[-1].add(cluster):
            return True
        if rows[-1].words:
            rows.append(_Row(width, measure, space))
            return rows[-1].add(cluster)
        return False

    for cluster in clusters:
        if add(cluster):
            continue
        for piece in _pieces(cluster, width, measure, space):
            if rows[-1].words:
                rows.append(_Row(width, measure, space))
            rows[-1].add(piece)
    return [row.words for row in rows]


def _pieces(cluster: list[Word], width: int, measure: Callable[[str], Ink], space: float) -> Iterator[list[Word]]:
    """A cluster longer than a line, cut into the longest beginnings that fit, between words before within one."""
    places = [(word, at) for word in cluster for at in range(len(word.text))]
    begin = 0
    while begin < len(places):
        end = begin
        while end < len(places) and _Row(width, measure, space).add(_joined(places[begin : end + 1])):
            end += 1
        if end == begin:
            word, at = places[begin]
            raise PageOverflow(
                f"a line of {width} pixels cannot hold the character {word.text[at]!r} "
                f"({math.ceil(measure(word.text[at]).advance)} pixels wide)"
            )
        if end < len(places):
            end = _last_cut(places, begin, end)
        yield _joined(places[begin:end])
        begin = end


def _last_cut(places: list[tuple[Word, int]], begin: int, end: int) -> int:
    """The last place from which a new line may start, at most `end`; `end` itself where none may."""
    characters = [word.text[at] for word, at in places[begin : end + 1]]
    allowed = [begin + i for i in range(len(characters) - 1, 0, -1) if may_part(characters[i - 1], characters[i])]
    between_words = [cut for cut in allowed if places[cut][1] == 0]
    return next(iter(between_words + allowed), end)


def _joined(places: list[tuple[Word, int]]) -> list[Word]:
    """Words from (word, offset of one of its characters) in order."""
    found = []
    for word, group in groupby(places, key=itemgetter(0)):
        offsets = [at for _, at in group]
        begin, end = offsets[0], offsets[-1] + 1
        found.append(Word(word.text[begin:end], word.start + begin, word.spaced and begin == 0))
    return found


def _stack(rows: list[list[PlacedWord]], width: int, line_height: float, first_baseline: float) -> Setting:
    """Gives every line its baseline; tall letters push a line down rather than touch the line above."""
    floor = [0] * width  # per column: where the ink above ends
    lines: list[Line] = []
    height, push = 0, 0
    for number, row in enumerate(rows):
        nominal = first_baseline + number * line_height
        baseline = math.floor(nominal + 0.5) + push
        needed = max(max(floor[w.x + w.ink.left : w.x + w.ink.right]) - w.ink.top for w in row)
        if needed > baseline:
            push += needed - baseline
            baseline = needed
        for word in row:
            left, right = word.x + word.ink.left, word.x + word.ink.right
            floor[left:right] = [baseline + word.ink.bottom] * (right - left)
        lines.append(Line(tuple(row), baseline))
        line_bottom = math.ceil(nominal - first_baseline + line_height) + push
        height = max(height, line_bottom, *(baseline + word.ink.bottom for word in row))
    return Setting(tuple(lines), height)
