"""The session: books scores, runs the gates after the last case, and never lets an unmeasured run exit 0.

Workers collect the gates, name them and cut them; the controller collects them again when the loop of the workers has
ended, and runs each through the ordinary protocol, so that a gate is a test like any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_vtcfaith.plugin.attachments import attach_to_html
from pytest_vtcfaith.plugin.coloured import colour_failure
from pytest_vtcfaith.plugin.hosts import host_session
from pytest_vtcfaith.plugin.ledger import PROPERTY, Ledger, line_of
from pytest_vtcfaith.plugin.noise import noise_of
from pytest_vtcfaith.plugin.parametrize import is_gate
from pytest_vtcfaith.plugin.run import Run

if TYPE_CHECKING:
    from pytest_vtcfaith.engine.work import Record
    from pytest_vtcfaith.gating.judge import Verdict
    from pytest_vtcfaith.report.view import Failure, RunView

NAME = "vtcfaith-session"
GateKey = tuple[str, str]


class Session:
    """State and hooks of one session; registered as a plugin only when a model was chosen."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.config = run.config
        self.ledger = Ledger(run)
        self.verdicts: dict[str, Verdict] = {}
        self.failures: dict[str, Failure] = {}
        self.problems: list[str] = []
        self.judging = not hasattr(run.config, "workerinput")
        self._wanted: dict[GateKey, None] = {}
        self._taken: list[pytest.Item] | None = None
        self._spared: set[str] = set()
        self._prepared = False
        self._distances: list[str] | None = None
        self._workers_down = 0
        self._workers_named = 0
        self._begun = False

    # --- collection, in the process that collects ---------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Gates last; in a worker named for the controller and cut."""
        if self._taken is not None:
            return
        session.items.sort(key=is_gate)
        gates = [item for item in session.items if is_gate(item)]
        cases = [item for item in session.items if not is_gate(item)]
        spared = [item.nodeid for item in cases if "vtc_score" not in getattr(item, "fixturenames", ())]
        if self.judging:
            self.ledger.gates = _ids(gates)
            self.ledger.select(item.nodeid for item in session.items)
            self.ledger.spare(spared)
            return
        self.config.workeroutput["vtc_gates"] = [_key(gate) for gate in gates]  # type: ignore[attr-defined]
        self.config.workeroutput["vtc_spared"] = spared  # type: ignore[attr-defined]
        if (syrupy := self.config.pluginmanager.get_plugin("syrupy")) is not None:
            syrupy.pytest_collection_finish(session)  # counts the gates as selected: its unused detection stays right
        del session.items[len(cases) :]

    # --- controller of an xdist run -------------------------------------------------------------------

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_setupnodes(self, config: pytest.Config, specs: list[Any]) -> None:
        """One thread per worker, set before any engine's library loads."""
        from pytest_vtcfaith.engine.threads import worker_environment

        for spec in specs:
            spec.env.update(worker_environment())

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tells a worker where this run's files go."""
        node.workerinput["vtc_report"] = str(self.run.report_folder)
        node.workerinput["vtc_session"] = self.run.session_id

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        """Every worker collects the same tests."""
        self.ledger.select(ids)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Gates that the worker had selected, and tests that score nothing."""
        output = getattr(node, "workeroutput", {})
        named = output.get("vtc_gates")
        self._workers_down += 1
        if named is None:
            return
        self._workers_named += 1
        self._spared.update(output["vtc_spared"])
        self._wanted.update(dict.fromkeys((str(path), str(names)) for path, names in named))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Iterator[None]:
        """Runs the gates when the loop ended by itself, then counts."""
        if not self.judging or self.config.option.collectonly:
            return (yield)
        self._begin()
        result = yield  # raises on -x, --maxfail, Ctrl-C: then no gate runs
        if self.config.pluginmanager.has_plugin("dsession"):
            self.ledger.spare(self._spared)
            if self._workers_down and not self._workers_named:
                self.problems.append("no worker lived to name its gates: none was judged")
        self._prepare()
        if self._wanted:
            self._run_gates(session)
        self._count(session)
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        """Without workers gates are among the items, and come when every case has reported."""
        if self.judging and is_gate(item):
            self._prepare()

    def _prepare(self) -> None:
        """What gates need beside the scores: the hosts have told all, and the noise is known."""
        if self._prepared:
            return
        self._prepared = True
        if self._hosted:
            host_session(self.config).end()
        if self.run.options.noise is not None:
            noise_of(self.config).finish(self.ledger)

    def _begin(self) -> None:
        from pytest_vtcfaith.report.results import begin

        folder = self.run.report_folder
        try:
            begin(folder, self.run.session_id)
        except OSError as problem:
            raise pytest.UsageError(f"--vtc-report {folder}: cannot be written: {problem}") from problem
        self._begun = True

    def _run_gates(self, session: pytest.Session) -> None:
        gates = self._collect(session)
        self.ledger.gates = _ids(gates)
        self.ledger.select(gate.nodeid for gate in gates)
        for gate, following in zip(gates, [*gates[1:], None], strict=True):
            self.config.hook.pytest_runtest_protocol(item=gate, nextitem=following)
            if session.shouldfail:
                raise session.Failed(session.shouldfail)
            if session.shouldstop:
                raise session.Interrupted(session.shouldstop)

    def _collect(self, session: pytest.Session) -> list[pytest.Item]:
        arguments = dict.fromkeys(f"{path}::{names.partition('[')[0]}" for path, names in self._wanted)
        count, verbose = session.testscollected, getattr(self.config.option, "verbose", 0)
        self._taken = []
        self.config.option.verbose = -1  # no second "collected n items" line
        try:
            # The same arguments as before where ids depend on them: outside rootdir a node id is relative to the
            # argument that found the file, and brackets in an argument are taken for parameters.
            root = self.config.rootpath
            plain = all(Path(path).is_relative_to(root) and "[" not in path for path, _ in self._wanted)
            session.perform_collect(list(arguments) if plain else None)
        finally:
            self.config.option.verbose = verbose
        taken = self._taken
        missing = self._wanted.keys() - {_key(item) for item in taken}
        if missing:
            first = min(missing)[1]
            self.problems.append(f"{len(missing)} gates were not found again by the controller, first {first}")
        session.items[:] = taken
        session.testscollected = count + len(taken)
        return taken

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """In the controller's own collection: takes the gates away before --lf, -k and syrupy see them; the workers
        have selected already."""
        if self._taken is None:
            return
        order = {key: position for position, key in enumerate(self._wanted)}
        self._taken += sorted((i for i in items if _key(i) in order), key=lambda i: order[_key(i)])
        items.clear()
        manager = config.pluginmanager
        private = [p for n in ("lfplugin", "nfplugin", "syrupy", NAME) if (p := manager.get_plugin(n)) is not None]
        others = manager.subset_hook_caller("pytest_collection_modifyitems", private)
        others(session=session, config=config, items=self._taken)

    # --- scores and counting ----------------------------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Books the score; its numbers become properties of the JUnit report."""
        if not self.judging:
            return
        row = self.ledger.take(report)
        if row is not None:
            others = [(k, v) for k, v in report.user_properties if k != PROPERTY]
            if report.when == "teardown":  # the report that JUnit takes properties from
                others += _properties(row)
            report.user_properties = others
        if report.failed:
            if row is not None:
                colour_failure(report)
            self.failures[report.nodeid] = self._failure(report)
            if (ask := self.ledger.selected.get(report.nodeid)) is not None:
                attach_to_html(self.config, report, self.run.report_folder, ask.id, self.run.by_id)
        elif report.when == "call" and report.outcome in ("passed", "skipped"):
            self.failures.pop(report.nodeid, None)  # a rerun that passed

    def _failure(self, report: pytest.TestReport) -> Failure:
        from pytest_vtcfaith.engine.secrets import mask_secrets
        from pytest_vtcfaith.report.view import Failure, concise

        ask = self.ledger.selected.get(report.nodeid)
        file, line = line_of(ask.case, self.config.rootpath) if ask is not None else ("", 0)
        crash = getattr(report.longrepr, "reprcrash", None)
        said = str(report.longrepr) if crash is None else crash.message
        message = concise(mask_secrets(said.removeprefix("Failed: ").partition("\n")[0]))
        return Failure(report.nodeid, file, line, message)

    def _failed(self) -> list[Failure]:
        return [self.failures[test] for test in sorted(self.failures)]

    def _count(self, session: pytest.Session) -> None:
        """Fewer reports than selected tests, or nothing measured at all, fails the session."""
        self.ledger.keep()
        lost = self.ledger.unreported
        if lost:
            total = len(self.ledger.selected)
            self.problems.append(f"{len(lost)} of {total} selected tests gave no report, first {lost[0]}")
        scores, verdicts = self.ledger.fresh.values(), self.verdicts.values()
        measured = any(s.measured for s in scores) or any(v.measured for v in verdicts)
        idle = self.run.options.shard is not None and not self.ledger.awaited
        if (self.ledger.gates or self.ledger.awaited) and not idle and not lost and not measured:
            self.problems.append("nothing was measured")
        self._write(whole=True)
        if self.problems and not session.shouldfail:
            session.shouldfail = f"pytest-vtcfaith: {'; '.join(self.problems)}"
            raise session.Failed(session.shouldfail)

    def _write(self, *, whole: bool) -> None:
        """Writes the files of the report; gates.json and convergence.json only of a run that came to its end.

        Neither of a shard: one without a single verdict could be taken for a green one.
        """
        from pytest_vtcfaith.plugin.about import about_run
        from pytest_vtcfaith.plugin.convergence import convergence_rows
        from pytest_vtcfaith.plugin.htmlreport import session_reports
        from pytest_vtcfaith.report.results import write_gates, write_results, write_run
        from pytest_vtcfaith.report.summary import write_summary

        self._begun = False
        folder = self.run.report_folder
        about = about_run(
            self.run,
            self._host_records(),
            complete=whole,
            gates=self.ledger.gates,
            failures=self._failed(),
            lost=[ask.id for ask in self.ledger.scored if ask.key not in self.ledger.fresh],
            problems=self.problems,
            noise=self._noise_lines(),
        )
        try:
            about = write_run(folder, about)
            results = write_results(folder, self.run.session_id, about)
            if whole and self.run.options.shard is None:
                write_gates(folder, [v.row() for v in self.verdicts.values()])
                if settled := convergence_rows(self.run, self.ledger):
                    from pytest_vtcfaith.report.convergence import write_convergence

                    write_convergence(folder, settled)
                if len(self.run.options.ocr) > 1:
                    from pytest_vtcfaith.plugin.agreement import agreement_rows
                    from pytest_vtcfaith.report.results import write_ranks

                    write_ranks(folder, agreement_rows(self.run, self.ledger))
            write_summary(folder / "summary.md", self.view())
            session_reports(self.run, self.ledger, self.view(), about, results)
        except OSError as problem:
            self.problems.append(f"the results could not be written: {problem}")

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A run whose loop did not end by itself keeps its results, and is never green."""
        if self._begun:
            self.problems.append("the run was cut short: no verdict on what was left out")
            self.ledger.keep()
            self._write(whole=False)
        if self.problems and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    # --- terminal ---------------------------------------------------------------------------------------

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """One table per suite, and what has to be known beside it."""
        if self.judging and not self.config.option.collectonly:
            from pytest_vtcfaith.report.terminal import show_summary

            show_summary(terminalreporter, self.view())

    def view(self) -> RunView:
        """What the reports show."""
        from pytest_vtcfaith.plugin.viewing import view_of

        return view_of(
            self.run,
            self.ledger,
            self.verdicts.values(),
            failures=self._failed(),
            problems=self.problems,
            noise=[*self._noise_lines(), *self._distance_lines()],
            folder=self.run.report_folder,
        )

    @property
    def _hosted(self) -> bool:
        return any(spec.lives == "host" for spec in self.run.specs.values())

    def _host_records(self) -> list[Record]:
        return host_session(self.config).records if self._hosted else []

    def _noise_lines(self) -> list[str]:
        return noise_of(self.config).lines if self.run.options.noise is not None else []

    def _distance_lines(self) -> list[str]:
        """FID over all pictures of the run, measured once; what goes wrong becomes a line, and no number."""
        if self._distances is None:
            from pytest_vtcfaith.plugin.distances import fid_lines, fid_rows
            from pytest_vtcfaith.report.results import write_distances

            try:
                rows = fid_rows(self.run, self.ledger, self.run.report_folder)
                self._distances = fid_lines(rows)
                if rows:
                    write_distances(self.run.report_folder, rows)
            except Exception as problem:
                self._distances = [f"editing: FID was not measured: {type(problem).__name__}: {problem}"]
        return self._distances


def session_of(config: pytest.Config) -> Session:
    """The session of this process."""
    found = config.pluginmanager.get_plugin(NAME)
    assert isinstance(found, Session)
    return found


def _ids(gates: list[pytest.Item]) -> dict[str, str]:
    """Gate → test, as they were selected."""
    found = ((getattr(gate, "callspec").params["vtc_gate"], gate.nodeid) for gate in gates)  # noqa: B009
    return {spec.id: nodeid for spec, nodeid in found}


def _key(item: pytest.Item) -> GateKey:
    parts = [n.name for n in item.listchain() if isinstance(n, (pytest.Class, pytest.Function))]
    return str(item.path), "::".join(parts)


def _properties(row: dict[str, Any]) -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = [(f"vtc.{name}", row[name]) for name in ("suite", "model", "case", "outcome")]
    found += [(f"vtc.{name}", value) for name, value in row["metrics"].items() if value is not None and "@" not in name]
    return found
