"""Generation against recomputing every prefix: words per second of both on a Llama as deep and wide as SmolLM2-135M.

Run it alone: `pytest tests/bench/test_generation.py -s -p no:randomly`. It prints the ratio and fails under the target.
Random weights do: speed does not depend on them. The model is SmolLM2-135M in shape, its vocabulary too.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

pytest.importorskip("transformers", reason="needs the extra torch")

from pytest_vtcfaith.models.language import loading
from pytest_vtcfaith.models.language.transformers import TransformersModel
from pytest_vtcfaith.texts.zerosense.sampling import generate_batch

TARGET = 10
LENGTH, BATCH, SAMPLED = 300, 16, 10


def model() -> TransformersModel:
    transformers, torch = loading._libraries(gguf=False)
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=49152,
        hidden_size=576,
        intermediate_size=1536,
        num_hidden_layers=30,
        num_attention_heads=9,
        num_key_value_heads=3,
        tie_word_embeddings=True,
    )
    network = transformers.LlamaForCausalLM(config).eval()
    cache = "cache" if "cache" in network.forward.__annotations__ else "past_key_values"
    tokenizer: Any = None
    return TransformersModel("random", "", network, tokenizer, 1, cache, {})


def test_generation_against_recomputing_every_prefix(benchmark: Any) -> None:
    import torch

    generator, candidates = model(), np.arange(1000, 16_500)
    started = time.perf_counter()
    drawn = benchmark.pedantic(generate_batch, args=(generator, candidates, LENGTH, list(range(BATCH)), 1.0), rounds=1)
    ours = BATCH * LENGTH / (time.perf_counter() - started)
    tokens = [generator.start, *candidates[list(drawn[0].words)].tolist()]
    prefixes = [round((step + 0.5) * LENGTH / SAMPLED) for step in range(SAMPLED)]
    started = time.perf_counter()
    with torch.inference_mode():
        for length in prefixes:  # evenly over all lengths, so that their mean is that of all
            generator.model(torch.tensor([tokens[:length]]), use_cache=False).logits[0, -1].double().softmax(-1)
    theirs = SAMPLED / (time.perf_counter() - started)
    ratio = ours / theirs
    benchmark.extra_info |= {"ratio": ratio, "words_per_second": ours, "recomputing_words_per_second": theirs}
    print(
        f"\n{LENGTH} words, batch {BATCH}: {ours:.1f} words/s, recomputing every prefix {theirs:.2f}, ratio {ratio:.1f}"
    )
    assert ratio >= TARGET
