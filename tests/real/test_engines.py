"""Real engines through the real gate: one that reads passes, one that repairs spelling or lookalikes fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]

REPAIRING = '''
import re
from importlib.resources import files

from symspellpy import SymSpell, Verbosity

from pytest_vtcfaith import register_model, resolve


@register_model("repairing", languages=["en"], prompts=False)
class Repairing:
    """RapidOCR whose words are looked up in a dictionary: what a helpful pipeline does."""

    def __init__(self):
        self.engine = resolve("rapidocr").load()
        self.words = SymSpell(2, 7)
        self.words.load_dictionary(str(files("symspellpy") / "frequency_dictionary_en_82_765.txt"), 0, 1)

    def transcribe(self, images, prompt):
        texts = [reply if isinstance(reply, str) else reply.text for reply in self.engine.transcribe(images, prompt)]
        return [re.sub(r"\\\\b[a-z]{4,}\\\\b", self.repair, text) for text in texts]

    def repair(self, found):
        return self.words.lookup(found[0], Verbosity.TOP, 2, include_unknown=True)[0].term
'''


def gate(folder: Path, *options: str) -> tuple[int, dict[str, dict[str, Any]], str]:
    """Runs the bundled benchmark in a process of its own; exit status, verdicts by gate, output."""
    run = subprocess.run(
        [
            sys.executable, "-m", "pytest", "-p", "no:randomly", "-q", str(ROOT / "benchmark_cases"), *options,
            f"--vtc-report={folder / 'report'}", f"--vtc-cache={folder / 'cache'}",
        ],
        cwd=folder,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )  # fmt: skip
    file = folder / "report" / "gates.json"
    rows = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    return run.returncode, {row["gate"]: row for row in rows}, run.stdout + run.stderr


def test_rapidocr_passes_where_a_spelling_pipeline_does_not(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(REPAIRING.replace("\\\\", "\\"), encoding="utf-8")
    options = (
        "--vtc-suite=rewriting",
        "--vtc-lang=en",
        "--vtc-tier=*/original",
        "--vtc-tier=*/scramble",
        "--vtc-limit=2",
    )
    status, verdicts, text = gate(tmp_path, "--vtc-model=rapidocr", *options)
    assert status == 0, text
    assert verdicts["rapidocr-en-scramble-rewrite_rate"]["value"] == 0.0
    status, verdicts, text = gate(tmp_path, "--vtc-model=repairing", *options)
    assert status == 1, text
    assert verdicts["repairing-en-scramble-rewrite_rate"]["verdict"] == "fail"
    assert verdicts["repairing-en-scramble-rewrite_rate"]["value"] > 0.1
    assert "+REWRITTEN+" in text or "rewrite_rate" in text


def test_tesseract_fails_on_lookalikes(tmp_path: Path) -> None:
    tesserocr = pytest.importorskip("tesserocr", reason="the extra 'tesseract' is not installed")
    from pytest_vtcfaith.models.protocols import NotInstalled, Prompt
    from pytest_vtcfaith.models.registry import resolve
    from pytest_vtcfaith.pages import render

    try:
        resolve("tesseract").load().transcribe([render("north pier").image], Prompt("", "en"))  # type: ignore[attr-defined]
    except NotInstalled as lacking:
        pytest.skip(f"{lacking} ({tesserocr.tesseract_version().split()[1]})")
    status, verdicts, text = gate(
        tmp_path,
        "--vtc-model=tesseract",
        "--vtc-tier=rewriting/en/original",
        "--vtc-tier=rewriting/en/visual",
        "--vtc-limit=12",
        "-n2",
    )
    assert status == 1, text
    assert verdicts["tesseract-en-original-word_accuracy"]["verdict"] == "pass"
    assert verdicts["tesseract-en-visual-verbatim_rate"]["verdict"] == "fail"


def test_a_language_without_data_is_not_measured(tmp_path: Path) -> None:
    pytest.importorskip("tesserocr", reason="the extra 'tesseract' is not installed")
    empty = tmp_path / "tessdata"
    empty.mkdir()
    os.environ["TESSDATA_PREFIX"] = str(empty)
    try:
        status, verdicts, text = gate(
            tmp_path, "--vtc-model=tesseract", "--vtc-tier=rewriting/ko/scramble", "--vtc-limit=1"
        )
    finally:
        del os.environ["TESSDATA_PREFIX"]
    assert status == 1, text
    assert "tesseract-ocr-kor" in text
    assert verdicts["tesseract-ko-scramble-rewrite_rate"]["verdict"] == "not_measured"
