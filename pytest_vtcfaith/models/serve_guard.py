"""Run as a program: starts a server and ends it, with all it has started, as soon as standard input ends.

Standard input ends when whoever started this closes it, or dies in whatever way. On Linux what the server has started
in sessions of their own ends too; elsewhere what is in its process group. Needs the standard library only.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

GRACE_S = 10.0
LEFT_S = 5.0
PR_SET_CHILD_SUBREAPER = 36  # prctl(2)


def guard(command: list[str]) -> int:
    """Runs a command until it ends or standard input does; its exit status, 128 + n for signal n."""
    _adopt()
    try:
        server = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    except OSError as error:
        print(f"{command[0]} cannot be started: {error}", flush=True)
        return 127
    gone = threading.Event()

    def end() -> None:
        while os.read(0, 4096):
            pass
        _signal(server.pid, signal.SIGTERM)
        gone.wait(GRACE_S)
        _signal(server.pid, signal.SIGKILL)

    def ended(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, ended)
    threading.Thread(target=end, daemon=True).start()
    try:
        code = _reaped(server.pid)
        gone.set()
    finally:
        _signal(server.pid, signal.SIGKILL)  # what it left behind
        _end_children()
    return 128 - code if code < 0 else code


def _adopt() -> None:
    """Makes this process the parent of all descendants whose own parent ends (Linux)."""
    if sys.platform == "linux":
        with contextlib.suppress(ImportError, OSError, AttributeError):
            import ctypes

            ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _reaped(server: int) -> int:
    """Waits for the server, and for those that were adopted meanwhile; the server's exit status."""
    while True:
        child, status = os.wait()
        if child == server:
            return os.waitstatus_to_exitcode(status)


def _end_children() -> None:
    """Kills the children of this process, and theirs, which become its children then."""
    ends = time.monotonic() + LEFT_S
    while time.monotonic() < ends:
        for child in _children():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.01)
        except ChildProcessError:
            return


def _children() -> list[int]:
    """The processes whose parent this one is; none where there is no /proc."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            if int(entry.read_bytes().rpartition(b")")[2].split()[1]) == os.getpid():
                found.append(int(entry.parent.name))
    return found


def _signal(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


if __name__ == "__main__":
    sys.exit(guard(sys.argv[1:]))
