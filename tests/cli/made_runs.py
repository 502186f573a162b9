"""A project with runs of one model: accepted ones, later and worse ones, whole and in four shards, made once."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "plugin"))

from smallbench import ROOT, manifest_rows, without, write_rewriting

from pytest_vtcfaith.report.results import SEAL, rows_sha256

THRESHOLDS = """
[[gate]]
where = "rewriting/*"
metric = "failure_rate"
max = 0.3
min_coverage = 0.5

[[gate]]
where = "rewriting/*"
metric = "word_accuracy"
min = 0.5
max_regression = 0.02

[[floor]]
where = "rewriting/*"
metric = "word_accuracy"
min = 0.9
case_tolerance = 0.05
"""
TABLE = """
[tool.vtcfaith]
cases = "data"
thresholds = "thresholds.toml"

[tool.vtcfaith.models.mine]
adapter = "replay"
model = "answers.jsonl"
"""
DOCUMENTS = 8
SHARDS = ("s1", "s2", "s3", "s4")


def environment() -> dict[str, str]:
    """What surrounds a test run must not show in it."""
    names = ("CI", "BUILD_NUMBER", "GITHUB_ACTIONS", "PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT")
    return {k: v for k, v in os.environ.items() if k not in names} | {"PYTHONPATH": str(ROOT)}


def pytest_run(folder: Path, report: str, *arguments: str) -> int:
    """A run of the project's model; its exit status."""
    given = [*without("hypothesispytest", "benchmark", "anyio", "randomly", "rerunfailures"), "-q", "--vtc-model=mine"]
    command = [sys.executable, "-m", "pytest", *given, f"--vtc-report={report}", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, check=False, timeout=120
    ).returncode


def answers(folder: Path, change: Callable[[int, Mapping[str, Any]], str] | None = None) -> None:
    """Writes what the model answers: the page's text, or what `change` makes of it."""
    rows = manifest_rows(DOCUMENTS)
    texts = [row["text"] if change is None else change(number, row) for number, row in enumerate(rows)]
    lines = (json.dumps({"case": row["case"], "text": text}) + "\n" for row, text in zip(rows, texts, strict=True))
    (folder / "answers.jsonl").write_text("".join(lines), encoding="utf-8")


def worse(number: int, row: Mapping[str, Any]) -> str:
    """Scrambled pages lack a fifth of their words, one random page is not read at all, one original lacks its end."""
    words = row["text"].split()
    if row["condition"] == "scramble":
        return " ".join(word for n, word in enumerate(words) if n % 5 or n in (2, 9))
    if (row["document"], row["condition"]) == ("doc-0003", "original"):
        return " ".join(words[:-4])
    if (row["document"], row["condition"]) == ("doc-0005", "random"):
        return ""
    return str(row["text"])


def make_project(folder: Path) -> dict[str, int]:
    """Runs by report folder → exit status: `accepted` with its baselines, then worse answers `whole` and in shards."""
    (folder / "data").mkdir(parents=True)
    (folder / "cases").mkdir()
    shutil.copy(ROOT / "benchmark_cases" / "test_rewriting.py", folder / "cases")
    (folder / "pytest.ini").write_text("[pytest]\ntestpaths = cases\n", encoding="utf-8")
    (folder / "pyproject.toml").write_text(TABLE, encoding="utf-8")
    (folder / "thresholds.toml").write_text(THRESHOLDS, encoding="utf-8")
    write_rewriting(folder / "data" / "rewriting-en.jsonl", manifest_rows(DOCUMENTS))
    answers(folder)
    found = {
        "limited": pytest_run(folder, "limited", "--vtc-limit=2"),
        "accepted": pytest_run(folder, "accepted", "--snapshot-update"),
    }
    answers(folder, worse)
    found["whole"] = pytest_run(folder, "whole")
    for number, name in enumerate(SHARDS, start=1):
        workers = ["-n2"] if number == 3 else []
        found[name] = pytest_run(folder, name, f"--vtc-shard={number}/4", *workers)
    return found


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Rows of a results file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Writes a results file; its checksum is that of the rows."""
    if rows and "run" in rows[0]:
        rows = [{**rows[0], SEAL: rows_sha256(rows)}, *rows[1:]]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def change_run(path: Path, **fields: Any) -> None:
    """Changes what a results file says of its run; `selection_sha256` and `shard` also in every row."""
    rows = read_rows(path)
    rows[0]["run"] |= fields
    for row in rows:
        row |= {name: value for name, value in fields.items() if name in ("selection_sha256", "shard")}
    write_rows(path, rows)
