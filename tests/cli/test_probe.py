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
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models" / "probe"))

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


@pytest.fixture(scope="module")
def unsuited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of checkpoints that cannot be probed, by name."""
    pytest.importorskip("torch", reason="the extra 'torch' is not installed")
    import tiny_square
    import tiny_vlm
    import transformers

    folder, tokenizer = tmp_path_factory.mktemp("unsuited"), tiny_vlm._tokenizer(2048)
    small = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    vocabulary = len(tokenizer)
    decoder = transformers.TrOCRConfig(
        vocab_size=vocabulary, d_model=16, decoder_layers=1, decoder_attention_heads=2, decoder_ffn_dim=16
    )
    encoder = transformers.ViTConfig(**small, image_size=32, patch_size=16)
    both = transformers.VisionEncoderDecoderConfig.from_encoder_decoder_configs(encoder, decoder)
    configurations = {
        "t5": transformers.T5Config(vocab_size=vocabulary, d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2),
        "text": transformers.LlamaConfig(vocab_size=vocabulary, **small),
        "encoder-decoder": both,
    }
    for name, configuration in configurations.items():
        configuration.save_pretrained(folder / name)
        tokenizer.save_pretrained(folder / name)
    for kind in tiny_square.KINDS:
        tiny_square.save_tiny_square(kind, folder / kind, marks=kind != "gemma3")
    broken = tiny_vlm.save_tiny_vlm("qwen3-vl", folder / "broken")
    (broken / "model.safetensors").write_bytes(b"no weights")
    lost = tiny_vlm.save_tiny_vlm("qwen3-vl", folder / "lost")
    (lost / "model.safetensors").unlink()
    return folder


@pytest.mark.parametrize("more", [[], ["--max-pixels", "90000"]])
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("t5", "t5: config.json: model_type = 't5' is none that reads pictures"),
        ("text", "text: config.json: model_type = 'llama' is none that reads pictures"),
        ("encoder-decoder", "encoder-decoder: its processor, TokenizersBackend, takes no pictures: save the processor"),
        ("gemma3", "gemma3: tokenizer_config.json lacks what the processor of Gemma3Config needs"),
        ("broken", "broken cannot be loaded: SafetensorError: "),
        ("lost", "model.safetensors"),
    ],
)
def test_a_checkpoint_that_cannot_be_probed_is_one_line(
    unsuited: Path, texts: Path, tmp_path: Path, name: str, said: str, more: list[str]
) -> None:
    result = run(unsuited / name, "--out", tmp_path / "p.json", "--texts", texts, *more, code=2)
    line = _error(result)
    assert said in line
    assert len(line) < 900
    assert line.count(str(unsuited / name)) == 1


def _error(result: Any) -> str:
    """The one line that says what is wrong; what transformers says of loading weights stands before it."""
    lines = [line for line in result.stderr.split("\n") if line.startswith("error: ")]
    assert len(lines) == 1
    assert result.stderr.endswith(f"{lines[0]}\n")
    assert "Traceback" not in result.stderr
    return str(lines[0])


@pytest.mark.parametrize(
    ("name", "pixels", "said"),
    [
        (
            "qwen3-vl",
            1,
            "error: --max-pixels 1: min_pixels of the model's Qwen2VLImageProcessorPil asks for max_pixels",
        ),
        ("llava", 60_000, "error: --max-pixels 60000: CLIPImageProcessorPil has no max_pixels; leave the option out"),
    ],
)
def test_a_limit_of_pixels_that_cannot_be_kept(
    checkpoint: Path, unsuited: Path, texts: Path, tmp_path: Path, name: str, pixels: int, said: str
) -> None:
    folder = checkpoint if name == "qwen3-vl" else unsuited / name
    result = run(folder, "--out", tmp_path / "p.json", "--texts", texts, "--max-pixels", pixels, code=2)
    assert _error(result).startswith(said)


def test_a_hub_name_that_cannot_be_reached(texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("transformers", reason="the extra 'torch' is not installed")
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    line = _error(run("no-such/model", "--out", tmp_path / "p.json", "--texts", texts, code=2))
    assert line.startswith("error: no-such/model cannot be loaded: ")
    assert line.endswith("; download it first (hf download no-such/model), or give a folder")


def test_a_model_whose_picture_is_a_square(unsuited: Path, texts: Path, tmp_path: Path) -> None:
    result = run(unsuited / "llava", "--out", tmp_path / "p.json", "--texts", texts, "--kind", "random", "--each", 6)
    results = json.loads((tmp_path / "p.json").read_text(encoding="utf-8"))
    shown = sum(page["condition"] == "original" for page in results["pages"])
    assert 0 < shown < 30
    assert f"note: {30 - shown} of 30 words left out, the picture processor crops them off the page" in result.stderr


def test_what_fails_to_be_written_at_the_end_costs_nothing_else(
    checkpoint: Path, texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder vanishes while the model reads: the tables are printed, and the other file is written."""
    from pytest_vtcfaith.models.probe import run as probing

    out, figure = tmp_path / "gone" / "p.json", tmp_path / "p.svg"
    probe = probing.probe

    def slow(*arguments: Any, **options: Any) -> Any:
        found = probe(*arguments, **options)
        (tmp_path / "gone").write_text("a file by now", encoding="utf-8")
        return found

    monkeypatch.setattr(probing, "probe", slow)
    options = ["--texts", texts, "--kind", "random", "--limit", 1, "--max-pixels", 90_000]
    result = run(checkpoint, "--out", out, "--figure", figure, *options, code=2)
    assert result.stdout.startswith("| layer | cosine random |")
    assert "polyline" in figure.read_text(encoding="utf-8")
    assert _error(result).startswith(f"error: {out}: it cannot be written (")


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
        (["--dtype", "fp16"], "error: --dtype 'fp16' must be one of auto, bfloat16"),
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
