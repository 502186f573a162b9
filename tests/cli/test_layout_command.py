"""`vtcfaith layout`."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_vde import item, made_vde
from typer.testing import CliRunner

from pytest_vtcfaith.cli import app


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == code, result.output
    return result.output


def built(folder: Path, name: str, *items: dict[str, object], **how: object) -> None:
    made_vde(folder / name, *items, **how)  # type: ignore[arg-type]
    run("build", "vde", folder / name, "--out", folder / "cases" / f"{name}.jsonl")


def test_statistics_by_language(tmp_path: Path) -> None:
    """Computed by hand: areas 270, 3,600 and 2,000 of 20,000 pixels; kinds text twice, image once."""
    built(tmp_path, "read", item(1), item(2, language="chinese"))
    built(tmp_path, "unread", item(3), blocks=None)
    lines = [line.split() for line in run("layout", "--vtc-cases", tmp_path / "cases").split("\n")]
    assert ["note:", "1", "cases"] in [line[:3] for line in lines]
    head, *rows = lines[-5:-1]
    assert head == ["pages", "density", "complexity", "richness", "entropy", "text", "visual"]
    values = ["0.293", "2.000", "3.000", "0.918", "65.9%", "34.1%"]  # 5,870 ÷ 20,000; 3,870 ÷ 5,870
    assert rows == [["all", "2", *values], ["en", "1", *values], ["zh", "1", *values]]


@pytest.mark.parametrize(
    ("folder", "message"),
    [("nowhere", "there is no such folder"), ("cases", "no editing case whose page was read")],
)
def test_what_has_no_layout(tmp_path: Path, folder: str, message: str) -> None:
    built(tmp_path, "unread", item(3), blocks=None)
    assert message in " ".join(run("layout", "--vtc-cases", tmp_path / folder, code=2).split())
