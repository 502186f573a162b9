"""The strategies on a real pipeline that repairs spelling: they find a rewritten word, alone on its page, as a case."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from test_engines import REPAIRING, gate

SEARCH = """
import json

import conftest
from pytest_vtcfaith.strategies import find_unfaithful

found = find_unfaithful("repairing", save_to="cases")
print(json.dumps([found.document.original, found.document.text, found.read, [word.kind for word in found.words]]))
"""


def test_a_repairing_pipeline_is_found_out_on_a_page_of_one_word(tmp_path: Path) -> None:
    pytest.importorskip("symspellpy", reason="symspellpy is not installed")
    (tmp_path / "conftest.py").write_text(REPAIRING.replace("\\\\", "\\"), encoding="utf-8")
    (tmp_path / "search.py").write_text(SEARCH, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "search.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    original, printed, read, kinds = json.loads(done.stdout.strip().rpartition("\n")[2])
    assert kinds == ["rewritten"]
    assert len(printed.split()) == 1
    assert (read.strip(), sorted(printed)) == (original, sorted(original))
    status, verdicts, text = gate(tmp_path, "--vtc-model=repairing", "--vtc-cases=cases")
    assert status == 1, text
    assert verdicts["repairing-en-scramble-rewrite_rate"]["verdict"] == "fail"
    assert f"original '{original}'  page '{printed}'  model '{original}'" in text
    status, verdicts, text = gate(tmp_path, "--vtc-model=rapidocr", "--vtc-cases=cases")
    assert status == 0, text
    assert verdicts["rapidocr-en-scramble-rewrite_rate"]["verdict"] == "pass"
