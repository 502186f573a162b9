"""The metrics of a rewriting tier as formulas over pooled sums (definitions §4)."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

from pytest_vtcfaith.suites.base import FAILURE_METRICS, TierMetric, ratio

LENGTHS = ("4", "5", "6", "7", "8-9", "10+")
"""Word lengths in characters, as in FaithC4 Table 10."""


def length_bucket(length: int) -> str:
    """The bucket of a perturbed word of `length` characters; shorter than 4 counts with 4 (a Chinese tail)."""
    if length <= 7:
        return str(max(4, length))
    return "8-9" if length <= 9 else "10+"


def _rate(above: str, below: str) -> Any:
    return lambda sums: ratio(sums[above], sums[below])


def _rewrite_share(sums: Mapping[str, Any]) -> Any:
    """Rewritten ÷ perturbed words that are not verbatim (FaithC4 Table 5); 0 when all are verbatim."""
    changed = sums["perturbed"] - sums["verbatim"]
    if isinstance(changed, float):
        return sums["rewritten"] / changed if changed else (0.0 if sums["perturbed"] else float("nan"))
    import numpy as np

    share = np.divide(sums["rewritten"], changed, out=np.zeros_like(changed, dtype=float), where=changed != 0)
    return np.where(sums["perturbed"] > 0, share, np.nan)


def _delta(edits: str, size: str, sign: float = 1.0) -> Any:
    """Tier minus original in percentage points, edits pooled ÷ pooled reference length."""
    return lambda sums: (
        100.0 * sign * (ratio(sums[edits], sums[size]) - ratio(sums[f"original_{edits}"], sums[f"original_{size}"]))
    )


def _amplification(sums: Mapping[str, Any]) -> Any:
    """((e₁+½)/(n₁+1)) ÷ ((e₀+½)/(n₀+1)): errors on unperturbed words against errors on all words in `original`."""
    before = sums["original_reference_words"] - sums["original_word_matches"]
    now = (sums["other_errors"] + 0.5) / (sums["other_words"] + 1.0)
    return now / ((before + 0.5) / (sums["original_reference_words"] + 1.0))


METRICS: Mapping[str, TierMetric] = {
    m.name: m
    for m in (
        TierMetric("rewrite_rate", -1, _rate("rewritten", "perturbed")),
        TierMetric("rewrite_share", -1, _rewrite_share),
        TierMetric("verbatim_rate", +1, _rate("verbatim", "perturbed")),
        TierMetric("close_rate", 0, _rate("close", "perturbed")),
        TierMetric("moderate_rate", 0, _rate("moderate", "perturbed")),
        TierMetric("missing_rate", -1, _rate("missing", "perturbed")),
        TierMetric("wrong_rate", -1, _rate("wrong", "perturbed")),
        TierMetric("leaked_rate", -1, _rate("leaked", "perturbed")),
        *(
            TierMetric(f"rewrite_rate@{bucket}", -1, _rate(f"rewritten@{bucket}", f"perturbed@{bucket}"))
            for bucket in LENGTHS
        ),
        TierMetric("word_accuracy", +1, _rate("word_matches", "reference_words")),
        TierMetric("char_accuracy", +1, lambda sums: 1.0 - ratio(sums["char_edits"], sums["char_longest"])),
        TierMetric("wer", -1, _rate("word_edits", "reference_words"), high=inf),
        TierMetric("cer", -1, _rate("char_edits", "reference_chars"), high=inf),
        TierMetric("delta_wer", -1, _delta("word_edits", "reference_words"), -inf, inf),
        TierMetric("delta_cer", -1, _delta("char_edits", "reference_chars"), -inf, inf),
        TierMetric("delta_eds", +1, _delta("char_edits", "char_longest", -1.0), -inf, inf),
        TierMetric("error_amplification", -1, _amplification, 0.0, inf),
        *FAILURE_METRICS,
        TierMetric("length_ratio", 0, _rate("hypothesis_chars", "reference_chars"), 0.0, inf),
    )
}
