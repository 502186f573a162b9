"""The noise floor: its size, and that no gate is judged below it."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from pytest_vtcfaith.gating.judge import GateSubject, judge_regression
from pytest_vtcfaith.gating.noisefloor import Noise, measure_noise, noise_floor
from pytest_vtcfaith.gating.thresholds import GateRule
from pytest_vtcfaith.suites.base import TierMetric, TierSummary, ratio

ACCURACY = TierMetric("accuracy", +1, lambda sums: ratio(sums["x"], sums["n"]))


def columns(values: object) -> dict[str, dict[str, float]]:
    return {f"d{i:04}": {"x": float(x), "n": 1.0} for i, x in enumerate(values)}  # type: ignore[arg-type]


def test_the_spread_is_that_of_the_documents_changes() -> None:
    first = np.full(50, 0.8)
    again = first + np.where(np.arange(50) % 5 == 0, 0.1, 0.0)
    found = measure_noise(ACCURACY, columns(first), columns(again))
    assert found is not None
    assert (found.documents, found.changed) == (50, 10)
    assert found.spread == pytest.approx(math.sqrt(0.1**2 / 5))
    assert noise_floor(found, 200, confidence=0.95) == pytest.approx(2.03 * found.spread / math.sqrt(200), rel=0.02)


def test_large_documents_weigh_more() -> None:
    first = {"a": {"x": 8.0, "n": 10.0}, "b": {"x": 80.0, "n": 100.0}}
    small = measure_noise(ACCURACY, first, first | {"a": {"x": 9.0, "n": 10.0}})
    large = measure_noise(ACCURACY, first, first | {"b": {"x": 90.0, "n": 100.0}})
    assert small is not None
    assert large is not None
    assert large.spread == pytest.approx(10 * small.spread)


def test_noise_alone_stays_under_the_floor_as_often_as_said() -> None:
    rng = np.random.default_rng(0)
    under = 0
    for _ in range(300):
        documents = rng.uniform(0.6, 0.9, size=100)
        runs = [documents + rng.normal(0, 0.02, size=100) for _ in range(3)]
        found = measure_noise(ACCURACY, columns(runs[0][:40]), columns(runs[1][:40]))
        assert found is not None
        under += abs(runs[2].mean() - runs[0].mean()) <= noise_floor(found, 100, confidence=0.95)
    assert 0.92 <= under / 300 <= 0.98


def test_what_never_changes_has_no_floor_and_one_change_alone_no_bound() -> None:
    same = measure_noise(ACCURACY, columns([0.5, 0.6]), columns([0.5, 0.6]))
    assert same == Noise(2, 0, 0.0)
    assert noise_floor(same, 10, confidence=0.95) == 0.0
    lone = measure_noise(ACCURACY, columns([0.5]), columns([0.6]))
    assert lone is not None
    assert noise_floor(lone, 10, confidence=0.95) == math.inf


@pytest.mark.parametrize(("first", "again"), [([], []), ([0.5], []), ([math.nan], [0.5])])
def test_nothing_asked_twice_is_no_measurement(first: list[float], again: list[float]) -> None:
    assert measure_noise(ACCURACY, columns(first), columns(again)) is None


@pytest.mark.parametrize(
    ("noise", "margin", "verdict"),
    [
        (Noise(50, 9, 0.1), 0.01, "not_measured"),
        (Noise(50, 9, 0.1), 0.05, "pass"),
        (Noise(50, 0, 0.0), 0.0, "pass"),
        (Noise(1, 1, 0.1), 0.5, "not_measured"),
        (None, 0.0, "pass"),
    ],
)
def test_a_margin_below_the_floor_is_not_judged(noise: Noise | None, margin: float, verdict: str) -> None:
    found = columns([0.8] * 100)
    subject = GateSubject("g", "m", TierSummary("suite/tier", found, 100, 100, 0))
    rule = GateRule(where="suite/*", metric="accuracy", max_regression=margin)
    judged = judge_regression(subject, ACCURACY, rule, found, noise=noise)
    assert judged.verdict == verdict
    json.dumps(judged.row(), allow_nan=False)
    if verdict == "not_measured":
        assert f"allowed {margin:g} is below the noise floor" in judged.message
        assert f"of {noise.documents} documents asked twice {noise.changed} changed" in judged.message  # type: ignore[union-attr]
