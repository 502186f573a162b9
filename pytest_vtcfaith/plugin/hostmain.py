"""The host process: sees the project as an xdist worker does, then serves one model until the controller ends it."""

from __future__ import annotations

import faulthandler
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

    from pytest_vtcfaith.engine.run import Question
    from pytest_vtcfaith.plugin.run import Run


def main(args: list[str]) -> None:
    """Gets ready with the arguments of the pytest that was called, then reads its task from the first line of standard
    input; what follows there are cases.

    The task: `model` (its slug), `folder` and `events` (the host's files), `batch_size` or null, `store` (the file of
    stored replies) or null.
    """
    incoming = os.dup(0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # what the model prints is no answer
    faulthandler.enable()
    from pytest_vtcfaith.engine.answers import append
    from pytest_vtcfaith.engine.host import Host
    from pytest_vtcfaith.engine.run import error_reply
    from pytest_vtcfaith.engine.store import ResponseStore

    run = _ready_run(args)
    task = json.loads(_first_line(incoming))
    events = Path(task["events"])
    try:
        if isinstance(run, Exception):
            raise run
        spec = run.specs[task["model"]]
    except Exception as found:
        error = error_reply(found).error
        append(events, [json.dumps({"event": "unloadable", "error": error}).encode("ascii")])
        raise
    store = ResponseStore(Path(task["store"])) if task["store"] is not None else None
    folder, size = Path(task["folder"]), task["batch_size"]
    Host(
        spec,
        lambda case: _questions(run, case),
        incoming,
        folder=folder,
        events=events,
        batch_size=size,
        store=store,
    ).serve()


def _ready_run(args: list[str]) -> Run | Exception:
    """The run with its models and cases, or what stands against it."""
    from pytest_vtcfaith.plugin.run import Run

    try:
        run = Run(_configured(args))
        _ = run.specs, run.by_id
    except Exception as problem:
        return problem
    return run


def _first_line(file: int) -> bytes:
    """No more than that line: the controller sends the next when this process is ready."""
    line = b""
    while not line.endswith(b"\n"):
        more = os.read(file, 65536)
        if not more:
            sys.exit("the controller has gone")
        line += more
    return line


def _configured(args: list[str]) -> pytest.Config:
    """Plugins and conftest.py files are loaded as in a worker; of their `pytest_configure` only those of conftest.py
    files run, which may register models: the others make reports, start workers and count tests.
    """
    from _pytest.config import _prepareconfig

    config = _prepareconfig(args, None)
    for hook in config.hook.pytest_configure.get_hookimpls():
        if Path(getattr(hook.plugin, "__file__", None) or "").name == "conftest.py":
            given: dict[str, Any] = {"config": config}
            hook.function(*(given[name] for name in hook.argnames))
    return config


def _questions(run: Run, case: str) -> list[Question]:
    from pytest_vtcfaith.plugin.answering import questions

    ask = run.ask_named(case)
    return questions(ask, run.suite(ask.case.suite).request(ask.case, ask.spec))
