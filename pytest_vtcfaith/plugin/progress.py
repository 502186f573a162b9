"""How far the hosts are, on the terminal: a live line behind pytest's own, elsewhere one line a minute."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from pytest_vtcfaith.engine.work import Progress

LINE_SECONDS = 60.0
_KEEP, _RETURN, _ERASE = "\x1b7", "\x1b8", "\x1b[K"


class ProgressDisplay:
    """Writes to the terminal from the thread that watches the hosts. `terminal` is None where pytest has none."""

    def __init__(self, terminal: pytest.TerminalReporter | None) -> None:
        self._terminal = terminal
        self._live = terminal is not None and terminal.isatty and not os.environ.get("CI")
        self._written = time.monotonic()

    def say(self, line: str) -> None:
        """A line of its own."""
        if self._terminal is None:
            return
        with contextlib.suppress(OSError, ValueError):  # a terminal that has gone is no reason to end
            self.clear()
            self._terminal.ensure_newline()
            self._terminal.write_line(line)

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
                self._terminal._tw._file.write(_ERASE)

    def _show_behind(self, *texts: Sequence[str]) -> None:
        """Behind what pytest has written in its line: its next dot overwrites it, and pytest never counts it."""
        assert self._terminal is not None
        writer = self._terminal._tw
        room = writer.fullwidth - writer.width_of_current_line - 3
        for parts in texts:
            text = "; ".join(parts)
            if len(text) <= room:
                writer._file.write(f"{_KEEP}  {text}{_ERASE}{_RETURN}")
                writer._file.flush()
                return


def describe(model: Progress) -> str:
    """`NAME: 120/5000 answered, 43.1 pages/s, batches of 16`."""
    done = f"{model.model}: {model.answered}/{model.selected} answered"
    if not model.batch_size:
        return f"{done}, the model is being loaded"
    return f"{done}, {model.pages_per_second:.1f} pages/s, batches of {model.batch_size}"


def _short(model: Progress) -> str:
    return f"{model.answered}/{model.selected} {model.pages_per_second:.0f}/s"
