"""What the terminal shows while hosts work."""

from __future__ import annotations

import io
import re

import pytest
from _pytest._io import TerminalWriter
from hostbench import FAKE, write_model

from pytest_vtcfaith.engine.work import Progress
from pytest_vtcfaith.plugin import progress
from pytest_vtcfaith.plugin.progress import ProgressDisplay, describe

HALF = Progress("fake", selected=5000, answered=120, read=120, seconds=3.0, batch_size=16)


class Terminal:
    """What a display needs of pytest's reporter, over a file."""

    def __init__(self, isatty: bool) -> None:
        self.isatty = isatty
        self.file = io.StringIO()
        self._tw = TerminalWriter(self.file)
        self._tw.fullwidth = 80

    def ensure_newline(self) -> None:
        if self._tw.width_of_current_line:
            self._tw.line()

    def write_line(self, line: str) -> None:
        self._tw.line(line)


def test_a_line_says_how_far_how_fast_and_in_what_batches():
    assert describe(HALF) == "fake: 120/5000 answered, 40.0 pages/s, batches of 16"
    assert describe(Progress("fake", selected=12)) == "fake: 0/12 answered, the model is being loaded"


def shown(monkeypatch: pytest.MonkeyPatch, written: str, model: Progress = HALF) -> tuple[Terminal, str]:
    monkeypatch.delenv("CI", raising=False)
    terminal = Terminal(isatty=True)
    terminal._tw.write(written)
    ProgressDisplay(terminal).show([model])
    return terminal, terminal.file.getvalue().removeprefix(written)


def test_the_live_line_stands_behind_pytests_own_and_leaves_the_cursor(monkeypatch):
    terminal, added = shown(monkeypatch, "cases/t.py ...")
    assert added == f"\x1b7  {describe(HALF)}\x1b[K\x1b8"
    assert terminal._tw.width_of_current_line == len("cases/t.py ...")


def test_the_live_line_gives_way(monkeypatch):
    assert shown(monkeypatch, "." * 50)[1] == "\x1b7  120/5000 40/s\x1b[K\x1b8"
    assert shown(monkeypatch, "." * 75)[1] == ""
    assert shown(monkeypatch, "", Progress("fake", selected=3, answered=3, batch_size=1))[1] == ""


@pytest.mark.parametrize(("isatty", "ci"), [(False, ""), (True, "true")])
def test_elsewhere_there_is_one_line_a_minute(monkeypatch, isatty, ci):
    monkeypatch.setenv("CI", ci)
    clock = iter([0.0, 59.0, 61.0, 61.0, 100.0, 122.0, 122.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    terminal = Terminal(isatty)
    terminal._tw.write("...")
    display = ProgressDisplay(terminal)
    for _ in range(4):
        display.show([HALF])
    line = f"vtcfaith: {describe(HALF)}\n"
    assert terminal.file.getvalue() == f"...\n{line}{line}"


def test_without_a_terminal_nothing_is_shown():
    display = ProgressDisplay(None)
    display.say("x")
    display.show([HALF])
    display.clear()


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_run_shows_its_progress(bench, workers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.1)
    write_model(bench.path, call_s=0.6)
    found = bench.run(FAKE, workers, "--vtc-batch-size=4")
    assert found.status == 0, found.text
    assert re.search(r"^vtcfaith: fake: \d+/12 answered, [0-9.]+ pages/s, batches of 4$", found.text, re.MULTILINE)
