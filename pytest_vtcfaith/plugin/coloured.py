"""A failure's text on a terminal: the words that differ stand out, everywhere else it stays plain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest
    from _pytest._io import TerminalWriter


class ColouredFailure:
    """Stands for a report's `longrepr`: coloured on a terminal with markup, everywhere else the same text."""

    def __init__(self, longrepr: Any) -> None:
        self._longrepr = longrepr

    def toterminal(self, writer: TerminalWriter) -> None:
        """Writes the text line by line."""
        if not writer.hasmarkup:
            self._longrepr.toterminal(writer)
            return
        from pytest_vtcfaith.report.worddiff import coloured

        for line in str(self._longrepr).split("\n"):
            writer.line(coloured(line))

    def __str__(self) -> str:
        return str(self._longrepr)

    def __getattr__(self, name: str) -> Any:
        if name == "_longrepr":  # not there yet while it is being copied
            raise AttributeError(name)
        return getattr(self._longrepr, name)


def colour_failure(report: pytest.TestReport) -> None:
    """Lets the report of a failed case be shown in colours, when its text is ours and no traceback of Python."""
    trace = getattr(report.longrepr, "reprtraceback", None)
    if getattr(trace, "style", None) == "value":
        report.longrepr = ColouredFailure(report.longrepr)  # type: ignore[assignment]
