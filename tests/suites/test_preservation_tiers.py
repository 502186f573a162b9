"""Finer tiers of the preservation suite, and the gap between document sets that share nothing."""

from __future__ import annotations

from dataclasses import replace
from statistics import mean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_cases import PRESERVATION, bare_score, preservation_case

from pytest_vtcfaith.gating.statistics import interval
from pytest_vtcfaith.suites.base import value
from pytest_vtcfaith.suites.case import CaseScore

HEAD = "preservation/glyph/5x"


def scored(
    document: str, accuracy: float, source: str = "zerosense", *, bucket: str = "200-400", outcome: str = "complete"
) -> CaseScore:
    case = preservation_case(document, source, n_text=300 if bucket == "200-400" else 700)
    case = replace(case, parts=(f"{case.tier}/{bucket}",))
    metrics = {"word_accuracy": accuracy, "pixels_per_character": 100.0, "compression_ratio": 5.1}
    return bare_score(case, outcome, metrics)


def tier_value(metric: str, scores: list[CaseScore], tier: str) -> float | None:
    return value(PRESERVATION.metrics[metric], PRESERVATION.summarise(tier, scores).columns)


SCORES = [
    scored("a", 0.5),
    scored("b", 0.3, bucket="600-800"),
    scored("c", 0.0, bucket="600-800", outcome="empty"),
    scored("a", 0.9, "natural-at-zerosense"),
    scored("b", 0.7, "natural-at-zerosense", bucket="600-800"),
    scored("n", 1.0, "natural"),
    scored("o", 0.8, "natural", bucket="600-800"),
]


@pytest.mark.parametrize(
    ("tier", "metric", "expected"),
    [
        ("zerosense", "word_accuracy", (0.5 + 0.3 + 0.0) / 3),
        ("zerosense/200-400", "word_accuracy", 0.5),
        ("zerosense/600-800", "A_M", 0.15),
        ("zerosense/600-800", "failure_rate", 0.5),
        ("zerosense/400-600", "word_accuracy", None),
        ("zerosense", "prior_gap", (0.4 + 0.4) / 2),
        ("zerosense/600-800", "prior_gap", 0.4),
        ("zerosense", "gap_at_ratio", 0.9 - 0.8 / 3),
        ("zerosense/200-400", "gap_at_ratio", 0.5),
        ("zerosense/600-800", "gap_at_ratio", 0.8 - 0.15),
        ("zerosense/600-800", "compression_ratio", 5.1),
        ("natural/600-800", "gap_at_ratio", None),
    ],
)
def test_a_finer_tier_is_the_tier_of_its_cases(tier: str, metric: str, expected: float | None) -> None:
    found = tier_value(metric, SCORES, f"{HEAD}/{tier}")
    assert found == (None if expected is None else pytest.approx(expected))


def test_counts_of_a_finer_tier() -> None:
    summary = PRESERVATION.summarise(f"{HEAD}/zerosense/600-800", SCORES)
    assert (summary.expected, summary.measured, dict(summary.failures)) == (2, 2, {"empty": 1})


@pytest.mark.parametrize(
    ("tier", "metric", "other"),
    [
        ("zerosense/600-800", "prior_gap", "natural-at-zerosense/600-800"),
        ("zerosense/600-800", "gap_at_ratio", "natural/600-800"),
        ("zerosense-ko/600-800", "gap_at_ratio", "natural-ko/600-800"),
        ("zerosense/600-800", "A", None),
        ("natural/600-800", "prior_gap", None),
        ("natural-at-zerosense/600-800", "prior_gap", None),
    ],
)
def test_needs(tier: str, metric: str, other: str | None) -> None:
    expected = {f"{HEAD}/{tier}"} | ({f"{HEAD}/{other}"} if other else set())
    assert PRESERVATION.needs(f"{HEAD}/{tier}", metric, ()) == expected


share = st.floats(0, 1)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(share, share), min_size=1, max_size=8))
def test_paired_sets_give_the_mean_of_the_differences(pairs: list[tuple[float, float]]) -> None:
    scores = []
    for n, (own, natural) in enumerate(pairs):
        scores += [scored(f"d{n}", own), scored(f"d{n}", natural, "natural")]
    found = tier_value("gap_at_ratio", scores, f"{HEAD}/zerosense")
    assert found == pytest.approx(mean(natural - own for own, natural in pairs), abs=1e-12)


def test_the_gap_of_unpaired_sets_has_the_spread_of_both() -> None:
    """Against a bootstrap of both means, each over its own documents."""
    made = np.random.default_rng(5)
    own, natural = made.uniform(0.2, 0.6, 40), made.uniform(0.7, 1.0, 25)
    scores = [scored(f"z{n}", float(x)) for n, x in enumerate(own)]
    scores += [scored(f"n{n}", float(x), "natural") for n, x in enumerate(natural)]
    columns = PRESERVATION.summarise(f"{HEAD}/zerosense", scores).columns
    metric = PRESERVATION.metrics["gap_at_ratio"]
    assert value(metric, columns) == pytest.approx(natural.mean() - own.mean())
    draws = [made.choice(natural, 25).mean() - made.choice(own, 40).mean() for _ in range(4000)]
    low, high = np.percentile(draws, [2.5, 97.5])
    found = interval(metric, columns, confidence=0.95, seed=0)
    assert found.low == pytest.approx(low, abs=0.015)
    assert found.high == pytest.approx(high, abs=0.015)
    # natural documents take no part in the tier's own means
    alone = PRESERVATION.summarise(f"{HEAD}/zerosense", scores[:40]).columns
    for name in ("word_accuracy", "failure_rate"):
        own_metric = PRESERVATION.metrics[name]
        assert interval(own_metric, columns, confidence=0.95, seed=0) == interval(
            own_metric, alone, confidence=0.95, seed=0
        )
