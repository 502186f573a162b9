"""The summary on the terminal: one compact table per suite, then what has to be known beside it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import astuple
from typing import Protocol

from pytest_vtcfaith.report import regressions
from pytest_vtcfaith.report.github import annotation_lines
from pytest_vtcfaith.report.view import Row, RunView, rows
from pytest_vtcfaith.report.worddiff import visible

HEAD = Row("tier", "model", "n", "metric", "value", "threshold", "verdict")


class Lines(Protocol):
    """Where the summary goes: pytest's terminal, or one that writes lines alike."""

    def write_sep(self, sep: str, title: str) -> None:
        """A line of `sep` with a title in it."""
        ...

    def write_line(self, line: str, **markup: bool) -> None:
        """A line; `markup` names colours and `bold`."""
        ...


def show_summary(terminal: Lines, view: RunView) -> None:
    """Writes the tables, notes and, under GitHub Actions, annotations."""
    several = len(view.models) > 1
    for suite, verdicts in view.verdicts.items():
        table = rows(verdicts, view.primary.get(suite, ""))
        if not table:
            continue
        limited = f", LIMITED to {view.limit} documents per tier" if view.limit is not None else ""
        terminal.write_sep("=", f"vtcfaith {suite}{limited}")
        _write_table(terminal, [HEAD, *table], several)
        if compared := regressions.changes(verdicts):
            terminal.write_line("against the baseline:", bold=True)
            _write_table(terminal, [regressions.HEAD, *compared], several)
    if view.shard is not None:
        terminal.write_line(f"vtcfaith: shard {view.shard}: no gate was judged; merge all shards with vtcfaith gate")
    for note in view.notes:
        terminal.write_line(f"vtcfaith: {visible(note)}")
    for problem in view.problems:
        terminal.write_line(f"vtcfaith: NOT GREEN: {visible(problem)}", red=True, bold=True)
    terminal.write_line(f"vtcfaith: results in {visible(str(view.folder))}")
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for line in annotation_lines(view):
            terminal.write_line(line)


def _write_table(terminal: Lines, table: Sequence[Row | regressions.Change], several: bool) -> None:
    """The first row is the head; which model a row speaks of is shown where there are several."""
    lines = [_cells(row, several) for row in table]
    widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    for row, cells in zip(table, lines, strict=True):
        text = "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
        terminal.write_line(text, **_colour(row))


def _cells(row: Row | regressions.Change, several: bool) -> list[str]:
    tier, model, *others = (visible(cell) for cell in astuple(row))
    return [model, tier, *others] if several else [tier, *others]


def _colour(row: Row | regressions.Change) -> dict[str, bool]:
    if row is HEAD or row is regressions.HEAD:
        return {"bold": True}
    if row.verdict == regressions.SUSPICIOUS:
        return {"yellow": True}
    if row.verdict.startswith("pass"):
        return {"green": True}
    if row.verdict in ("n/a", "new"):
        return {"yellow": True}
    return {"red": True}
