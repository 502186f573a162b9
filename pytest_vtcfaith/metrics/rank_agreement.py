"""Whether two ways of measuring rank the same models alike, as two OCR engines that read the same pictures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

FEWEST_MODELS = 3
"""With two models every rank correlation is 1 or −1."""


def rank_agreement(first: Mapping[str, float | None], second: Mapping[str, float | None]) -> float | None:
    """Spearman's ρ of the models that both ways have measured, in [−1, 1]: Pearson's correlation of their mean ranks.

    `first`, `second`: a score by model, of one metric; None where it was not measured. Returns None for fewer than
    three models in common, and where one way gives all of them the same rank: nothing agrees or disagrees then.
    Raises ValueError for a score that is no finite number. Source: VDE Bench G.1; definitions §5.
    """
    common = sorted(model for model in first if first[model] is not None and second.get(model) is not None)
    if len(common) < FEWEST_MODELS:
        return None
    ours, theirs = (mean_ranks([_score(scores, model) for model in common]) for scores in (first, second))
    middle = (len(common) + 1) / 2  # the mean of all ranks, with ties too
    squares = math.prod(sum((rank - middle) ** 2 for rank in ranks) for ranks in (ours, theirs))
    if not squares:
        return None
    products = sum((a - middle) * (b - middle) for a, b in zip(ours, theirs, strict=True))
    return max(-1.0, min(1.0, products / math.sqrt(squares)))


def mean_ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value, 1 for the smallest; equal values share the mean of the ranks that they take up."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) + 1) / 2 for value in values]


def _score(scores: Mapping[str, float | None], model: str) -> float:
    value = scores[model]
    if value is None or not math.isfinite(value):
        raise ValueError(f"the score of model {model!r} is {value!r}: give a finite number, or None for not measured")
    return value
