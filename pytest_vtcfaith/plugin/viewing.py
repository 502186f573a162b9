"""What a run, or several merged, found: gathered for the reports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vtcfaith.plugin.benchmark import Benchmark

if TYPE_CHECKING:
    from pytest_vtcfaith.gating.judge import Verdict
    from pytest_vtcfaith.plugin.ledger import Ledger
    from pytest_vtcfaith.report.view import Failure, RunView


def view_of(
    run: Benchmark,
    ledger: Ledger,
    verdicts: Iterable[Verdict],
    *,
    failures: Sequence[Failure],
    problems: Sequence[str],
    noise: Sequence[str],
    folder: Path,
) -> RunView:
    """What the reports show. `noise` are the lines of `--vtc-noise`, `folder` that of the report."""
    from pytest_vtcfaith.plugin.gates import gate_specs
    from pytest_vtcfaith.plugin.notes import notes
    from pytest_vtcfaith.report.view import RunView

    # --ff, pytest-randomly and others judge in an order of their own
    order = {spec.id: number for number, spec in enumerate(gate_specs(run))}
    ordered = sorted(verdicts, key=lambda v: order[v.gate])
    by_suite = {name: [v for v in ordered if v.tier.partition("/")[0] == name] for name in run.suites}
    file = run.thresholds_file.resolve()
    return RunView(
        models=list(run.specs),
        limit=run.options.limit,
        shard=None if run.options.shard is None else str(run.options.shard),
        verdicts={name: found for name, found in by_suite.items() if found},
        failures=failures,
        notes=[*notes(run, ledger, ordered), *noise],
        problems=problems,
        folder=folder,
        thresholds=(file.relative_to(run.root) if file.is_relative_to(run.root) else file).as_posix(),
        cases=len(ledger.fresh),
        primary={name: run.suite(name).primary for name in run.suites},
    )
