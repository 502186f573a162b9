"""The cases that a failing gate names."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from pytest_vtcfaith.gating.thresholds import GateRule
from pytest_vtcfaith.gating.worst import worst_cases
from pytest_vtcfaith.suites.case import Case, CaseScore


def score(name: str, value: float | None, outcome: str = "complete", tier: str = "s/t") -> CaseScore:
    case = Case(name, "s", tier, name, "en", "", Path("m.jsonl"), 1, parts=(f"{tier}/fine",))
    return CaseScore(case, "m", outcome, {} if value is None else {"x": value})


SCORES = [
    score("b", 0.5),
    score("a", 0.5),
    score("c", 0.123456),
    score("d", 0.7),
    score("e", 0.8 - 1e-12),
    score("f", 1.0),
    score("g", None),
    score("h", 0.0, "refused"),
    score("i", 0.0, "infrastructure_error"),
    score("j", 0.0, ""),
    score("k", 0.0, tier="s/u"),
]


@pytest.mark.parametrize(
    ("tier", "bounds", "right"),
    [
        ("s/t", {"min": 0.8}, "h 0, c 0.1235, a 0.5"),
        ("s/t/fine", {"min": 0.8}, "h 0, c 0.1235, a 0.5"),
        ("s/t", {"min": 0.05}, "h 0"),
        ("s/t", {"min": 0.0}, ""),
        ("s/t", {"max": 0.65}, "f 1, e 0.8, d 0.7"),
        ("s/t", {"max": 1.0}, ""),
        ("s/t", {"min": 0.1, "max": 0.75}, "f 1, h 0, e 0.8"),
        ("s/u", {"min": 0.8}, "k 0"),
        ("s/v", {"min": 0.8}, ""),
    ],
)
def test_the_farthest_beyond_the_bound_come_first(tier: str, bounds: dict[str, Any], right: str) -> None:
    shuffled = random.Random(0).sample(SCORES, len(SCORES))
    rule = GateRule(where="s/*", metric="x", **bounds)
    assert worst_cases(tier, SCORES, rule) == worst_cases(tier, shuffled, rule) == right
