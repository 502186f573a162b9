"""Probability-constrained generation: words that the generator does not expect (ZeroSense Eq. 9)."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_vtcfaith.texts.errors import TextsError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pytest_vtcfaith.models.protocols import LanguageModel


@dataclass(frozen=True, slots=True)
class Drawn:
    """A sequence: the places of its words in V_valid, their probabilities, the sizes of the sets drawn from."""

    words: tuple[int, ...]
    probabilities: tuple[float, ...]
    candidates: tuple[int, ...]


def attempt_seed(seed: int, length: int, attempt: int) -> int:
    """The seed of one attempt at one length: 64 bits of the SHA-256 of `seed:length:attempt`."""
    return int.from_bytes(hashlib.sha256(f"{seed}:{length}:{attempt}".encode()).digest()[:8], "big")


def draw_index(draw: random.Random, size: int) -> int:
    """A number from 0 to `size` - 1, uniform to 2⁻⁶⁴ × `size`, by integers alone."""
    return (draw.getrandbits(64) * size) >> 64


def generate_batch(
    generator: LanguageModel,
    candidates: NDArray[np.int64],
    length: int,
    seeds: Sequence[int],
    tau1: float,
    step_done: Callable[[int], None] = lambda words: None,
) -> list[Drawn]:
    """One sequence of `length` words a seed: each word uniform from {w in V_valid : P_G(w | w_<t) < τ1} (Eq. 9).

    `candidates` are the generator's tokens of V_valid, whose places are returned; all sequences run in one batch.
    `step_done` is told the words drawn so far. Raises TextsError naming model, step (from 1) and τ1 when a probability
    is NaN or no word is improbable enough.
    """
    import numpy as np

    draws = [random.Random(seed) for seed in seeds]
    words = np.zeros((len(seeds), length), dtype=np.int64)
    probabilities = np.zeros((len(seeds), length))
    sizes = np.zeros((len(seeds), length), dtype=np.int64)
    new, state = np.zeros((len(seeds), 0), dtype=np.int64), None
    for step in range(length):
        known, state = generator.next_probabilities(new, candidates, state)
        where = f"model {generator.name!r}, step {step + 1} of {length}, τ1 = {tau1:g}"
        if np.isnan(known).any():
            raise TextsError(f"{where}: a probability is NaN: use dtype float32, or mend the weights")
        for row, draw in enumerate(draws):
            improbable = np.flatnonzero(known[row] < tau1)
            if not len(improbable):
                least = known[row].min()
                raise TextsError(
                    f"{where}: the candidate set is empty, the least probable of {len(candidates)} words has "
                    f"P = {least:.3g}: give a larger τ1 or more words"
                )
            chosen = int(improbable[draw_index(draw, len(improbable))])
            words[row, step], probabilities[row, step], sizes[row, step] = chosen, known[row, chosen], len(improbable)
        new = candidates[words[:, step : step + 1]]
        step_done((step + 1) * len(seeds))
    return [
        Drawn(tuple(words[row].tolist()), tuple(probabilities[row].tolist()), tuple(sizes[row].tolist()))
        for row in range(len(seeds))
    ]
