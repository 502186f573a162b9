"""Results files read back: whose they are, and every row of them, or an error that names file, line and mend."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from pytest_vtcfaith.metrics.outcomes import OUTCOMES
from pytest_vtcfaith.models.protocols import TASKS
from pytest_vtcfaith.report.results import SEAL, naming, rows_sha256
from pytest_vtcfaith.texts.errors import TextsError, show

MEND = "give the results.jsonl of a run of this program, whole and unedited"
_TEXTS = ("case", "suite", "tier", "model", "document", "outcome", "reference_sha256", "selection_sha256")
_ABOUT: Mapping[str, type] = {
    "seed": int,
    "profile": str,
    "versions": dict,
    "selection_sha256": str,
    "thresholds_sha256": str,
    "instruments": str,
    "asked": dict,
    "asked_twice": dict,
    "models": list,
    "gates": dict,
    "failures": list,
    "problems": list,
    "noise_lines": list,
    "lost": list,
    "complete": bool,
}
_ASKED = ("suites", "langs", "tiers", "renderers", "prompts")


class ResultsError(TextsError):
    """A results file is broken, or does not go with the others; the message names it, what is wrong and the mend."""


@dataclass(frozen=True, slots=True)
class Part:
    """The results of one run: the file, what its run.json says, and its rows with their lines in the file."""

    path: Path
    about: Mapping[str, Any]
    rows: Sequence[tuple[int, Mapping[str, Any]]]

    @property
    def name(self) -> str:
        """How messages call it."""
        shard = self.about["shard"]
        return str(self.path) if shard is None else f"{self.path} (shard {shard})"


def read_parts(paths: Iterable[Path]) -> list[Part]:
    """The runs in results files; a folder stands for the results.jsonl in it, several files in one are several runs.

    One that is named twice counts once.

    A file without any row is the results of a shard without documents, and gives none. Raises ResultsError for a file
    that is missing, a row that is cut, edited or not of the run before it; OSError where one cannot be
    read.
    """
    found: list[Part] = []
    seen: set[Path] = set()
    for given in paths:
        path = given / "results.jsonl" if given.is_dir() else given
        if not path.is_file():
            raise ResultsError(f"{path}: there is no such file: give results.jsonl of a run, or the folder it lies in")
        if path.resolve() in seen:
            continue
        seen.add(path.resolve())
        found += _read(path)
    if not found:
        raise ResultsError("there are no results in any of the files: give those of runs that asked a model")
    return found


def _read(path: Path) -> list[Part]:
    found: list[tuple[Mapping[str, Any], list[tuple[int, Mapping[str, Any]]]]] = []
    with naming(path):
        content = path.read_bytes()
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        row = _row(line, where)
        if "run" in row:
            found.append((_about(row["run"], where), []))
        if not found:
            raise ResultsError(f"{where}: field 'run' is missing, which the first row of a run has: {MEND}")
        about, rows = found[-1]
        for field in ("selection_sha256", "shard"):
            if row.get(field) != about.get(field):
                raise ResultsError(
                    f"{where}: {field} is {show(row.get(field))}, that of its run is {show(about.get(field))}: {MEND}"
                )
        rows.append((number, row))
    for _, rows in found:
        number, first = rows[0]
        if first.get(SEAL) != rows_sha256(row for _, row in rows):
            raise ResultsError(
                f"{path}, line {number}: the {len(rows)} rows from here were edited or cut: their checksum is not "
                f"{SEAL}, {show(first.get(SEAL))}: {MEND}"
            )
    return [Part(path, about, rows) for about, rows in found]


def _row(line: bytes, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise ResultsError(f"{where}: is cut or no JSON object in UTF-8 ({error}): {MEND}") from error
    if not isinstance(row, dict):
        raise ResultsError(f"{where}: must be an object, is {show(row)}: {MEND}")
    for field in _TEXTS:
        if not isinstance(row.get(field), str):
            raise ResultsError(f"{where}: field {field!r} must be text, is {show(row.get(field))}: {MEND}")
    if row["outcome"] not in (*OUTCOMES, "inapplicable"):
        raise ResultsError(f"{where}: outcome {show(row['outcome'])} is unknown: {MEND}")
    metrics = row.get("metrics")
    numbers = isinstance(metrics, dict) and all(
        value is None or (isinstance(value, int | float) and not isinstance(value, bool)) for value in metrics.values()
    )
    if not numbers:
        raise ResultsError(f"{where}: metrics must be a table of numbers, is {show(metrics)}: {MEND}")
    if not isinstance(row.get("reason", ""), str):
        raise ResultsError(f"{where}: reason must be text, is {show(row['reason'])}: {MEND}")
    return row


def _about(about: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(about, dict):
        raise ResultsError(f"{where}: run must be a table, is {show(about)}: {MEND}")
    for field, kind in _ABOUT.items():
        if not isinstance(about.get(field), kind):
            raise ResultsError(f"{where}: run: {field!r} is {show(about.get(field))}, no {kind.__name__}: {MEND}")
    for name, fits in _FITS.items():
        if not fits(about.get(name)):
            raise ResultsError(f"{where}: run: {name} is {show(about.get(name))}, no {_WHAT.get(name, name)}: {MEND}")
    about.setdefault("shard", None)
    if not (about["shard"] is None or re.fullmatch("[1-9][0-9]{0,5}/[1-9][0-9]{0,5}", str(about["shard"]))):
        raise ResultsError(f"{where}: run: shard is {show(about['shard'])}, not I/N: {MEND}")
    return about


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _named(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())


def _count(value: Any) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 1)


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _text_or_none(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _columns(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(row, dict) and all(isinstance(n, int | float) and abs(n) <= 2**53 for n in row.values())
        for row in value.values()
    )


def _twice(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(tiers, dict)
        and all(isinstance(t, dict) and _columns(t.get("first")) and _columns(t.get("again")) for t in tiers.values())
        for tiers in value.values()
    )


def _entries(fits: Mapping[str, Callable[[Any], bool]], *, only: bool = False) -> Callable[[Any], bool]:
    """A check of a list of tables with these fields, `only` with no others."""

    def check(value: Any) -> bool:
        return isinstance(value, list) and all(
            isinstance(entry, dict)
            and (entry.keys() == fits.keys() if only else entry.keys() >= fits.keys())
            and all(fit(entry[name]) for name, fit in fits.items())
            for entry in value
        )

    return check


_FITS: Mapping[str, Callable[[Any], bool]] = {
    "versions": _named,
    "asked": lambda value: all(_texts(value.get(name)) for name in _ASKED),
    "asked_twice": _twice,
    "models": _entries(
        {
            **dict.fromkeys(("model", "name", "adapter", "lives"), _text),
            **dict.fromkeys(("revision", "preset"), _text_or_none),
            "devices": _texts,
            "tasks": lambda value: _texts(value) and set(value) <= set(TASKS) and bool(value),
            "versions": _named,
            **dict.fromkeys(("batch_size", "batch_size_used", "largest_batch"), _count),
        }
    ),
    "gates": _named,
    "failures": _entries(
        {**dict.fromkeys(("test", "file", "message"), _text), "line": lambda value: isinstance(value, int)}, only=True
    ),
    **dict.fromkeys(("problems", "noise_lines", "lost"), _texts),
    **dict.fromkeys(("limit", "noise"), _count),
}
_WHAT = {"failures": "list of failures", "models": "list of models", "limit": "number", "noise": "number"}


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
