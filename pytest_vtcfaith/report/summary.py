"""summary.md: the run for a pull request or a job's page."""

from __future__ import annotations

from pathlib import Path

from pytest_vtcfaith.report.results import write_atomic
from pytest_vtcfaith.report.view import BAD, RunView, rows
from pytest_vtcfaith.report.worddiff import visible


def write_summary(path: Path, view: RunView) -> None:
    """Writes the Markdown summary: verdict, one table per suite, failures, notes."""
    bad = sum(v.verdict in BAD for verdicts in view.verdicts.values() for v in verdicts)
    total = sum(len(verdicts) for verdicts in view.verdicts.values())
    lines = [f"# Faithfulness of {_cell(', '.join(view.models))}", ""]
    if bad or view.problems or view.failures:
        lines.append(f"**Red**: {bad} of {total} gates did not pass, {len(view.failures)} tests failed.")
    else:
        lines.append(f"**Green**: {total} gates, none failed.")
    if view.limit is not None:
        lines += ["", f"Limited to {view.limit} documents per tier: not a release verdict, compared with no baseline."]
    lines += [f"- {_cell(problem)}" for problem in view.problems]
    for suite, verdicts in view.verdicts.items():
        table = rows(verdicts, view.primary.get(suite, ""))
        lines += ["", f"## {suite}", "", "| tier | model | n | metric | value | threshold | verdict |", "|---|---|---|---|---|---|---|"]
        lines += [
            "| " + " | ".join(_cell(c) for c in (r.tier, r.model, r.n, r.metric, r.value, r.threshold, r.verdict)) + " |"
            for r in table
        ]
    if view.failures:
        lines += ["", "## Failed tests", ""]
        lines += [f"- `{_code(f.test)}`: {_cell(f.message[:300])}" for f in view.failures[:100]]
        if len(view.failures) > 100:
            lines.append(f"- … and {len(view.failures) - 100} more")
    if view.notes:
        lines += ["", "## Notes", "", *(f"- {_cell(note)}" for note in view.notes)]
    write_atomic(path, ["\n".join(lines) + "\n"])


def _cell(text: str) -> str:
    """Text that Markdown shows as it is: no markup, no HTML, no table bars."""
    text = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for mark in "\\`*_[]|~#":
        text = text.replace(mark, f"\\{mark}")
    return text


def _code(text: str) -> str:
    return visible(text).replace("`", "'")
