"""Overhead of the plugin over bare pytest at 5,000 cached cases.

Run it alone: `pytest tests/bench/test_overhead.py -s -p no:randomly`. It prints ms per case and fails over the target.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "plugin"))

DOCUMENTS = 1250
TARGET_MS = 1.5
BARE = """
import pytest

@pytest.mark.parametrize("number", range({cases}), ids=lambda n: f"replay-doc-{{n:04d}}-original")
def test_case(number):
    assert number >= 0
"""
LEFT_OUT = ("hypothesispytest", "benchmark", "anyio", "randomly", "rerunfailures", "pytest_reportlog")


def seconds(folder: Path, *arguments: str) -> float:
    """Processor time of a pytest process, start included; the best of three."""
    found = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-m", "pytest", "-q", "-n0", *(f"-pno:{name}" for name in LEFT_OUT), *arguments]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-2000:]
    return min(found)


def prepare(folder: Path) -> int:
    """A manifest of short English documents, the replay of its references, and the bare tests; the number of cases."""
    import smallbench as small

    rows = small.manifest_rows(DOCUMENTS, ("original", "scramble", "random"))
    for row in [row for row in rows if row["condition"] == "random"]:
        case = row["case"].replace("random", "visual")
        rows.append({**row, "case": case, "condition": "visual"})
    (folder / "data").mkdir()
    small.write_rewriting(folder / "data" / "rewriting-en.jsonl", rows)
    (folder / "bench").mkdir()
    (folder / "bench" / "test_rewriting.py").write_bytes((ROOT / "benchmark_cases" / "test_rewriting.py").read_bytes())
    lines = [json.dumps({"case": row["case"], "text": row["text"]}) + "\n" for row in rows]
    (folder / "answers.jsonl").write_text("".join(lines), encoding="utf-8")
    (folder / "bare").mkdir()
    (folder / "bare" / "test_bare.py").write_text(BARE.format(cases=len(rows)), encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    return len(rows)


def test_overhead_per_case(tmp_path: Path) -> None:
    cases = prepare(tmp_path)
    thresholds = ROOT / "benchmark_cases" / "thresholds.toml"
    given = ["--vtc-model=replay:answers.jsonl", "--vtc-cases=data", f"--vtc-thresholds={thresholds}"]
    bare = seconds(tmp_path, "bare", "-pno:vtcfaith")
    ours = seconds(tmp_path, "bench", *given)
    overhead = 1000 * (ours - bare) / cases
    print(f"\n{cases} cases: bare {bare:.2f} s, plugin {ours:.2f} s, overhead {overhead:.2f} ms a case, all included")
    assert overhead <= TARGET_MS
