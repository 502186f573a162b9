"""Three documents of a user, from text files to a verdict of a real engine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = {
    "ferry.txt": "The ferryman of Lundy kept a ledger of every crossing. He counted forty passengers.",
    "orchard.txt": "Harriet Okafor planted twelve plum trees behind the chapel.\nTheir blossom opened early.",
    "Ärger mit Öl.txt": "The mechanic found seven loose bolts under the engine and wrote a short report.",
}


def test_three_documents_of_a_user_are_gated(tmp_path: Path) -> None:
    folder = tmp_path / "my documents"
    folder.mkdir()
    for name, text in DOCUMENTS.items():
        (folder / name).write_text(text + "\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", *command],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

    cases = tmp_path / "cases"
    options = ("--texts", str(folder), "--lang", "en", "--out", str(cases / "mine.jsonl"))
    built = run("pytest_vtcfaith.cli", "build", "rewriting", *options)
    assert built.returncode == 0, built.stdout + built.stderr
    gated = run(
        "pytest", "-p", "no:randomly", "-q", str(ROOT / "benchmark_cases"), "--vtc-model=rapidocr",
        f"--vtc-cases={cases}", f"--vtc-report={tmp_path / 'report'}", f"--vtc-cache={tmp_path / 'cache'}",
    )  # fmt: skip
    assert gated.returncode == 0, gated.stdout + gated.stderr
    rows = [json.loads(line) for line in (tmp_path / "report" / "results.jsonl").read_text("utf-8").split("\n") if line]
    assert len(rows) == 12
    assert len({row["document"] for row in rows}) == 3
    assert all(row["outcome"] == "complete" for row in rows)
    gates = json.loads((tmp_path / "report" / "gates.json").read_text(encoding="utf-8"))
    assert {gate["tier"] for gate in gates if gate["verdict"] == "pass"} >= {
        f"rewriting/en/{condition}" for condition in ("original", "scramble", "random", "visual")
    }
