"""What the plugin costs a run that does not use it: nothing heavy is imported."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from smallbench import without

NAMES = """
numpy scipy pydantic rapidfuzz PIL fontTools jinja2 rich torch transformers vllm rapidocr tesserocr onnxruntime
pytest_vtcfaith.gating pytest_vtcfaith.suites pytest_vtcfaith.metrics pytest_vtcfaith.models
"""
HEAVY = NAMES.split()
LIST = "import json, sys; print(json.dumps([name for name in {heavy} if name in sys.modules]))"


def imported(code: str) -> list[str]:
    """Which of the heavy modules a fresh interpreter has after running `code`."""
    program = f"{code}\n{LIST.format(heavy=HEAVY)}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, timeout=60)
    found: list[str] = json.loads(done.stdout.decode("utf-8").strip().rpartition("\n")[2])
    return found


def test_the_listing_can_see_a_heavy_module() -> None:
    assert imported("import PIL") == ["PIL"]


def test_importing_the_plugin_imports_nothing_heavy() -> None:
    assert imported("import pytest_vtcfaith.plugin") == []


@pytest.mark.parametrize("with_benchmark", [False, True])
def test_a_run_without_a_model_imports_nothing_heavy(bench, with_benchmark: bool) -> None:
    bench.module("def test_other(): pass\ndef test_page(vtc_page): pass\ndef test_gate(vtc_gate): pass\n")
    if not with_benchmark:
        (bench.path / "cases" / "test_rewriting.py").unlink()
    others = ("hypothesispytest", "benchmark", "anyio", "randomly", "syrupy", "rerunfailures", "html", "allure_pytest")
    given = ["-q", *without(*others)]
    code = f"import os, pytest; os.chdir({str(bench.path)!r}); assert pytest.main({given!r}) == 0"
    # what its own test modules name for their annotations is light
    light = {"rapidfuzz", "pytest_vtcfaith.suites", "pytest_vtcfaith.metrics"} if with_benchmark else set()
    assert set(imported(code)) <= light


def test_collecting_cases_loads_neither_an_engine_nor_numpy(bench) -> None:
    given = bench.arguments("--vtc-model=rapidocr", "--collect-only", "-q")
    code = f"import os, pytest; os.chdir({str(bench.path)!r}); assert pytest.main({given!r}) == 0"
    found = imported(code)
    assert not {"numpy", "scipy", "rapidocr", "onnxruntime", "PIL", "torch"} & set(found), found
