"""How far the hosts are, on the terminal: a live line behind pytest's own, elsewhere one line a minute."""

from __future__ import annotations

import contextlib
import os
import time
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from pytest_vtcfaith.engine.work import Progress

LINE_SECONDS = 60.0
_KEEP, _RETURN, _ERASE = "\x1b7", "\x1b8", "\x1b[K"


class ProgressDisplay:
    """Writes to the terminal from the thread that watches the hosts. `terminal` is None where pytest has none.

    To be made while nothing is captured, as outside of tests: while a test runs in this process, what goes to standard
    output is the test's, so the terminal's file is kept under a number of its own.
    """

    def __init__(self, terminal: pytest.TerminalReporter | None) -> None:
        self._terminal = terminal
        self._live = terminal is not None and bool(terminal.isatty) and not os.environ.get("CI")
        self._written = time.monotonic()
        self._number: int | None = None
        if terminal is not None:
            with contextlib.suppress(OSError, ValueError, AttributeError):  # it is no file of the system
                self._number = os.dup(terminal._tw._file.fileno())
                weakref.finalize(self, os.close, self._number)

    def say(self, line: str) -> None:
        """A line of its own. pytest then begins another one."""
        if self._terminal is None:
            return
        with contextlib.suppress(OSError, ValueError):  # a terminal that has gone is no reason to end
            self.clear()
            writer = self._terminal._tw
            begun = writer.width_of_current_line > 0
            self._write(("\n" if begun else "") + line + "\n")
            if begun:
                writer._current_line = ""
                self._terminal.currentfspath = None

    def show(self, models: Sequence[Progress]) -> None:
        """How far they are; those that are through are left out."""
        open_ones = [model for model in models if model.answered < model.selected]
        if not open_ones or self._terminal is None:
            return
        if self._live:
            with contextlib.suppress(OSError, ValueError):
                self._show_behind([describe(model) for model in open_ones], [_short(model) for model in open_ones])
        elif time.monotonic() - self._written >= LINE_SECONDS:
            self._written = time.monotonic()
            for model in open_ones:
                self.say(f"vtcfaith: {describe(model)}")

    def clear(self) -> None:
        """Removes the live line."""
        if self._live and self._terminal is not None:
            with contextlib.suppress(OSError, ValueError):
                self._write(_ERASE)

    def _show_behind(self, *texts: Sequence[str]) -> None:
        """Behind what pytest has written in its line: its next dot overwrites it, and pytest never counts it."""
        assert self._terminal is not None
        writer = self._terminal._tw
        room = writer.fullwidth - writer.width_of_current_line - 3
        for parts in texts:
            text = "; ".join(parts)
            if len(text) <= room:
                self._write(f"{_KEEP}  {text}{_ERASE}{_RETURN}")
                return

    def _write(self, text: str) -> None:
        assert self._terminal is not None
        file = self._terminal._tw._file
        if self._number is None:
            file.write(text)
        file.flush()  # what pytest has written stands before it; while something is captured that is nothing
        if self._number is not None:
            content = text.encode(getattr(file, "encoding", None) or "utf-8", "replace")
            while content:
                content = content[os.write(self._number, content) :]


def describe(model: Progress) -> str:
    """`NAME: 120/5000 answered, 43.1 pages/s, batches of 16`."""
    done = f"{model.model}: {model.answered}/{model.selected} answered"
    if not model.batch_size:
        return f"{done}, the model is being loaded"
    return f"{done}, {model.pages_per_second:.1f} pages/s, batches of {model.batch_size}"


def _short(model: Progress) -> str:
    return f"{model.answered}/{model.selected} {model.pages_per_second:.0f}/s"
