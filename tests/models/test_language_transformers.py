"""Causal language models of transformers against one plain forward pass without a cache."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("transformers", reason="needs the extra torch")
sys.path.insert(0, str(Path(__file__).parents[1] / "texts" / "zerosense"))

from pytest_vtcfaith.models.language import load_language_model, load_tokenizer, loading
from pytest_vtcfaith.models.protocols import LanguageModel, Tokenizer
from pytest_vtcfaith.texts import TextsError


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    loading._libraries(gguf=False)
    from tiny_language import byte_level, save_model

    return save_model(tmp_path_factory.mktemp("model"), byte_level(), seed=5)


@pytest.fixture(scope="module")
def model(folder: Path) -> Any:
    return load_language_model(str(folder), threads=1)


@pytest.fixture
def tokens(model: Any) -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).integers(3, model.model.config.vocab_size, (3, 40))


def plain(model: Any, row: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The oracle: the distribution before every token, softmax in float64 over one pass without a cache."""
    import torch

    with torch.inference_mode():
        logits = model.model(torch.tensor([[model.start, *row.tolist()]]), use_cache=False).logits[0]
    result: np.ndarray[Any, Any] = torch.softmax(logits.double(), -1).numpy()
    return result


def test_it_is_what_the_protocol_asks(model: Any) -> None:
    assert isinstance(model, LanguageModel)
    assert isinstance(model.tokenizer, Tokenizer)
    assert len(model.revision) == 64
    assert {"dtype", "threads", "device", "torch", "transformers"} == set(model.settings)


def test_given_probabilities(model: Any, tokens: np.ndarray[Any, Any]) -> None:
    found = model.given_probabilities(tokens)
    assert found.dtype == np.float64
    for row, given in zip(tokens, found, strict=True):
        expected = plain(model, row)[range(len(row)), row]
        assert given == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("positions", [1, 7, 40, 1000])
def test_passes_of_any_size_give_the_same(
    model: Any, tokens: np.ndarray[Any, Any], positions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pytest_vtcfaith.models.language import transformers as adapter

    monkeypatch.setattr(adapter, "_POSITIONS", 3 * positions)
    monkeypatch.setattr(adapter, "_ROWS", 5)
    assert model.given_probabilities(tokens)[1] == pytest.approx(
        plain(model, tokens[1])[range(40), tokens[1]], rel=1e-3
    )


@pytest.mark.parametrize("steps", [(0, 1, 1, 1), (3, 2, 5), (0, 40)])
def test_next_probabilities_with_a_state(model: Any, tokens: np.ndarray[Any, Any], steps: tuple[int, ...]) -> None:
    candidates = np.array([400, 5, 300])
    state, held = None, 0
    for step in steps:
        found, state = model.next_probabilities(tokens[:, held : held + step], candidates, state)
        held += step
        assert found.shape == (3, 3)
        for row, given in zip(tokens, found, strict=True):
            assert given == pytest.approx(plain(model, row[:held])[-1][candidates], rel=1e-3)


def test_probabilities_are_over_the_whole_vocabulary(model: Any) -> None:
    every = np.arange(model.model.config.vocab_size)
    found, _ = model.next_probabilities(np.zeros((1, 0), dtype=np.int64), every)
    assert found.sum() == pytest.approx(1, rel=1e-12)
    assert 0 < found.min() < 1e-6  # not rounded to float32 anywhere near


def test_text_begins_with_bos_else_with_the_end_of_text(model: Any, tmp_path: Path) -> None:
    from tiny_language import byte_level, save_model

    library = byte_level()
    assert model.start == library.token_to_id("<s>")
    without = load_language_model(str(save_model(tmp_path, library, seed=5, bos=False)), threads=1)
    assert without.start == library.token_to_id("</s>")  # type: ignore[attr-defined]


def test_the_revision_follows_the_weights(model: Any, folder: Path, tmp_path: Path) -> None:
    from tiny_language import byte_level, save_model

    same = load_language_model(str(save_model(tmp_path / "same", byte_level(), seed=5)), threads=1)
    other = load_language_model(str(save_model(tmp_path / "other", byte_level(), seed=6)), threads=1)
    assert same.revision == model.revision != other.revision


def test_a_sequence_over_the_context(model: Any) -> None:
    with pytest.raises(TextsError, match="reads 128 tokens, no sequence is longer: ask for fewer words"):
        model.given_probabilities(np.full((1, 129), 5))


def test_the_tokenizer_alone(model: Any, folder: Path) -> None:
    tokenizer = load_tokenizer(str(folder))
    assert tokenizer.pieces() == model.tokenizer.pieces()
    assert tokenizer.encode("to apple") == model.tokenizer.encode("to apple")


def test_what_cannot_be_loaded(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(TextsError, match="no weights"):
        load_language_model(str(tmp_path))
    (tmp_path / "model.safetensors").write_bytes(b"torn")
    with pytest.raises(TextsError, match="cannot be loaded"):
        load_language_model(str(tmp_path))
    with pytest.raises(TextsError, match="dtype 'float8' is unknown: choose one of float32"):
        load_language_model(str(folder), dtype="float8")


def test_half_precision_still_gives_float64(folder: Path, tokens: np.ndarray[Any, Any]) -> None:
    model = load_language_model(str(folder), dtype="bfloat16", threads=1)
    found = model.given_probabilities(tokens)
    assert found.dtype == np.float64
    assert model.settings["dtype"] == "bfloat16"
    assert np.isfinite(found).all()
