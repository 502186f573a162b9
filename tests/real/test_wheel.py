"""The installed wheel runs the benchmark from an empty folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_pyargs_from_a_wheel_in_an_empty_folder(tmp_path: Path, workers: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist")],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    empty = tmp_path / "empty"
    empty.mkdir()
    manifest = (ROOT / "benchmark_cases" / "data" / "rewriting-en.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in manifest.split("\n")[1:] if line]
    answers = "".join(json.dumps({"case": row["case"], "text": row["text"]}) + "\n" for row in rows)
    (tmp_path / "answers.jsonl").write_text(answers, encoding="utf-8")
    run = subprocess.run(
        [
            sys.executable, "-m", "pytest", "-p", "no:randomly", workers, "--pyargs", "pytest_vtcfaith.benchmark_cases",
            f"--vtc-model=replay:{tmp_path / 'answers.jsonl'}", "--vtc-suite=rewriting", "--vtc-lang=en",
        ],
        cwd=empty,
        env={**os.environ, "PYTHONPATH": str(site), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    gates = json.loads((empty / ".pytest_cache/d/vtcfaith/report/gates.json").read_text(encoding="utf-8"))
    measured = [gate for gate in gates if gate["verdict"] == "pass"]
    assert len(measured) > 12
    assert all(gate["measured"] == gate["expected"] for gate in measured)
