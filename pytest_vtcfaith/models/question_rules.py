"""Rules that answer the wordings of the embedded questions from what an OCR engine found on the page, and from bars.

Each rule is a pattern of the question and a function of the page that was read. A rule that does not find what it needs
gives "", which is no answer. Names on the page need not be read perfectly: the nearest piece of text is taken, if it is
near enough.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from rapidfuzz.distance import Levenshtein

from pytest_vtcfaith.models.rapidocr import TextBox, group_lines

if TYPE_CHECKING:
    from PIL import Image

NEAR = 0.6
"""How like a sought name (1 − edits ÷ longer length) the nearest piece of text must be."""
_INK = 48  # levels by which a pixel of a bar differs from the paper

Rule = Callable[["ReadPage", re.Match[str]], str]


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page as it was read: its picture (RGB) and the pieces of text on it, in reading order."""

    image: Image.Image
    pieces: Sequence[TextBox]

    def named(self, name: str, among: Sequence[TextBox] | None = None) -> TextBox | None:
        """The piece of text that is most like a name."""
        found = [(_likeness(piece.text, name), piece) for piece in (self.pieces if among is None else among)]
        best = max(found, key=lambda pair: pair[0], default=None)
        return best[1] if best is not None and best[0] >= NEAR else None

    def lines(self) -> list[list[TextBox]]:
        """The pieces as printed lines."""
        return group_lines(self.pieces)


def answer(page: ReadPage, question: str) -> str:
    """What the rules make of a question; "" where none fits, or what it needs was not found."""
    for pattern, rule in _RULES:
        match = pattern.search(question)
        if match is not None:
            return rule(page, match)
    return ""


def _value_above(page: ReadPage, match: re.Match[str]) -> str:
    name = page.named(match["name"])
    if name is None:
        return ""
    above = [piece for piece in page.pieces if piece.box[3] <= name.box[1] and _digits(piece.text)]
    reach = 2 * (name.box[3] - name.box[1])
    near = [piece for piece in above if abs(piece.box[0] - name.box[0]) <= reach]
    return _digits(max(near, key=lambda piece: piece.box[3]).text) if near else ""


def _taller(page: ReadPage, match: re.Match[str]) -> str:
    heights = [_height(page, match[option]) for option in ("a", "b")]
    return _larger([None if height is None else float(height) for height in heights])


def _height(page: ReadPage, name: str) -> int | None:
    """Pixels from a bar's name up to the end of its bar: the first rows from below that have ink, without a gap."""
    found = page.named(name)
    if found is None:
        return None
    left, top = round(found.box[0]), round(found.box[1])
    across = min(page.image.width - 1, left + max(2, round((found.box[3] - found.box[1]) / 3)))
    paper = page.image.getpixel((0, 0))
    inked = [_differs(page.image.getpixel((across, row)), paper) for row in range(top)]
    row = top - 1
    while row >= 0 and not inked[row]:
        row -= 1
    end = row
    while row >= 0 and inked[row]:
        row -= 1
    return end - row if end > row else None


def _differs(pixel: object, paper: object) -> bool:
    assert isinstance(pixel, tuple)
    assert isinstance(paper, tuple)
    return max(abs(int(one) - int(other)) for one, other in zip(pixel, paper, strict=True)) > _INK


def _count_bars(page: ReadPage, _: re.Match[str]) -> str:
    """Runs of ink on the nearest row of pixels above the axis that has gaps; the axis is the row with most ink."""
    import numpy as np

    pixels = np.asarray(page.image).astype(int)
    ink = np.abs(pixels - pixels[0, 0]).max(axis=2) > _INK
    counts = ink.sum(axis=1)
    axis = int(counts.argmax())
    if counts[axis] < page.image.width / 3:
        return ""
    for row in range(axis - 1, 0, -1):
        if counts[row] < 0.9 * counts[axis]:
            runs = int((ink[row, 1:] & ~ink[row, :-1]).sum()) + int(ink[row, 0])
            return str(runs) if runs else ""
    return ""


def _cell(page: ReadPage, match: re.Match[str]) -> str:
    head, row = page.named(match["column"]), page.named(match["row"])
    if head is None or row is None:
        return ""
    cell = _crossing(page, head, row)
    return "" if cell is None else cell.text


def _more(page: ReadPage, match: re.Match[str]) -> str:
    values: list[float | None] = []
    head = page.named(match["column"])
    for option in ("a", "b"):
        row = page.named(match[option])
        cell = None if head is None or row is None else _crossing(page, head, row)
        digits = "" if cell is None else _digits(cell.text)
        values.append(float(digits) if digits else None)
    return _larger(values)


def _crossing(page: ReadPage, head: TextBox, row: TextBox) -> TextBox | None:
    """The piece of text under a head of a column and beside a name of a row."""
    tall = row.box[3] - row.box[1]
    beside = [
        piece
        for piece in page.pieces
        if piece is not row and abs(_middle(piece) - _middle(row)) < tall / 2 and piece.box[0] > row.box[2]
    ]
    near = [piece for piece in beside if abs(piece.box[0] - head.box[0]) < max(tall, head.box[2] - head.box[0]) / 2]
    return min(near, key=lambda piece: abs(piece.box[0] - head.box[0]), default=None)


def _right_of(page: ReadPage, match: re.Match[str]) -> str:
    for line in page.lines():
        words = [word for piece in line for word in piece.text.split()]
        for position, word in enumerate(words[:-1]):
            if _likeness(word, match["name"]) >= NEAR + 0.2:
                return words[position + 1]
    return ""


def _listed(page: ReadPage, match: re.Match[str]) -> str:
    if not page.pieces:
        return ""
    words = [word for piece in page.pieces for word in piece.text.split()]
    return "yes" if any(word.casefold() == match["name"].casefold() for word in words) else "no"


def _count_rows(page: ReadPage, _: re.Match[str]) -> str:
    """Printed lines between the title, whose letters are the largest or the first, and the small print."""
    lines = page.lines()[1:]
    rows = [line for line in lines if not any(re.search(r"\bno\b|\d", piece.text) for piece in line)]
    return str(len(rows)) if rows else ""


def _small_print(page: ReadPage, match: re.Match[str]) -> str:
    lines = page.lines()
    if not lines:
        return ""
    last = " ".join(piece.text for piece in lines[-1])
    wanted = r"\d{4}\b" if match.groupdict().get("year") else r"\b[A-Z]{2}\s?-\s?\d{4}\b"
    found = re.search(wanted, last)
    return found[0].replace(" ", "") if found else ""


def _in_lines(pattern: str) -> Rule:
    """A rule that takes the group `found` of a pattern from the page's lines."""
    expression = re.compile(pattern, re.IGNORECASE)

    def rule(page: ReadPage, _: re.Match[str]) -> str:
        for line in page.lines():
            match = expression.search(" ".join(piece.text for piece in line))
            if match is not None:
                return match["found"].strip()
        return ""

    return rule


def _larger(values: Sequence[float | None]) -> str:
    first, second = values
    if first is None or second is None or first == second:
        return ""
    return "A" if first > second else "B"


def _likeness(text: str, name: str) -> float:
    return Levenshtein.normalized_similarity(text.casefold().strip(" .:,"), name.casefold())


def _digits(text: str) -> str:
    found = re.fullmatch(r"\D{0,1}(\d+)\D{0,1}", text.strip())
    return found[1] if found else ""


def _middle(piece: TextBox) -> float:
    return median((piece.box[1], piece.box[3]))


_OPTIONS = r": A\. (?P<a>.+?) or B\. (?P<b>.+?)\?"
_RULES: tuple[tuple[re.Pattern[str], Rule], ...] = tuple(
    (re.compile(pattern), rule)
    for pattern, rule in (
        (r"printed above the bar (?P<name>.+?)\?", _value_above),
        (r"Which bar is taller" + _OPTIONS, _taller),
        (r"How many bars\b", _count_bars),
        (r"Which row has more in the column (?P<column>.+?)" + _OPTIONS, _more),
        (r"in the column (?P<column>.+?) of the row (?P<row>.+?)\?", _cell),
        (r"directly to the right of the word (?P<name>.+?)\?", _right_of),
        (r"Is the word (?P<name>.+?) in the list\?", _listed),
        (r"How many rows of words\b", _count_rows),
        (r"Which (?P<year>year) does the small print name", _small_print),
        (r"number in the small print", _small_print),
        (r"Who signed the notice", _in_lines(r"^signed\s*by\s*(?P<found>.+)$")),
        (r"How many pence", _in_lines(r"pays\s*(?P<found>\d+)\s*pence")),
        (r"At which place is the gate", _in_lines(r"gate\s*at\s*the\s*(?P<found>\S+)\s*is")),
    )
)
