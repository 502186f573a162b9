"""The small project in which the blocks of the documentation run."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from blocks import ROOT
from made_vde import item

from pytest_vtcfaith.pages import render
from pytest_vtcfaith.pages.edits.pair import draw_pair
from pytest_vtcfaith.suites.base import Suite
from pytest_vtcfaith.suites.compression import SUITE as COMPRESSION
from pytest_vtcfaith.suites.preservation import SUITE as PRESERVATION
from pytest_vtcfaith.suites.rewriting import SUITE as REWRITING
from pytest_vtcfaith.texts.build import build_preservation, build_rewriting
from pytest_vtcfaith.texts.manifest import Manifest, read_manifest, write_manifest
from pytest_vtcfaith.texts.questions.build import build_questions

DATA = ROOT / "benchmark_cases" / "data"
MODELS = ("my-ocr", "my-model", "last-night")
REWRITTEN = ("rewriting-en", "rewriting-ko", "rewriting-zh")
DOCUMENTS = 2
WORDS = 30
READING = ("README.md", "index.md", "models.md", "reading-failures.md")
"""Pages whose blocks really read: from cases of one page with so many words, since reading takes the time."""
DRAWN = {
    "editing-en": ("case", "en-slide-drivers"),
    "reasoning-en": ("case", "rendering-full-1-night-ferry-64", "facts-animal-class-3", "mathematics-1-bus-1"),
    "compression-en": ("document", "q-chart-01"),
}
PRESERVED = {
    "preservation-en": ("natural", "shuffle-100"),
    "preservation-zerosense-en": ("zerosense", "natural-at-zerosense"),
    "preservation-zerosense-1e-4-en": ("zerosense-1e-4",),
    "preservation-zerosense-1e-3-en": ("zerosense-1e-3",),
}


def make_project(folder: Path) -> None:
    """A folder as a user has it, small: the benchmark with a few documents, texts, pictures, models that answer at once
    (everything they are asked is read from a file of right answers), and the programs.
    """
    shutil.copytree(ROOT / "benchmark_cases", folder / "benchmark_cases", ignore=shutil.ignore_patterns("data"))
    _write_bundled(folder / "bundled")
    texts = sorted((DATA / "texts" / "en").glob("0[1-2]*.txt"))
    for name in ("mydocs", "letters"):
        (folder / name).mkdir()
        for path in texts:
            first = " ".join(path.read_text(encoding="utf-8").split()[:WORDS])
            (folder / name / f"own-{path.name}").write_text(first + "\n", encoding="utf-8")
    shutil.copy(texts[0], folder / "page.txt")
    render(texts[0].read_text(encoding="utf-8")).image.save(folder / "page.png")
    _write_short(folder / "short")
    bundled = [row for suite in (REWRITING, PRESERVATION) for row in _right_answers(suite, folder / "bundled")]
    short = _right_answers(REWRITING, folder / "short")
    _write_lines(folder / "answers.jsonl", [*bundled, *short, *_answers_to_own(folder / "mydocs")])
    tables = "".join(
        f'[tool.vtcfaith.models.{name}]\nadapter = "replay"\nmodel = "answers.jsonl"\n\n' for name in MODELS
    )
    (folder / "pyproject.toml").write_text(
        f'[tool.pytest.ini_options]\ntestpaths = ["benchmark_cases"]\n\n[tool.vtcfaith]\ncases = "bundled"\n\n{tables}',
        encoding="utf-8",
    )
    _write_programs(folder / "bin")


def furnish(page: str, folder: Path) -> None:
    """What only this page's blocks find in the project: data as published, tiny models, shorter pages."""
    if page in READING:
        settings = folder / "pyproject.toml"
        told = settings.read_text(encoding="utf-8")
        settings.write_text(told.replace('cases = "bundled"', 'cases = "short"'), encoding="utf-8")
    if page == "cases.md":
        _write_vde(folder)
    elif page == "compression.md":
        _write_answers_to_questions(folder)
        _write_published_answers(folder / "Data")
    elif page == "models.md":
        (folder / "checkpoint").mkdir()
        (folder / "checkpoint" / "config.json").write_text('{"model_type": "qwen3_vl"}', encoding="utf-8")
    elif page == "probe.md":
        program = [sys.executable, str(ROOT / "tests" / "models" / "tiny_vlm.py"), "qwen3-vl"]
        subprocess.run([*program, str(folder / "checkpoint")], check=True, capture_output=True)
    elif page == "zerosense.md":
        program = [sys.executable, str(ROOT / "tests" / "texts" / "zerosense" / "tiny_language.py")]
        subprocess.run([*program, str(folder / "models")], check=True, capture_output=True)


def _write_bundled(folder: Path) -> None:
    folder.mkdir()
    shutil.copy(ROOT / "benchmark_cases" / "thresholds.toml", folder)
    for name in REWRITTEN:
        manifest = read_manifest(DATA / f"{name}.jsonl")
        kept = list(dict.fromkeys(row["document"] for _, row in manifest.rows))[:DOCUMENTS]
        _write_part(folder, manifest, [row for _, row in manifest.rows if row["document"] in kept])
    for name, (field, *wanted) in DRAWN.items():
        manifest = read_manifest(DATA / f"{name}.jsonl")
        _write_part(folder, manifest, [row for _, row in manifest.rows if row[field] in wanted])
    for name, sources in PRESERVED.items():
        manifest = read_manifest(DATA / f"{name}.jsonl")
        rows = [row for _, row in manifest.rows if row["source"] in sources]
        asked = [f"*{source}" for source in sources if source not in ("natural", "natural-at-zerosense")]
        few = {"layouts": ["glyph"], "ratios": [5.0], "on_request": asked}
        _write_part(folder, manifest, [row for row in rows if row["document"] == rows[0]["document"]], **few)


def _write_short(folder: Path) -> None:
    """Cases of one document of `WORDS` words."""
    text = (DATA / "texts" / "en" / "02-lab-protocol.txt").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as made:
        (Path(made) / "short.txt").write_text(" ".join(text.split()[:WORDS]) + "\n", encoding="utf-8")
        draft = build_rewriting(Path(made), "en", licence="Apache-2.0")
    folder.mkdir()
    write_manifest(folder / "rewriting-en.jsonl", draft.header, draft.rows)


def _write_part(folder: Path, manifest: Manifest, rows: list[dict[str, Any]], **header: Any) -> None:
    assert rows, manifest.path
    kept = {name: value for name, value in manifest.header.items() if name != "sha256"}
    write_manifest(folder / manifest.path.name, kept | header, rows)


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


def _write_answers_to_questions(folder: Path) -> None:
    """Answers to what `vtcfaith build questions --factor 2` asks: right at full size, else every other."""
    with tempfile.TemporaryDirectory() as made:
        draft = build_questions(factors=(2,))
        write_manifest(Path(made) / "questions.jsonl", draft.header, draft.rows)
        answers = _right_answers(COMPRESSION, Path(made))
    for row in answers[::2]:
        if not row["case"].endswith("-full"):
            row["text"] = "I cannot read it."
    _write_lines(folder / "answers.jsonl", answers)


def _write_published_answers(folder: Path) -> None:
    """Three questions as VTC-Bench publishes replies to them; at 2x and more one is wrong."""
    for budget in (1, 2, 3, 4):
        place = folder / "Qwen2-VL" / "Downsample" / str(budget)
        place.mkdir(parents=True)
        replies = ("red", "red" if budget == 1 else "blue", "red")
        _write_lines(
            place / "20250101_samples_gqa.jsonl",
            (
                {
                    "doc_id": number,
                    "doc": {"id": str(number), "question": f"Which colour is thing {number}?", "answer": "red"},
                    "filtered_resps": [reply],
                }
                for number, reply in enumerate(replies)
            ),
        )


def _write_vde(folder: Path) -> None:
    """An edit drawn here as VDE Bench would publish it, and the model `my-editor`, whose answer is the reference."""
    manifest = read_manifest(DATA / "editing-en.jsonl")
    (row,) = (row for _, row in manifest.rows if row["case"] == "en-slide-hill")
    pair = draw_pair(row)
    entry = item(7, instruction=row["instruction"], label_output=row["boxes"])
    for field, picture in (("image_input", pair.source), ("image_output", pair.reference)):
        path = folder / "VDE-Bench" / entry[field]
        path.parent.mkdir(parents=True)
        picture.save(path)
    _write_lines(folder / "VDE-Bench" / "items.jsonl", [entry])
    shutil.copy(folder / "VDE-Bench" / entry["image_output"], folder / "edited.png")
    _write_lines(folder / "edits.jsonl", [{"case": "vde-7", "text": "", "picture": "edited.png", "task": "edit"}])
    with (folder / "pyproject.toml").open("a", encoding="utf-8") as file:
        file.write('[tool.vtcfaith.models.my-editor]\nadapter = "replay"\nmodel = "edits.jsonl"\n')


def _write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _write_programs(folder: Path) -> None:
    folder.mkdir()
    python = shlex.quote(sys.executable)
    # What costs time and has tests of its own is left out: other plugins, worker processes (the last -n counts)
    plugins = " ".join(f"-p {name}" for name in ("pytest_vtcfaith.plugin", "syrupy", "xdist"))
    # The wheel's copy of the benchmark is not in a checkout: its tests are those of the folder
    program = f"PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 {python} -m pytest {plugins}"
    installed = f'pytest() {{ {program} "$@" $BLOCK_OPTIONS -n0; }}\n'
    server = shlex.quote(str(Path(__file__).parent / "page_server.py"))
    programs = {
        "pytest": f'{installed}if [ "$1" = --pyargs ]; then shift 2; fi\npytest "$@"',
        "vtcfaith": f'exec {python} -m pytest_vtcfaith.cli "$@"',
        "python": f'exec {python} "$@"',
        "pip": "exit 0",
        "vllm": f'exec {python} {server} "$@"',
    }
    for name, line in programs.items():
        path = folder / name
        path.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        path.chmod(0o755)
