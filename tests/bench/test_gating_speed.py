"""Time of judging 20 tiers: each a threshold gate and a regression gate, with 2,000 draws, on one core.

Run it alone: `OMP_NUM_THREADS=1 pytest tests/bench/test_gating_speed.py -s -p no:randomly`. It prints seconds and fails
over the target.
"""

from __future__ import annotations

import gc
import time

import numpy as np
import pytest

from pytest_vtcfaith.gating.bootstrap import DRAWS, weights
from pytest_vtcfaith.gating.family import settle
from pytest_vtcfaith.gating.judge import GateSubject, judge_regression, judge_threshold
from pytest_vtcfaith.gating.thresholds import GateRule
from pytest_vtcfaith.suites import load_suite
from pytest_vtcfaith.suites.base import TierSummary

TIERS, CASES, TARGET = 20, 12_000, 5.0


@pytest.mark.parametrize(("documents", "alike"), [(600, True), (3_000, True), (3_000, False), (12_000, True)])
def test_judging(documents: int, alike: bool) -> None:
    """12,000 cases a tier, in so many documents; `alike`: all tiers have the same number of documents."""
    rng = np.random.default_rng(0)
    metric = load_suite("rewriting").metrics["rewrite_rate"]
    subjects = []
    for tier in range(TIERS):
        count = documents if alike else documents - tier
        words = rng.integers(8, 30, size=count) * (CASES // documents)
        old, new = (
            {
                f"d{i:05}": {
                    "perturbed": float(n),
                    "rewritten": float(x),
                    "verbatim": float(n - x),
                    "wrong": 0.0,
                    "leaked": 0.0,
                }
                for i, (n, x) in enumerate(zip(words, rng.binomial(words, 0.03), strict=True))
            }
            for _ in range(2)
        )
        subjects.append((GateSubject(f"g{tier}", "m", TierSummary(f"rewriting/t{tier}", new, CASES, CASES, 0)), old))
    rule = GateRule(where="rewriting/*", metric="rewrite_rate", max=0.05, max_regression=0.02)
    weights.cache_clear()
    gc.collect()
    started = time.process_time()
    verdicts = []
    for subject, before in subjects:
        verdicts.append(judge_threshold(subject, metric, rule))
        verdicts.append(judge_regression(subject, metric, rule, before))
    verdicts = settle(verdicts)
    seconds = time.process_time() - started
    print(f"\n{TIERS} tiers of {CASES} cases in {documents} documents, {DRAWS} draws: {seconds:.2f} s")
    assert {v.verdict for v in verdicts} <= {"pass", "inconclusive"}
    assert seconds < TARGET
