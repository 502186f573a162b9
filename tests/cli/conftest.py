"""The fixture `project`: a copy of a project with runs that were made once for all tests here."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from made_runs import make_project
from typer.testing import CliRunner

from pytest_vtcfaith.cli import app

Vtcfaith = Callable[..., tuple[int, str]]


@pytest.fixture(scope="session")
def made_project(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, int]]:
    """The project and its runs' exit statuses."""
    folder = tmp_path_factory.mktemp("project") / "made"
    return folder, make_project(folder)


@pytest.fixture
def project(made_project: tuple[Path, dict[str, int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the project, as the current folder."""
    folder = tmp_path / "project"
    shutil.copytree(made_project[0], folder, ignore=shutil.ignore_patterns("pages", "__pycache__", ".pytest_cache"))
    monkeypatch.chdir(folder)
    for name in ("CI", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def vtcfaith() -> Vtcfaith:
    """Runs the command line in this process: exit status and what it printed."""

    def run(*arguments: str | os.PathLike[str], given: str = "") -> tuple[int, str]:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=given)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result.exit_code, result.output

    return run
