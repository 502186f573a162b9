"""Starts the servers of `serve:` models once, in the controller, before workers and hosts; stops them at the end."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from pytest_vtcfaith.plugin.run import Run

if TYPE_CHECKING:
    from pytest_vtcfaith.models.serve import Server

NAME = "vtcfaith-servers"


class Servers:
    """The servers of one session. One that does not start makes its model's cases infrastructure errors."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._running: list[Server] = []
        self._told = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Starts them and tells their addresses to the processes that start later."""
        config = session.config
        if hasattr(config, "workerinput") or config.option.collectonly:
            return
        from pytest_vtcfaith.models.serve import ADDRESSES, launches, start

        terminal = config.pluginmanager.get_plugin("terminalreporter")
        told: dict[str, dict[str, str]] = {}
        slugs = {spec.name: slug for slug, spec in self.run.specs.items()}
        for name, launch in launches(list(self.run.specs.values())).items():

            def say(line: str) -> None:
                if terminal is not None:
                    terminal.write_line(f"vtcfaith: {line}")

            try:
                server = start(launch, self.run.report_folder / "servers" / f"{slugs[name]}.log", say)
            except Exception as problem:  # no fault of a server, or of its table, may end the run of the others
                told[name] = {"error": f"its server did not start: {problem}"}
                say(told[name]["error"])
            else:
                self._running.append(server)
                told[name] = {"url": server.url}
        os.environ[ADDRESSES] = json.dumps(told)
        self._told = True

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Stops them, after the last worker and host."""
        from pytest_vtcfaith.models.serve import ADDRESSES

        while self._running:
            self._running.pop().stop()
        if self._told:
            os.environ.pop(ADDRESSES, None)


def register(config: pytest.Config, run: Run) -> None:
    """Registers `Servers` where a chosen model has a server to start."""
    if any(spec.adapter.startswith("serve/") for spec in run.specs.values()):
        config.pluginmanager.register(Servers(run), NAME)
