"""The journal of a construction: what every finished round gave, so that a killed run goes on where it was."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_vtcfaith.texts.errors import TextsError, reason, show

SCHEMA = "vtcfaith/zerosense-journal"
VERSION = 1

Round = tuple[int, int]
"""A length in words and the number of a round at this length."""


class Journal:
    """Finished rounds in a JSONL file: a header with all parameters, then a line a round, each on the disk for good
    before the next round begins.

    Where `path` exists, its rounds are taken over: a torn last line is cut off. Raises TextsError when it was begun
    with other parameters, naming the first that differs, or when another line of it is wrong.
    """

    def __init__(self, path: Path, parameters: Mapping[str, Any]) -> None:
        self.path = path
        self.rounds: dict[Round, list[dict[str, Any]]] = {}
        header = _plain({"schema": SCHEMA, "version": VERSION, **parameters})
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            whole = self._take_over(path.read_bytes() if path.exists() else b"", header)
            with path.open("ab") as stream:
                stream.truncate(whole)
            if not whole:
                self._append(header)
        except OSError as error:
            raise TextsError(f"{path}: the journal cannot be used ({reason(error)}): mend that") from error

    def add(self, length: int, number: int, attempts: list[dict[str, Any]]) -> None:
        """Writes what a round's attempts gave, in their order, and waits until it is on the disk."""
        line = _plain({"length": length, "round": number, "attempts": attempts})
        try:
            self._append(line)
        except OSError as error:
            raise TextsError(f"{self.path}: the journal cannot be written ({reason(error)}): mend that") from error
        self.rounds[length, number] = line["attempts"]

    def remove(self) -> None:
        """Removes the file, when what it held has been written elsewhere."""
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()

    def _append(self, line: Mapping[str, Any]) -> None:
        data = json.dumps(line, sort_keys=True, ensure_ascii=True, allow_nan=False).encode("ascii") + b"\n"
        with self.path.open("ab", buffering=0) as stream:
            written = stream.write(data)
            if written != len(data):
                raise OSError(None, "the disk is full")
            os.fsync(stream.fileno())

    def _take_over(self, data: bytes, header: Mapping[str, Any]) -> int:
        """Reads what is there; the number of bytes that are whole lines."""
        *lines, torn = data.split(b"\n")
        whole = len(data) - len(torn)
        for number, content in enumerate(lines, 1):
            try:
                line = json.loads(content)
                if number == 1:
                    self._check_header(line, header)
                else:
                    self.rounds[line["length"], line["round"]] = _attempts(line["attempts"])
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                if isinstance(error, TextsError):
                    raise
                if number == len(lines) > 1 and not torn:  # the system crashed before the line was on the disk
                    return whole - len(content) - 1
                raise TextsError(
                    f"{self.path}:{number}: {show(content.decode('utf-8', 'replace'))} is no line of a journal: "
                    "remove the file to begin anew"
                ) from error
        return whole

    def _check_header(self, found: Any, header: Mapping[str, Any]) -> None:
        if not isinstance(found, dict):
            raise TypeError("no object")
        for field in sorted({*found, *header}):
            before, now = found.get(field), header.get(field)
            if before != now:
                raise TextsError(
                    f"{self.path}: it was begun with {field} = {_shown(before, now)}, now it is {_shown(now, before)}: "
                    "give the same options to go on, or remove the file to begin anew"
                )


def _attempts(value: Any) -> list[dict[str, Any]]:
    """The attempts of a line. Raises TypeError when they are not a list of objects."""
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise TypeError("no list of attempts")
    return value


def _plain(value: Mapping[str, Any]) -> dict[str, Any]:
    """The value as it will be read from the file: tuples are lists."""
    result: dict[str, Any] = json.loads(json.dumps(value))
    return result


def _shown(value: Any, other: Any) -> str:
    """A value, of an object the fields that differ only."""
    if isinstance(value, dict) and isinstance(other, dict):
        value = {key: inner for key, inner in value.items() if other.get(key) != inner}
    return json.dumps(value, ensure_ascii=False)
