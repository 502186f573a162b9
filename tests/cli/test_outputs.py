"""What a command is to write is tried before its work: nothing is read, asked or drawn for what cannot be written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pytest_vtcfaith.cli import app
from pytest_vtcfaith.cli.outputs import check_files, check_folder
from pytest_vtcfaith.texts.errors import TextsError

NOWHERE = "no-such-input"
"""Named as input everywhere: a command that worked first would complain of it."""
COMMANDS = {
    "probe": ["probe", f"./{NOWHERE}", "--texts", NOWHERE, "--out"],
    "probe, figure": ["probe", f"./{NOWHERE}", "--texts", NOWHERE, "--out", "p.json", "--figure"],
    "build rewriting": ["build", "rewriting", "--texts", NOWHERE, "--out"],
    "build preservation": ["build", "preservation", "--texts", NOWHERE, "--out"],
    "build edits": ["build", "edits", "--lang", "fr", "--out"],
    "build vde": ["build", "vde", NOWHERE, "--out"],
    "build questions": ["build", "questions", "--dataset", "gqa", "--items", NOWHERE, "--out"],
    "build tasks": ["build", "tasks", "--texts", NOWHERE, "--out"],
    "build zerosense": ["build", "zerosense", "--generator", NOWHERE, "--count", "1", "--out"],
    "record": ["record", "--vtc-report", NOWHERE, "--out"],
    "report": ["report", NOWHERE, "--out"],
    "gate": ["gate", NOWHERE, "--vtc-report"],
    "groups freeze": ["groups", "freeze", NOWHERE, "--out"],
    "groups replay": [
        "groups", "replay", NOWHERE, "--model", "m", "--method", "Downsample", "--budget", "1", "--vtc-cases", NOWHERE,
        "--out",
    ],
}  # fmt: skip


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "afile").write_text("x", encoding="utf-8")
    return tmp_path


def run(arguments: list[str]) -> Any:
    result = CliRunner().invoke(app, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.mark.parametrize("place", ["/proc/x/y.svg", "afile/z.svg"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_place_that_cannot_be_written_ends_it_at_once(command: str, place: str, here: Path) -> None:
    result = run([*COMMANDS[command], place])
    option = COMMANDS[command][-1]
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith(f"error: {option} {place}: it cannot be written (")
    assert result.stderr.count("\n") == 1
    assert [path.name for path in here.iterdir()] == ["afile"]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_place_that_can_be_written_is_left_as_it_was(command: str, here: Path) -> None:
    """The command then ends because of its input, and of the folder that was tried nothing stays."""
    result = run([*COMMANDS[command], "new/folder/z.svg"])
    assert result.exit_code == 2, result.output
    assert "cannot be written" not in result.stderr
    assert [path.name for path in here.iterdir()] == ["afile"]


@pytest.mark.parametrize("figure", ["o/s.svg", "o/../o/s.svg", "link.svg"])
def test_two_options_for_one_file(figure: str, here: Path) -> None:
    (here / "link.svg").symlink_to("o/s.svg")
    result = run(["probe", f"./{NOWHERE}", "--out", "o/s.svg", "--figure", figure])
    assert result.stderr == f"error: --figure {figure}: --out writes the same file: name another\n"


def test_what_is_there_stays(here: Path) -> None:
    (here / "old.json").write_text("old", encoding="utf-8")
    check_files({"--out": here / "old.json", "--figure": None, "--more": here / "a" / "b" / "new.json"})
    check_folder("--report", here)
    check_folder("--report", here / "new" / "er")
    assert sorted(path.name for path in here.iterdir()) == ["afile", "old.json"]
    assert (here / "old.json").read_text(encoding="utf-8") == "old"


def test_the_option_is_named(here: Path) -> None:
    with pytest.raises(TextsError, match=r"^--out .*: it is a folder: choose another file to write$"):
        check_files({"--out": here})
    with pytest.raises(TextsError, match=r"^--report afile: is a file: name a folder$"):
        check_folder("--report", Path("afile"))
    with pytest.raises(TextsError, match=r"^--out .*: it cannot be written \(.*File name too long"):
        check_files({"--out": here / ("x" * 300)})
