"""The gates of merged results: the same code as in a run, and what a run has around it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.engine.secrets import mask_secrets
from pytest_vtcfaith.plugin.gates import ALL, Gate, GateSpec, failure_message, gate_specs, needed_tiers
from pytest_vtcfaith.plugin.merging import Merged
from pytest_vtcfaith.plugin.viewing import view_of
from pytest_vtcfaith.report.view import Failure, RunView, concise

if TYPE_CHECKING:
    from pytest_vtcfaith.gating.judge import Verdict
    from pytest_vtcfaith.plugin.ledger import Ledger
    from pytest_vtcfaith.suites.case import Case


@dataclass(frozen=True)
class Judged:
    """What the gates of merged results say; `green` is exit status 0."""

    merged: Merged
    verdicts: list[Verdict]
    view: RunView
    about: dict[str, Any]
    convergence: list[dict[str, Any]]

    @property
    def green(self) -> bool:
        """No gate failed, no test failed on any machine, nothing is missing, and something was measured."""
        return not self.view.failures and not self.view.problems


def judge(merged: Merged, folder: Path) -> Judged:
    """Judges every gate that the runs had selected, or all of the thresholds file where they had selected none.

    `folder` is where the report is to be written.
    """
    ledger = merged.ledger()
    specs = [spec for spec in gate_specs(merged) if spec.id in ledger.gates]
    verdicts = [_judge(spec, merged, ledger) for spec in specs]
    about = merged.about()
    failures = [Failure(**failure) for failure in about["failures"]]
    for verdict in verdicts:
        if message := failure_message(verdict, merged.options.inconclusive):
            said = concise(mask_secrets(message.partition("\n")[0]))
            failures.append(Failure(ledger.gates[verdict.gate], "", 0, said))
    failures.sort(key=lambda failure: (failure.test, failure.message))
    problems = list(about["problems"])
    if not any(s.measured for s in ledger.fresh.values()) and not any(v.measured for v in verdicts):
        problems.append("nothing was measured")
    from pytest_vtcfaith.plugin.convergence import convergence_rows

    view = view_of(
        merged,
        ledger,
        verdicts,
        failures=failures,
        problems=problems,
        noise=about["noise_lines"],
        folder=folder,
    )
    about["failures"] = [{name: getattr(f, name) for name in ("test", "file", "line", "message")} for f in failures]
    about["problems"] = problems
    return Judged(merged, verdicts, view, about, convergence_rows(merged, ledger))


def write(judged: Judged, folder: Path) -> None:
    """Writes the report as a run does: results.jsonl, pictures, run.json, gates.json, summary.md, convergence.json."""
    from pytest_vtcfaith.report.convergence import write_convergence
    from pytest_vtcfaith.report.results import begin, save_picture, write_gates, write_rows, write_run
    from pytest_vtcfaith.report.summary import write_summary

    begin(folder)
    about = write_run(folder, judged.about)
    write_rows(folder, judged.merged.rows(), about)
    for name, path in judged.merged.pictures.items():
        save_picture(folder, Path(name).stem, path.read_bytes())
    if judged.convergence:
        write_convergence(folder, judged.convergence)
    write_summary(folder / "summary.md", judged.view)
    write_gates(folder, [verdict.row() for verdict in judged.verdicts])


def _judge(spec: GateSpec, merged: Merged, ledger: Ledger) -> Verdict:
    """The gate's verdict; never one on a part of the documents, however few cases the thresholds file asks for."""
    verdict = Gate(spec, merged, ledger, {}).judge(None)
    models = list(merged.specs) if spec.model == ALL else [spec.model]
    lost: dict[str, int] = {}
    cases = list(_cases(spec, merged))
    for model in models:
        for case in cases:
            if (shard := merged.lacks(model, case)) is not None:
                lost[f"shard {shard} of {model} is missing"] = lost.get(f"shard {shard} of {model} is missing", 0) + 1
            elif (where := merged.unselected.get((model, case.id))) is not None:
                lost[f"not selected in {where}"] = lost.get(f"not selected in {where}", 0) + 1
    if not lost:
        return verdict
    said = "; ".join(f"{what} ({count} of {len(cases)} cases)" for what, count in lost.items())
    return replace(verdict, verdict="not_measured", message="; ".join(part for part in (said, verdict.message) if part))


def _cases(spec: GateSpec, merged: Merged) -> Iterable[Case]:
    if spec.kind == "inapplicable":
        return merged.cases(spec.suite)
    by_tier = merged.selection.by_tier
    return {case.id: case for tier in needed_tiers(merged, spec) for case in by_tier.get(tier, ())}.values()
