"""`vtcfaith record`: a run's replies, replayed, come to the same gates."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pytest_vtcfaith.cli import app

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "plugin"))

from smallbench import Bench

MODEL = """
from pytest_vtcfaith import Reply, register_model
import json, pathlib

@register_model("answers", languages=["en"], visual_tokens="qwen2.5-vl")
class Answers:
    def __init__(self):
        self.given = json.loads((pathlib.Path(__file__).parent / "given.json").read_text(encoding="utf-8"))
        self.number = 0

    def transcribe(self, images, prompt):
        self.number += 1
        return [Reply(**self.given[self.number - 1]) for image in images]
"""


def record(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["record", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


@pytest.fixture
def bench(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Bench:
    for name in ("CI", "BUILD_NUMBER", "GITHUB_ACTIONS", "PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT"):
        monkeypatch.delenv(name, raising=False)
    return Bench(pytester, monkeypatch)


def test_a_recorded_run_replayed_gives_the_same_gates(bench: Bench) -> None:
    rows = sorted(bench.rows, key=lambda row: row["case"])
    given: list[dict[str, object]] = [{"text": row["text"], "finish_reason": "stop"} for row in rows]
    given[1] = {"text": rows[1]["text"], "finish_reason": "length"}
    given[2] = {"text": None, "refusal": "no"}
    given[3] = {"text": None, "error": "the connection was cut"}
    given[4] = {"text": rows[4]["text"], "completion_tokens": 90, "max_tokens": 90}
    given[5] = {"text": rows[5]["original"] + " \ud83d \u2028 \x85 caf\u00e9"}
    (bench.path / "given.json").write_text(json.dumps(given), encoding="utf-8")
    (bench.path / "conftest.py").write_text(MODEL, encoding="utf-8")
    first = bench.run("--vtc-model=answers", "-p", "no:cacheprovider", fresh=True)
    assert {row["outcome"] for row in first.results.values()} == {
        "complete",
        "truncated",
        "refused",
        "infrastructure_error",
    }, first.text
    gates = (bench.path / "out" / "gates.json").read_bytes()
    said = record("--vtc-report", bench.path / "out", "--model", "answers", "--out", bench.path / "replay.jsonl")
    assert "11 replies; left out: 1 infrastructure error" in said

    (bench.path / "conftest.py").unlink()
    (bench.path / "pytest.ini").unlink()
    table = (
        'adapter = "replay"\nmodel = "replay.jsonl"\nlanguages = ["en"]\nvisual_tokens = "qwen2.5-vl"\nprompts = true\n'
    )
    (bench.path / "pyproject.toml").write_text(f"[tool.vtcfaith.models.answers]\n{table}", encoding="utf-8")
    again = bench.run("--vtc-model=answers", "-p", "no:cacheprovider", fresh=True)
    replayed = json.loads((bench.path / "out" / "gates.json").read_text(encoding="utf-8"))
    for old, new in zip(json.loads(gates), replayed, strict=True):
        assert {**old, "message": ""} == {**new, "message": ""}, again.text
    for case, row in first.results.items():
        if row["outcome"] != "infrastructure_error":
            assert again.results[case]["transcript"] == row["transcript"]
            assert again.results[case]["outcome"] == row["outcome"]
            assert again.results[case]["metrics"] == row["metrics"]


def test_a_whole_run_replayed_gives_gates_that_are_equal_byte_by_byte(bench: Bench) -> None:
    rows = sorted(bench.rows, key=lambda row: row["case"])
    (bench.path / "given.json").write_text(json.dumps([{"text": row["text"]} for row in rows]), encoding="utf-8")
    (bench.path / "conftest.py").write_text(MODEL, encoding="utf-8")
    bench.run("--vtc-model=answers", "-p", "no:cacheprovider", fresh=True)
    gates = (bench.path / "out" / "gates.json").read_bytes()
    assert b'"verdict": "pass"' in gates
    record("--vtc-report", bench.path / "out" / "results.jsonl", "--out", bench.path / "replay.jsonl")
    (bench.path / "conftest.py").unlink()
    (bench.path / "pytest.ini").unlink()
    table = (
        'adapter = "replay"\nmodel = "replay.jsonl"\nlanguages = ["en"]\nvisual_tokens = "qwen2.5-vl"\nprompts = true\n'
    )
    (bench.path / "pyproject.toml").write_text(f"[tool.vtcfaith.models.answers]\n{table}", encoding="utf-8")
    bench.run("--vtc-model=answers", "-p", "no:cacheprovider", fresh=True)
    assert (bench.path / "out" / "gates.json").read_bytes() == gates


def row(**changes: object) -> str:
    made = {"case": "c", "model": "m", "outcome": "complete", "transcript": "text", **changes}
    return json.dumps({key: value for key, value in made.items() if value is not ...}) + "\n"


@pytest.mark.parametrize(
    ("content", "arguments", "says"),
    [
        (None, (), "there is no such file"),
        ("", (), "holds no results"),
        (row() + row(case="d", model="n"), (), "several models: choose with --model one of m, n"),
        (row(), ("--model", "n"), "no results of the model 'n': choose one of m"),
        (row() + "{", (), "line 2: not a JSON object"),
        (row() + "[]\n", (), "line 2: must be an object, is list"),
        (row(case=3), (), "line 1: field 'case' must be text, is 3"),
        (row(transcript=...), (), "line 1: field 'transcript' is missing"),
    ],
)
def test_what_cannot_be_recorded_is_named_in_one_line(tmp_path, content, arguments, says) -> None:
    if content is not None:
        (tmp_path / "results.jsonl").write_text(content, encoding="utf-8")
    where = tmp_path if content is not None else tmp_path / "none"
    assert says in record("--vtc-report", where, "--out", tmp_path / "r.jsonl", *arguments, code=2)
    assert not (tmp_path / "r.jsonl").exists()


def test_only_the_chosen_models_replies_are_written(tmp_path) -> None:
    content = row() + row(model="n", transcript=None, outcome="empty", finish_reason="stop", usage={"max_tokens": 5})
    content += row(case="e", model="n", outcome="inapplicable", transcript=None)
    (tmp_path / "results.jsonl").write_text(content, encoding="utf-8")
    said = record("--vtc-report", tmp_path, "--out", tmp_path / "r.jsonl", "--model", "n")
    assert said.endswith("1 replies; left out: 1 inapplicable")
    assert [json.loads(line) for line in (tmp_path / "r.jsonl").read_text(encoding="utf-8").split("\n")[:-1]] == [
        {"case": "c", "text": None, "finish_reason": "stop", "usage": {"max_tokens": 5}, "model": "n"}
    ]
