"""The answers of one model in this session: files that hosts append to and every process that waits reads."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, fields
from pathlib import Path

from pytest_vtcfaith.engine.failures import shortened
from pytest_vtcfaith.engine.transcript import Transcript
from pytest_vtcfaith.metrics.outcomes import Reply

ALL = "*"
"""The id under which stands what whoever still waits is told when no more answers will come."""
WHOLE = "."
"""Ends a line: JSON may end anywhere with a brace."""
POLL_SECONDS = 0.004
LOOK_SECONDS = 0.5
ENDED = "the session that runs the host processes has ended, or can no longer write to its report folder"
_DEFAULTS = {field.name: field.default for field in fields(Reply)}


def answers_file(folder: Path) -> Path:
    """The file of answers; it exists as soon as hosts run or are about to."""
    return folder / "answers.jsonl"


def wanted_file(folder: Path) -> Path:
    """The file in which tests name the cases that they wait for."""
    return folder / "wanted.jsonl"


def watched_file(folder: Path) -> Path:
    """The file that is there as long as somebody watches the hosts: on a full disk it can still be removed."""
    return folder / "watched"


def append(path: Path, lines: Iterable[bytes]) -> None:
    """Adds lines in one write: several processes may append at once, and a torn line spoils no other."""
    content = b"".join(b"\n" + line + b"\n" for line in lines)  # the first newline ends a line that a death has torn
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644)
    try:
        while content:
            content = content[os.write(file, content) :]
    finally:
        os.close(file)


class Tail:
    """Reads the lines that were added to a file since it was last read; a file that is not there yet has none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._place = 0

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Whole lines that are not blank, each with its offset in the file."""
        try:
            with self.path.open("rb") as file:
                file.seek(self._place)
                content = file.read()
        except FileNotFoundError:
            return
        end = content.rfind(b"\n") + 1
        start, self._place = self._place, self._place + end
        for line in content[:end].split(b"\n")[:-1]:
            if line:
                yield start, line
            start += len(line) + 1


def answer_line(case: str, transcript: Transcript) -> bytes:
    """The line of an answer: the case's id, the transcript as ASCII JSON, and a full stop, tabs between them."""
    reply = {name: value for name, value in asdict(transcript.reply).items() if value != _DEFAULTS[name]}
    content = {
        "reply": reply,
        "outcome": transcript.outcome,
        "seconds": round(transcript.seconds, 6),
        "cached": transcript.cached,
    }
    return f"{case}\t{json.dumps(content)}\t{WHOLE}".encode("ascii")


def answered(line: bytes) -> tuple[str, bytes] | None:
    """The case and the content of the line of an answer; None for one that a death has torn."""
    parts = line.split(b"\t")
    if len(parts) != 3 or parts[2] != WHOLE.encode("ascii"):
        return None
    return parts[0].decode("ascii", "replace"), parts[1]


def error_line(case: str, reason: str) -> bytes:
    """The line of a case that no model answered."""
    return answer_line(case, no_answer(reason))


def no_answer(reason: str) -> Transcript:
    """What stands for the answer where there will be none."""
    return Transcript(Reply(text=None, error=shortened(reason)), "infrastructure_error", 0.0, False)


def _transcript(content: bytes) -> Transcript:
    row = json.loads(content)
    return Transcript(Reply(**{"text": None, **row["reply"]}), row["outcome"], row["seconds"], row["cached"])


class Answers:
    """What a process that waits for answers knows of them. Of a case that was answered twice the first answer counts.

    `alive` tells whether the process that starts and watches the hosts still runs.
    """

    def __init__(self, folder: Path, alive: Callable[[], bool]) -> None:
        self.folder = folder
        self._alive = alive
        self._tail = Tail(answers_file(folder))
        self._places: dict[str, tuple[int, int]] = {}

    @property
    def begun(self) -> bool:
        """Whether hosts of this model run, or ran: they look into the store themselves, nobody else has to."""
        return answers_file(self.folder).exists()

    def get(self, case: str) -> Transcript | None:
        """The answer, None where there is none yet."""
        if case not in self._places:
            for start, line in self._tail.lines():
                if (whole := answered(line)) is not None:
                    name, content = whole
                    self._places.setdefault(name, (start + len(name) + 1, len(content)))
        found = self._places.get(case) or self._places.get(ALL)
        if found is None:
            return None
        with answers_file(self.folder).open("rb") as file:
            file.seek(found[0])
            return _transcript(file.read(found[1]))

    def wait(self, case: str) -> Transcript:
        """The answer, as soon as it is there; an `infrastructure_error` when none can come or be asked for."""
        try:
            found = self.get(case)
            if found is None:
                append(wanted_file(self.folder), [case.encode("ascii")])
            looked = time.monotonic()
            while found is None:
                time.sleep(POLL_SECONDS)
                found = self.get(case)
                if found is None and time.monotonic() - looked > LOOK_SECONDS:
                    looked = time.monotonic()
                    if not self._alive() or not watched_file(self.folder).exists():
                        return self.get(case) or no_answer(ENDED)  # the last one may have come just before the end
            return found
        except FileNotFoundError:
            return no_answer(ENDED)
        except OSError as problem:
            return no_answer(f"the files of the host processes cannot be used: {problem}")
