"""One host process as the controller sees it: started, fed, listened to, ended."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from pytest_vtcfaith.engine.answers import Tail
from pytest_vtcfaith.engine.secrets import mask_secrets

LAST_LINES = 12
LONGEST_LINE = 400
LONGEST_READ = 65536
"""Of a line of a host's standard error, in bytes: no secret is cut in two before it is masked."""
END_SECONDS = 5.0
"""How long a process that has nothing left to do may take to end by itself."""
KILL_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Launch:
    """How a model's hosts are started: the command, which is the same for all models of a session, its working folder,
    and what its first line of input tells it beside its files. `one` allows only one host for all devices.
    """

    command: Sequence[str]
    folder: Path
    task: Mapping[str, object]
    one: bool = False


class HostProcess:
    """A host process. `held` are the cases it was given and has not answered, `in_model` those of its last call,
    `answered` counts those it has answered, `unloadable` is the error with which loading its model ended.

    It loads no model before it is given its task.
    """

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        self.held: dict[str, None] = {}
        self.in_model: list[str] = []
        self.ready = False
        self.answered = 0
        self.unloadable = ""
        self.more = True
        self._ending: float | None = None
        self._events: Tail | None = None
        self._said: deque[bytes] = deque(maxlen=LAST_LINES)
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is the controller's affair, and what the model starts dies with it
        )
        assert self._process.stderr is not None
        self._listener = threading.Thread(target=_keep, args=(self._process.stderr, self._said), daemon=True)
        self._listener.start()

    def give(self, task: Mapping[str, object], events: Path) -> None:
        """Tells it what to serve, and the file that it tells events in."""
        self._events = Tail(events)
        self._write({**task, "events": str(events)})

    @property
    def pid(self) -> int:
        """Its process id, also that of its group."""
        return self._process.pid

    def hear(self, event: Mapping[str, Any]) -> None:
        """Takes in what it told."""
        if event["event"] == "ready":
            self.ready = True
        elif event["event"] == "begin":
            self.in_model = list(event["cases"])
        elif event["event"] == "unloadable":
            self.unloadable = event["error"]

    def take_answers(self, cases: Iterable[str]) -> None:
        """Notes which cases were answered, by whomever."""
        for case in cases:
            if case in self.held:
                del self.held[case]
                self.answered += 1

    @property
    def ending(self) -> bool:
        """Whether it was told to end."""
        return self._ending is not None

    def ask(self, cases: Sequence[str], *, alone: bool, more: bool) -> None:
        """Gives it cases; `alone` has each of them read by a call of its own, `more` says that others may follow."""
        self.held.update(dict.fromkeys(cases))
        self.more = more
        self._write({"ask": list(cases), "alone": alone, "more": more})

    def end(self) -> None:
        """Tells it that nothing more will come."""
        self._ending = time.monotonic()
        self._write({"end": True})

    def events(self) -> Iterable[dict[str, Any]]:
        """What it has told since it was last asked."""
        for _, line in self._events.lines() if self._events is not None else ():
            try:
                event: dict[str, Any] = json.loads(line)
            except ValueError:  # torn by its death
                continue
            yield event

    def status(self) -> int | None:
        """Its exit status, None while it runs; one that does not end by itself when told to is killed."""
        if self._ending is not None and time.monotonic() - self._ending > END_SECONDS:
            self.kill()
        return self._process.poll()

    def last_words(self) -> str:
        """The last lines it wrote to its standard error, secrets masked."""
        self._listener.join(timeout=0.5)  # a process it started may still hold the other end
        lines = [mask_secrets(line.decode("utf-8", "replace")).strip()[:LONGEST_LINE] for line in list(self._said)]
        return " | ".join(line for line in lines if line)

    def how_it_ended(self) -> str:
        """`killed by SIGSEGV`, `exit status 1`."""
        status = self._process.returncode
        if status is None or status >= 0:
            return f"exit status {status}"
        try:
            return f"killed by {signal.Signals(-status).name}"
        except ValueError:
            return f"killed by signal {-status}"

    def kill(self) -> None:
        """Ends it and every process it started, at once, and waits for its end."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self.pid, signal.SIGKILL)
            else:
                self._process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=KILL_SECONDS)
        with contextlib.suppress(OSError):
            self._process.stdin.close()  # type: ignore[union-attr]

    def _write(self, message: Mapping[str, object]) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it has died: its status tells
            self._process.stdin.write(json.dumps(message).encode("ascii") + b"\n")
            self._process.stdin.flush()


def _keep(pipe: IO[bytes], said: deque[bytes]) -> None:
    with pipe, contextlib.suppress(OSError, ValueError):
        begins = True
        while line := pipe.readline(LONGEST_READ):
            if begins:
                said.append(line)
            begins = line.endswith(b"\n")
