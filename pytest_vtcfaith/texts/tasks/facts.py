"""Multiple-choice questions with an explanation of every option, over tables of facts of everyday knowledge.

The tables were written for this project. In each, `values` names what a subject can be, and every subject has exactly
one of them, so that a statement about it is right or wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from pytest_vtcfaith.texts.draws import Draw, below, shuffled

LETTERS = "ABCD"


@dataclass(frozen=True, slots=True)
class Table:
    """Facts of one kind: `question` has {value} in it; a subject, the `verb` and its value make a true sentence."""

    name: str
    question: str
    verb: str
    values: Mapping[str, tuple[str, ...]]


TABLES: tuple[Table, ...] = (
    Table("animal-class", "Which of these animals is {value}?", "is", {
        "a mammal": ("a bat", "a whale", "a mouse", "a camel", "a dolphin"),
        "a bird": ("an eagle", "a penguin", "an owl", "a sparrow", "an ostrich"),
        "a fish": ("a salmon", "a trout", "a shark", "a herring", "a carp"),
        "an insect": ("a bee", "an ant", "a butterfly", "a beetle", "a mosquito"),
        "a reptile": ("a lizard", "a crocodile", "a tortoise", "a cobra", "a gecko"),
    }),
    Table("continent", "Which of these countries lies in {value}?", "lies in", {
        "Africa": ("Kenya", "Ghana", "Morocco", "Zambia", "Senegal"),
        "Asia": ("Japan", "India", "Vietnam", "Nepal", "Mongolia"),
        "Europe": ("Norway", "Portugal", "Poland", "Austria", "Ireland"),
        "South America": ("Brazil", "Peru", "Chile", "Bolivia", "Uruguay"),
    }),
    Table("capital", "Which of these cities is the capital of {value}?", "is the capital of", {
        "France": ("Paris",), "Italy": ("Rome",), "Spain": ("Madrid",), "Greece": ("Athens",), "Norway": ("Oslo",),
        "Egypt": ("Cairo",), "Japan": ("Tokyo",), "Austria": ("Vienna",), "Portugal": ("Lisbon",), "Cuba": ("Havana",),
    }),
    Table("instrument", "Which of these instruments is {value}?", "is", {
        "a string instrument": ("a violin", "a cello", "a harp", "a guitar"),
        "a wind instrument": ("a flute", "a trumpet", "a clarinet", "an oboe"),
        "a percussion instrument": ("a drum", "a xylophone", "a tambourine", "a gong"),
    }),
    Table("shape", "Which of these shapes has {value}?", "has", {
        "three sides": ("a triangle",), "four sides": ("a square", "a rectangle", "a trapezium"),
        "five sides": ("a pentagon",), "six sides": ("a hexagon",), "eight sides": ("an octagon",),
    }),
    Table("quantity", "Which of these units measures {value}?", "measures", {
        "length": ("the metre", "the kilometre", "the mile", "the inch"),
        "mass": ("the kilogram", "the gram", "the tonne"),
        "time": ("the second", "the hour", "the minute"),
        "temperature": ("the degree Celsius", "the degree Fahrenheit"),
    }),
    Table("young", "Which of these is the young of {value}?", "is the young of", {
        "a cow": ("a calf",), "a sheep": ("a lamb",), "a horse": ("a foal",), "a cat": ("a kitten",),
        "a dog": ("a puppy",), "a goose": ("a gosling",), "a swan": ("a cygnet",), "a frog": ("a tadpole",),
    }),
    Table("month", "Which of these months has {value}?", "has", {
        "30 days": ("April", "June", "September", "November"),
        "31 days": ("January", "March", "May", "July", "August", "October", "December"),
    }),
    Table("symbol", "Which of these chemical elements has {value}?", "has", {
        "the symbol Fe": ("iron",), "the symbol Au": ("gold",), "the symbol Ag": ("silver",),
        "the symbol Cu": ("copper",), "the symbol Na": ("sodium",), "the symbol He": ("helium",),
        "the symbol Pb": ("lead",), "the symbol Zn": ("zinc",),
    }),
    Table("eaten-part", "Which of these plants is grown mainly for {value}?", "is grown mainly for", {
        "its root": ("a carrot", "a radish", "a beetroot", "a turnip"),
        "its leaves": ("a lettuce", "a cabbage", "a spinach plant"),
        "its seeds": ("a pea plant", "a lentil plant", "a bean plant"),
    }),
)  # fmt: skip
"""All tables; each gives as many questions as it is asked for."""


def fact_tasks(draw_of: Any, each: int) -> Iterator[dict[str, Any]]:
    """Rows of kind `facts`: `each` questions of every table. `draw_of(name)` gives a source of floats for a table."""
    for table in TABLES:
        draw: Draw = draw_of(f"facts-{table.name}")
        names = shuffled(table.values, draw)
        asked: list[Any] = []
        for number in range(each):
            row = _task(table, names[number % len(names)], number + 1, draw)
            while (row["question"], row["record"]) in asked:
                row = _task(table, names[number % len(names)], number + 1, draw)
            asked.append((row["question"], row["record"]))
            yield row


def draw_of(seed: int) -> Any:
    """A source of floats for each name, the same on every machine."""
    from pytest_vtcfaith.texts.build import derived_seed

    return lambda name: Random(derived_seed(seed, name, "tasks")).random


def _task(table: Table, value: str, number: int, draw: Draw) -> dict[str, Any]:
    right = table.values[value][below(draw, len(table.values[value]))]
    others = shuffled([s for other, subjects in table.values.items() if other != value for s in subjects], draw)
    subjects = shuffled([right, *others[: len(LETTERS) - 1]], draw)
    of = {subject: other for other, found in table.values.items() for subject in found}
    options = dict(zip(LETTERS, subjects, strict=True))
    steps = []
    for letter, subject in options.items():
        own = f"{subject} {table.verb} {of[subject]}"
        text = (
            f"Option {letter}: {own}, so {letter} is right."
            if subject == right
            else (f"Option {letter}: {own}, not {value}, so {letter} is wrong.")
        )
        steps.append({"text": text, "facts": [[table.name, subject, of[subject]]]})
    answer = next(letter for letter, subject in options.items() if subject == right)
    return {
        "case": f"facts-{table.name}-{number}",
        "document": f"facts-{table.name}-{number}",
        "lang": "en",
        "kind": "facts",
        "skill": table.name,
        "question": table.question.format(value=value),
        "answer": {"kind": "choice", "text": answer},
        "steps": steps,
        "record": {
            "facts": {
                table.name: {
                    "subjects": {subject: [of[subject]] for subject in subjects},
                    "values": sorted(table.values),
                }
            },
            "options": {letter: {"text": text, "right": text == right} for letter, text in options.items()},
        },
    }
