"""Every command and code block of README.md and docs/ does what it says (`blocks` has the convention)."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from blocks import LANGUAGES, PAGES, ROOT, Block, blocks, commands
from made_project import furnish, make_project
from workflows import Script, scripts

from pytest_vtcfaith.cli import app
from pytest_vtcfaith.gating.thresholds import load_thresholds
from pytest_vtcfaith.models.registry import resolve

BLOCKS = {path.name: blocks(path) for path in PAGES}
each_page = pytest.mark.parametrize("page", sorted(BLOCKS))
NOT_RUN = {("ci.md", "a GPU, and the weights of Qwen3-VL-4B-Instruct")}
"""Page and reason of every block that is only parsed."""
SERVER = "http://localhost:8000"
_VARIABLE = re.compile(r"\$\{?\w+\}?")


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documentation") / "project"
    folder.mkdir()
    make_project(folder)
    return folder


@pytest.fixture
def project(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(template, tmp_path / "project"))


@each_page
def test_blocks_have_a_known_language(page: str) -> None:
    for block in BLOCKS[page]:
        assert block.language in LANGUAGES, f"{page}:{block.line}: {block.language!r}: give one of {LANGUAGES}"


def test_what_is_not_run_is_listed_here() -> None:
    assert {(block.page, block.reason) for each in BLOCKS.values() for block in each if block.reason} == NOT_RUN


def test_what_is_run_elsewhere_is_run_there() -> None:
    found = [block for each in BLOCKS.values() for block in each if block.elsewhere]
    assert found
    for block in found:
        lines = (ROOT / block.elsewhere).read_text(encoding="utf-8").split("\n")
        assert all(line in lines for line in block.text.split("\n")), f"{block.page}:{block.line}"


@each_page
def test_commands_are_known_to_the_parsers(page: str, pytestconfig: pytest.Config) -> None:
    for block in BLOCKS[page]:
        for command in _commands(block):
            _check_command(command, f"{page}:{block.line}", pytestconfig)


@each_page
def test_files_can_be_read(page: str, project: Path) -> None:
    for block in BLOCKS[page]:
        if block.language == "toml":
            _check_toml(block, project)
        elif block.language == "yaml":
            assert yaml.safe_load(block.text), f"{page}:{block.line}"
        elif block.language == "json":
            assert json.loads(block.text), f"{page}:{block.line}"
        elif block.language == "python":
            compile(block.text, f"{page}:{block.line}", "exec")


@each_page
def test_a_page_does_what_it_says(page: str, project: Path) -> None:
    """All its blocks in their order, in one project."""
    furnish(page, project)
    for block in BLOCKS[page]:
        if block.reason or block.elsewhere:
            continue
        if block.language == "yaml":
            for script in scripts(yaml.safe_load(block.text)):
                _run(["bash", "-euo", "pipefail", "-c", script.text], block, project, script)
        elif block.file is not None:
            _write(project / block.file, block)
        elif block.language == "sh":
            with _served(block.text) as text:
                _run(["bash", "-euo", "pipefail", "-c", text], block, project)
        elif block.language == "python":
            script = project / f"example_{block.line}.py"
            script.write_text(block.text + "\n", encoding="utf-8")
            _run([sys.executable, script.name], block, project)


@each_page
def test_commands_find_the_installed_benchmark(page: str) -> None:
    """Beside a user's conftest.py there are no benchmark cases: the package has them. README.md is about a checkout."""
    for block in BLOCKS[page] if page != "README.md" else ():
        for words in _commands(block) if block.language in ("sh", "yaml") else ():
            chosen = [word for word in words if word.startswith("--vtc-")]
            if "pytest" in words and chosen and words != ["pytest", *block.options.split()]:
                assert words[words.index("pytest") + 1 :][:2] == ["--pyargs", "pytest_vtcfaith.benchmark_cases"], (
                    f"{page}:{block.line}: {' '.join(words)}"
                )


def _commands(block: Block) -> list[list[str]]:
    if block.language == "sh":
        found = [block.text]
    elif block.language == "yaml":
        found = [script.text for script in scripts(yaml.safe_load(block.text))]
    else:
        found = []
    more = [f"pytest {block.options}"] if block.options else []
    return [command for script in (*found, *more) for command in commands(_VARIABLE.sub("1", script))]


def _check_command(words: list[str], where: str, pytestconfig: pytest.Config) -> None:
    while words and re.fullmatch(r"\w+=.*|do", words[0]):
        words = words[1:]
    program, arguments = Path(words[0]).name if words else "", words[1:]
    if program.startswith("python") and arguments[:1] == ["-m"]:
        program, arguments = arguments[1], arguments[2:]
    if program == "pytest":
        parser: Any = pytestconfig._parser
        _, unknown = parser.parse_known_and_unknown_args(arguments)
        assert not [word for word in unknown if word.startswith("-")], f"{where}: pytest knows no {unknown}"
    elif program == "vtcfaith":
        command: Any = typer.main.get_command(app)
        context = command.make_context("vtcfaith", list(arguments), resilient_parsing=True)
        rest = list(arguments)
        while hasattr(command, "commands") and rest:
            name, command, rest = command.resolve_command(context, rest)
            assert command is not None, f"{where}: vtcfaith has no {name}"
            if "--help" in rest:
                return
            context = command.make_context(
                name, list(rest), parent=context, resilient_parsing=hasattr(command, "commands")
            )
    elif program == "pip" and arguments[:1] == ["install"]:
        extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
            "optional-dependencies"
        ]
        for named in re.findall(r"pytest-vtcfaith\[([\w,-]+)\]|^\.\[([\w,-]+)\]", " ".join(arguments)):
            for extra in "".join(named).split(","):
                assert extra in extras, f"{where}: there is no extra {extra!r}"


def _check_toml(block: Block, project: Path) -> None:
    data = tomllib.loads(block.text)
    where = f"{block.page}:{block.line}"
    if "gate" in data or "floor" in data:
        file = project / "checked.toml"
        file.write_text(block.text, encoding="utf-8")
        load_thresholds(file)
    tables = data.get("tool", {}).get("vtcfaith", {}).get("models", {})
    for name, table in tables.items():
        identifier = table.get("model", table.get("file"))
        if table["adapter"] in ("diffusers", "transformers", "vllm", "serve") and not (project / identifier).exists():
            (project / identifier).mkdir(parents=True)
            (project / identifier / "config.json").write_text('{"model_type": "qwen3_vl"}', encoding="utf-8")
            index = '{"_class_name": "QwenImageEditPipeline"}'
            (project / identifier / "model_index.json").write_text(index, encoding="utf-8")
        if table["adapter"] == "replay":
            of = {"model": table["model"]} if "file" in table else {}
            row = {"case": "en-a-original", "text": "What it answered.", **of}
            (project / table.get("file", identifier)).write_text(json.dumps(row) + "\n", encoding="utf-8")
        before = Path.cwd()
        os.chdir(project)
        try:
            resolve(name, tables)
        except ValueError as error:
            pytest.fail(f"{where}: {error}")
        finally:
            os.chdir(before)


def _write(path: Path, block: Block) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.name == "pyproject.toml" and path.exists():  # what a user adds to their own
        path.write_text(path.read_text(encoding="utf-8") + "\n" + block.text + "\n", encoding="utf-8")
        tomllib.loads(path.read_text(encoding="utf-8"))
        return
    path.write_text(block.text + "\n", encoding="utf-8")


@contextmanager
def _served(text: str) -> Iterator[str]:
    """The text with the address of a server that was started for it, if it names one."""
    if SERVER not in text:
        yield text
        return
    program = [sys.executable, str(Path(__file__).parent / "page_server.py")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(program, env=environment, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield text.replace(SERVER, f"http://localhost:{int(server.stdout.readline())}")
        finally:
            server.kill()


def _run(command: list[str], block: Block, project: Path, script: Script | None = None) -> None:
    environment = {
        **os.environ,
        "PATH": f"{project / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": f"{project}{os.pathsep}{ROOT}",
        "PYTHONIOENCODING": "utf-8",
        "OMP_NUM_THREADS": "1",
        "COLUMNS": "120",
        "BLOCK_OPTIONS": block.options,
        **(script.variables if script else {}),
    }
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_ACTIONS", "PYTEST_ADDOPTS"):
        environment.pop(name, None)
    done = subprocess.run(
        command,
        cwd=project,
        env=environment,
        input="y\n",
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    told = f"{block.page}:{block.line} ended with {done.returncode}\n{script.text if script else block.text}\n"
    told += f"{done.stdout[-4000:]}{done.stderr[-4000:]}"
    assert done.returncode == block.status, told
