"""Hooks around the host processes: begun when the selected cases are known, ended with the loop of the tests."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_vtcfaith.plugin.progress import ProgressDisplay, describe
from pytest_vtcfaith.plugin.run import Ask, Run

if TYPE_CHECKING:
    from pytest_vtcfaith.engine.devices import Device
    from pytest_vtcfaith.engine.hostprocess import Launch
    from pytest_vtcfaith.engine.hosts import Hosts
    from pytest_vtcfaith.engine.spares import Spares
    from pytest_vtcfaith.engine.work import Record

NAME = "vtcfaith-hosts"
COMMAND = """
import json, sys
sys.path[:] = json.loads(sys.argv.pop())
from pytest_vtcfaith.engine.guard import guard
guard(int(sys.argv.pop()))
from pytest_vtcfaith.plugin.hostmain import main
main(json.loads(sys.argv.pop()))
"""


class HostSession:
    """The hosts of one session, in the process that judges."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.config = run.config
        self._hosts: Hosts | None = None
        self._spares: Spares | None = None
        self._display: ProgressDisplay | None = None
        self._tests: dict[str, Ask] = {}  # by node id: the tests that wait for an answer
        self._waiting: Counter[str] = Counter()

    def pytest_sessionstart(self) -> None:
        """While workers start and collect, hosts get ready whose replies cannot be stored already: they will be asked.
        They load no model yet. After the servers have started, whose addresses they inherit, and before workers do.
        """
        workers = self.config.pluginmanager.has_plugin("dsession") and not self.config.option.collectonly
        if workers and any(spec.lives == "host" and not self.run.store_of(spec) for spec in self.run.specs.values()):
            from pytest_vtcfaith.engine.spares import Spares

            folder = self.config.invocation_params.dir
            self._spares = Spares(_command(self.config), folder, lambda: find_devices_of(self.run))

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Without workers the items themselves say what they will ask."""
        if not self.config.pluginmanager.has_plugin("dsession") and not self.config.option.collectonly:
            self._begin({item.nodeid: ask for item in session.items if (ask := _asks(item)) is not None})

    @pytest.hookimpl(optionalhook=True, trylast=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        """The first worker has collected: every other one collects the same tests."""
        from pytest_vtcfaith.plugin.session import session_of

        if self._hosts is not None:
            return
        selected = session_of(self.config).ledger.selected
        unasked = _read_unasked(self.run, node.gateway.id)
        asks = ((nodeid, selected.get(nodeid)) for nodeid in ids if nodeid not in unasked)
        self._begin({nodeid: ask for nodeid, ask in asks if ask is not None and ask.spec.lives == "host"})

    def _begin(self, tests: dict[str, Ask]) -> None:
        if self._hosts is not None:
            return
        try:
            self._start(tests)
        except OSError as problem:
            folder = self.run.report_folder
            raise pytest.UsageError(f"--vtc-report {folder}: cannot be written: {problem}") from problem

    def _start(self, tests: dict[str, Ask]) -> None:
        from pytest_vtcfaith.engine.hosts import Hosts
        from pytest_vtcfaith.plugin.answering import is_stored

        _remove_stale(self.run.answers_folder.parent)
        (self.run.report_folder / "hosts.json").unlink(missing_ok=True)
        self._tests = tests
        self._waiting.update(ask.id for ask in tests.values())
        asks: dict[str, dict[str, Ask]] = {slug: {} for slug, spec in self.run.specs.items() if spec.lives == "host"}
        for ask in tests.values():
            if not self.run.suite(ask.case.suite).inapplicable(ask.case, ask.spec):
                asks[ask.slug][ask.id] = ask
        self._display = ProgressDisplay(self.config.pluginmanager.get_plugin("terminalreporter"))
        self._hosts = Hosts(
            {slug: list(found) for slug, found in asks.items()},
            {slug: _launch(self.run, slug) for slug in asks},
            self.run.answers_folder,
            lambda: find_devices_of(self.run),
            say=self._display.say,
            show=self._display.show,
            done=lambda case: self._waiting[case] <= 0,
            spare=lambda device: None if self._spares is None else self._spares.take(device),
        )
        threading.Thread(target=_import_ahead, daemon=True).start()
        # a run that was killed lacks the last replies, a new one all of them: tests find out what the others lack
        ends = {slug: [*found.values()] for slug, found in asks.items() if found}
        self._hosts.start(
            [slug for slug, found in ends.items() if not all(is_stored(self.run, ask) for ask in (found[-1], found[0]))]
        )

    @property
    def records(self) -> list[Record]:
        """How the hosts did, by device and model."""
        return [] if self._hosts is None else self._hosts.records

    def largest_batch(self, slug: str) -> int:
        """The most pages that a call of the model had; 0 when its hosts read none."""
        return max((record.largest_batch for record in self.records if record.model == slug), default=0)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Counts who still waits."""
        if report.when == "teardown" and (ask := self._tests.get(report.nodeid)) is not None:
            self._waiting[ask.id] -= 1

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtestloop(self) -> Iterator[None]:
        """Ends the hosts with the last test, before the gates; on -x and Ctrl-C before anybody waits for workers."""
        try:
            return (yield)
        finally:
            self.end()

    def pytest_unconfigure(self) -> None:
        """Also when the loop never came to run; removes the session's files."""
        self.end()
        folder = self.run.answers_folder
        shutil.rmtree(folder, ignore_errors=True)
        with contextlib.suppress(OSError):  # another session's are there, or none ever were
            folder.parent.rmdir()

    def end(self) -> None:
        """Ends every host and writes how they did, once; may be called again."""
        if self._spares is not None:
            self._spares.end()
        if self._hosts is None or self._display is None:
            return
        self._hosts.stop()
        self._display.clear()
        rows = []
        for record in self.records:
            spec = self.run.specs[record.model]
            about = {"name": spec.name, "adapter": spec.adapter, "revision": spec.revision}
            rows.append({**about, "seed": self.run.options.seed, **record.row()})
        if rows:
            from pytest_vtcfaith.report.results import write_atomic

            with contextlib.suppress(OSError):  # said where the results are written
                write_atomic(self.run.report_folder / "hosts.json", [json.dumps(rows, indent=1, sort_keys=True) + "\n"])

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """One line a model whose hosts were needed."""
        if self._hosts is None:
            return
        for model in self._hosts.progress:
            own = [record for record in self.records if record.model == model.model]
            loads, batches = sum(r.loads for r in own), sum(r.batches for r in own)
            pages = sum(r.pages for r in own) / max(1, batches)
            devices = ", ".join(r.device for r in own) or "no device"
            terminalreporter.write_line(
                f"vtcfaith: {describe(model)}; {loads} loads on {devices}, {batches} calls of {pages:.1f} pages each"
            )


class HostClient:
    """In a worker: tells the controller which cases no test asks for, because it sees names of tests only."""

    def __init__(self, run: Run) -> None:
        self.run = run

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Before the names are sent."""
        unasked = [item.nodeid for item in session.items if _has_case(item) and _asks(item) is None]
        if unasked:
            path = _unasked_file(self.run, session.config.workerinput["workerid"])  # type: ignore[attr-defined]
            with contextlib.suppress(OSError):  # then they are asked for nothing
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(json.dumps(unasked), encoding="utf-8")


def register(config: pytest.Config, run: Run) -> None:
    """Registers what a session with a model in a host needs in this process."""
    if any(spec.lives == "host" for spec in run.specs.values()):
        worker = hasattr(config, "workerinput")
        config.pluginmanager.register(HostClient(run) if worker else HostSession(run), NAME)


def _asks(item: pytest.Item) -> Ask | None:
    """What the test will ask a host."""
    ask = getattr(getattr(item, "callspec", None), "params", {}).get("vtc_case")
    wants = "vtc_response" in getattr(item, "fixturenames", ())
    return ask if wants and isinstance(ask, Ask) and ask.spec.lives == "host" else None


def _import_ahead() -> None:
    """What the gates need, while this process has nothing to do but wait for hosts and workers."""
    import numpy  # noqa: F401

    import pytest_vtcfaith.gating.judge  # noqa: F401


def _has_case(item: pytest.Item) -> bool:
    return "vtc_case" in getattr(item, "fixturenames", ())


def _unasked_file(run: Run, worker: str) -> Path:
    return run.answers_folder / f"unasked-{worker}.json"


def _read_unasked(run: Run, worker: str) -> frozenset[str]:
    try:
        return frozenset(json.loads(_unasked_file(run, worker).read_bytes()))
    except (OSError, ValueError):  # it is torn where the disk is full
        return frozenset()


def host_session(config: pytest.Config) -> HostSession:
    """The host processes of this session, in the process that judges; there are some with a model in a host only."""
    found = config.pluginmanager.get_plugin(NAME)
    assert isinstance(found, HostSession)
    return found


def find_devices_of(run: Run) -> list[Device]:
    """The devices that this run's hosts may use."""
    from pytest_vtcfaith.engine.devices import find_devices

    return find_devices(run.options.devices)


def launch(run: Run, slug: str, folder: Path, *, batch_size: int | None, store: Path | None) -> Launch:
    """How hosts of a model are started that write their answers into a folder of that name in `folder`."""
    from pytest_vtcfaith.engine.hostprocess import Launch

    task = {
        "model": slug,
        "folder": str(folder / slug),
        "batch_size": batch_size,
        "store": None if store is None else str(store),
    }
    return Launch(_command(run.config), run.config.invocation_params.dir, task, one=run.specs[slug].remote)


def _command(config: pytest.Config) -> list[str]:
    args = ["--capture=no", *(str(arg) for arg in config.invocation_params.args)]
    if config.pluginmanager.has_plugin("pytest_cov"):
        args.insert(0, "--no-cov")  # it would begin to measure, and remove what was measured
    return [sys.executable, "-c", COMMAND, json.dumps(args), str(os.getpid()), json.dumps(sys.path)]


def _launch(run: Run, slug: str) -> Launch:
    store = run.store_of(run.specs[slug])
    path = None if store is None else store.path
    return launch(run, slug, run.answers_folder, batch_size=run.options.batch_size, store=path)


def _remove_stale(folder: Path) -> None:
    """Files of sessions that were killed."""
    from pytest_vtcfaith.report.results import STALE_S

    for path in folder.glob("*"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > STALE_S:
                shutil.rmtree(path, ignore_errors=True)
