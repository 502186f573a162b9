"""Results on disk: written case by case where they arise, gathered by the controller, before anything is reported."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

PARTS = "parts"


def begin(folder: Path) -> None:
    """Makes the report folder ready for a run: what an earlier run left of its own files is removed."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in (PARTS, "pages"):
        shutil.rmtree(folder / name, ignore_errors=True)
    for name in ("results.jsonl", "gates.json", "summary.md"):
        (folder / name).unlink(missing_ok=True)


def append_result(folder: Path, process: str, row: Mapping[str, Any]) -> None:
    """Adds a line to this process's part of the results; ASCII JSON, so that every character survives."""
    path = folder / PARTS / f"{process}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write(json.dumps(row, sort_keys=True).encode("ascii") + b"\n")


def gather(folder: Path) -> list[dict[str, Any]]:
    """Reads all parts; of a case that was asked again the last answer counts, a torn last line is left out.

    Rows are sorted by model, suite and case.
    """
    rows: dict[tuple[str, str, str], dict[str, Any]] = {}
    for path in sorted((folder / PARTS).glob("*.jsonl"), key=lambda p: (p.stat().st_mtime_ns, p.name)):
        for line in path.read_bytes().split(b"\n")[:-1]:
            row = json.loads(line)
            rows[(row["model"], row["suite"], row["case"])] = row
    return [rows[key] for key in sorted(rows)]


def write_results(folder: Path) -> Path:
    """Writes results.jsonl from the parts, and removes them."""
    path = folder / "results.jsonl"
    write_atomic(path, (json.dumps(row, sort_keys=True) + "\n" for row in gather(folder)))
    shutil.rmtree(folder / PARTS, ignore_errors=True)
    return path


def write_gates(folder: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Writes gates.json: a list of verdicts, sorted by gate."""
    path = folder / "gates.json"
    ordered = sorted(rows, key=lambda row: row["gate"])
    write_atomic(path, [json.dumps(ordered, indent=1, sort_keys=True, allow_nan=False) + "\n"])
    return path


def write_atomic(path: Path, pieces: Iterable[str]) -> None:
    """Writes a UTF-8 text file in one step: readers see the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("w", encoding="utf-8", newline="\n") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
