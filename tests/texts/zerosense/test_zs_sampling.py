"""Generation: uniform draws, τ1 kept when probabilities are computed anew without a cache, errors that say where."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_vtcfaith.models.protocols import LanguageModel
from pytest_vtcfaith.texts import TextsError
from pytest_vtcfaith.texts.zerosense.sampling import attempt_seed, draw_index, generate_batch
from pytest_vtcfaith.texts.zerosense.vocabulary import token_ids

TOLERANCE = 1e-3  # relative: the cache changes the order of sums in float32


def test_seeds_are_those_of_the_hash() -> None:
    digest = hashlib.sha256(b"7:300:12").hexdigest()
    assert attempt_seed(7, 300, 12) == int(digest[:16], 16)


@given(size=st.integers(1, 100_000), seed=st.integers(0, 2**64 - 1))
def test_an_index_lies_in_range_and_does_not_depend_on_floats(size: int, seed: int) -> None:
    bits = random.Random(seed).getrandbits(64)
    assert draw_index(random.Random(seed), size) == bits * size // 2**64 < size


def test_indices_are_uniform() -> None:
    draw = random.Random(3)
    counts = Counter(draw_index(draw, 7) for _ in range(70_000))
    assert set(counts) == set(range(7))
    assert all(abs(count - 10_000) < 500 for count in counts.values())  # 5 standard deviations


@given(seed=st.integers(0, 2**32), length=st.integers(1, 24), batch=st.integers(1, 5), tau1=st.floats(1e-5, 1e-2))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_word_violates_tau1_when_recomputed_without_the_cache(
    generator: Any, words: tuple[str, ...], seed: int, length: int, batch: int, tau1: float
) -> None:
    """The oracle: the model itself over BOS and the words so far, one token at a time, softmax in float64."""
    import torch

    ids = np.array(token_ids(words, generator.tokenizer), dtype=np.int64)
    seeds = [attempt_seed(seed, length, number) for number in range(batch)]
    for drawn in generate_batch(generator, ids, length, seeds, tau1):
        assert len(drawn.words) == len(drawn.probabilities) == len(drawn.candidates) == length
        tokens = [generator.start]
        for place, stated, size in zip(drawn.words, drawn.probabilities, drawn.candidates, strict=True):
            with torch.inference_mode():
                logits = generator.model(torch.tensor([tokens]), use_cache=False).logits[0, -1]
            every = torch.softmax(logits.double(), dim=-1).numpy()
            assert every[ids[place]] < tau1 * (1 + TOLERANCE)
            assert stated == pytest.approx(every[ids[place]], rel=TOLERANCE)
            near = (every[ids] < tau1 * (1 - TOLERANCE)).sum(), (every[ids] < tau1 * (1 + TOLERANCE)).sum()
            assert near[0] <= size <= near[1]
            tokens.append(int(ids[place]))


class Told:
    """A model whose probabilities are told, by step; each candidate's is the same in every sequence."""

    name, revision, settings = "told", "0", {}
    tokenizer: Any = None

    def __init__(self, *steps: list[float]) -> None:
        self._steps = steps

    def next_probabilities(self, tokens: Any, candidates: Any, state: Any = None) -> Any:
        step = state or 0
        return np.array([self._steps[step]] * len(tokens)), step + 1

    def given_probabilities(self, tokens: Any) -> Any:
        raise NotImplementedError


def drawn(model: LanguageModel, seeds: list[int], length: int) -> Any:
    return generate_batch(model, np.array([5, 6, 7]), length, seeds, 1e-3)


def test_draws_are_uniform_over_the_candidate_set() -> None:
    found = Counter(one.words for one in drawn(Told([1e-3, 9e-4, 0.0]), list(range(4000)), 1))
    assert set(found) == {(1,), (2,)}
    assert abs(found[1,] - 2000) < 160  # 5 standard deviations


def test_probabilities_and_sizes_are_kept() -> None:
    (one,) = drawn(Told([1.0, 1e-9, 1.0], [0.0, 1.0, 1.0]), [1], 2)
    assert (one.words, one.probabilities, one.candidates) == ((1, 0), (1e-9, 0.0), (1, 1))


def test_an_empty_set_and_a_nan_name_model_step_and_tau() -> None:
    with pytest.raises(TextsError, match=r"'told', step 2 of 4, τ1 = 0.001: the candidate set is empty.*P = 0.002"):
        drawn(Told([0.0] * 3, [0.5, 0.002, 0.498]), [1], 4)
    with pytest.raises(TextsError, match=r"'told', step 1 of 4, τ1 = 0.001: a probability is NaN"):
        drawn(Told([0.0, float("nan"), 0.0]), [1], 4)


def test_progress_counts_words() -> None:
    told: list[int] = []
    generate_batch(Told([0.0] * 3, [0.0] * 3), np.array([5, 6, 7]), 2, [1, 2, 3], 1e-3, told.append)
    assert told == [3, 6]
