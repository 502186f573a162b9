"""What a host process said last: without secrets, wherever its lines are cut."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_vtcfaith.engine.hostprocess import LONGEST_LINE, LONGEST_READ, HostProcess


def last_words(folder: Path, code: str) -> str:
    host = HostProcess([sys.executable, "-c", f"import sys; {code}"], folder, {})
    while host.status() is None:
        time.sleep(0.01)
    try:
        return host.last_words()
    finally:
        host.kill()


@pytest.mark.parametrize("cut", [LONGEST_LINE, LONGEST_READ])
@pytest.mark.parametrize("shown", [1, 5, 9, 12])
def test_a_secret_at_a_cut_is_not_shown_in_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: int, shown: int
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "Zqv7-Zqv8-Zqv9")
    found = last_words(tmp_path, f"sys.stderr.write('.' * {cut - shown} + 'Zqv7-Zqv8-Zqv9' + chr(10) + 'last')")
    assert "Z" not in found
    assert "q" not in found
    assert found.endswith(" | last")
    assert len(found) <= LONGEST_LINE + len(" | last")


def test_a_line_without_an_end_is_kept_short(tmp_path: Path) -> None:
    found = last_words(tmp_path, f"sys.stderr.write('x' * {5 * LONGEST_READ})")
    assert found == "x" * LONGEST_LINE


GUARDED = """
import os, subprocess, sys
from pytest_vtcfaith.engine.guard import guard
guard(int(sys.argv[1]))
print(os.getpid(), subprocess.Popen(["sleep", "60"]).pid, flush=True)
import ctypes
ctypes.PyDLL(None).sleep(60)  # holds the lock of the interpreter
"""
STARTER = """
import os, subprocess, sys
child = [sys.executable, "-c", sys.argv[1], str(os.getpid())]
subprocess.Popen(child, start_new_session=True).wait()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs pidfd, looks into /proc")
def test_a_process_that_runs_no_python_ends_with_its_starter() -> None:
    starter = subprocess.Popen([sys.executable, "-c", STARTER, GUARDED], stdout=subprocess.PIPE)
    assert starter.stdout is not None
    pids = [int(pid) for pid in starter.stdout.readline().split()]
    starter.kill()
    starter.wait()
    until = time.monotonic() + 10
    while running := [pid for pid in pids if state(pid) not in "ZX"]:
        assert time.monotonic() < until, running
        time.sleep(0.02)
    starter.stdout.close()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs pidfd")
def test_a_starter_that_has_gone_already_is_noticed() -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    command = [sys.executable, "-c", GUARDED, str(gone.pid)]
    assert subprocess.run(command, start_new_session=True, timeout=20, stdout=subprocess.PIPE).returncode == -9


def state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return "X"
