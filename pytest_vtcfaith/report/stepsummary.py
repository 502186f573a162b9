"""The summary on the page of a GitHub Actions job: what is red first, and never longer than a screen or two."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from pytest_vtcfaith.gating.judge import Verdict
from pytest_vtcfaith.report.regressions import changes
from pytest_vtcfaith.report.summary import badness, bold_headline, cell, code, part_of_a_run
from pytest_vtcfaith.report.view import Row, RunView, concise, rows

LINES = 60
"""Most lines of a summary."""
_MOST = {"problems": 5, "regressions": 10, "failures": 10, "notes": 5}
_LONGEST = 300


def append_step_summary(view: RunView) -> None:
    """Appends the summary to the file that GITHUB_STEP_SUMMARY names; does nothing where the variable is not set.

    Raises OSError when the file cannot be written.
    """
    if name := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(name).open("ab+") as file:
            file.write((_break(file) + "\n".join(step_summary(view)) + "\n").encode("utf-8"))


def _break(file: BinaryIO) -> str:
    """What ends the last line of a file, and what it belongs to: a heading under a paragraph is one after a blank line
    everywhere."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 2))
    end = file.read()
    if not end or end.endswith(b"\n\n"):
        return ""
    return "\n" if end.endswith(b"\n") else "\n\n"


def step_summary(view: RunView) -> list[str]:
    """The run in at most `LINES` lines of Markdown: verdict, tiers that did not pass, losses, failed tests, then what
    passed as far as there is room, and notes."""
    head = [f"## Faithfulness of {cell(', '.join(view.models))}", "", bold_headline(view), *part_of_a_run(view)]
    head += _listed("", [cell(_short(problem)) for problem in view.problems], _MOST["problems"])
    failures = [f"`{code(f.test)}`: {cell(_short(concise(f.message)))}" for f in view.failures]
    tail = [
        *_losses([v for verdicts in view.verdicts.values() for v in verdicts]),
        *_listed("**Failed tests**", failures, _MOST["failures"]),
        *_listed("**Notes**", [cell(_short(note)) for note in view.notes], _MOST["notes"]),
    ]
    return [*head, *_table(view, LINES - len(head) - len(tail)), *tail]


def _table(view: RunView, room: int) -> list[str]:
    """The tiers of all suites in one table of at most `room` lines, those that did not pass first."""
    found = [row for name, of_suite in view.verdicts.items() for row in rows(of_suite, view.primary.get(name, ""))]
    if not found:
        return []
    found.sort(key=badness)
    several = len(view.models) > 1
    columns = ("verdict", "tier", *(("model",) if several else ()), "n", "metric", "value", "threshold")
    lines = ["", f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    shown = found if len(found) <= room - len(lines) else found[: max(0, room - len(lines) - 2)]
    lines += [f"| {' | '.join(_cell(row, column) for column in columns)} |" for row in shown]
    if rest := found[len(shown) :]:
        passed = sum(row.verdict.startswith("pass") for row in rest)
        lines += ["", f"… and {len(rest)} more rows, {passed} of them passed"]
    return lines


def _cell(row: Row, column: str) -> str:
    text = cell(str(getattr(row, column)))
    return text if column != "verdict" else f"{_SIGNS.get(row.verdict.partition(' ')[0], '❌')} {text}"


_SIGNS = {"pass": "✅", "n/a": "➖", "new": "➖", "INCONCLUSIVE": "⚠️"}


def _losses(verdicts: Sequence[Verdict]) -> list[str]:
    """The comparisons with the baseline that did not pass."""
    bad = [change for change in changes(verdicts) if not change.verdict.startswith("pass")]
    lines = [
        f"{cell(c.tier)} {cell(c.metric)} ({cell(c.model)}): loss {c.loss}, allowed {c.allowed}: {cell(c.verdict)}"
        for c in bad
    ]
    return _listed("**Against the baseline**", lines, _MOST["regressions"])


def _listed(title: str, lines: Sequence[str], most: int) -> list[str]:
    if not lines:
        return []
    shown = [f"- {line}" for line in lines[:most]]
    more = [f"- … and {len(lines) - most} more"] if len(lines) > most else []
    return ["", *([title, ""] if title else []), *shown, *more]


def _short(text: str) -> str:
    text = text.partition("\n")[0]
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
