"""A tiny vision-language model through the whole plugin: whatever the workers, one load and the same transcripts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tiny_vlm

pytest.importorskip("torch", reason="the extra 'torch' is not installed")
pytest.importorskip("transformers", reason="the extra 'torch' is not installed")

ROOT = Path(__file__).resolve().parents[2]
TIERS = (
    "--vtc-suite=rewriting",
    "--vtc-tier=rewriting/en/original",
    "--vtc-tier=rewriting/en/scramble",
    "--vtc-limit=2",
)


def run(place: Path, model: Path, *options: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]], str]:
    """Results, hosts and output of a run in `place`."""
    place.mkdir()
    (place / "pyproject.toml").write_text(
        f'[tool.pytest.ini_options]\n[tool.vtcfaith.models.tiny]\nadapter = "transformers"\nmodel = "{model}"\n'
        'max_new_tokens = 12\ndevice = "cpu"\nbatch_size = 4\n',
        encoding="utf-8",
    )
    done = subprocess.run(
        [
            sys.executable, "-m", "pytest", "-p", "no:randomly", str(ROOT / "benchmark_cases"), "-c", "pyproject.toml",
            "--rootdir=.", "-q", "--vtc-model=tiny", *TIERS, "--vtc-report=report", *options,
        ],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )  # fmt: skip
    output = done.stdout + done.stderr
    assert (place / "report" / "hosts.json").exists(), output
    hosts = json.loads((place / "report" / "hosts.json").read_text(encoding="utf-8"))
    lines = (place / "report" / "results.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line], hosts, output


def test_without_workers_and_with_four(tmp_path: Path) -> None:
    model = tiny_vlm.save_tiny_vlm("qwen2.5-vl", tmp_path / "model")
    first, (lone,), output = run(tmp_path / "n0", model, "-n0", "--vtc-no-cache")
    second, (shared,), _ = run(tmp_path / "n4", model, "-n4", f"--vtc-cache={tmp_path / 'cache'}")
    for rows in (first, second):
        assert {row["outcome"] for row in rows} <= {"truncated", "empty"}, output
        assert all(row["usage"]["image_tokens"] > 100 for row in rows)
    kept = ("case", "transcript", "finish_reason", "usage", "outcome")
    assert [[row[key] for key in kept] for row in first] == [[row[key] for key in kept] for row in second]
    assert len(first) == 4
    assert len({row["transcript"] for row in first}) > 1
    assert lone["loads"] == shared["loads"] == 1
    assert shared["pages"] == 4
    assert shared["largest_batch"] > 1
    assert shared["revision"].startswith("sha256:")
