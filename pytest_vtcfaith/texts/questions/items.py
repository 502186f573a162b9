"""Items of published question sets: their common fields as a question with its answer key.

| data set | id | question | answer | asked so |
|---|---|---|---|---|
| `mmstar` | `index` | `question` with `Options: A: …, B: …` in it | letter in `answer` | choice |
| `mmbench` | `index` | `question`, `hint` if any, options `A` to `D` | letter in `answer` | choice |
| `mme` | `question_id` | `question` | `Yes` or `No` in `answer` | yes-no |
| `pope` | `id`, else `category` and `question_id` | `question` | `yes` or `no` in `answer` | yes-no |
| `ocrbench` | `question_id`, else its number | `question` | texts in `answer` | contains |
| `chartqa` | its number | `question` | `answer` | number within 5 %, else exact |
| `gqa` | `id`, else `question_id` | `question` | `answer` | exact |

An item's number counts from 0 in the order of the data set. `image` may be a path from the folder of the items, a table
with `bytes`, or a picture of `datasets`. What is wrong is an error that names place, field, value and mend; two rules
are no errors: a `hint` or option that is null, empty or `nan` is none; an `answer` that is a list of one is that one.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_vtcfaith.metrics.answers import AnswerKey
from pytest_vtcfaith.metrics.numerals import numbers_in
from pytest_vtcfaith.texts.documents import slug
from pytest_vtcfaith.texts.errors import TextsError, show

CHART_TOLERANCE = 0.05
"""ChartQA's relaxed accuracy."""
_OPTION = re.compile(r"(?:^|[,\n]\s*|Options:\s*)([A-H])[:.]\s*(.+?)(?=,\s*[A-H][:.]\s|\n\s*[A-H][:.]\s|$)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Item:
    """One question: `place` is where it was found, `document` the id of its picture, `name` that of the question there,
    both ASCII slugs; `task` the data set's own category; `image` the picture as the item has it, None without one.
    """

    place: str
    document: str
    name: str
    task: str
    question: str
    key: AnswerKey
    image: Any

    @property
    def id(self) -> str:
        """The id of the question, as in cases."""
        return f"{self.document}-{self.name}"

    def row(self) -> dict[str, Any]:
        """The question as a manifest has it."""
        row: dict[str, Any] = {
            "name": self.name,
            "task": self.task,
            "question": self.question,
            "kind": self.key.kind,
            "answers": list(self.key.answers),
        }
        if self.key.options:
            row["options"] = list(self.key.options)
        if self.key.tolerance:
            row["tolerance"] = self.key.tolerance
        return row


@dataclass(frozen=True, slots=True)
class _Found:
    """An item as it is written, with its place and number."""

    place: str
    number: int
    fields: Mapping[str, Any]

    def error(self, field: str, value: object, mend: str) -> TextsError:
        return TextsError(f"{self.place}: field {field!r} = {show(value)} {mend}")

    def text(self, *names: str) -> str:
        """The first of the fields that is there, as text."""
        value = next((self.fields[name] for name in names if self.fields.get(name) is not None), None)
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or not value.strip():
            raise self.error(" or ".join(names), value, "must be text: add it")
        return value.strip()

    def optional(self, name: str) -> str:
        value = self.fields.get(name)
        text = str(value).strip() if isinstance(value, str | int) else ""
        return "" if text.lower() == "nan" else text


Asked = tuple[str, str, AnswerKey]
"""Id, question and answer key of an item."""


def _choice(found: _Found, options: list[str], question: str) -> Asked:
    answer = found.text("answer").strip("().").upper()
    try:
        key = AnswerKey("choice", (answer,), tuple(options))
    except ValueError as error:
        raise found.error("answer", found.fields.get("answer"), f"is no key ({error})") from None
    return found.text("index"), question, key


def _mmstar(found: _Found) -> Asked:
    question = found.text("question")
    listed = question.partition("Options:")[2]
    options = _OPTION.findall(f"Options:{listed}") if listed else []
    if [letter for letter, _ in options] != list("ABCDEFGH"[: len(options)]) or len(options) < 2:
        raise found.error("question", question, "must have options A to D behind 'Options:'")
    return _choice(found, [text.strip().rstrip(",") for _, text in options], question)


def _mmbench(found: _Found) -> Asked:
    options = [found.optional(letter) for letter in "ABCD"]
    while options and not options[-1]:
        options.pop()
    if len(options) < 2 or not all(options):
        raise found.error("A to D", options, "must be two options or more, without a gap")
    lines = [found.optional("hint"), found.text("question")]
    lines += [f"{letter}. {option}" for letter, option in zip("ABCD", options, strict=False)]
    return _choice(found, options, "\n".join(line for line in lines if line))


def _yes_no(found: _Found, *ids: str) -> Asked:
    answer = found.text("answer").lower().rstrip(".")
    if answer not in ("yes", "no"):
        raise found.error("answer", found.fields.get("answer"), "must be yes or no")
    return found.text(*ids), found.text("question"), AnswerKey("yes-no", (answer,))


def _pope(found: _Found) -> Asked:
    if found.fields.get("id") is not None:
        return _yes_no(found, "id")
    name, question, key = _yes_no(found, "question_id")
    return f"{found.text('category')}-{name}", question, key


def _ocrbench(found: _Found) -> Asked:
    answers = found.fields.get("answer")
    texts = answers if isinstance(answers, list) else [answers]
    written = tuple(text.strip() for text in texts if isinstance(text, str) and text.strip())
    if not texts or len(written) < len(texts):
        raise found.error("answer", answers, "must be a text or a list of texts")
    name = found.text("question_id") if found.fields.get("question_id") is not None else str(found.number)
    return name, found.text("question"), AnswerKey("contains", written)


def _chartqa(found: _Found) -> Asked:
    answer = found.text("answer")
    stated = numbers_in(answer)
    numeric = len(stated) == 1 and stated[0] is not None and re.fullmatch(r"[-\d.,]+\s*%?", answer) is not None
    key = AnswerKey("number", (answer,), tolerance=CHART_TOLERANCE) if numeric else AnswerKey("exact", (answer,))
    return str(found.number), found.text("question"), key


def _gqa(found: _Found) -> Asked:
    return found.text("id", "question_id"), found.text("question"), AnswerKey("exact", (found.text("answer"),))


FORMATS: Mapping[str, Callable[[_Found], Asked]] = {
    "chartqa": _chartqa,
    "gqa": _gqa,
    "mmbench": _mmbench,
    "mme": lambda found: _yes_no(found, "question_id"),
    "mmstar": _mmstar,
    "ocrbench": _ocrbench,
    "pope": _pope,
}
"""Data set → how its items are read."""


def format_of(name: str) -> str:
    """The format of a data set by its name, as in `mmbench_en_dev`. Raises TextsError for an unknown one."""
    plain = name.lower()
    known = [each for each in sorted(FORMATS, key=len, reverse=True) if re.match(rf"{each}(?![a-z])", plain)]
    if not known:
        raise TextsError(f"data set {name!r} is unknown: its name must begin with one of {', '.join(sorted(FORMATS))}")
    return known[0]


def item_of(dataset: str, fields: Mapping[str, Any], number: int, place: str) -> Item:
    """The question of an item of a data set; the fields: this module's head.

    `number` counts the items from 0. Raises TextsError naming `place` and field of what is wrong.
    """
    found = _Found(place, number, fields)
    name, question, key = FORMATS[format_of(dataset)](found)
    category = next((fields[each] for each in ("category", "question_type", "type") if fields.get(each)), dataset)
    return Item(
        place=place,
        document=f"{slug(dataset)}-{slug(name)}",
        name=f"q{hashlib.sha256(question.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}",
        task=slug(str(category)),
        question=question,
        key=key,
        image=fields.get("image", fields.get("image_path")),
    )
