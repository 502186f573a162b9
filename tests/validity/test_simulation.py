"""The simulation in small, and that it judges as the gates do; in full: `python tests/validity/simulation.py`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

import simulation as sim

from pytest_vtcfaith.gating.family import settle
from pytest_vtcfaith.gating.judge import GateSubject, judge_regression
from pytest_vtcfaith.gating.thresholds import GateRule
from pytest_vtcfaith.suites.base import TierMetric, TierSummary, ratio

RUNS = 60
ACCURACY = TierMetric("accuracy", +1, lambda sums: ratio(sums["x"], sums["n"]))
OCR, RARE, SOME, OFTEN = sim.WORLDS


def columns(scores: sim.Array) -> dict[str, dict[str, float]]:
    return {f"d{i:04}": {"x": float(x), "n": float(sim.PAGES)} for i, x in enumerate(scores)}


@pytest.mark.parametrize("drop", [0.0, 0.06, 0.09])
def test_the_simulation_judges_as_the_gates_do(drop: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_vtcfaith.gating.judge.seed_of", lambda seed: seed)  # the draws of the simulation
    tiers = sim.Tier(SOME, 60, sim.TIERS, np.random.default_rng(1))
    before, now = tiers.run(), tiers.run(drop=drop)
    margins = np.full(sim.TIERS, 0.02)
    found = sim.judge(before, now, margins)
    failed, unsure = sim.verdicts(found, margins, sim.TIERS)
    expected = ["fail" if f else "inconclusive" if u else "pass" for f, u in zip(failed[0], unsure[0], strict=True)]
    rule = GateRule(where="s/*", metric="accuracy", max_regression=0.02)
    run = [
        judge_regression(
            GateSubject(f"g{i}", "m", TierSummary("s/t", columns(now[:, i]), 60, 60, 0)),
            ACCURACY,
            rule,
            columns(before[:, i]),
        )
        for i in range(sim.TIERS)
    ]
    settled = settle(run)
    assert [v.verdict for v in settled] == expected
    printed = [v.regression.quiet_margin for v in settled if v.regression is not None]
    assert printed == pytest.approx(sim.quiet(found, 60).tolist())
    if drop > 0.08:
        assert "fail" in expected


@pytest.mark.parametrize(("world", "documents"), [(OCR, 100), (RARE, 100), (SOME, 300), (OFTEN, 100), (OFTEN, 300)])
def test_runs_without_change_are_green_at_the_printed_margin(world: sim.World, documents: int) -> None:
    found = sim.red_at_quiet_margin(world, documents, RUNS, 1)
    assert found["red"] <= 8  # 3 are allowed; more than 8 in 60 has probability 0.3 % at 5 %
    assert found["failed"] <= 4


def test_at_fewer_documents_runs_are_not_green() -> None:
    """The test above can fail: at the bundled margin 50 documents are far too few."""
    found = sim.red_at_margin(SOME, 50, 0.03, RUNS, 2)
    assert found["red"] > 50
    assert found["failed"] <= 6
    assert found["needed"] > 300


@pytest.mark.parametrize(("world", "documents"), [(OCR, 100), (SOME, 300), (OFTEN, 100), (OFTEN, 300)])
def test_the_printed_loss_is_seen_with_the_printed_power(world: sim.World, documents: int) -> None:
    found = sim.power(world, documents, 0.02, 300, 3, whole=False)
    assert found["caught"] / 300 >= 0.8 - 3 * 0.023


@pytest.mark.parametrize(("world", "documents"), [(OFTEN, 30), (OFTEN, 300), (SOME, 300)])
def test_coverage(world: sim.World, documents: int) -> None:
    for paired, method in ((False, "bca"), (True, "percentile")):
        held = sim.coverage(world, documents, 500, 4, paired=paired, method=method)["held"] / 500  # type: ignore[arg-type]
        assert 0.93 - 3 * 0.0105 <= held <= 0.97 + 3 * 0.0105
