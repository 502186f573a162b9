"""A model that lives in a host process, for a small benchmark: it knows every page, and what to do at some of them."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MODEL = '''
"""Reads pages that it has seen before; every load and call is one line of a log."""
import json, os, signal, sys, time
from pathlib import Path
from pytest_vtcfaith import register_model
from pytest_vtcfaith.pages.images import pixel_key

HERE = Path(__file__).parent
SETTINGS = {settings!r}

def log(name, *what):
    with open(HERE / name, "a") as file:
        file.write(json.dumps([os.getpid(), *what]) + chr(10))

@register_model("fake", lives="host", revision=SETTINGS["revision"])
class Fake:
    def __init__(self):
        log("loads.log", os.environ.get("CUDA_VISIBLE_DEVICES"))
        exec(SETTINGS["load"])
        self.pages = json.loads((HERE / "pages.json").read_text())

    def transcribe(self, images, prompt):
        found = [self.pages[pixel_key(image)] for image in images]
        log("calls.log", prompt.condition, [page["case"] for page in found])
        time.sleep(SETTINGS["call_s"] + SETTINGS["page_s"] * len(images))
        if SETTINGS["most"] and len(images) > SETTINGS["most"]:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")
        for page in found:
            exec(page["do"])
        return [page["text"] for page in found]
'''
QUIET: Mapping[str, Any] = {"revision": "", "load": "", "most": 0, "call_s": 0.0, "page_s": 0.0}
KILL = "os.kill(os.getpid(), signal.SIGKILL)"
FAKE = "--vtc-model=fake"


def write_model(folder: Path, do: Mapping[str, str] | None = None, **settings: Any) -> None:
    """Writes conftest.py and what the model knows of the pages of data/; `do` is code it runs at the page of a case."""
    from pytest_vtcfaith.models import ModelSpec
    from pytest_vtcfaith.pages.images import pixel_key
    from pytest_vtcfaith.suites import load_suite

    suite, spec = load_suite("rewriting"), ModelSpec("fake", load=object, languages=None)
    pages = {}
    for case in suite.cases(folder / "data", prompts=("plain",)):
        key = pixel_key(suite.request(case, spec).page.image)
        pages[key] = {"case": case.id, "text": case.reference, "do": (do or {}).get(case.id, "")}
    (folder / "pages.json").write_text(json.dumps(pages), encoding="utf-8")
    (folder / "conftest.py").write_text(MODEL.format(settings={**QUIET, **settings}), encoding="utf-8")


def logged(folder: Path, name: str) -> list[Any]:
    """The lines of a log: loads are (pid, CUDA_VISIBLE_DEVICES), calls (pid, prompt condition, cases)."""
    path = folder / name
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]] if path.exists() else []


def asked(folder: Path) -> Counter[str]:
    """How often each case was put to the model."""
    return Counter(case for _, _, cases in logged(folder, "calls.log") for case in cases)


def batches(folder: Path) -> list[int]:
    """Sizes of the calls."""
    return [len(cases) for _, _, cases in logged(folder, "calls.log")]


def forget(folder: Path) -> None:
    """Empties the logs."""
    for name in ("loads.log", "calls.log"):
        (folder / name).unlink(missing_ok=True)


def alive(pid: int) -> bool:
    """Whether a process runs (one that waits to be reaped does not)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def all_end(pids: list[int], seconds: float = 20.0) -> bool:
    """Whether all of them end in that time."""
    until = time.monotonic() + seconds
    while any(alive(pid) for pid in pids):
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def own_processes(folder: Path) -> list[int]:
    """Processes that work in that folder, this one left out: workers and hosts of runs there."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            where = (entry / "cwd").readlink()
        except OSError:
            continue
        if where == folder and int(entry.name) != os.getpid() and alive(int(entry.name)):
            found.append(int(entry.name))
    return found
