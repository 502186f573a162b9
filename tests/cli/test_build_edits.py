from __future__ import annotations

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from pytest_vtcfaith.cli.edits import edits
from pytest_vtcfaith.suites.editing_cases import editing_cases

APP = typer.Typer()
APP.command()(edits)


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(APP, list(map(str, arguments)))
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


def test_it_writes_a_manifest_that_the_suite_reads(tmp_path: Path) -> None:
    out = tmp_path / "cases" / "editing-en.jsonl"
    assert "32 rows of 4 documents" in run("--lang", "en", "--out", out)
    assert len(editing_cases(out.parent)) == 32
    assert "unchanged" in run("--lang", "en", "--out", out)


def test_another_seed_gives_another_look_and_needs_force(tmp_path: Path) -> None:
    out = tmp_path / "editing-zh.jsonl"
    run("--lang", "zh", "--out", out)
    first = out.read_bytes()
    assert "give --force to replace it" in run("--lang", "zh", "--seed", 5, "--out", out, code=2)
    assert out.read_bytes() == first
    run("--lang", "zh", "--seed", 5, "--out", out, "--force")
    assert out.read_bytes() != first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--lang", "ko", "--out", "editing.jsonl"), "lang 'ko' is unknown"),
        (("--lang", "en", "--out", "."), "a folder"),
    ],
)
def test_what_a_user_can_mend(arguments: tuple[str, ...], message: str) -> None:
    assert message in run(*arguments, code=2)
