"""summary.md: the run for a pull request or a job's page."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path

from pytest_vtcfaith.report.regressions import HEAD, Change, changes
from pytest_vtcfaith.report.results import write_atomic
from pytest_vtcfaith.report.view import Row, RunView, concise, headline, rows
from pytest_vtcfaith.report.worddiff import visible


def write_summary(path: Path, view: RunView) -> None:
    """Writes the Markdown summary: verdict, one table per suite, what did not pass first, failures, notes."""
    lines = [f"# Faithfulness of {cell(', '.join(view.models))}", "", bold_headline(view)]
    lines += part_of_a_run(view)
    if view.problems:
        lines += ["", *(f"- {cell(problem)}" for problem in view.problems)]
    for suite, verdicts in view.verdicts.items():
        table = sorted(rows(verdicts, view.primary.get(suite, "")), key=badness)
        lines += ["", f"## {suite}", "", f"| {' | '.join(_COLUMNS)} |", f"|{'---|' * len(_COLUMNS)}"]
        lines += [f"| {' | '.join(cell(getattr(row, column)) for column in _COLUMNS)} |" for row in table]
        if compared := changes(verdicts):
            lines += [
                "",
                "Against the baseline:",
                "",
                _line(HEAD),
                f"|{'---|' * len(astuple(HEAD))}",
                *map(_line, compared),
            ]
    if view.failures:
        lines += ["", "## Failed tests", ""]
        lines += [f"- `{code(f.test)}`: {cell(concise(f.message))}" for f in view.failures[:100]]
        if len(view.failures) > 100:
            lines.append(f"- … and {len(view.failures) - 100} more")
    if view.notes:
        lines += ["", "## Notes", "", *(f"- {cell(note)}" for note in view.notes)]
    write_atomic(path, ["\n".join(lines) + "\n"])


_COLUMNS = ("tier", "model", "n", "metric", "value", "threshold", "verdict")


def _line(change: Change) -> str:
    return f"| {' | '.join(cell(text) for text in astuple(change))} |"


def badness(row: Row) -> int:
    """0 for a row that did not pass, more for one that did, and most for one that judges nothing."""
    return row.verdict.startswith("pass") + 2 * (row.verdict in ("n/a", "new"))


def part_of_a_run(view: RunView) -> list[str]:
    """The lines that say so where the run did not ask all documents."""
    lines: list[str] = []
    if view.limit is not None:
        lines += ["", f"Limited to {view.limit} documents per tier: not a release verdict, compared with no baseline."]
    if view.shard is not None:
        lines += ["", f"Shard {view.shard} of the documents: judged by no gate; `vtcfaith gate` merges the shards."]
    return lines


def bold_headline(view: RunView) -> str:
    """The run in a word and a sentence."""
    word, said = headline(view)
    return f"**{_WORDS[word]}**: {said}"


_WORDS = {
    "red": "Red",
    "green": "Green",
    "limited": "Limited",
    "inconclusive": "Inconclusive",
    "none": "No verdict",
}


def cell(text: str) -> str:
    """Text that Markdown shows as it is: no markup, no HTML, no table bars."""
    text = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for mark in "\\`*_[]|~#$":
        text = text.replace(mark, f"\\{mark}")
    return text


def code(text: str) -> str:
    """Text as it stands between backquotes."""
    return visible(text).replace("`", "'")
