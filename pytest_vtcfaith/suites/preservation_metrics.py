"""The metrics of a preservation tier as formulas over sums (definitions §3)."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

from pytest_vtcfaith.suites.base import FAILURE_METRICS, TierMetric, ratio

BUCKETS = ("200-400", "400-600", "600-800", "800-1000")
"""Text lengths in tokens, as in ZeroSense Table 3; a shorter or longer text counts in no bucket."""


def token_bucket(n_text: int) -> str | None:
    """The length bucket of a text of `n_text` tokens: lower end inclusive, 1000 in the last; None outside 200–1000."""
    if not 200 <= n_text <= 1000:
        return None
    return BUCKETS[min(3, (n_text - 200) // 200)]


def _mean(name: str, cases: str = "cases") -> Any:
    return lambda sums: ratio(sums[name], sums[cases])


def _prior_gap(sums: Mapping[str, Any]) -> Any:
    """A(natural) − A(this source) over the documents that have both, drawn equally large."""
    return ratio(sums["matched_accuracy"] - sums["matched_own"], sums["matched_pairs"])


def _gap_at_ratio(sums: Mapping[str, Any]) -> Any:
    """A(natural) − A(this source), each over its own documents: equal to the paired difference where all have both."""
    return ratio(sums["natural_accuracy"], sums["natural_cases"]) - ratio(sums["own_accuracy"], sums["own_cases"])


METRICS: Mapping[str, TierMetric] = {
    m.name: m
    for m in (
        TierMetric("word_accuracy", +1, _mean("word_accuracy")),
        TierMetric("A_M", +1, _mean("word_accuracy")),
        TierMetric("A", +1, _mean("word_accuracy")),
        TierMetric("word_precision", +1, _mean("word_precision")),
        TierMetric("word_recall", +1, _mean("word_recall")),
        TierMetric("word_f1", +1, _mean("word_f1")),
        TierMetric("char_accuracy", +1, _mean("char_accuracy")),
        TierMetric("prior_gap", -1, _prior_gap, -1.0, 1.0),
        TierMetric("gap_at_ratio", -1, _gap_at_ratio, -1.0, 1.0),
        TierMetric("compression_ratio", 0, _mean("compression_ratio"), 0.0, inf),
        TierMetric("pixels_per_character", 0, _mean("pixels_per_character"), 0.0, inf),
        *FAILURE_METRICS,
        TierMetric("length_ratio", 0, _mean("hypothesis_chars", "reference_chars"), 0.0, inf),
        *(
            TierMetric(f"word_accuracy@{bucket}", +1, _mean(f"word_accuracy@{bucket}", f"cases@{bucket}"))
            for bucket in BUCKETS
        ),
    )
}
