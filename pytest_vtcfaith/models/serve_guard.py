"""Run as a program: starts a server and ends it, with all it has started, as soon as standard input ends.

Standard input ends when whoever started this closes it, or dies in whatever way. Needs the standard library only.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading

GRACE_S = 10.0


def guard(command: list[str]) -> int:
    """Runs a command until it ends or standard input does; its exit status, 128 + n for signal n."""
    try:
        server = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    except OSError as error:
        print(f"{command[0]} cannot be started: {error}", flush=True)
        return 127

    def end() -> None:
        while os.read(0, 4096):
            pass
        _signal(server.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(GRACE_S)
        _signal(server.pid, signal.SIGKILL)

    def ended(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, ended)
    threading.Thread(target=end, daemon=True).start()
    try:
        code = server.wait()
    finally:
        _signal(server.pid, signal.SIGKILL)  # what it left behind
    return 128 - code if code < 0 else code


def _signal(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


if __name__ == "__main__":
    sys.exit(guard(sys.argv[1:]))
