"""`vtcfaith gate`: the gates of a run, judged from results files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pytest_vtcfaith.cli.merged import (
    Baselines,
    Cases,
    Places,
    Results,
    Screen,
    Thresholds,
    errors_of_runs,
    merged_results,
)
from pytest_vtcfaith.cli.output import say
from pytest_vtcfaith.cli.outputs import check_folder
from pytest_vtcfaith.texts.errors import TextsError

REPORT = Path("vtcfaith-report")


def gate(
    results: Results,
    vtc_report: Annotated[Path, typer.Option(metavar="DIR", help="Where the merged report goes.")] = REPORT,
    vtc_cases: Cases = None,
    vtc_thresholds: Thresholds = None,
    vtc_baselines: Baselines = None,
    vtc_inconclusive: Annotated[
        str | None,
        typer.Option(metavar="fail|warn|pass", help="What a regression gate does that can tell neither way."),
    ] = None,
) -> None:
    """Merges the results of several machines and judges them by the gates of one run. Asks no model, draws no page.

    Give the results of all shards of `pytest --vtc-shard=I/N`, and the same --vtc-cases, --vtc-thresholds and
    --vtc-baselines as there; which cases were chosen, the results say themselves. Writes gates.json, summary.md,
    index.html, results.jsonl and run.json as one whole run would.

    Exit status: 0 when every gate passed or is not applicable and no test failed on any machine; 1 when one did, when a
    shard is missing (its gates are not measured), or when nothing was measured; 2 when the results do not go together:
    other cases, thresholds, program or model, or contradicting rows.

    \b
    Example: four machines
      pytest --vtc-model=my-ocr --vtc-shard=1/4 --vtc-report=shard-1     (on the first, and so on)
      vtcfaith gate shard-1 shard-2 shard-3 shard-4 --vtc-report=report
    """
    from pytest_vtcfaith.plugin.htmlreport import html_run
    from pytest_vtcfaith.plugin.judging import judge, write
    from pytest_vtcfaith.plugin.options import must_exist
    from pytest_vtcfaith.report.html import write_html
    from pytest_vtcfaith.report.stepsummary import append_step_summary
    from pytest_vtcfaith.report.terminal import show_summary
    from pytest_vtcfaith.report.view import failed_beside_gates

    with errors_of_runs():
        if vtc_inconclusive not in (None, "fail", "warn", "pass"):
            raise TextsError(f"--vtc-inconclusive {vtc_inconclusive!r}: give fail, warn or pass")
        must_exist(vtc_baselines)
        _check_report(vtc_report, results)
        (vtc_report / "gates.json").unlink(missing_ok=True)  # whatever goes wrong now, no old verdict stays
        merged = merged_results(results, Places(vtc_cases, vtc_thresholds, vtc_baselines), vtc_inconclusive)
        judged = judge(merged, vtc_report)
        write(judged, vtc_report)
        html = html_run(merged, merged.ledger(), judged.view, merged.rows(), judged.about, vtc_report)
        write_html(vtc_report, html, say)
        append_step_summary(judged.view)
        show_summary(Screen(), judged.view)
    passed = sum(verdict.verdict == "pass" for verdict in judged.verdicts)
    told = f"{passed} of {len(judged.verdicts)} gates passed, {failed_beside_gates(judged.view)}"
    say(told, "green" if judged.green else "red")
    if not judged.green:
        raise typer.Exit(1)


def _check_report(report: Path, results: list[Path]) -> None:
    check_folder("--vtc-report", report)
    for given in results:
        folder = given if given.is_dir() else given.parent
        if folder.resolve() == report.resolve() and (given.is_dir() or given.name == "results.jsonl"):
            raise TextsError(f"--vtc-report {report}: holds results that are to be merged: name another folder")
