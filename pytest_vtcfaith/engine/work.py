"""What one model still has to answer in this session, what it has, and how its hosts did."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_vtcfaith.engine.answers import Tail, answered, answers_file, append, error_line, wanted_file


@dataclass
class Progress:
    """How far a model is: `answered` of `selected` cases; `read` pages in `seconds` since its first host was ready;
    its batch size, 0 while it is loaded.
    """

    model: str
    selected: int = 0
    answered: int = 0
    read: int = 0
    seconds: float = 0.0
    batch_size: int = 0

    @property
    def pages_per_second(self) -> float:
        """What all hosts of the model read together."""
        return self.read / self.seconds if self.seconds else 0.0


@dataclass
class Record:
    """How the hosts of a model on a device did: calls of the model, pages read by them, seconds spent in them; versions
    of its engines, and the settings that the loaded model tells (number format, device).
    """

    model: str
    device: str
    pids: list[int] = field(default_factory=list)
    loads: int = 0
    load_seconds: float = 0.0
    restarts: int = 0
    batches: int = 0
    pages: int = 0
    largest_batch: int = 0
    batch_size: int = 0
    seconds: float = 0.0
    versions: dict[str, str] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)

    def hear(self, event: dict[str, Any]) -> None:
        """Takes in what a host told."""
        kind = event["event"]
        if kind == "loaded":
            self.loads += 1
            self.load_seconds = round(self.load_seconds + event["seconds"], 3)
            self.versions = event["versions"]
            self.settings = event["settings"]
        elif kind == "end":
            self.batches += 1
            self.pages += event["pages"]
            self.largest_batch = max(self.largest_batch, event["pages"])
            self.seconds = round(self.seconds + event["seconds"], 4)
        self.batch_size = event.get("batch_size", self.batch_size)

    def row(self) -> dict[str, Any]:
        """As plain JSON, with the mean batch."""
        mean = round(self.pages / self.batches, 2) if self.batches else None
        return {**self.__dict__, "mean_batch": mean}


class Work:
    """The cases of one model: queued, suspected of having killed a host, held by a host, or answered."""

    def __init__(self, model: str, folder: Path, cases: Sequence[str]) -> None:
        self.model = model
        self.progress = Progress(model)
        self.queue: deque[str] = deque()
        self.suspects: deque[str] = deque()
        self.deaths: dict[str, int] = {}
        self.open: dict[str, None] = {}
        self.answered: set[str] = set()
        self.begun = False
        self.lost = ""
        self._folder = folder
        self._cases = cases
        self._answers = Tail(answers_file(folder))
        self._wanted = Tail(wanted_file(folder))
        self._since: float | None = None

    @property
    def waits(self) -> bool:
        """Whether a case waits for a host."""
        return bool(self.queue or self.suspects)

    def begin(self, done: Callable[[str], bool]) -> None:
        """Queues every case but those that nobody waits for any more; from now on hosts look into the store."""
        append(answers_file(self._folder), [])
        self.begun = True
        self._add(case for case in self._cases if not done(case))

    def read_wanted(self, done: Callable[[str], bool]) -> None:
        """Queues what tests wait for and was not expected; begins with the first."""
        wanted = [line.decode("ascii", "replace") for _, line in self._wanted.lines()]
        if wanted and not self.begun:
            self.begin(done)
        self._add(wanted)

    def read_answers(self) -> list[str]:
        """The cases that were answered since the last call."""
        found = []
        for _, line in self._answers.lines():
            whole = answered(line)
            if whole is not None and whole[0] not in self.answered:
                found.append(whole[0])
                self.answered.add(whole[0])
                self.open.pop(whole[0], None)
        self.progress.answered += len(found)
        if self._since is not None and found:
            self.progress.seconds = time.monotonic() - self._since
        return found

    def hear(self, event: dict[str, Any]) -> None:
        """Takes in what a host told."""
        if event["event"] == "loaded" and self._since is None:
            self._since = time.monotonic()
        elif event["event"] == "end":
            self.progress.read += event["pages"]
        self.progress.batch_size = event.get("batch_size", self.progress.batch_size)

    def fail(self, cases: Iterable[str], reason: str) -> None:
        """Answers that there is no answer."""
        append(answers_file(self._folder), [error_line(case, reason) for case in cases])

    def fail_rest(self) -> None:
        """The same for every case that is not answered, because of `lost`."""
        self.queue.clear()
        self.suspects.clear()
        self.fail(list(self.open), self.lost)
        self.read_answers()

    def take_suspects(self, *, probe: bool) -> list[str]:
        """Every suspect. With `probe` a case that no host has died of comes first, or else one of the suspects: the
        last or the middle one, since those beside each other are alike.
        """
        first: list[str] = []
        if probe:
            cases = self.queue or self.suspects
            place = len(cases) // 2 if sum(self.deaths.values()) % 2 == 0 else len(cases) - 1
            first = [cases[place]]
            del cases[place]
        found = [*first, *self.suspects]
        self.suspects.clear()
        return found

    def take(self, room: int) -> list[str]:
        """The next cases of the queue, `room` at most."""
        return [self.queue.popleft() for _ in range(min(room, len(self.queue)))]

    def _add(self, cases: Iterable[str]) -> None:
        for case in cases:
            if case not in self.open and case not in self.answered:
                self.open[case] = None
                self.queue.append(case)
                self.progress.selected += 1
