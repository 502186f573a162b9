"""The controller's side of the hosts: starts, feeds in the order of the tests, watches, replaces and ends them."""

from __future__ import annotations

import contextlib
import itertools
import math
import subprocess
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from pytest_vtcfaith.engine.answers import ALL, answers_file, append, error_line, watched_file
from pytest_vtcfaith.engine.devices import Device
from pytest_vtcfaith.engine.host import BATCH_SIZE
from pytest_vtcfaith.engine.hostprocess import HostProcess, Launch
from pytest_vtcfaith.engine.secrets import mask_secrets
from pytest_vtcfaith.engine.work import Progress, Record, Work

TICK_SECONDS = 0.01
IDLE_SECONDS = 0.05
SHOW_SECONDS = 0.5
MOST_DEATHS = 3
"""So many hosts in a row may die on a device without an answer before nothing more is expected of it."""
MOST_BAD = 8
"""So many of a model that has read pages, where each died while it read: there may be several bad pages in one batch.
As long as it has read none, each new host begins with another page, so that one that reads nothing is soon known."""
MOST_TRIES = 2
"""So many hosts may die of a case."""
MOST_AHEAD, LEAST_AHEAD = 8, 2
"""Batches that a host is given ahead: many since prompts may alternate, few at the end so that devices end together."""


@dataclass
class _Slot:
    """A device: the host on it, how often hosts died there in a row, and the models that are given up on it."""

    device: Device
    host: HostProcess | None = None
    work: Work | None = None
    deaths: int = 0
    given_up: dict[str, str] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)


class Hosts:
    """One host process per device, one model after the other; a thread of this process feeds and watches them.

    `cases` are the cases of each model in the order of the tests, `launches` how its hosts are started, `folder` is for
    their files, `devices` finds the devices when the first host is needed. `say` is given what the user has to know at
    once, `show` how far the models are, every now and then; both are called in the thread. `done` tells whether nobody
    waits for a case any more: when its model is begun late it is left out. `spare` gives a process that is already
    there for a device.
    """

    def __init__(
        self,
        cases: Mapping[str, Sequence[str]],
        launches: Mapping[str, Launch],
        folder: Path,
        devices: Callable[[], Sequence[Device]],
        *,
        say: Callable[[str], None],
        show: Callable[[Sequence[Progress]], None],
        done: Callable[[str], bool],
        spare: Callable[[Device], HostProcess | None] = lambda device: None,
    ) -> None:
        self._launches = launches
        self._spare = spare
        self._folder = folder
        self._devices = devices
        self._say, self._show, self._done = say, show, done
        self._works = {model: Work(model, folder / model, asked) for model, asked in cases.items()}
        self._slots: list[_Slot] | None = None
        self._numbers = itertools.count()
        self._stopped = threading.Event()
        self._shown = time.monotonic()
        for model in cases:
            (folder / model).mkdir(parents=True, exist_ok=True)
            watched_file(folder / model).touch()
        self._thread = threading.Thread(target=self._watch, name="vtcfaith-hosts", daemon=True)

    def start(self, at_once: Iterable[str]) -> None:
        """Begins to watch. Hosts of the models `at_once` are started, those of others when a test first wants one."""
        for model in at_once:
            self._works[model].begin(self._done)
        self._thread.start()

    def stop(self) -> None:
        """Ends every host; tests that still wait are told so. May be called again."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()

    @property
    def progress(self) -> list[Progress]:
        """How far the models are whose hosts were needed."""
        return [work.progress for work in self._works.values() if work.begun]

    @property
    def records(self) -> list[Record]:
        """How the hosts did, by device and model."""
        return [record for slot in self._slots or () for record in slot.records.values()]

    # --- the watching thread ------------------------------------------------------------------------------

    def _watch(self) -> None:
        reason = "the session that runs the host processes has ended"
        try:
            while not self._stopped.is_set():
                self._tick()
                busy = any(slot.host is not None for slot in self._slots or ())
                self._stopped.wait(TICK_SECONDS if busy else IDLE_SECONDS)
        except OSError as problem:
            reason = f"the files of the host processes cannot be used: {problem}"
            self._say(f"vtcfaith: {reason}")
        except Exception:
            reason = mask_secrets(f"the watch over the host processes failed: {traceback.format_exc()}")
            self._say(f"vtcfaith: {reason}")
        finally:
            try:
                for slot in self._slots or ():
                    if slot.host is not None and slot.work is not None:
                        slot.host.kill()
                        for event in slot.host.events():  # what it told since the last tick counts too
                            self._hear(slot, slot.work, event)
            finally:
                for work in self._works.values():
                    self._close(work, reason)

    def _close(self, work: Work, reason: str) -> None:
        folder = self._folder / work.model
        with contextlib.suppress(OSError):  # on a full disk whoever waits notices only that nobody watches
            append(answers_file(folder), [error_line(ALL, reason)])
        with contextlib.suppress(OSError):
            watched_file(folder).unlink(missing_ok=True)

    def _tick(self) -> None:
        for work in self._works.values():
            work.read_wanted(self._done)
            self._read_answers(work)
        if self._slots is None and any(work.waits for work in self._works.values()):
            self._slots = self._find_slots()
        for slot in self._slots or ():
            self._tend(slot)
        for work in self._works.values():
            if work.lost and work.open:
                work.fail_rest()
        if time.monotonic() - self._shown > SHOW_SECONDS:
            self._shown = time.monotonic()
            self._show(self.progress)

    def _find_slots(self) -> list[_Slot]:
        try:
            return [_Slot(device) for device in self._devices()]
        except (ValueError, OSError, subprocess.SubprocessError) as problem:
            for work in self._works.values():
                work.lost = str(problem)
            return []

    def _read_answers(self, work: Work) -> None:
        found = work.read_answers()
        for slot in self._slots or () if found else ():
            if slot.work is work and slot.host is not None:
                slot.host.take_answers(found)

    def _tend(self, slot: _Slot) -> None:
        if slot.host is None or slot.work is None:
            if (chosen := next(filter(partial(self._may_run, slot), self._works.values()), None)) is not None:
                self._launch(slot, chosen)
            return
        host, work = slot.host, slot.work
        status = host.status()  # before its last events are read
        for event in host.events():
            self._hear(slot, work, event)
        if status is not None:
            self._read_answers(work)
            self._bury(slot, host, work)
        elif host.ready and not host.ending:
            self._feed(host, work)

    def _may_run(self, slot: _Slot, work: Work) -> bool:
        if not work.waits or work.lost or work.model in slot.given_up:
            return False
        return not self._launches[work.model].one or all(other.work is not work for other in self._slots or ())

    def _launch(self, slot: _Slot, work: Work) -> None:
        events = self._folder / work.model / f"events-{next(self._numbers)}.jsonl"
        record = slot.records.setdefault(work.model, Record(work.model, slot.device.name))
        launch = self._launches[work.model]
        try:
            slot.host = self._spare(slot.device) or HostProcess(launch.command, launch.folder, slot.device.environment)
        except OSError as problem:
            self._give_up(slot, work, f"no host process can be started: {problem}")
            return
        slot.host.give(launch.task, events)
        slot.work = work
        record.restarts += bool(record.pids)
        record.pids.append(slot.host.pid)

    def _hear(self, slot: _Slot, work: Work, event: dict[str, Any]) -> None:
        slot.records[work.model].hear(event)
        work.hear(event)
        if slot.host is not None:
            slot.host.hear(event)
        if event["event"] == "halved":
            size = event["batch_size"]
            self._say(
                f"vtcfaith: {work.model} ran out of memory on {slot.device.name}: it goes on in batches of {size}"
            )

    def _feed(self, host: HostProcess, work: Work) -> None:
        sharing = sum(slot.work is work for slot in self._slots or ())
        size = work.progress.batch_size or BATCH_SIZE
        ahead = max(LEAST_AHEAD * size, min(MOST_AHEAD * size, math.ceil(len(work.queue) / sharing)))
        if work.suspects:
            alone = work.take_suspects(probe=not work.progress.read)
            host.ask(alone, alone=True, more=bool(work.queue))
        cases = work.take(max(0, ahead - len(host.held)))
        if cases or host.more != bool(work.queue):
            host.ask(cases, alone=False, more=bool(work.queue))
        if not host.held:
            host.end()

    def _bury(self, slot: _Slot, host: HostProcess, work: Work) -> None:
        """After a host's end: what it held is asked again; what was in a model that died is asked alone, and once."""
        host.kill()  # what it has started may live on
        slot.host = slot.work = None
        if host.ending and not host.held:
            slot.deaths = 0
            return
        said = host.last_words()
        how = f"{host.how_it_ended()}; " + (f"its last lines: {said}" if said else "it wrote nothing")
        held = list(host.held)
        for case in [case for case in host.in_model if case in host.held]:
            held.remove(case)
            work.deaths[case] = work.deaths.get(case, 0) + 1
            if work.deaths[case] < MOST_TRIES:
                work.suspects.append(case)
            else:
                work.fail([case], f"{MOST_TRIES} host processes died while they read this page, the last {how}")
        # what is suspected stays so: in one batch with a page that kills it would be found guilty with it
        work.suspects.extend(case for case in held if case in work.deaths)
        work.queue.extendleft(case for case in reversed(held) if case not in work.deaths)
        slot.deaths = 0 if host.answered else slot.deaths + 1
        if host.unloadable:
            self._give_up(slot, work, host.unloadable)
        elif slot.deaths >= (MOST_BAD if host.in_model and work.progress.read else MOST_DEATHS):
            self._give_up(slot, work, f"{slot.deaths} host processes in a row died without an answer, the last {how}")
        else:
            self._say(f"vtcfaith: a host process of {work.model} died on {slot.device.name} and is replaced: {how}")

    def _give_up(self, slot: _Slot, work: Work, reason: str) -> None:
        slot.given_up[work.model] = reason
        slot.deaths = 0
        if self._launches[work.model].one or all(work.model in other.given_up for other in self._slots or ()):
            work.lost = f"no host of {work.model} on {slot.device.name}: {reason}"
