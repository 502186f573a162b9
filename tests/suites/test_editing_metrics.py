"""The metrics of editing tiers: names, bounds and directions."""

from __future__ import annotations

from math import inf

import pytest

from pytest_vtcfaith.suites import load_suite
from pytest_vtcfaith.suites.editing_metrics import METRICS, scope_metrics
from pytest_vtcfaith.suites.editing_scores import CEILINGS, NEURAL, PROPERTIES, SCOPES, TEXT_METRICS


def test_every_metric_of_the_paper_has_both_scopes_and_a_short_name() -> None:
    for name in (*TEXT_METRICS, "psnr", "ssim", *NEURAL):
        for end in ("", *(f"_{scope}" for scope in SCOPES)):
            assert f"{name}{end}" in METRICS
    for name in TEXT_METRICS:
        assert {f"{name}_{scope}_published" for scope in SCOPES} <= METRICS.keys()
    assert {"edit_fidelity", *PROPERTIES, *(f"ceiling_{name}" for name in CEILINGS)} <= METRICS.keys()
    assert len(scope_metrics("local")) == len({m.name for m in scope_metrics("local")})


@pytest.mark.parametrize(
    ("name", "low", "high", "better"),
    [
        ("edit_fidelity", -1.0, 1.0, 1),
        ("text_correctness", 0.0, 1.0, 1),
        ("preservation_outside", -1.0, 1.0, 1),
        ("ssim_local", -1.0, 1.0, 1),
        ("psnr_global", 0.0, inf, 1),
        ("psnr", 0.0, inf, 1),
        ("lpips_local", 0.0, inf, -1),
        ("clip", -1.0, 1.0, 1),
        ("spurious_local", 0.0, 1.0, -1),
        ("ceiling_cdm_local", 0.0, 1.0, 0),
        ("ceiling_edit_fidelity", -1.0, 1.0, 0),
        ("ceiling_preservation_outside", -1.0, 1.0, 0),
        ("edit_fidelity_second", -1.0, 1.0, 1),
        ("ceiling_edit_fidelity_second", -1.0, 1.0, 0),
        ("failure_rate", 0.0, 1.0, -1),
    ],
)
def test_bounds_and_directions(name: str, low: float, high: float, better: int) -> None:
    metric = METRICS[name]
    assert (metric.low, metric.high, metric.better) == (low, high, better)


def test_the_suite_s_case_metrics_are_metrics_of_tiers_too() -> None:
    suite = load_suite("editing")
    assert suite.primary in METRICS
    assert {name: METRICS[name].better for name in suite.case_metrics} == dict(suite.case_metrics)
