"""A run of 5,000 cases on a fake host model, 50 ms a call + 1 ms a page, against the time the calls themselves take.

Run it alone, on a machine with nothing else to do: `pytest tests/bench/test_host_throughput.py -s -p no:randomly`. It
prints wall and processor seconds and fails over the target at the default batch size. Batches of 64 are shown beside
it: there 5,000 tests cost pytest, xdist and the scoring about as much processor time as two cores have meanwhile.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "plugin"))

import smallbench as small  # noqa: E402

from pytest_vtcfaith.engine.host import BATCH_SIZE  # noqa: E402

DOCUMENTS, CONDITIONS = 1250, ("original", "scramble", "random", "visual")
CASES = DOCUMENTS * len(CONDITIONS)
CALL_S, PAGE_S = 0.050, 0.001
TARGETS = {"-n0": 1.25, "-n2": 1.25, "-n4": 1.4}
ALONE = 50
"""Documents of the run with one call per test; its time is scaled to all of them."""
MODEL = f"""
import time
from pytest_vtcfaith import register_model

class Fake:
    def transcribe(self, images, prompt):
        time.sleep({CALL_S} + {PAGE_S} * len(images))
        return ["the tide is out and nobody is at the pier today"] * len(images)

register_model("host", lives="host")(Fake)
register_model("worker", lives="worker")(Fake)
"""
LEFT_OUT = ("hypothesispytest", "benchmark", "anyio", "randomly", "rerunfailures", "pytest_reportlog")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages of one line: what is measured is the engine."""
    path = tmp_path_factory.mktemp("bench")
    rows = []
    for number in range(DOCUMENTS):
        words = {"original": "tide", "scramble": "tdie", "random": "akkl", "visual": "t1de"}
        for condition in CONDITIONS:
            name = f"doc-{number:05d}"
            row = {"case": f"{name}-{condition}", "document": name, "lang": "en", "condition": condition}
            text = f"{words[condition]} {number} at the pier"
            rows.append({**row, "original": f"tide {number} at the pier", "text": text})
    for name in ("data", "cases"):
        (path / name).mkdir()
    small.write_rewriting(path / "data" / "rewriting-en.jsonl", rows)
    (path / "cases" / "test_rewriting.py").write_bytes((ROOT / "benchmark_cases" / "test_rewriting.py").read_bytes())
    (path / "conftest.py").write_text(MODEL, encoding="utf-8")
    (path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    gate = "[[gate]]\nwhere = 'rewriting/*'\nmetric = 'failure_rate'\nmax = 1.0\n"
    (path / "thresholds.toml").write_text(gate, encoding="utf-8")
    return path


def seconds(folder: Path, *arguments: str) -> tuple[float, float]:
    """Wall and processor seconds of a whole run, start and end included."""
    given = ["--vtc-cases=data", "--vtc-thresholds=thresholds.toml", "--vtc-report=out", "-q"]
    command = [sys.executable, "-m", "pytest", "cases", *(f"-pno:{name}" for name in LEFT_OUT), *given, *arguments]
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-2000:]
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.parametrize("size", [BATCH_SIZE, 64])
@pytest.mark.parametrize("workers", list(TARGETS))
def test_a_run_takes_little_longer_than_its_calls(folder: Path, workers: str, size: int) -> None:
    ideal = -(-CASES // size) * CALL_S + CASES * PAGE_S
    wall, processor = seconds(folder, "--vtc-model=host", workers, f"--vtc-batch-size={size}")
    (row,) = json.loads((folder / "out" / "hosts.json").read_text(encoding="utf-8"))
    assert (row["loads"], row["pages"], row["batches"]) == (1, CASES, -(-CASES // size))
    print(
        f"\n{CASES} cases, {workers}, batches of {size}: {wall:.1f} s, {wall / ideal:.2f} × the ideal {ideal:.1f} s; "
        f"{processor:.1f} s of processor; {row['seconds']:.1f} s in the model"
    )
    assert size != BATCH_SIZE or wall <= TARGETS[workers] * ideal


def test_one_call_per_test_for_comparison(folder: Path) -> None:
    wall, _ = seconds(folder, "--vtc-model=worker", "-n0", f"--vtc-limit={ALONE}")
    whole = wall * DOCUMENTS / ALONE
    print(f"\none call per test, -n0: {wall:.1f} s for {ALONE * len(CONDITIONS)} cases, so {whole:.0f} s for {CASES}")
    assert wall >= ALONE * len(CONDITIONS) * (CALL_S + PAGE_S)
