"""`vtcfaith probe` on a tiny model with random weights."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pytest_vtcfaith.cli import app

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))

TEXT = "The harbour wall was mended in the spring, and the old pier stood open again by the first week of May."


def run(*arguments: object, code: int = 0) -> Any:
    result = CliRunner().invoke(app, ["probe", *map(str, arguments)])
    assert result.exit_code == code, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch", reason="the extra 'torch' is not installed")
    import tiny_vlm
    import torch

    torch.set_num_threads(1)
    return tiny_vlm.save_tiny_vlm("qwen3-vl", tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    folder = tmp_path / "texts"
    folder.mkdir()
    for name in "abcde":
        (folder / f"{name}.txt").write_text(TEXT, encoding="utf-8")
    return folder


def test_results_figure_and_tables(checkpoint: Path, texts: Path, tmp_path: Path) -> None:
    out, figure = tmp_path / "new" / "probe.json", tmp_path / "probe.svg"
    options = ["--texts", texts, "--kind", "scramble", "--limit", 4, "--device", "cpu", "--max-pixels", 90_000]
    result = run(checkpoint, "--out", out, "--figure", figure, *options)
    results = json.loads(out.read_text(encoding="utf-8"))
    assert len(results["layers"]) == 2
    assert [page["condition"] for page in results["pages"]] == ["original", "scramble"] * 4
    assert len(results["quartiles"]["scramble"]) == 4
    about = results["provenance"]
    assert about["model"]["options"]["attention"] == about["settings"]["attention"] == "eager"
    assert about["model"]["revision"]
    assert list(about["texts"]) == ["a", "b", "c", "d"]
    assert (about["seed"], about["kinds"], about["lang"]) == (0, ["scramble"], "en")
    assert {"python", "torch", "transformers", "pillow"} <= set(about["versions"])
    assert result.stdout.startswith("| layer | cosine scramble | attention scramble |\n|---|---|---|\n| 0 | ")
    assert "| Q4 | 1 | " in result.stdout
    assert "polyline" in figure.read_text(encoding="utf-8")
    assert sorted(path.name for path in out.parent.iterdir()) == ["probe.json"], "no draft is left"
    again = tmp_path / "again.json"
    run(checkpoint, "--out", again, *options)
    assert again.read_bytes() == out.read_bytes()


def test_help_teaches() -> None:
    text = " ".join(run("--help").stdout.split())
    for part in ("cosine", "attention", "quartile", "vtcfaith probe ./checkpoint --out", "published faithc4"):
        assert part in text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--kind", "typo"], "--kind 'typo' is unknown: choose from scramble, random, visual"),
        (["--lang", "zh", "--kind", "scramble"], "--kind scramble is not defined for zh"),
        (["--lang", "fr"], "lang 'fr' is unknown"),
        (["--figure", "probe.png"], "--figure probe.png: the figure is an SVG"),
        (["--texts", "no-such-folder"], "no-such-folder: there is no such folder"),
        (["--layout", "a4"], "unknown layout 'a4'"),
        (["--dtype", "fp16"], "dtype = 'fp16' must be one of auto, bfloat16"),
        ([], "no folder './no-such-model'"),
    ],
)
def test_what_a_user_can_mend_is_one_line(options: list[str], said: str, tmp_path: Path) -> None:
    result = run("./no-such-model", "--out", tmp_path / "p.json", *options, code=2)
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "p.json").exists()


def test_texts_without_a_word_to_perturb(checkpoint: Path, tmp_path: Path) -> None:
    folder = tmp_path / "short"
    folder.mkdir()
    (folder / "a.txt").write_text("We go up.", encoding="utf-8")
    result = run(checkpoint, "--out", tmp_path / "p.json", "--texts", folder, code=2)
    assert "no word of these 1 texts has a form of every kind" in result.stderr


def test_a_page_beyond_the_context_is_named(checkpoint: Path, texts: Path, tmp_path: Path) -> None:
    result = run(checkpoint, "--out", tmp_path / "p.json", "--texts", texts, "--layout", "omni", code=2)
    assert "the model's context is 2048" in result.stderr
    assert not (tmp_path / "p.json").exists()
