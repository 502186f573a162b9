"""Annotations for GitHub Actions: failures beside the manifest line they come from."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_vtcfaith.report.view import BAD, RunView, accepted
from pytest_vtcfaith.report.worddiff import visible

SHOWN = 10
"""GitHub shows ten error annotations of a step."""
GATES = 4
"""Most of them that are gates while cases, which stand beside a line of a manifest, want the room."""


def annotation_lines(view: RunView) -> Iterator[str]:
    """Workflow commands `::error file=…,line=…,title=…::message`, gates first, at most ten.

    Cases stand at their manifest and line. Gates stand at the thresholds file when it lies in the project. A gate that
    is inconclusive and was accepted so is a `::warning`.
    """
    gates = [v for verdicts in view.verdicts.values() for v in verdicts if v.verdict in BAD]
    found = [
        _command(
            "warning" if accepted(v, view) else "error",
            "" if view.thresholds.startswith("/") else view.thresholds,
            1,
            f"gate {v.gate}",
            f"{v.verdict.replace('_', ' ')}: {v.message}",
        )
        for v in sorted(gates, key=lambda v: accepted(v, view))
    ]
    cases = [_command("error", f.file, f.line, f.test, f.message) for f in view.failures if f.file]
    room = max(GATES, SHOWN - len(cases))
    yield from [*found[:room], *cases][:SHOWN]


def _command(level: str, file: str, line: int, title: str, message: str) -> str:
    fields = f"file={_field(file)},line={line}," if file else ""
    return f"::{level} {fields}title={_field(title)}::{_text(visible(message.partition(chr(10))[0])[:500])}"


def _text(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _field(text: str) -> str:
    return _text(visible(text)).replace(":", "%3A").replace(",", "%2C")
