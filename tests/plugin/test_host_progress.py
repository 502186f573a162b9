"""What the terminal shows while hosts work."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys

import pytest
from _pytest._io import TerminalWriter
from hostbench import FAKE, write_model
from smallbench import ROOT

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
        self.currentfspath = None


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


QUICK = "\nimport pytest_vtcfaith.plugin.progress as progress\nprogress.LINE_SECONDS = 0.1\n"


@pytest.mark.parametrize("capture", ["fd", "sys", "no", "tee-sys"])
def test_what_is_said_while_a_test_waits_reaches_the_terminal(bench, capture: str, monkeypatch) -> None:
    """Without workers the test itself captures standard output; nothing of it may be said there."""
    monkeypatch.setenv("CI", "true")
    write_model(bench.path, call_s=0.6, most=2)
    conftest = bench.path / "conftest.py"
    conftest.write_text(conftest.read_text(encoding="utf-8") + QUICK, encoding="utf-8")
    found = bench.run(FAKE, "-n0", f"--capture={capture}", "--vtc-batch-size=4", fresh=True)
    assert found.status == 0  # so that nothing captured is shown
    assert re.search(r"^vtcfaith: fake: \d+/12 answered, [0-9.]+ pages/s, batches of 2$", found.text, re.MULTILINE)
    assert found.text.count("fake ran out of memory on cpu: it goes on in batches of 2") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="has no pseudo-terminals")
def test_the_live_line_reaches_a_terminal_without_workers(bench) -> None:
    write_model(bench.path, call_s=1.5)
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CI": ""}
    command = [sys.executable, "-m", "pytest", *bench.arguments(FAKE, "-n0", "--vtc-batch-size=4")]
    with subprocess.Popen(command, cwd=bench.path, env=environment, stdin=theirs, stdout=theirs, stderr=theirs) as run:
        os.close(theirs)
        said = b""
        while True:
            try:
                chunk = os.read(ours, 65536)
            except OSError:  # how Linux says that the other side has closed it
                break
            if not chunk:
                break
            said += chunk
    os.close(ours)
    assert run.returncode == 0, said
    assert re.search(rb"\x1b7  fake: [48]/12 answered, [0-9.]+ pages/s, batches of 4\x1b\[K\x1b8", said), said


def test_a_line_ends_the_one_that_pytest_has_begun():
    terminal = Terminal(isatty=False)
    terminal.currentfspath = None  # as with workers
    terminal._tw.write("....")
    display = ProgressDisplay(terminal)
    display.say("said")
    display.say("again")
    assert terminal.file.getvalue() == "....\nsaid\nagain\n"
    assert terminal._tw.width_of_current_line == 0
