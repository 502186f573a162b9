"""Host processes that get ready while it is not yet known what they will serve: it takes them a second."""

from __future__ import annotations

import contextlib
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from pytest_vtcfaith.engine.devices import Device
from pytest_vtcfaith.engine.hostprocess import HostProcess


class Spares:
    """One process for each of the `devices`, begun at once in a thread of its own since finding those may take long.

    `command` and `folder` are how any host of the session is started.
    """

    def __init__(self, command: Sequence[str], folder: Path, devices: Callable[[], Sequence[Device]]) -> None:
        self._command, self._folder, self._devices = command, folder, devices
        self._ready: list[tuple[Device, HostProcess]] = []
        self._stopped = False
        self._thread = threading.Thread(target=self._begin, name="vtcfaith-spares", daemon=True)
        self._thread.start()

    def take(self, device: Device) -> HostProcess | None:
        """The process that waits on the device, None when there is none or it has ended."""
        self._thread.join()
        for number, (place, process) in enumerate(self._ready):
            if place == device:
                del self._ready[number]
                if process.status() is None:
                    return process
                process.kill()
                return None
        return None

    def end(self) -> None:
        """Ends those that nobody took."""
        self._stopped = True
        self._thread.join()
        while self._ready:
            self._ready.pop()[1].kill()

    def _begin(self) -> None:
        # whoever needs a host meets the same problem, and says it
        with contextlib.suppress(OSError, ValueError, subprocess.SubprocessError):
            for device in self._devices():
                if not self._stopped:
                    self._ready.append((device, HostProcess(self._command, self._folder, device.environment)))
