"""Reader of results as VTC-Bench publishes them: a folder `MODEL/METHOD/BUDGET/*.jsonl`, turned into replies to cases.

A file is one data set: `…_samples_NAME.jsonl` or `NAME.jsonl`. `METHOD` is `Downsample`, whose budgets are factors (1
is full size), or a compression method, whose budgets are shares of the visual tokens kept (0.1111). A line has

- `doc_id`: the number of the item in its data set;
- `doc`: the item itself, as `texts.questions.items` describes it;
- `filtered_resps`: the reply, a text or a list of one; else `resps`, a list of a list of one.

Whether the published program called a reply right is not read: replies are judged by our own rules. What is wrong is an
error that names file, line and field, but for one rule: a reply that is missing, null or an empty list is a missing
answer, and is counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_vtcfaith.texts.documents import read_file
from pytest_vtcfaith.texts.errors import TextsError, show
from pytest_vtcfaith.texts.questions.items import Item, item_of

DOWNSAMPLE = "downsample"


@dataclass(frozen=True, slots=True)
class Answered:
    """An item with the reply to it, None where there was none."""

    item: Item
    reply: str | None


def budget_folder(folder: Path, model: str, method: str, budget: str) -> Path:
    """The folder of a model's method at a budget, names in any case. Raises TextsError with what there is."""
    found = folder
    for name in (model, method, budget):
        inner = (
            {entry.name.lower(): entry for entry in sorted(found.iterdir()) if entry.is_dir()} if found.is_dir() else {}
        )
        if name.lower() not in inner:
            known = ", ".join(entry.name for entry in inner.values()) or "no folder"
            raise TextsError(f"{found}: has no {name!r}: choose one of {known}")
        found = inner[name.lower()]
    return found


def read_answers(folder: Path, *, datasets: tuple[str, ...] = ()) -> list[Answered]:
    """All answers in the files of a budget's folder; `datasets` keeps those of these names.

    Raises TextsError as said in this module's head, for a question answered twice, and where no file is left.
    """
    answers: list[Answered] = []
    places: dict[str, str] = {}
    for file in sorted(folder.glob("*.jsonl")):
        name = dataset_of(file)
        if datasets and name not in datasets:
            continue
        for answered in _file(file, name):
            item = answered.item
            if item.id in places:
                raise TextsError(f"{item.place}: the question is answered at {places[item.id]} too: remove one line")
            places[item.id] = item.place
            answers.append(answered)
    if not answers:
        wanted = f" of {', '.join(datasets)}" if datasets else ""
        raise TextsError(f"{folder}: there is no answer{wanted}: give a folder with files NAME.jsonl")
    return answers


def dataset_of(file: Path) -> str:
    """The data set's name by the name of its file."""
    return file.stem.rpartition("_samples_")[2].lower()


def case_suffix(method: str, budget: str) -> str:
    """The end of the ids of the cases that a method at a budget answers: `full`, or `2x` for down-sampling.

    Raises TextsError for a budget that is none of the method.
    """
    if method.lower() == DOWNSAMPLE:
        if not budget.isdecimal() or int(budget) < 1:
            raise TextsError(f"budget {budget!r} of {method} must be a whole factor, as 2")
        return "full" if int(budget) == 1 else f"{int(budget)}x"
    try:
        kept = float(budget)
    except ValueError:
        kept = 0.0
    if not 0 < kept <= 1:
        raise TextsError(f"budget {budget!r} of {method} must be the share of tokens kept, over 0 and up to 1")
    return "full"


def replay_rows(
    answers: list[Answered], suffix: str, model: str, wanted: Mapping[str, str]
) -> tuple[list[dict[str, Any]], int]:
    """The rows of a replay file, and how many of the wanted questions have no answer: their rows have a null text.

    `wanted`: id of every question of the manifest → its text. Raises TextsError for an answer to no such question.
    """
    given: dict[str, str | None] = {}
    for answered in answers:
        if answered.item.id not in wanted:
            raise TextsError(
                f"{answered.item.place}: its question {answered.item.id!r} is not in the manifest: build it of the "
                "same data set (vtcfaith build questions)"
            )
        given[answered.item.id] = answered.reply
    rows = [
        {"case": f"{name}-{suffix}", "task": "answer", "text": given.get(name), "model": model}
        for name in sorted(wanted)
    ]
    return rows, sum(row["text"] is None for row in rows)


def _file(file: Path, dataset: str) -> Iterator[Answered]:
    for line, data in enumerate(read_file(file).removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not data.strip():
            continue
        place = f"{file}:{line}"
        try:
            row = json.loads(data.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise TextsError(f"{place}: not JSON in UTF-8 ({error}): download the file again") from None
        if not isinstance(row, dict):
            raise TextsError(f"{place}: {show(row)} is not an object: give one answer a line")
        number = row.get("doc_id")
        if isinstance(number, str) and number.isdecimal():
            number = int(number)
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise TextsError(f"{place}: field 'doc_id' = {show(number)} must be the number of the item: add it")
        doc = row.get("doc")
        if not isinstance(doc, dict):
            raise TextsError(f"{place}: field 'doc' = {show(doc)} must be the item: save the samples with their items")
        yield Answered(item_of(dataset, doc, number, place), _reply(row, place))


def _reply(row: Mapping[str, Any], place: str) -> str | None:
    field = "filtered_resps" if row.get("filtered_resps") is not None else "resps"
    value = row.get(field)
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    if value is None or value == []:
        return None
    if not isinstance(value, str):
        raise TextsError(f"{place}: field {field!r} = {show(value)} must be one text: keep one reply an item")
    return value
