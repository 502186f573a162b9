"""A small benchmark in a folder: manifest, test modules, thresholds and replay files, and what a run of it leaves."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_vtcfaith.texts.manifest import write_manifest

ROOT = Path(__file__).resolve().parents[2]
LEXICON = """
harbour notice mariners should request passage before approaching breakwater while dredger works between grain quay
customs steps yellow buoys flashing after dusk temporary ladders fenders fitted skippers reminded speed inside moles
"""
WORDS = LEXICON.split()
CONDITIONS = ("original", "scramble", "random")
PERTURBED = {
    "scramble": lambda word: word[0] + word[-2:0:-1] + word[-1],
    "random": lambda word: "".join(chr(ord("a") + (ord(c) - ord("a") + 7) % 26) for c in word),
}
THRESHOLDS = """
[[gate]]
where = "rewriting/*"
metric = "failure_rate"
max = 0.2

[[gate]]
where = "rewriting/*/scramble"
metric = "rewrite_rate"
max = 0.1

[[gate]]
where = "rewriting/*/random"
metric = "rewrite_rate"
max = 0.1

[[gate]]
where = "rewriting/*/original"
metric = "word_accuracy"
min = 0.9
max_regression = 0.02
"""


def document_text(number: int) -> str:
    """Thirty words, others in every document."""
    return " ".join(WORDS[(number * 7 + k * (number % 3 + 1)) % len(WORDS)] for k in range(29)) + f" {number}."


def manifest_rows(documents: int = 4, conditions: Iterable[str] = CONDITIONS) -> list[dict[str, Any]]:
    """Rows of `vtcfaith/rewriting`: words 2 and 9 are perturbed."""
    rows = []
    for number in range(documents):
        original = document_text(number)
        for condition in conditions:
            words = original.split()
            if condition != "original":
                for place in (2, 9):
                    words[place] = PERTURBED[condition](words[place])
            name = f"doc-{number:04d}"
            rows.append(
                {
                    "case": f"{name}-{condition}",
                    "document": name,
                    "lang": "en",
                    "condition": condition,
                    "original": original,
                    "text": " ".join(words),
                }
            )
    return rows


def write_rewriting(path: Path, rows: list[dict[str, Any]]) -> None:
    """Writes a rewriting manifest."""
    header = {"schema": "vtcfaith/rewriting", "version": 1, "seed": None, "generator": "tests", "licence": "Apache-2.0"}
    write_manifest(path, {**header, "rate": None, "visual_rate": None}, rows)


def without(*plugins: str) -> list[str]:
    """Options that leave installed plugins out: they cost time, and have tests of their own."""
    return [part for name in plugins for part in ("-p", f"no:{name}")]


@dataclass(frozen=True)
class Found:
    """What an inner run left: its exit status, output, and the files of the report folder."""

    status: int
    text: str
    folder: Path
    result: pytest.RunResult

    @property
    def gates(self) -> dict[str, dict[str, Any]]:
        """gates.json by gate, without the model in the name."""
        rows = json.loads((self.folder / "gates.json").read_text(encoding="utf-8"))
        return {row["gate"].removeprefix(f"{row['model']}-"): row for row in rows}

    @property
    def verdicts(self) -> dict[str, str]:
        """Verdict by gate."""
        return {name: row["verdict"] for name, row in self.gates.items()}

    @property
    def results(self) -> dict[str, dict[str, Any]]:
        """results.jsonl by case."""
        lines = (self.folder / "results.jsonl").read_text(encoding="utf-8").split("\n")
        return {row["case"]: row for row in map(json.loads, lines[:-1])}

    def counts(self, **expected: int) -> None:
        """Asserts the counts of outcomes in the last line."""
        self.result.assert_outcomes(**expected)


class Bench:
    """A project with a manifest under data/, test modules under cases/ and thresholds.toml."""

    def __init__(self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pytester = pytester
        self.path = pytester.path
        self.monkeypatch = monkeypatch
        self.thresholds(THRESHOLDS)
        (self.path / "data").mkdir()
        (self.path / "cases").mkdir()
        shutil.copy(ROOT / "benchmark_cases" / "test_rewriting.py", self.path / "cases")
        (self.path / "pytest.ini").write_text("[pytest]\ntestpaths = cases\n", encoding="utf-8")
        self.rows = manifest_rows()
        self.manifest(self.rows)

    def manifest(self, rows: list[dict[str, Any]], name: str = "rewriting-en.jsonl") -> None:
        """Writes the manifest."""
        self.rows = rows
        write_rewriting(self.path / "data" / name, rows)

    def thresholds(self, text: str) -> None:
        """Writes the thresholds file."""
        (self.path / "thresholds.toml").write_text(text, encoding="utf-8")

    def module(self, text: str, name: str = "test_own.py") -> Path:
        """Writes a test module beside the benchmark's own."""
        path = self.path / "cases" / name
        path.write_text(text, encoding="utf-8")
        return path

    def replay(
        self,
        answer: Callable[[Mapping[str, Any]], str | None] | str = "text",
        *,
        name: str = "answers",
        leave_out: Iterable[str] = (),
        change: Mapping[str, str] | None = None,
    ) -> str:
        """Writes a replay file from the rows and returns the option that names it.

        `answer` is a field of the row or a function of it; `change` gives other answers by case.
        """
        give = (lambda row: row[answer]) if isinstance(answer, str) else answer
        lines = []
        for row in self.rows:
            if row["case"] in leave_out:
                continue
            text = (change or {}).get(row["case"], give(row))
            lines.append(json.dumps({"case": row["case"], "text": text}) + "\n")
        (self.path / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
        return f"--vtc-model=replay:{name}.jsonl"

    def arguments(self, *arguments: str) -> list[str]:
        """What every run is given."""
        options = ("--vtc-cases=data", "--vtc-thresholds=thresholds.toml", "--vtc-report=out")
        return [*without("hypothesispytest", "benchmark", "anyio", "randomly", "rerunfailures"), *options, *arguments]

    def run(self, *arguments: str, fresh: bool = False, plain: bool = False) -> Found:
        """Runs pytest, in this process unless `fresh`; `plain` gives the arguments alone."""
        given = list(arguments) if plain else self.arguments(*arguments)
        if fresh:
            result = self.pytester.runpytest_subprocess(*given, timeout=100)
        else:
            result = self.pytester.runpytest_inprocess(*given)
        return Found(int(result.ret), result.stdout.str() + result.stderr.str(), self.path / "out", result)
