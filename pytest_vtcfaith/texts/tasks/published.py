"""Readers of the tasks that Reasoning Fidelity draws from: ARC, DROP and MATH, turned into a manifest of ours.

A *source* is a folder, a `.jsonl` file, or `hf:NAME[:SPLIT]`, as in `texts.published`. The rows are those that the data
sets have on the hub:

ARC: `id`, `question`, `choices` (`text` and `label`, lists), `answerKey`.
DROP: `query_id`, `passage`, `question`, and `answers_spans` (`spans`, a list).
MATH: `problem`, `level` ("Level 3"), `solution` with the answer in a \\boxed{…}, or `answer`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from pytest_vtcfaith.metrics.final_answers import NUMBER
from pytest_vtcfaith.texts.documents import checked, slug
from pytest_vtcfaith.texts.errors import TextsError, show
from pytest_vtcfaith.texts.manifest import VERSION, Draft
from pytest_vtcfaith.texts.published import check_source, source_rows, text_field
from pytest_vtcfaith.texts.tasks.rows import SCHEMA

_LETTERS = "ABCDEFGHIJ"


def read_published(published: str, *, limit: int | None = None, licence: str) -> Draft:
    """The manifest of published tasks.

    `published`: `arc=SOURCE`, `drop=SOURCE` or `math=SOURCE`; `limit`: take the first so many; `licence`: of the data.
    A task without a usable answer is left out with a note. Raises TextsError naming the place of what is wrong,
    MissingExtra when `datasets` is needed and missing.
    """
    name, _, source = published.partition("=")
    if name not in READERS or not source:
        raise TextsError(f"--published {show(published)}: write {', '.join(f'{known}=SOURCE' for known in READERS)}")
    if limit is not None and limit < 1:
        raise TextsError(f"--limit {limit} must be at least 1")
    check_source(source)
    rows: list[dict[str, Any]] = []
    notes: list[str] = []
    for number, (place, given) in enumerate(source_rows(source), 1):
        if limit is not None and len(rows) == limit:
            break
        row = READERS[name](place, given)
        if row is None:
            notes.append(f"{place}: left out, its answer is no short text")
            continue
        key = slug(str(given.get("id") or given.get("query_id") or number))
        rows.append({"case": f"{name}-{key}", "document": f"{name}-{key}", "lang": "en", **row})
    if not rows:
        raise TextsError(f"{source}: no task was found: see the fields in vtcfaith build tasks --help")
    header = {
        "schema": SCHEMA,
        "version": VERSION,
        "seed": None,
        "generator": f"vtcfaith build tasks --published {name}",
        "licence": licence,
    }
    return Draft(header, rows, tuple(notes))


def _arc(place: str, row: Mapping[str, Any]) -> dict[str, Any] | None:
    choices = row.get("choices")
    texts, labels = (choices.get("text"), choices.get("label")) if isinstance(choices, Mapping) else (None, None)
    if not isinstance(texts, list) or not isinstance(labels, list) or not 2 <= len(texts) == len(labels) <= 10:
        raise TextsError(f"{place}: field 'choices' = {show(choices)} must have lists 'text' and 'label': correct it")
    key = text_field(place, row, "answerKey")
    if key not in map(str, labels):
        raise TextsError(f"{place}: field 'answerKey' = {show(key)} is none of the labels {show(labels)}: correct it")
    right = [str(label) for label in labels].index(key)
    options = {
        letter: {"text": checked(str(text), place), "right": number == right}
        for number, (letter, text) in enumerate(zip(_LETTERS, texts, strict=False))
    }
    return {
        "kind": "facts",
        "skill": "arc",
        "question": checked(text_field(place, row, "question"), place),
        "answer": {"kind": "choice", "text": _LETTERS[right]},
        "record": {"options": options},
    }


def _drop(place: str, row: Mapping[str, Any]) -> dict[str, Any] | None:
    answers = row.get("answers_spans")
    spans = answers.get("spans") if isinstance(answers, Mapping) else None
    if not isinstance(spans, list):
        raise TextsError(f"{place}: field 'answers_spans' = {show(answers)} must have a list 'spans': correct it")
    distinct = sorted({str(span).strip() for span in spans if str(span).strip()})
    if len(distinct) != 1:  # several right answers, or the spans of one: no single text to compare with
        return None
    kind = "number" if NUMBER.fullmatch(distinct[0]) else "free"
    return {
        "kind": "long-context",
        "skill": "drop",
        "context": checked(text_field(place, row, "passage"), place),
        "question": checked(text_field(place, row, "question"), place),
        "answer": {"kind": kind, "text": checked(distinct[0], place)},
    }


def _math(place: str, row: Mapping[str, Any]) -> dict[str, Any] | None:
    level = re.search(r"[1-5]", text_field(place, row, "level"))
    answer = row.get("answer") or _boxed(text_field(place, row, "solution"))
    if level is None or not isinstance(answer, str) or not answer.strip():
        return None
    kind = "number" if NUMBER.fullmatch(answer.strip()) else "free"
    return {
        "kind": "mathematics",
        "skill": "math",
        "level": int(level[0]),
        "question": checked(text_field(place, row, "problem"), place),
        "answer": {"kind": kind, "text": checked(answer, place)},
    }


READERS: Mapping[str, Callable[[str, Mapping[str, Any]], dict[str, Any] | None]] = {
    "arc": _arc,
    "drop": _drop,
    "math": _math,
}
"""What makes a task of a row of each data set; None for one without a usable answer."""


def _boxed(solution: str) -> str | None:
    """What stands in the last \\boxed{…}, with its inner braces."""
    begin = solution.rfind("\\boxed{")
    depth = 0
    for place in range(begin + 6, len(solution)) if begin >= 0 else ():
        depth += (solution[place] == "{") - (solution[place] == "}")
        if depth == 0:
            return solution[begin + 7 : place]
    return None
