"""The manifest of the embedded questions: pages drawn at random from a seed, so that every answer is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from pytest_vtcfaith.pages.colours import RGB
from pytest_vtcfaith.pages.edits.design import Design, plain
from pytest_vtcfaith.pages.questions.sheets import bar_chart, notice, table_page, word_list
from pytest_vtcfaith.texts.build import derived_seed
from pytest_vtcfaith.texts.draws import Draw, below, shuffled
from pytest_vtcfaith.texts.errors import TextsError
from pytest_vtcfaith.texts.manifest import VERSION, Draft
from pytest_vtcfaith.texts.questions.rows import SCHEMA
from pytest_vtcfaith.texts.questions.words import CROPS, NOUNS, PEOPLE, PLACES, TITLES

GENERATOR = "vtcfaith build questions"
LICENCE = "Apache-2.0"
FACTORS = (2, 3, 4)
PAGES = 11
"""Pages of each kind; every page has four questions."""
SIZES = (9, 34, 10, 20, 8, 28, 12, 16, 24, 11, 14)
"""Sizes of the letters in pixels per em, a page each: at every factor some can still be read and some cannot."""
_FINE = (8, 14, 9, 18, 10, 22, 8, 12, 26, 9, 16)
_COLOURS: tuple[RGB, ...] = ((70, 110, 160), (170, 90, 60), (80, 130, 90), (140, 100, 150), (90, 90, 100))
_PALE: tuple[RGB, ...] = ((226, 234, 244), (246, 230, 222), (228, 240, 230), (238, 230, 242), (232, 232, 236))

Question = dict[str, Any]


def build_questions(*, seed: int = 0, factors: Sequence[int] = FACTORS, pages: int = PAGES) -> Draft:
    """The manifest of the embedded questions, in English: `pages` pages of each kind, four questions a page.

    `factors`: by which the pictures are to be reduced. Raises TextsError for fewer than one page.
    """
    if pages < 1:
        raise TextsError(f"pages {pages} must be at least 1")
    rows = [row for kind in _KINDS for row in _rows(kind, seed, pages)]
    header = {
        "schema": SCHEMA,
        "version": VERSION,
        "seed": seed,
        "generator": GENERATOR,
        "licence": LICENCE,
        "factors": list(factors),
        "resampler": "bicubic",
    }
    return Draft(header, rows)


def _rows(kind: str, seed: int, pages: int) -> Iterator[dict[str, Any]]:
    for number in range(pages):
        document = f"q-{kind}-{number + 1:02d}"
        draw = Random(derived_seed(seed, document, "page")).random
        design, questions = _KINDS[kind](number, draw)
        yield {"document": document, "lang": "en", "page": plain(design), "questions": questions}


def _chart(number: int, draw: Draw) -> tuple[Design, list[Question]]:
    names = shuffled(CROPS, draw)[: 4 + below(draw, 3)]
    values = _values(len(names), draw)
    year = 1850 + below(draw, 140)
    first, second = _two(len(names), draw)
    value = names[below(draw, len(names))]
    design = bar_chart(
        _title("chart", draw),
        list(zip(names, values, strict=True)),
        f"Source: field book of {year}",
        size=_size(number),
        fine=_fine(number),
        fill=_COLOURS[number % len(_COLOURS)],
    )
    return design, [
        _number("read-value", f"What number is printed above the bar {value}?", values[names.index(value)]),
        _choice("compare-bars", "Which bar is taller", (names[first], names[second]), values[first] < values[second]),
        _number("count", "How many bars does the chart have?", len(names)),
        _number("small-print", "Which year does the small print name?", year),
    ]


def _table(number: int, draw: Draw) -> tuple[Design, list[Question]]:
    names, places = shuffled(CROPS, draw)[: 4 + below(draw, 3)], shuffled(PLACES, draw)
    values = _values(len(names), draw)
    asked, placed = names[below(draw, len(names))], names[below(draw, len(names))]
    first, second = _two(len(names), draw)
    code = _code(draw)
    rows = [("Crop", "Place", "Sacks")]
    rows += [(name, places[row], str(values[row])) for row, name in enumerate(names)]
    design = table_page(
        _title("table", draw),
        rows,
        f"Sheet no. {code}",
        size=_size(number),
        fine=_fine(number),
        head=_PALE[number % len(_PALE)],
    )
    larger = "Which row has more in the column Sacks"
    return design, [
        _number("read-value", f"Which number is in the column Sacks of the row {asked}?", values[names.index(asked)]),
        _choice("compare-rows", larger, (names[first], names[second]), values[first] < values[second]),
        _exact("find-word", f"Which word is in the column Place of the row {placed}?", places[names.index(placed)]),
        _exact("small-print", "What is the sheet number in the small print?", code),
    ]


def _list(number: int, draw: Draw) -> tuple[Design, list[Question]]:
    count, columns = 4 + below(draw, 3), 3
    words = shuffled(NOUNS, draw)
    placed = [words[row * columns : (row + 1) * columns] for row in range(count)]
    row, column = below(draw, count), below(draw, columns - 1)
    there = draw() < 0.5
    sought = placed[below(draw, count)][below(draw, columns)] if there else words[count * columns]
    code = _code(draw)
    design = word_list(
        _title("list", draw),
        placed,
        f"Sheet no. {code}",
        size=_size(number),
        fine=_fine(number),
        bar=_COLOURS[number % len(_COLOURS)],
    )
    right = f"Which word stands directly to the right of the word {placed[row][column]}?"
    return design, [
        _exact("find-word", right, placed[row][column + 1]),
        {
            "name": "look-up",
            "task": "find-word",
            "question": f"Is the word {sought} in the list? Answer yes or no.",
            "kind": "yes-no",
            "answers": ["yes" if there else "no"],
        },
        _number("count", "How many rows of words does the list have?", count),
        _exact("small-print", "What is the sheet number in the small print?", code),
    ]


def _notice(number: int, draw: Draw) -> tuple[Design, list[Question]]:
    people = shuffled(PEOPLE, draw)
    place, hour, price = PLACES[below(draw, len(PLACES))], 6 + below(draw, 15), 12 + below(draw, 880)
    code = _code(draw)
    lines = [
        f"The gate at the {place} is shut at {hour} hours.",
        f"Whoever comes later pays {price} pence.",
        f"Ask {people[0]} for the key.",
        f"Signed by {people[1]}",
    ]
    design = notice(
        _title("notice", draw),
        lines,
        f"Form no. {code}",
        size=_size(number),
        fine=_fine(number),
        band=_PALE[number % len(_PALE)],
    )
    return design, [
        {
            "name": "signed",
            "task": "find-word",
            "question": "Who signed the notice?",
            "kind": "contains",
            "answers": [people[1]],
            "options": [people[1], people[0]],
        },
        _number("read-value", "How many pence does a late comer pay?", price),
        _exact("place", "At which place is the gate?", place, task="find-word"),
        _exact("small-print", "What is the form number in the small print?", code),
    ]


_KINDS: dict[str, Callable[[int, Draw], tuple[Design, list[Question]]]] = {
    "chart": _chart,
    "table": _table,
    "list": _list,
    "notice": _notice,
}


def _number(name: str, question: str, value: int) -> Question:
    return {"name": name, "task": name, "question": question, "kind": "number", "answers": [str(value)]}


def _exact(name: str, question: str, answer: str, *, task: str = "") -> Question:
    return {"name": name, "task": task or name, "question": question, "kind": "exact", "answers": [answer]}


def _choice(name: str, question: str, options: tuple[str, str], second: bool) -> Question:
    return {
        "name": name,
        "task": "compare",
        "question": f"{question}: A. {options[0]} or B. {options[1]}? Answer with the letter.",
        "kind": "choice",
        "answers": ["B" if second else "A"],
        "options": list(options),
    }


def _values(count: int, draw: Draw) -> list[int]:
    """Different values from 40 to 980, so far apart that the bars differ by a pixel and more at every factor."""
    steps = shuffled(range(12), draw)[:count]
    return [40 + 78 * step + below(draw, 60) for step in steps]


def _two(count: int, draw: Draw) -> tuple[int, int]:
    first = below(draw, count)
    return first, (first + 1 + below(draw, count - 1)) % count


def _code(draw: Draw) -> str:
    """A code such as KM-4821; letters and digits that look alike are left out."""
    letters, digits = "ACEFHKMNPRTWX", "2345679"
    return (
        "".join(letters[below(draw, len(letters))] for _ in range(2))
        + "-"
        + "".join(digits[below(draw, len(digits))] for _ in range(4))
    )


def _title(kind: str, draw: Draw) -> str:
    titles = TITLES[kind]
    return titles[below(draw, len(titles))]


def _size(number: int) -> int:
    return SIZES[number % len(SIZES)]


def _fine(number: int) -> int:
    return _FINE[number % len(_FINE)]
