"""Words into the lines of one frame after another, by measured pixels."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, NamedTuple

from pytest_vtcfaith.pages.linebreaking import Word, may_part, paragraphs

Alignment = Literal["left", "right", "center", "justify"]

_FIRST_TRIED = 64
"""Characters; of a longer word a line is first tried with its beginning, so that it need not be measured whole."""


class PageOverflow(ValueError):
    """The text does not fit on the page; the message has both sizes."""


class Ink(NamedTuple):
    """The measure of a word: its advance in pixels, and the box its ink covers, relative to the pen on the baseline.

    `top` is negative above the baseline; `right` and `bottom` are exclusive.
    """

    advance: float
    left: int
    top: int
    right: int
    bottom: int


class PlacedWord(NamedTuple):
    """A word (or a piece of one longer than a line), its offset in the visible text, its pen's x, its measure.

    `mark` says that it is the mark of a newline and no word of the text.
    """

    text: str
    start: int
    x: int
    ink: Ink
    mark: bool = False


class Line(NamedTuple):
    """A printed line: its words, the y of its baseline in pixels from the top of its frame, and that frame's number."""

    words: tuple[PlacedWord, ...]
    baseline: int
    frame: int = 0


@dataclass(frozen=True, slots=True)
class Frame:
    """An area that takes lines: `width` and `height` in pixels, the height may be infinite.

    `line_height` is the distance of baselines, `first_baseline` the first one's distance from the top, `space` the
    advance of a space, all in pixels; `measure` gives the ink of a word. It takes at most `max_lines` lines.
    """

    width: int
    height: float
    line_height: float
    first_baseline: float
    measure: Callable[[str], Ink]
    space: float
    alignment: Alignment = "left"
    max_lines: int | None = None


@dataclass(frozen=True, slots=True)
class Spacing:
    """The room around paragraphs, in pixels: indents of the first line and of all lines, room before and after.

    `padding` is the room on all four sides of every part of a paragraph, at the ends of a frame too, where `before` and
    `after` are dropped.
    """

    first_line: int = 0
    left: int = 0
    right: int = 0
    before: float = 0.0
    after: float = 0.0
    padding: int = 0


class Part(NamedTuple):
    """The part of a paragraph that stands in one frame: from `top` to `bottom` in pixels, its padding included."""

    frame: int
    top: int
    bottom: int


@dataclass(frozen=True, slots=True)
class Setting:
    """Lines of text, the parts of paragraphs, and the height in pixels the text takes from the top of each frame.

    `rest` is the offset of the first word no frame had room for, None where everything is set; `obstacle` says which
    character is wider than the last frame tried, where that was the reason.
    """

    lines: tuple[Line, ...]
    parts: tuple[Part, ...]
    heights: tuple[int, ...]
    rest: int | None = None
    obstacle: str = ""


def typeset(text: str, lang: str, frames: Sequence[Frame], *, spacing: Spacing = Spacing(), mark: str = "") -> Setting:
    """Sets visible text into lines, the frames one after another.

    Words stand at whole pixels; no two words' ink boxes overlap: where they would, a word moves right or its line moves
    down by what it needs. Words that no line break may part (a long word, or words and the punctuation around them) are
    broken between characters where a line cannot hold them: as late as possible, not before closing punctuation where
    that can be helped. With a `mark` paragraphs are joined: it is set as a word where a newline was. A frame that
    cannot hold a line, or a character's width, stays empty.
    """
    columns = [_Column(number, frame, spacing) for number, frame in enumerate(frames)]
    lines: list[Line] = []
    parts: list[Part] = []
    at, rest, obstacle = 0, None, ""
    for queue in paragraphs(text, lang, mark):
        taken, first, begun = 0, True, True
        while taken < len(queue) and at < len(columns):
            column = columns[at]
            indent = spacing.left + spacing.padding + (spacing.first_line if first else 0)
            room = column.frame.width - indent - spacing.right - spacing.padding
            row = _fill(queue, taken, room, column.frame.measure, column.frame.space)
            if row is None:
                obstacle = _too_narrow(queue[taken].text[0], room, column.frame.measure)
            else:
                ended = row.end == len(queue) and not row.remainder
                placed = _shifted(row.words, room, column.frame.alignment, indent, last=ended)
                line = column.place(placed, begins=begun)
                if line is not None:
                    lines.append(line)
                    taken, first, begun, obstacle = row.end, False, False, ""
                    if row.remainder:
                        queue, taken = [*row.remainder, *queue[taken:]], 0
                    continue
            parts += column.close()
            at, begun = at + 1, True
        if taken < len(queue):
            rest = queue[taken].start
            break
        if at < len(columns):
            parts += columns[at].close()
    return Setting(tuple(lines), tuple(parts), tuple(column.height for column in columns), rest, obstacle)


def _too_narrow(character: str, width: int, measure: Callable[[str], Ink]) -> str:
    return (
        f"a line of {width} pixels cannot hold the character {character!r} "
        f"({math.ceil(measure(character).advance)} pixels wide)"
    )


class _Row(NamedTuple):
    """A filled line: its words, the number of the first word after it, and what is left of words cut in two."""

    words: list[PlacedWord]
    end: int
    remainder: list[Word]


def _fill(queue: list[Word], begin: int, width: int, measure: Callable[[str], Ink], space: float) -> _Row | None:
    """The words from `begin` on that one line holds; None where it cannot hold one character."""
    long = len(queue[begin].text) > _FIRST_TRIED and _overlong(queue[begin], width, measure, space)
    placed = [] if long else _place(queue, begin, width, measure, space)
    end = begin + len(placed)
    while begin < end < len(queue) and queue[end].bound:
        end -= 1
    if end > begin:
        return _Row(placed[: end - begin], end, [])
    after = begin + 1
    while after < len(queue) and queue[after].bound:
        after += 1
    return _cut(queue[begin:after], after, width, measure, space)


def _place(queue: list[Word], begin: int, width: int, measure: Callable[[str], Ink], space: float) -> list[PlacedWord]:
    """The words from `begin` on that fit on a line.

    The time of a page goes here, hence the plain comparisons, and no call of PlacedWord, which is a Python function.
    """
    new = tuple.__new__
    placed: list[PlacedWord] = []
    pen, edge = 0.0, 0
    for number in range(begin, len(queue)):
        text, start, spaced, _, mark = queue[number]
        ink = measure(text)
        advance, left, _, right, _ = ink
        if spaced and placed:
            pen += space
        x = int(pen + 0.5)
        if x < edge - left:
            x = edge - left
        if pen < x - 0.5:
            pen = x - 0.5
        pen += advance
        if edge < x + right:
            edge = x + right
        if pen > width or edge > width:
            break
        placed.append(new(PlacedWord, (text, start, x, ink, mark)))
    return placed


def _cut(cluster: list[Word], after: int, width: int, measure: Callable[[str], Ink], space: float) -> _Row | None:
    """The longest beginning that fits of words no line may part, cut between words before within one.

    `after` is the number of the first word behind them. Beginnings are tried by doubling and halving: a word of any
    length costs what its line holds, not what is left of it.
    """
    ends = list(accumulate(len(word.text) for word in cluster))
    fits, too_long = 0, min(_FIRST_TRIED, ends[-1] + 1)
    while too_long <= ends[-1] and _whole(_part(cluster, ends, 0, too_long), width, measure, space):
        fits, too_long = too_long, min(2 * too_long, ends[-1] + 1)
    while too_long - fits > 1:
        middle = (fits + too_long) // 2
        if _whole(_part(cluster, ends, 0, middle), width, measure, space):
            fits = middle
        else:
            too_long = middle
    if fits == 0:
        return None
    end = _last_cut(_part(cluster, ends, 0, min(fits + 1, ends[-1])), fits)
    line = _whole(_part(cluster, ends, 0, end), width, measure, space)
    return _Row(line, after, _part(cluster, ends, end, ends[-1]))


def _overlong(word: Word, width: int, measure: Callable[[str], Ink], space: float) -> bool:
    """Whether a beginning of a word, not all of it, is wider than a line."""
    tried = _FIRST_TRIED
    while tried < len(word.text):
        if not _whole([word._replace(text=word.text[:tried])], width, measure, space):
            return True
        tried *= 2
    return False


def _whole(cluster: list[Word], width: int, measure: Callable[[str], Ink], space: float) -> list[PlacedWord]:
    """All these words on a line, none where it cannot hold them all."""
    placed = _place(cluster, 0, width, measure, space)
    return placed if len(placed) == len(cluster) else []


def _last_cut(beginning: list[Word], end: int) -> int:
    """The last place from which a new line may start, at most `end`; `end` itself where none may."""
    characters = "".join(word.text for word in beginning)
    begins = set(accumulate(len(word.text) for word in beginning))
    within = 0
    for cut in range(len(characters) - 1, 0, -1):
        if may_part(characters[cut - 1], characters[cut]):
            if cut in begins:
                return cut
            within = within or cut
    return within or end


def _part(cluster: list[Word], ends: list[int], begin: int, end: int) -> list[Word]:
    """The words, the first and last maybe cut, from a character of theirs up to another; `ends`: where each ends."""
    found = []
    for number in range(bisect_right(ends, begin), len(cluster)):
        word = cluster[number]
        first = ends[number] - len(word.text)
        if first >= end:
            break
        cut = max(begin - first, 0)
        found.append(
            word._replace(text=word.text[cut : end - first], start=word.start + cut, spaced=word.spaced and not cut)
        )
    return found


def _shifted(words: list[PlacedWord], width: int, alignment: Alignment, indent: int, *, last: bool) -> list[PlacedWord]:
    """A line's words moved right: by the indent, and as far as the alignment wants."""
    if alignment == "left" and not indent:
        return words
    free = width - max(word.x + word.ink.right for word in words)
    gaps = len(words) - 1
    if alignment == "justify" and not last and gaps:
        shifts = [free * number // gaps for number in range(len(words))]
    else:
        shifts = [{"right": free, "center": free // 2}.get(alignment, 0)] * len(words)
    return [word._replace(x=word.x + indent + shift) for word, shift in zip(words, shifts, strict=True)]


class _Column:
    """A frame being filled; it gives every line its baseline.

    Tall letters push a line down rather than touch a line above.
    """

    def __init__(self, number: int, frame: Frame, spacing: Spacing) -> None:
        self.number, self.frame, self.spacing = number, frame, spacing
        self.height = 0
        self._lines: list[tuple[Line, int]] = []  # each with where its ink ends
        self._deepest = 0  # where all ink so far ends
        self._push = 0
        self._skipped: float = 0.0
        self._part_top: int | None = None
        self._bottom = 0

    def place(self, words: list[PlacedWord], *, begins: bool) -> Line | None:
        """The line of these words below the last one, None where it does not fit; `begins` a paragraph or its part."""
        frame, spacing, skipped, push = self.frame, self.spacing, self._skipped, self._push
        if len(self._lines) == frame.max_lines:
            return None
        if begins:
            skipped += spacing.padding + (spacing.padding + spacing.after + spacing.before if self._lines else 0)
        nominal = frame.first_baseline + len(self._lines) * frame.line_height + skipped
        baseline = math.floor(nominal + 0.5) + push
        inks = [word.ink for word in words]
        if baseline + min([ink.top for ink in inks]) < self._deepest:
            needed = self._clear_baseline(words, baseline + min([ink.top for ink in inks]))
            if needed > baseline:
                push += needed - baseline
                baseline = needed
        line_bottom = math.ceil(nominal - frame.first_baseline + frame.line_height) + push
        ink_bottom = baseline + max([ink.bottom for ink in inks])
        bottom = max(line_bottom, ink_bottom) + spacing.padding
        if bottom > frame.height:
            return None
        if begins:
            self._part_top = math.floor(nominal - frame.first_baseline) + self._push - spacing.padding
        line = Line(tuple(words), baseline, self.number)
        self._lines.append((line, ink_bottom))
        self._deepest = max(self._deepest, ink_bottom)
        self._push, self._skipped, self._bottom = push, skipped, bottom
        self.height = max(self.height, bottom)
        return line

    def _clear_baseline(self, words: list[PlacedWord], top: int) -> int:
        """The highest baseline at which no word meets ink above it; none of that ends above `top`."""
        floor = [0] * self.frame.width
        for line, ink_bottom in self._lines:
            if ink_bottom > top:
                for word in line.words:
                    left, right = word.x + word.ink.left, word.x + word.ink.right
                    floor[left:right] = [line.baseline + word.ink.bottom] * (right - left)
        return max([max(floor[w.x + w.ink.left : w.x + w.ink.right]) - w.ink.top for w in words])

    def close(self) -> list[Part]:
        """The part of a paragraph that ends here, if one has begun."""
        if self._part_top is None:
            return []
        top, self._part_top = self._part_top, None
        return [Part(self.number, top, self._bottom)]
