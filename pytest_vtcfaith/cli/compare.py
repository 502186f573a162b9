"""`vtcfaith compare`: two runs, or two models, side by side."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pytest_vtcfaith.cli.merged import Cases, Places, Thresholds, errors_of_runs, merged_results
from pytest_vtcfaith.cli.output import print_lines
from pytest_vtcfaith.texts.errors import TextsError

if TYPE_CHECKING:
    from pytest_vtcfaith.plugin.merging import Merged

LISTED = 5


def compare(
    a: Annotated[Path, typer.Argument(metavar="A", help="results.jsonl of the first run, or its --vtc-report folder.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="The second run; the same again for two models of one run.")],
    model_a: Annotated[str | None, typer.Option(metavar="NAME", help="Whose results in A, if it has several.")] = None,
    model_b: Annotated[str | None, typer.Option(metavar="NAME", help="Whose results in B, if it has several.")] = None,
    vtc_tier: Annotated[
        list[str] | None, typer.Option(metavar="TIER", help="Only this tier; * stands for anything. Repeatable.")
    ] = None,
    metric: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this metric; default: the gated ones. Repeatable.")
    ] = None,
    tolerance: Annotated[
        float, typer.Option(min=0.0, help="Changes of a case up to this are not counted as worse or better.")
    ] = 0.0,
    vtc_cases: Cases = None,
    vtc_thresholds: Thresholds = None,
    as_json: Annotated[bool, typer.Option("--json", help="A line of JSON for each tier and metric.")] = False,
) -> None:
    """Compares two runs or two models, paired by document: what is lost from A to B, and which cases flip.

    Only cases that both measured are compared; what one alone measured is counted. `loss` is positive where B is worse,
    in the metric's own unit, with its 95 % bootstrap interval over documents: an interval above 0 is a loss that chance
    does not explain. Then the cases that got worse and better, failures and largest changes first. Judges nothing; exit
    status 0 unless the results cannot be read or have no case in common.

    \b
    Examples
      vtcfaith compare last-week/results.jsonl report
      vtcfaith compare report report --model-a rapidocr --model-b tesseract --metric word_accuracy
    """
    from pytest_vtcfaith.plugin.versus import compare_runs
    from pytest_vtcfaith.report.comparison import comparison_table

    with errors_of_runs():
        places = Places(vtc_cases, vtc_thresholds)
        runs = [merged_results([path], places, gated=False) for path in (a, b)]
        slugs = [
            _model(run, path, name, option)
            for run, path, name, option in zip(
                runs, (a, b), (model_a, model_b), ("--model-a", "--model-b"), strict=True
            )
        ]
        for name in metric or []:
            _check_metric(runs[0], name)
        rows = compare_runs(
            runs[0], runs[1], slugs[0], slugs[1], tiers=vtc_tier or (), metrics=metric or (), tolerance=tolerance
        )
        if not rows:
            raise TextsError(f"{a} and {b}: no case is measured in both: give runs of the same cases")
        if as_json:
            print_lines(json.dumps(row, allow_nan=False) for row in rows)
            return
        print_lines([f"A: {slugs[0]} ({a})", f"B: {slugs[1]} ({b})", "", *comparison_table(rows), *_flips(rows)])


def _model(run: Merged, path: Path, name: str | None, option: str) -> str:
    """The slug of the model that is meant."""
    known = {spec.name: slug for slug, spec in run.specs.items()} | {slug: slug for slug in run.specs}
    if name is None:
        if len(run.specs) > 1:
            raise TextsError(f"{path}: has several models: choose with {option} one of {', '.join(run.specs)}")
        return next(iter(run.specs))
    if name not in known:
        raise TextsError(f"{path}: {option} {name!r}: has no results of it: choose one of {', '.join(run.specs)}")
    return known[name]


def _check_metric(run: Merged, name: str) -> None:
    from pytest_vtcfaith.gating.thresholds import nearest

    metrics = {metric for suite in run.suites for metric in run.suite(suite).metrics}
    if name not in metrics:
        raise TextsError(f"--metric {name!r}: {nearest(name, metrics)}")


def _flips(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The cases that flip, by tier and metric, and what one run alone measured."""
    said: set[tuple[str, ...]] = set()
    for row in rows:
        lines = [f"  {row[f'only_{side}']} cases only in {side.upper()}" for side in "ab" if row[f"only_{side}"]]
        for word in ("worse", "better"):
            ends = (f"{flip['case']}: {_end(flip, 'old')} → {_end(flip, 'new')}" for flip in row[word][:LISTED])
            lines += [f"  {word}: {text}" for text in ends]
            if len(row[word]) > LISTED:
                lines.append(f"  {word}: … and {len(row[word]) - LISTED} more")
        if lines and (row["tier"], *lines) not in said:
            said.add((row["tier"], *lines))
            yield from ("", f"{row['tier']}: {row['metric']}", *lines)


def _end(flip: Mapping[str, Any], side: str) -> str:
    outcome: str = flip[f"{side}_outcome"]
    if outcome != "complete" or flip[side] is None:
        return outcome
    return f"{flip[side]:.4f}"
