"""Replies kept between runs, so that an unchanged page is not read twice by an unchanged model."""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import TypeVar

from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.models.protocols import Prompt
from pytest_vtcfaith.models.spec import ModelSpec

KEY_VERSION = 1  # a new number where a key comes to mean something else
BUSY_SECONDS = 30.0
TABLES = {
    "replies": "(key TEXT PRIMARY KEY, reply TEXT NOT NULL) WITHOUT ROWID",
    "pictures": "(fingerprint TEXT PRIMARY KEY, pixel_key TEXT NOT NULL) WITHOUT ROWID",
}

Result = TypeVar("Result")


class StoreWarning(UserWarning):
    """Replies could not be kept or found; nothing is lost but time."""


def reply_key(spec: ModelSpec, prompt: Prompt, pixels: str, task: str = "transcribe") -> str:
    """SHA-256, in hex, of everything that shapes a reply: the model's identity, the task, the prompt, the picture's
    pixel key ("" without a picture).

    A transcriber without prompts sees the language only.
    """
    asked = {"lang": prompt.lang}
    if spec.prompts or task != "transcribe":
        asked |= {"text": prompt.text, "condition": prompt.condition}
    content = {"version": KEY_VERSION, "model": spec.identity, "prompt": asked, "picture": pixels}
    if task != "transcribe":
        content["task"] = task
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()


class ResponseStore:
    """An SQLite file in WAL mode; any number of processes may use it at once, one instance each.

    No method raises for what happens to the file. A corrupt one, or one whose tables are not a store's, is set aside as
    `NAME.corrupt-N` and a fresh one begun; when the disk is full or the folder cannot be written, one `StoreWarning` is
    given and nothing is kept.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = None
        self._given_up = False

    def get(self, key: str) -> Reply | None:
        """The stored reply, None where there is none or it cannot be read (a damaged entry is removed)."""
        try:
            content = self._text("SELECT CAST(reply AS BLOB) FROM replies WHERE key = ?", key)
            if content is None:
                return None
            # Reply refuses fields it does not know, from_mapping values of another type
            return Reply.from_mapping(asdict(Reply(**json.loads(content))))
        except (TypeError, ValueError, RecursionError):
            self._write("DELETE FROM replies WHERE key = ?", (key,))
            return None

    def put(self, key: str, reply: Reply) -> None:
        """Stores a reply, over an older one. The caller sees to it that it is complete: failures are never stored."""
        defaults = {field.name: field.default for field in fields(Reply)}
        content = {name: value for name, value in asdict(reply).items() if value != defaults[name]}
        self._write("INSERT OR REPLACE INTO replies VALUES (?, ?)", (key, json.dumps(content)))

    def pixel_key(self, fingerprint: str) -> str | None:
        """The pixel key of the picture a page with this fingerprint was drawn as, None when it was never drawn (a
        damaged entry is removed).
        """
        try:
            return self._text("SELECT CAST(pixel_key AS BLOB) FROM pictures WHERE fingerprint = ?", fingerprint)
        except ValueError:
            self._write("DELETE FROM pictures WHERE fingerprint = ?", (fingerprint,))
            return None

    def remember_picture(self, fingerprint: str, pixel_key: str) -> None:
        """Notes the pixel key of a drawn page."""
        self._write("INSERT OR REPLACE INTO pictures VALUES (?, ?)", (fingerprint, pixel_key))

    def close(self) -> None:
        """Closes the file; the next use opens it again."""
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def _text(self, query: str, key: str) -> str | None:
        """The text that a query finds as bytes: SQLite would refuse bytes that are not UTF-8 as if it were broken."""
        row = self._try(lambda db: db.execute(query, (key,)).fetchone())
        return None if row is None else bytes(row[0]).decode("utf-8")

    def _write(self, statement: str, values: tuple[str, str] | tuple[str]) -> None:
        def write(db: sqlite3.Connection) -> None:
            with db:
                db.execute(statement, values)

        self._try(write)

    def _try(self, action: Callable[[sqlite3.Connection], Result]) -> Result | None:
        if self._given_up:
            return None
        for last in (False, True):  # once more, because the file may have been corrupt or set aside by another process
            try:
                return action(self._open())
            except (sqlite3.Error, OSError) as error:
                if "locked" in str(error):  # after BUSY_SECONDS; the next reply may have more luck
                    return None
                problem: Exception = error
            self.close()
            if not last and _means_corrupt(problem):
                try:
                    self._set_aside(problem)
                except (sqlite3.Error, OSError) as error:
                    problem, last = error, True
            if last:
                self._give_up(problem)
                return None
        return None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with _only_process(self.path):  # SQLite does not wait for its turn where a file is made a WAL one
                self._connection = _connect(self.path)
        return self._connection

    def _give_up(self, error: Exception) -> None:
        self.close()
        self._given_up = True
        _warn(
            f"{self.path}: replies are not kept in this run ({error}); mend the folder, or choose one with --vtc-cache"
        )

    def _set_aside(self, error: Exception) -> None:
        self.close()
        with _only_process(self.path):
            if _is_sound(self.path):  # another process was here first
                return
            number = 1
            while (target := _beside(self.path, f".corrupt-{number}")).exists():
                number += 1
            self.path.rename(target)
            for companion in ("-wal", "-shm"):  # they belong to the old file and would spoil a new one
                _beside(self.path, companion).unlink(missing_ok=True)
        _warn(f"{self.path} was corrupt ({error}): set aside as {target.name}, replies are collected afresh")


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        for name, definition in TABLES.items():
            query = "SELECT sql FROM sqlite_master WHERE name = ? COLLATE NOCASE"
            found = connection.execute(query, (name,)).fetchone()
            if found is None:
                connection.execute(f"CREATE TABLE IF NOT EXISTS {name} {definition}")
            elif found != (f"CREATE TABLE {name} {definition}",):
                raise sqlite3.DatabaseError(f"its {name!r} are not those of a store")
    except BaseException:
        connection.close()
        raise
    return connection


def _means_corrupt(error: Exception) -> bool:
    """SQLite's operational errors are about the surroundings (disk, rights), its other errors about the file."""
    return isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)


def _is_sound(path: Path) -> bool:
    if not path.exists():
        return True
    try:
        with contextlib.closing(_connect(path)) as connection:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:
        return False


@contextlib.contextmanager
def _only_process(path: Path) -> Iterator[None]:
    """A lock between processes that its owner's death releases: an exclusive transaction on a file beside the store."""
    with contextlib.closing(sqlite3.connect(_beside(path, ".lock"), timeout=BUSY_SECONDS)) as guard:
        guard.execute("BEGIN EXCLUSIVE")
        yield


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _warn(message: str) -> None:
    with contextlib.suppress(StoreWarning):  # under -W error a warning is raised, and the store never fails a case
        warnings.warn(message, StoreWarning, stacklevel=2)
