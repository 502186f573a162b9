"""The reasoning suite in a real run with a real OCR engine: what each reference illustrator gets told."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from smallbench import Bench

from pytest_vtcfaith.texts.manifest import read_manifest, write_manifest

pytest.importorskip("rapidocr", reason="the extra 'rapidocr' is not installed")

CONFTEST = """
from pytest_vtcfaith import Reply, register_model

@register_model("crashing")
class Crashing:
    def draw(self, prompts):
        raise ValueError("kaputt")

@register_model("refusing")
class Refusing:
    def draw(self, prompts):
        return [Reply(text="", refusal="no pictures today") for _ in prompts]
"""
ROOT = Path(__file__).resolve().parents[2]


def _shown(folder: Path, row: dict[str, Any]) -> dict[str, Any]:
    """What the HTML report shows of a case."""
    for file in (folder / "vtc-html" / "data").glob("detail-*.js"):
        for line in file.read_text(encoding="utf-8").split("\n"):
            if line:
                shown = json.loads(f"[{line[len('vtc.take(') : -2]}]")[1]
                if shown["ask"].endswith(row["case"]) and ("illegible" in shown["ask"]) == (
                    "illegible" in row["model"]
                ):
                    return shown
    raise AssertionError(row["case"])


def test_wrong_steps_fail_the_gap_and_illegible_pages_are_stopped_at_the_gate(tmp_path: Path) -> None:
    manifest = read_manifest(ROOT / "benchmark_cases" / "data" / "reasoning-en.jsonl")
    tasks, passage = {"facts-shape-1", "mathematics-4-linear-1"}, "rendering-full-1-night-ferry-64"
    rows = [row for _, row in manifest.rows if row["case"] in tasks | {passage}]
    header = {key: value for key, value in manifest.header.items() if key != "sha256"}
    write_manifest(tmp_path / "cases" / "reasoning.jsonl", header, rows)
    models = ["illustrator:illegible", "illustrator:right-answer-wrong-steps"]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", str(ROOT / "benchmark_cases" / "test_reasoning.py")),
            *(f"--rootdir={ROOT}", "-p", "no:cacheprovider", "-p", "no:randomly", "-rs", "--no-header"),
            *(f"--vtc-cases={tmp_path / 'cases'}", f"--vtc-report={tmp_path / 'report'}", "--vtc-no-cache"),
            *(f"--vtc-model={model}" for model in models),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    output = done.stdout + done.stderr
    assert done.returncode == 1, output
    results = {}
    for line in (tmp_path / "report" / "results.jsonl").read_text(encoding="utf-8").split("\n"):
        if line:
            row = json.loads(line)
            results["illegible" if "illegible" in row["model"] else "wrong", row["case"]] = row
    for case in tasks:
        assert results["illegible", case]["outcome"] == "inapplicable"
        wrong = results["wrong", case]["metrics"]
        assert (wrong["answer_score"], wrong["process_score"]) == (1, 0.0)
        shown = _shown(tmp_path / "report", results["wrong", case])
        assert [part["verdict"] for part in shown["compared"]] == ["wrong"] * wrong["steps"] + ["right"]
        assert all(part["expected"] and part["read"] for part in shown["compared"])
        assert "Step 1" in results["wrong", case]["read"]["text"]
    (part,) = _shown(tmp_path / "report", results["illegible", passage])["compared"]
    assert (part["label"], part["verdict"]) == ("passage", "")
    assert sum(words for words, _ in part["counts"].values()) > 5
    assert results["wrong", passage]["metrics"]["cer"] == pytest.approx(0, abs=0.02)
    assert results["illegible", passage]["metrics"]["cer"] > 0.5
    assert re.search(r"fails reasoning/rendering/64 first: cer \S+ is over 0\.5", output)
    assert "answer_process_gap = 1 > 0.2" in output
    assert re.search(r"process_score 0 < 0\.5: right answer, 0 of \d steps valid", output)


def test_a_gate_that_was_not_measured_leaves_the_tasks_not_measured(bench: Bench) -> None:
    """Who fails it is given no tasks; of who crashes there nothing is known."""
    manifest = read_manifest(ROOT / "benchmark_cases" / "data" / "reasoning-en.jsonl")
    wanted = {"facts-shape-1", "rendering-full-1-night-ferry-64"}
    rows = [row for _, row in manifest.rows if row["case"] in wanted]
    header = {key: value for key, value in manifest.header.items() if key != "sha256"}
    write_manifest(bench.path / "data" / "reasoning.jsonl", header, rows)
    shutil.copy(ROOT / "benchmark_cases" / "test_reasoning.py", bench.path / "cases")
    bench.thresholds((ROOT / "benchmark_cases" / "thresholds.toml").read_text(encoding="utf-8"))
    bench.module(CONFTEST, "conftest.py")
    found = bench.run("--vtc-suite=reasoning", "--vtc-model=crashing")
    assert found.status == 1
    assert {row["outcome"] for row in found.results.values()} == {"infrastructure_error"}
    reason = "reasoning/rendering/64 was not measured, which it takes to go on: ValueError: kaputt"
    assert found.results["facts-shape-1"]["reason"] == reason
    assert f"not measured: {reason}" in found.text
    assert found.verdicts["facts-answer_score"] == "not_measured"
    found = bench.run("--vtc-suite=reasoning", "--vtc-model=refusing")
    assert found.results["facts-shape-1"]["outcome"] == "inapplicable"
    assert found.results["facts-shape-1"]["reason"].startswith("fails reasoning/rendering/64 first: ")
