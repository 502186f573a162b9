"""The summary on the terminal: one compact table per suite, then what has to be known beside it."""

from __future__ import annotations

import os
from typing import Protocol

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
        lines = [_cells(row, several) for row in (HEAD, *table)]
        widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
        for row, cells in zip((HEAD, *table), lines, strict=True):
            text = "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
            terminal.write_line(text, **_colour(row))
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


def _cells(row: Row, several: bool) -> list[str]:
    cells = [row.tier, row.n, row.metric, row.value, row.threshold, row.verdict]
    return [visible(cell) for cell in ([row.model, *cells] if several else cells)]


def _colour(row: Row) -> dict[str, bool]:
    if row is HEAD:
        return {"bold": True}
    if row.verdict.startswith("pass"):
        return {"green": True}
    if row.verdict in ("n/a", "new"):
        return {"yellow": True}
    return {"red": True}
