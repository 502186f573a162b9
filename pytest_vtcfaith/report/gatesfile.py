"""gates.json read back as the verdicts it was written from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from pytest_vtcfaith.gating.judge import Verdict
from pytest_vtcfaith.gating.regression import Regression
from pytest_vtcfaith.gating.wilson import Wilson
from pytest_vtcfaith.report.reading import ResultsError
from pytest_vtcfaith.report.results import naming

MEND = "give the gates.json that the run wrote beside its results.jsonl, whole and unedited"


def read_gates(path: Path) -> list[Verdict]:
    """The verdicts in a gates.json. Raises ResultsError for a file that is not one; OSError when it cannot be read."""
    with naming(path):
        content = path.read_bytes()
    try:
        rows = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ResultsError(f"{path}: is no JSON in UTF-8 ({error}): {MEND}") from error
    if not isinstance(rows, list):
        raise ResultsError(f"{path}: must be a list of verdicts: {MEND}")
    return [_verdict(row, f"{path}, entry {number}") for number, row in enumerate(rows, start=1)]


def _verdict(row: Any, where: str) -> Verdict:
    values = dict(_checked(row, Verdict, where))
    for name, kind in (("wilson", Wilson), ("regression", Regression)):
        if values[name] is not None:
            values[name] = kind(**_checked(values[name], kind, f"{where}: {name}"))
    return Verdict(**values)


def _checked(row: Any, kind: type, where: str) -> Mapping[str, Any]:
    names = {field.name for field in fields(kind)}
    if not isinstance(row, dict) or row.keys() != names:
        found = sorted(row) if isinstance(row, dict) else row
        raise ResultsError(f"{where}: must have the fields {', '.join(sorted(names))}, has {found}: {MEND}")
    return row
