"""`vtcfaith accept`: the results of a run become the baseline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from pytest_vtcfaith.cli.merged import (
    Baselines,
    Cases,
    Places,
    Results,
    Thresholds,
    confirmed,
    errors_of_runs,
    merged_results,
)
from pytest_vtcfaith.cli.output import print_lines, say
from pytest_vtcfaith.cli.outputs import check_folder
from pytest_vtcfaith.texts.errors import TextsError

if TYPE_CHECKING:
    from pytest_vtcfaith.plugin.acceptance import Candidate
    from pytest_vtcfaith.plugin.merging import Merged


def accept(
    results: Results,
    vtc_model: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this model. Repeatable.")] = None,
    vtc_suite: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this suite. Repeatable.")] = None,
    vtc_tier: Annotated[
        list[str] | None, typer.Option(metavar="TIER", help="Only this tier; * stands for anything. Repeatable.")
    ] = None,
    vtc_cases: Cases = None,
    vtc_thresholds: Thresholds = None,
    vtc_baselines: Baselines = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask: for scripts.")] = False,
) -> None:
    """Accepts the results of a run as the baseline that later runs are compared with.

    Shows for every tier what would change: metrics old → new, cases that got worse and better, and other versions or
    devices; then asks. Writes one file for each model and tier, what `pytest --snapshot-update` would write; put them
    under version control, where `git diff` shows the same once more. Several files are the shards of one run.

    Refuses limited runs, runs that were cut short, missing shards, and tiers of which a case was not measured. Nothing
    is ever removed: see `vtcfaith prune`. Whatever goes wrong, every file is the old one or the new one, complete.

    Exit status: 0 accepted, or nothing to accept; 1 declined; 2 refused, or a file cannot be written.

    \b
    Examples
      pytest --vtc-model=my-ocr --vtc-noise=50 --vtc-report=report && vtcfaith accept report
      vtcfaith accept shard-1 shard-2 shard-3 shard-4 --vtc-tier 'rewriting/en/*' --yes
    """
    from pytest_vtcfaith.plugin.acceptance import accept as write
    from pytest_vtcfaith.plugin.acceptance import candidates, refusal_of

    with errors_of_runs():
        merged = merged_results(results, Places(vtc_cases, vtc_thresholds, vtc_baselines))
        if refusal := refusal_of(merged):
            raise TextsError(f"not accepted: {refusal}")
        _check_names("--vtc-model", vtc_model or [], list(merged.specs))
        _check_names("--vtc-suite", vtc_suite or [], merged.suites)
        found = candidates(merged, vtc_model or [], vtc_suite or [], vtc_tier or [])
        if not found:
            raise TextsError("not accepted: the results hold no tier that is chosen and applicable to the model")
        if refused := [candidate for candidate in found if candidate.refusal]:
            more = f", and {len(refused) - 1} more tiers like it" if len(refused) > 1 else ""
            raise TextsError(
                f"not accepted: {refused[0].tier} of {refused[0].model}: {refused[0].refusal}{more}; run them anew, or "
                "choose whole tiers with --vtc-tier"
            )
        changing = [candidate for candidate in found if candidate.changes]
        print_lines(_shown(merged, found))
        if not changing:
            say(f"nothing to accept: all {len(found)} baselines are as these results are", "green")
            return
        folder = merged.baselines_folder
        check_folder("--vtc-baselines", folder)
        if not confirmed(f"Write {len(changing)} baselines into {folder}?", yes):
            say("not accepted: nothing was written (scripts give --yes)", "red")
            raise typer.Exit(1)
        write(folder, found)
        say(f"accepted: {len(changing)} baselines written into {folder}", "green")


def _shown(merged: Merged, found: Sequence[Candidate]) -> list[str]:
    from pytest_vtcfaith.report.comparison import baseline_changes

    lines: list[str] = []
    for candidate in found:
        if not candidate.changes or candidate.new is None:
            continue
        word = "new" if candidate.old is None and not candidate.spoiled else "changes"
        counts = f"{len(candidate.new['documents'])} documents, {candidate.new['count']} cases"
        lines.append(f"{candidate.model}  {candidate.tier}: {word} ({counts})")
        if candidate.spoiled:
            lines.append(f"  replaces one that cannot be trusted: {candidate.spoiled}")
        suite = merged.suite(candidate.suite)
        gated = [suite.primary, *(rule.metric for rule in merged.gate_rules(candidate.tier))]
        lines += baseline_changes(suite, candidate.old, candidate.new, gated)
    same = sum(not candidate.changes for candidate in found)
    return [*lines, f"{same} of {len(found)} tiers stay as they are"] if same else lines


def _check_names(option: str, given: Sequence[str], known: Sequence[str]) -> None:
    from pytest_vtcfaith.gating.thresholds import nearest

    for name in given:
        if name not in known:
            raise TextsError(f"{option} {name!r}: {nearest(name, known)}")
