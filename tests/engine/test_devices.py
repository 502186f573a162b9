"""Which devices a run has, and what an exception says about one."""

from __future__ import annotations

import re
import sys

import pytest

from pytest_vtcfaith.engine.devices import VISIBLE, check_devices, count_gpus, find_devices
from pytest_vtcfaith.engine.failures import breaks_device, out_of_memory
from pytest_vtcfaith.engine.threads import THREAD_VARIABLES


def found(given, environment, gpus):
    devices = find_devices(given, environment, lambda: gpus)
    return [(device.name, device.environment[VISIBLE]) for device in devices]


@pytest.mark.parametrize(
    ("given", "visible", "gpus", "wanted"),
    [
        (None, None, 0, [("cpu", "")]),
        (None, None, 2, [("cuda:0", "0"), ("cuda:1", "1")]),
        (None, "3,5", 2, [("cuda:0", "3"), ("cuda:1", "5")]),
        (None, "", 2, [("cpu", "")]),
        (None, "-1", 2, [("cpu", "")]),
        (None, "GPU-a,MIG-b", 2, [("cuda:0", "GPU-a"), ("cuda:1", "MIG-b")]),
        ("1", "3,5", 2, [("cuda:0", "3")]),
        ("2", None, 4, [("cuda:0", "0"), ("cuda:1", "1")]),
        ("3", None, 0, [("cpu", "")] * 3),
        ("cpu", "3,5", 2, [("cpu", "")]),
        ("cuda:1", "3,5", 2, [("cuda:1", "5")]),
        ("cuda:1, cuda:0", "3,5", 2, [("cuda:1", "5"), ("cuda:0", "3")]),
        ("cuda:7", None, 0, [("cuda:7", "7")]),
        ("cpu,cuda:0", None, 0, [("cpu", ""), ("cuda:0", "0")]),
    ],
)
def test_devices(given, visible, gpus, wanted):
    assert found(given, {} if visible is None else {VISIBLE: visible}, gpus) == wanted


@pytest.mark.parametrize(
    ("given", "visible", "gpus", "says"),
    [
        ("3", "3,5", 2, "torch sees 2 GPUs here; give 2 or fewer"),
        ("cuda:2", "3,5", 2, "cuda:2: CUDA_VISIBLE_DEVICES=3,5 has 2 entries"),
        ("cuda:1", "3,-1,5", 1, "has 1 entr"),
        ("cuda:0", "", 0, "has 0 entries"),
    ],
)
def test_devices_that_are_not_there(given, visible, gpus, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        found(given, {VISIBLE: visible}, gpus)


@pytest.mark.parametrize(
    "given", ["", "gpu", "cuda", "cuda:", "cuda:-1", "0", "-1", "1,2", "cpu,2", "cuda:0,cuda:0", "٣"]
)
def test_what_names_no_devices(given):
    with pytest.raises(ValueError, match=r"give a list|named twice"):
        check_devices(given)


def test_cpus_share_the_cores():
    one = find_devices("cpu", {})[0].environment
    assert not set(one) & set(THREAD_VARIABLES)
    for device in find_devices("cpu,cpu", {"OMP_NUM_THREADS": "7"}):
        assert "OMP_NUM_THREADS" not in device.environment
        assert int(device.environment["MKL_NUM_THREADS"]) >= 1


def test_counting_asks_torch_in_a_process_of_its_own():
    before = set(sys.modules)
    assert count_gpus() >= 0
    assert "torch" in before or "torch" not in sys.modules


def named(name: str, base: type[Exception] = RuntimeError) -> type[Exception]:
    return type(name, (base,), {})


@pytest.mark.parametrize(
    ("error", "memory", "broken"),
    [
        (MemoryError(), True, False),
        (named("OutOfMemoryError")("CUDA out of memory. Tried to allocate 2 GiB"), True, False),
        (RuntimeError("CUDA out of memory"), True, False),
        (RuntimeError("CUDA error: out of memory"), True, False),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: not enough memory: out of memory"), True, False),
        (ValueError("the text says: out of memory"), False, False),
        (RuntimeError("placeholder count mismatch"), False, False),
        (RuntimeError("CUDA error: device-side assert triggered"), False, True),
        (named("AcceleratorError")("CUDA error: an illegal memory access was encountered"), False, True),
        (named("EngineDeadError", Exception)("EngineCore encountered an issue"), False, True),
    ],
)
def test_what_an_exception_means(error, memory, broken):
    assert (out_of_memory(error), breaks_device(error)) == (memory, broken)
