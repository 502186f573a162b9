"""The devices that host processes run on: which there are, and what a process must be told to see its own only."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pytest_vtcfaith.engine.threads import THREAD_VARIABLES

VISIBLE = "CUDA_VISIBLE_DEVICES"
NODES = ("nvidia[0-9]*", "dxg", "kfd")
"""Device files without which a Linux machine has no GPU that torch could use (NVIDIA, NVIDIA under WSL, AMD)."""
COUNT = "import torch; print(torch.cuda.device_count())"
COUNT_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Device:
    """One device: its name (`cuda:1`, `cpu`) and the variables that a process on it starts with."""

    name: str
    environment: Mapping[str, str] = field(default_factory=dict)


def check_devices(given: str) -> list[str]:
    """The names in a list such as `cuda:0,cuda:1`, `cpu` or `2`.

    Raises ValueError for anything else, for a number under 1 and for a GPU named twice.
    """
    names = [name.strip() for name in given.split(",")]
    number = len(names) == 1 and re.fullmatch(r"[0-9]{1,3}", names[0]) and int(names[0]) > 0
    if not number and not all(re.fullmatch(r"cpu|cuda:[0-9]{1,3}", name) for name in names):
        raise ValueError(f"{given!r}: give a list like cuda:0,cuda:1, or cpu, or the number of devices, 1 or more")
    twice = sorted({name for name in names if name != "cpu" and names.count(name) > 1})
    if twice:
        raise ValueError(f"{given!r}: {twice[0]} is named twice; one process runs on a device")
    return names


def find_devices(
    given: str | None, environment: Mapping[str, str] | None = None, count: Callable[[], int] | None = None
) -> list[Device]:
    """The devices of a run, in the order in which they are used.

    `given` is what `check_devices` allows, None for every GPU that torch sees, else one CPU. GPU number i is the i-th
    entry of the caller's CUDA_VISIBLE_DEVICES where it is set. `environment` defaults to the process's; `count` tells
    the number of GPUs (default: another process asks torch, and only where a GPU may be).

    Raises ValueError, naming what there is, for devices that do not exist.
    """
    environment = os.environ if environment is None else environment
    visible = _visible(environment)
    names = check_devices(given) if given is not None else []
    if not names or names[0].isdecimal():
        there = 0 if visible == [] else (count or count_gpus)()
        wanted = int(names[0]) if names else max(1, there)
        if 0 < there < wanted:
            raise ValueError(f"--vtc-devices {given}: torch sees {there} GPUs here; give {there} or fewer")
        names = [f"cuda:{i}" if there else "cpu" for i in range(wanted)]
    return [_device(name, visible, names.count("cpu"), environment) for name in names]


def count_gpus() -> int:
    """How many GPUs torch sees, asked in a process of its own: importing torch takes seconds and much memory."""
    if sys.platform == "linux" and not any(any(Path("/dev").glob(node)) for node in NODES):
        return 0
    if importlib.util.find_spec("torch") is None:
        return 0
    found = subprocess.run(
        [sys.executable, "-c", COUNT], stdin=subprocess.DEVNULL, capture_output=True, timeout=COUNT_SECONDS, check=False
    )
    said = found.stdout.strip().rpartition(b"\n")[2]
    return int(said) if found.returncode == 0 and said.isdigit() else 0


def _visible(environment: Mapping[str, str]) -> list[str] | None:
    """The entries of CUDA_VISIBLE_DEVICES; None where it is not set. As in CUDA, -1 ends the list."""
    if VISIBLE not in environment:
        return None
    entries = [entry.strip() for entry in environment[VISIBLE].split(",") if entry.strip()]
    return entries[: entries.index("-1")] if "-1" in entries else entries


def _device(name: str, visible: list[str] | None, cpus: int, environment: Mapping[str, str]) -> Device:
    if name == "cpu":
        threads = str(max(1, (os.cpu_count() or 1) // cpus))
        shared = {v: threads for v in THREAD_VARIABLES if cpus > 1 and v not in environment}
        return Device(name, {VISIBLE: "", **shared})
    number = int(name.removeprefix("cuda:"))
    if visible is None:
        return Device(name, {VISIBLE: str(number)})
    if number >= len(visible):
        raise ValueError(f"--vtc-devices: {name}: {VISIBLE}={environment[VISIBLE]} has {len(visible)} entries")
    return Device(name, {VISIBLE: visible[number]})
