"""Servers through the whole plugin: bad days end in their outcomes, the key in no file; `serve:` starts one server."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

MODELS = Path(__file__).resolve().parents[1] / "models"
sys.path.insert(0, str(MODELS))

from misbehaving_server import running  # noqa: E402

KEY = "sk-test-123"
PROGRAM = MODELS / "misbehaving_server.py"
QUICK = "page_seconds = 4.0\nread_seconds = 0.6\nconnect_seconds = 1.0\nmax_retries = 2\n"
OUTCOMES = {
    "busy": "complete",
    "flaky": "complete",
    "hang": "infrastructure_error",
    "cut": "infrastructure_error",
    "null": "empty",
    "refusal": "refused",
    "nothing": "infrastructure_error",
    "huge": "truncated",
    "wrong": "infrastructure_error",
    "denied": "infrastructure_error",
    "echo": "complete",
}


def project(bench, tables: str) -> None:
    (bench.path / "pyproject.toml").write_text(tables, encoding="utf-8")
    (bench.path / "pytest.ini").unlink()
    bench.rows = [row for row in bench.rows if row["case"] == "doc-0000-original"]
    bench.manifest(bench.rows)


@pytest.mark.parametrize(("workers", "behaviours"), [("-n0", list(OUTCOMES)), ("-n2", ["denied", "echo", "null"])])
def test_each_bad_day_ends_in_its_outcome_and_the_key_in_no_file(bench, workers, behaviours, monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with running() as server:
        server.answer = lambda url: bench.rows[0]["text"]
        tables = [
            f'[tool.vtcfaith.models.{name}]\nadapter = "openai"\nmodel = "{name}"\nbase_url = "{server.url}"\n'
            f'revision = "1"\n{QUICK}'
            for name in behaviours
        ]
        project(bench, "\n".join(tables))
        chosen = [f"--vtc-model={name}" for name in behaviours]
        flags = ["--junitxml=junit.xml", "--vtc-cache=cache", "-rA", "--log-level=DEBUG", "--showlocals"]
        found = bench.run(*chosen, *flags, workers, fresh=True)
    assert found.status == 1
    lines = (bench.path / "out" / "results.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    outcomes = {row["model"]: row["outcome"] for row in map(json.loads, lines)}
    assert outcomes == {name: OUTCOMES[name] for name in behaviours}, found.text[-3000:]
    assert KEY not in found.text
    files = [path for path in bench.path.rglob("*") if path.is_file()]
    assert {"junit.xml", "results.jsonl", "gates.json", "summary.md", "replies.sqlite"} <= {path.name for path in files}
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_server_is_started_once_and_gone_at_the_end(bench, workers) -> None:
    command = json.dumps([sys.executable, str(PROGRAM), "{port}"])
    project(bench, f'[tool.vtcfaith.models.tiny]\nadapter = "serve"\nmodel = "a/good"\ncommand = {command}\n{QUICK}')
    found = bench.run("--vtc-model=tiny", workers, fresh=True)
    assert found.results["doc-0000-original"]["transcript"].startswith("tide table"), found.text[-3000:]
    assert found.text.count("vtcfaith: starting ") == 1
    port = re.search(r"vtcfaith: http://127\.0\.0\.1:(\d+)/v1 is ready", found.text)
    assert port is not None
    log = (bench.path / "out" / "servers" / "tiny.log").read_text(encoding="utf-8")
    assert log == f"serving on {port[1]}\n"
    import socket

    with socket.socket() as caller:
        assert caller.connect_ex(("127.0.0.1", int(port[1]))) != 0


def test_a_server_that_does_not_start_is_not_measured_and_says_why(bench) -> None:
    command = json.dumps([sys.executable, str(PROGRAM), "{port}", "die"])
    project(bench, f'[tool.vtcfaith.models.tiny]\nadapter = "serve"\nmodel = "a/good"\ncommand = {command}\n')
    found = bench.run("--vtc-model=tiny", "-n0")
    assert found.status == 1
    assert found.results["doc-0000-original"]["outcome"] == "infrastructure_error"
    assert "CUDA out of memory" in found.results["doc-0000-original"]["reason"]
    assert KEY not in found.text


def test_listing_the_tests_starts_nothing(bench) -> None:
    command = json.dumps([sys.executable, str(PROGRAM), "{port}"])
    project(bench, f'[tool.vtcfaith.models.tiny]\nadapter = "serve"\nmodel = "a/good"\ncommand = {command}\n')
    found = bench.run("--vtc-model=tiny", "--collect-only", "-q")
    assert found.status == 0
    assert "starting" not in found.text


@pytest.mark.parametrize(
    ("options", "says"),
    [('health_path = "/garbage"', "did not answer within"), ('args = ["\\u0000"]', "its server did not start")],
)
def test_no_fault_of_a_server_ends_the_run(bench, options, says) -> None:
    command = json.dumps([sys.executable, str(PROGRAM), "{port}"])
    command = 'engine = "transformers"' if "args" in options else f"command = {command}"
    table = f'adapter = "serve"\nmodel = "a/good"\n{command}\n{options}\nhealth_seconds = 1\n'
    project(bench, f"[tool.vtcfaith.models.tiny]\n{table}")
    found = bench.run("--vtc-model=tiny", "-n0")
    assert "INTERNALERROR" not in found.text
    assert found.results["doc-0000-original"]["outcome"] == "infrastructure_error"
    assert says in found.results["doc-0000-original"]["reason"]
