"""Results on disk: written case by case where they arise, gathered by the controller, before anything is reported."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

PARTS = "parts"
PICTURES = "pictures"
STALE_S = 86_400.0
"""Parts of another session that are older than this were left by one that was killed."""
_OWN = (
    "results.jsonl",
    "gates.json",
    "summary.md",
    "convergence.json",
    "run.json",
    "noise.json",
    "ranks.json",
    "fid.json",
)
HTML = "vtc-html"
"""The folder beside index.html that holds its parts."""
SEAL = "rows_sha256"
_WRITTEN = "written_ns"
"""Field of a row in a part: when it was written, by the machine's monotonic clock, which its processes share."""


def begin(folder: Path, session: str = "run") -> None:
    """Makes the report folder ready for a run: what an earlier run left of its own files is removed.

    A folder without results of ours is left as it is, whatever it holds; and so is what another session that is still
    running has written: each has parts of its own, and the one that ends last has the results.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if not any((folder / name).exists() for name in (PARTS, *_OWN)):
        return
    shutil.rmtree(folder / PARTS / session, ignore_errors=True)
    others = [path for path in (folder / PARTS).glob("*") if path.is_dir()]
    for path in others:
        if time.time() - path.stat().st_mtime > STALE_S:
            shutil.rmtree(path, ignore_errors=True)
    if any(path.exists() for path in others):
        return
    pictures = (path for name in ("pages", PICTURES) for path in (folder / name).glob("*.png"))
    for path in (*(folder / name for name in _OWN), *pictures):
        path.unlink(missing_ok=True)
    remove_html(folder)


def remove_html(folder: Path) -> None:
    """Removes the HTML report of an earlier run: the folder of its parts, and with it index.html."""
    if (folder / HTML).is_dir():
        (folder / "index.html").unlink(missing_ok=True)
        shutil.rmtree(folder / HTML)


def append_result(folder: Path, process: str, row: Mapping[str, Any], session: str = "run") -> None:
    """Adds a line to this process's part of the session's results; ASCII JSON, so that every character survives."""
    path = folder / PARTS / session / f"{process}.jsonl"
    line = json.dumps({**row, _WRITTEN: time.monotonic_ns()}, sort_keys=True)
    try:
        file = path.open("ab")
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("ab")
    with file:
        file.write(f"\n{line}\n".encode("ascii"))  # the first newline ends a line that a full disk has torn


def save_picture(folder: Path, name: str, png: bytes) -> str:
    """Writes the picture that a model gave, as `NAME.png`; returns its path in the folder."""
    write_bytes(folder / PICTURES / f"{name}.png", png)
    return f"{PICTURES}/{name}.png"


def write_bytes(path: Path, content: bytes) -> None:
    """Writes a file in one step, as `write_atomic` does a text."""
    with naming(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            draft.write_bytes(content)
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)


def gather(folder: Path, session: str = "run") -> list[dict[str, Any]]:
    """Reads all parts of a session; of a case that was asked again the last answer counts, a torn line is left out.

    Rows are sorted by model, suite and case.
    """
    found = [row for path in sorted((folder / PARTS / session).glob("*.jsonl")) for row in _rows(path)]
    found.sort(key=lambda row: row.pop(_WRITTEN))
    last = {(row["model"], row["suite"], row["case"]): row for row in found}
    return [last[key] for key in sorted(last)]


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_bytes().split(b"\n"):
        try:
            row = json.loads(line)
        except ValueError:  # blank, or torn
            continue
        if isinstance(row, dict):
            yield row


def write_results(folder: Path, session: str = "run", about: Mapping[str, Any] | None = None) -> Path:
    """Writes results.jsonl from the session's parts, and removes them; `about` is what run.json says."""
    path = write_rows(folder, gather(folder, session), about)
    remove_parts(folder, session)
    return path


def write_rows(folder: Path, rows: Sequence[Mapping[str, Any]], about: Mapping[str, Any] | None) -> Path:
    """Writes results.jsonl. Every row says which cases its run chose, and of which shard it is; the first one has in
    `run` what run.json says, so that this file alone can be merged with others, under any name, and in `rows_sha256`
    the checksum of all.
    """
    path = folder / "results.jsonl"
    stamp: dict[str, Any] = {}
    if about is not None:
        stamp = {name: about[name] for name in ("selection_sha256", "shard") if about.get(name) is not None}
    stamped: list[Mapping[str, Any]] = [{**row, **stamp} for row in rows]
    if stamped and about is not None:
        stamped[0] = {**stamped[0], "run": about}
        stamped[0] = {**stamped[0], SEAL: rows_sha256(stamped)}
    write_atomic(path, (json.dumps(row, sort_keys=True) + "\n" for row in stamped))
    return path


def rows_sha256(rows: Iterable[Mapping[str, Any]]) -> str:
    """SHA-256 over the rows of a run, as its first one has it in `rows_sha256`: whether they are what was written."""
    digest = hashlib.sha256()
    for row in rows:
        body = {name: value for name, value in row.items() if name != SEAL}
        digest.update(json.dumps(body, sort_keys=True).encode("ascii") + b"\n")
    return digest.hexdigest()


def remove_parts(folder: Path, session: str) -> None:
    """Removes the parts of a session."""
    shutil.rmtree(folder / PARTS / session, ignore_errors=True)
    with contextlib.suppress(OSError):  # another session's parts are there
        (folder / PARTS).rmdir()


def write_gates(folder: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Writes gates.json: a list of verdicts, sorted by gate."""
    path = folder / "gates.json"
    ordered = sorted(rows, key=lambda row: row["gate"])
    write_atomic(path, [json.dumps(ordered, indent=1, sort_keys=True, allow_nan=False) + "\n"])
    return path


def write_ranks(folder: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Writes ranks.json: how far two OCR engines rank the models alike, one row for each suite and metric."""
    return _write_rows(folder / "ranks.json", rows)


def write_distances(folder: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Writes fid.json: the FID of each editor over all its pictures."""
    return _write_rows(folder / "fid.json", rows)


def _write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    write_atomic(path, [json.dumps(list(rows), indent=1, sort_keys=True, allow_nan=False) + "\n"])
    return path


def write_run(folder: Path, about: Mapping[str, Any]) -> dict[str, Any]:
    """Writes run.json: what the run measured with; gives it as it was written. What may be a key in it is masked."""
    text = json.dumps(_masked(about), indent=1, sort_keys=True, default=str)
    write_atomic(folder / "run.json", [text + "\n"])
    written: dict[str, Any] = json.loads(text)
    return written


def _masked(value: Any) -> Any:
    from pytest_vtcfaith.engine.secrets import mask_secrets

    if isinstance(value, str):
        return mask_secrets(value)
    if isinstance(value, Mapping):
        return {key: _masked(inner) for key, inner in value.items()}
    return [_masked(inner) for inner in value] if isinstance(value, list | tuple) else value


def write_atomic(path: Path, pieces: Iterable[str]) -> None:
    """Writes a UTF-8 text file in one step: readers see the old file or the new one."""
    with naming(path):
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


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """Lets errors of the file system name the file that was to be read or written: a full disk names none."""
    try:
        yield
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror or str(problem), str(path)) from problem
