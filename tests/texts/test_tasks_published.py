"""ARC, DROP and MATH as tasks (`texts/tasks/published.py`)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_vtcfaith.texts import TextsError, read_manifest, write_manifest
from pytest_vtcfaith.texts.tasks.published import read_published

ARC = {
    "id": "q-7",
    "question": "What melts?",
    "choices": {"text": ["ice", "sand", "oak"], "label": ["1", "2", "3"]},
    "answerKey": "1",
}
DROP = {
    "query_id": "q1",
    "passage": "The home side won by 3 goals.",
    "question": "By how many?",
    "answers_spans": {"spans": ["3", "3"], "types": ["number", "number"]},
}
MATH = {
    "problem": "Half of $\\frac{3}{2}$?",
    "level": "Level 2",
    "type": "Algebra",
    "solution": "First \\boxed{1}, no: \\boxed{\\frac{3}{4}}.",
}


def read(tmp_path: Path, name: str, *rows: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    """The rows of the manifest that is written and read again."""
    path = tmp_path / "data.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    draft = read_published(f"{name}={path}", licence="CC", **more)
    write_manifest(tmp_path / "out" / "m.jsonl", draft.header, draft.rows)
    return [row for _, row in read_manifest(tmp_path / "out" / "m.jsonl").rows]


def test_arc(tmp_path: Path) -> None:
    (row,) = read(tmp_path, "arc", ARC)
    assert (row["case"], row["kind"], row["answer"]) == ("arc-q-7", "facts", {"kind": "choice", "text": "A"})
    assert {k: o["text"] for k, o in row["record"]["options"].items()} == {"A": "ice", "B": "sand", "C": "oak"}


def test_drop(tmp_path: Path) -> None:
    span = DROP | {"query_id": "q2", "answers_spans": {"spans": ["home side"]}}
    several = DROP | {"query_id": "q3", "answers_spans": {"spans": ["a", "b"]}}
    rows = read(tmp_path, "drop", DROP, span, several)
    assert [row["answer"] for row in rows] == [{"kind": "number", "text": "3"}, {"kind": "free", "text": "home side"}]
    assert rows[0]["context"] == DROP["passage"]


def test_math(tmp_path: Path) -> None:
    rows = read(tmp_path, "math", MATH, MATH | {"solution": "none", "answer": "7", "level": 5}, limit=2)
    assert [row["answer"] for row in rows] == [
        {"kind": "free", "text": "\\frac{3}{4}"},
        {"kind": "number", "text": "7"},
    ]
    assert [row["level"] for row in rows] == [2, 5]


def test_a_task_without_an_answer_is_left_out_and_said(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text(json.dumps(MATH | {"solution": "none"}) + "\n" + json.dumps(MATH) + "\n", encoding="utf-8")
    draft = read_published(f"math={path}", licence="CC")
    assert len(draft.rows) == 1
    assert draft.notes == (f"{path}:1: left out, its answer is no short text",)


@pytest.mark.parametrize(
    ("published", "row", "message"),
    [
        ("gsm=x", {}, "write arc=SOURCE, drop=SOURCE, math=SOURCE"),
        ("arc", {}, "write arc=SOURCE"),
        ("arc=/nowhere", {}, "there is no such file or folder"),
        ("arc=", ARC | {"choices": ["ice"]}, "must have lists 'text' and 'label'"),
        ("arc=", ARC | {"answerKey": "9"}, "is none of the labels"),
        ("drop=", DROP | {"answers_spans": "3"}, "must have a list 'spans'"),
        ("drop=", DROP | {"passage": None}, "field 'passage' = None must be text"),
        ("math=", MATH | {"solution": "none"}, "no task was found"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, published: str, row: dict[str, Any], message: str) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    with pytest.raises(TextsError, match=message):
        read_published(f"{published}{path}" if published.endswith("=") else published, licence="CC")


def test_through_datasets(tmp_path: Path) -> None:
    """Read by the real package, in a fresh process with a cache of its own."""
    pytest.importorskip("datasets", reason="needs the extra datasets")
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "test.jsonl").write_text(json.dumps(ARC) + "\n", encoding="utf-8")
    code = (
        "import json; from pytest_vtcfaith.texts.tasks.published import read_published;"
        f"print(json.dumps(read_published({f'arc=hf:{folder}:test'!r}, licence='CC').rows))"
    )
    cache = str(tmp_path / "cache")
    environment = {**os.environ, "HF_HOME": cache, "HF_DATASETS_CACHE": cache, "HF_HUB_OFFLINE": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert [row["case"] for row in json.loads(done.stdout)] == ["arc-q-7"]
