"""`vtcfaith report`: the HTML report of a run, from its files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pytest_vtcfaith.cli.merged import Baselines, Cases, Places, Thresholds, errors_of_runs, merged_results
from pytest_vtcfaith.cli.output import say
from pytest_vtcfaith.cli.outputs import check_folder


def report(
    results: Annotated[
        Path, typer.Argument(metavar="RESULTS", help="results.jsonl of a run, or the --vtc-report folder it lies in.")
    ],
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where the report goes; default: beside the results.")
    ] = None,
    vtc_cases: Cases = None,
    vtc_thresholds: Thresholds = None,
    vtc_baselines: Baselines = None,
) -> None:
    """Writes index.html and the folder vtc-html beside it from the files of a run. Asks no model.

    The verdicts are those of gates.json beside the results, and the pictures those in pages/ there; without gates.json,
    as after a single shard, the report shows the cases alone. Give the same --vtc-cases and --vtc-thresholds as the
    run had. To merge shards, run vtcfaith gate first.

    \b
    Example
      vtcfaith report vtcfaith-report/results.jsonl --out public
    """
    from pytest_vtcfaith.plugin.htmlreport import html_run
    from pytest_vtcfaith.plugin.viewing import view_of
    from pytest_vtcfaith.report.gatesfile import read_gates
    from pytest_vtcfaith.report.html import write_html
    from pytest_vtcfaith.report.view import Failure

    with errors_of_runs():
        source = results if results.is_dir() else results.parent
        folder = source if out is None else out
        if out is not None or folder.exists():
            check_folder("--out", folder)
        merged = merged_results([results], Places(vtc_cases, vtc_thresholds, vtc_baselines))
        gates = source / "gates.json"
        verdicts = read_gates(gates) if gates.is_file() else []
        ledger, about = merged.ledger(), merged.about()
        view = view_of(
            merged,
            ledger,
            verdicts,
            failures=[Failure(**failure) for part in merged.parts for failure in part.about["failures"]],
            problems=about["problems"],
            noise=about["noise_lines"],
            folder=folder,
        )
        shown = html_run(merged, ledger, view, merged.rows(), about, source)
        index = write_html(folder, shown, say)
    say(f"{index}: {len(shown.answers)} cases, {len(verdicts)} gates", "green")
