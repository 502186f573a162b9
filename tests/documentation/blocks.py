"""The code blocks of the documentation, and the small project in which they run.

The convention: every ```sh and ```python block of README.md and docs/*.md is executed, in order, all blocks of a page
in one project of its own. A block whose first line is a comment with a file name (`# conftest.py`) is written there
instead. What stands on the line above a block, unseen by readers, changes that:

    <!-- exit 1 -->           the block must end with this status
    <!-- not run: REASON -->  it needs what this machine lacks, or minutes; its commands are still parsed

Blocks of TOML, YAML and JSON must be readable, and what is known of them right; blocks without a language are output.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_vtcfaith.pages import render
from pytest_vtcfaith.suites.base import Suite
from pytest_vtcfaith.suites.preservation import SUITE as PRESERVATION
from pytest_vtcfaith.suites.rewriting import SUITE as REWRITING
from pytest_vtcfaith.texts.build import build_preservation, build_rewriting
from pytest_vtcfaith.texts.manifest import read_manifest, write_manifest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LANGUAGES = ("sh", "python", "toml", "yaml", "json", "")
MANIFESTS = ("rewriting-*.jsonl",)
MODELS = ("my-ocr", "my-model", "last-night")
DOCUMENTS = 2

_FENCE = re.compile(r"^(\s*)```(\S*)\s*$")
_MARKER = re.compile(r"^<!-- (?:exit (?P<status>\d+)|not run: (?P<reason>\S.+)) -->$")
_FILE = re.compile(r"# ([\w./-]+\.(?:py|toml|yml|yaml))$")
_BETWEEN = {"&&", "||", ";", "|", "&"}


@dataclass(frozen=True)
class Block:
    """A fenced block: its page and line, language, text, the status it must end with, why it is not run, its file."""

    page: str
    line: int
    language: str
    text: str
    status: int = 0
    reason: str = ""

    @property
    def file(self) -> str | None:
        """The file that the block is, where its first line names one."""
        found = _FILE.match(self.text.split("\n", 1)[0])
        return found[1] if found else None


def blocks(path: Path) -> list[Block]:
    """All fenced blocks of a page in their order."""
    lines = path.read_text(encoding="utf-8").split("\n")
    found: list[Block] = []
    start, language, indent = 0, "", ""
    for number, line in enumerate(lines, 1):
        fence = _FENCE.match(line)
        if fence and not start:
            start, language, indent = number, fence[2], fence[1]
        elif fence and start:
            marker = _MARKER.match(lines[start - 2].strip()) if start > 1 else None
            text = "\n".join(each.removeprefix(indent) for each in lines[start : number - 1])
            status = int(marker["status"] or 0) if marker else 0
            found.append(Block(path.name, start, language, text, status, (marker["reason"] or "") if marker else ""))
            start = 0
    assert not start, f"{path.name}:{start}: the block does not end"
    return found


def commands(script: str) -> Iterator[list[str]]:
    """The commands of a shell script as words, redirections left away."""
    for line in script.replace("\\\n", " ").split("\n"):
        words = shlex.shlex(line, posix=True, punctuation_chars=True)
        words.whitespace_split = True
        words.commenters = ""
        command: list[str] = []
        skip = False
        for word in words:
            if word.startswith("#"):
                break
            if word in _BETWEEN:
                yield command
                command = []
            elif set(word) <= set("<>"):
                skip = True
            elif skip:
                skip = False
            else:
                command.append(word)
        if command:
            yield command


def make_project(folder: Path) -> None:
    """A folder as a user has it, small: the benchmark with a few documents, texts, pictures, models that answer at once
    (everything they are asked is read from a file of right answers), and the programs.
    """
    shutil.copytree(ROOT / "benchmark_cases", folder / "benchmark_cases", ignore=shutil.ignore_patterns("data"))
    (folder / "bundled").mkdir()
    for pattern in MANIFESTS:
        for path in sorted((ROOT / "benchmark_cases" / "data").glob(pattern)):
            _write_small(path, folder / "bundled" / path.name)
    shutil.copy(ROOT / "benchmark_cases" / "thresholds.toml", folder / "bundled")
    texts = sorted((ROOT / "benchmark_cases" / "data" / "texts" / "en").glob("0[1-2]*.txt"))
    for name in ("mydocs", "letters"):
        (folder / name).mkdir()
        for path in texts:
            first = path.read_text(encoding="utf-8").split("\n")[0]
            (folder / name / f"own-{path.name}").write_text(first + "\n", encoding="utf-8")
    shutil.copy(texts[0], folder / "page.txt")
    render(texts[0].read_text(encoding="utf-8")).image.save(folder / "page.png")
    answers = [*_right_answers(REWRITING, folder / "bundled"), *_answers_to_own(folder / "mydocs")]
    (folder / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in answers), encoding="utf-8")
    tables = "".join(
        f'[tool.vtcfaith.models.{name}]\nadapter = "replay"\nmodel = "answers.jsonl"\n\n' for name in MODELS
    )
    (folder / "pyproject.toml").write_text(
        f'[tool.pytest.ini_options]\ntestpaths = ["benchmark_cases"]\n\n[tool.vtcfaith]\ncases = "bundled"\n\n{tables}',
        encoding="utf-8",
    )
    _write_programs(folder / "bin")


def _right_answers(suite: Suite, folder: Path) -> list[dict[str, str]]:
    return [{"case": case.id, "text": case.reference} for case in suite.cases(folder)]


def _answers_to_own(texts: Path) -> list[dict[str, str]]:
    """The right answers to all cases that `vtcfaith build` makes of the texts."""
    with tempfile.TemporaryDirectory() as made:
        for name, draft in (
            ("rewriting", build_rewriting(texts, "en", licence="Apache-2.0")),
            ("preservation", build_preservation(texts, "en", licence="Apache-2.0")),
        ):
            write_manifest(Path(made) / f"{name}.jsonl", draft.header, draft.rows)
        return [row for suite in (REWRITING, PRESERVATION) for row in _right_answers(suite, Path(made))]


def _write_small(source: Path, target: Path) -> None:
    manifest = read_manifest(source)
    documents = list(dict.fromkeys(row["document"] for _, row in manifest.rows))
    kept = documents[:DOCUMENTS]
    rows = [row for _, row in manifest.rows if row["document"] in kept]
    write_manifest(target, {k: v for k, v in manifest.header.items() if k != "sha256"}, rows)


def _write_programs(folder: Path) -> None:
    folder.mkdir()
    python = shlex.quote(sys.executable)
    # Worker processes cost time and have tests of their own: the last -n counts
    plugins = " ".join(f"-p no:{name}" for name in ("randomly", "benchmark", "rerunfailures", "anyio"))
    # The wheel's copy of the benchmark is not in a checkout: its tests are those of the folder
    installed = f'pytest() {{ {python} -m pytest {plugins} "$@" -n0; }}\n'
    programs = {
        "pytest": f'{installed}if [ "$1" = --pyargs ]; then shift 2; fi\npytest "$@"',
        "vtcfaith": f'exec {python} -m pytest_vtcfaith.cli "$@"',
        "python": f'exec {python} "$@"',
        "pip": "exit 0",
    }
    for name, line in programs.items():
        path = folder / name
        path.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        path.chmod(0o755)
