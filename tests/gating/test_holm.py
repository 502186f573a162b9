"""Holm's correction against the step-down procedure written out, and scipy where it has the same family."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.gating.holm import holm


@pytest.mark.parametrize(
    ("p_values", "adjusted"),
    [
        ([], []),
        ([0.03], [0.03]),
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
        ([0.01, 0.02], [0.02, 0.02]),
        ([0.5, 0.6], [1.0, 1.0]),
        ([0.0, 1.0], [0.0, 1.0]),
        ([0.02, 0.02, 0.02], [0.06, 0.06, 0.06]),
    ],
)
def test_adjusted(p_values: list[float], adjusted: list[float]) -> None:
    assert holm(p_values) == pytest.approx(adjusted)


@given(st.lists(st.floats(0, 1), max_size=12), st.sampled_from([0.01, 0.025, 0.05, 0.2]))
def test_rejects_what_stepping_down_rejects(p_values: list[float], alpha: float) -> None:
    rejected: set[int] = set()
    for step, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        if (len(p_values) - step) * p_values[index] > alpha:
            break
        rejected.add(index)
    assert {i for i, p in enumerate(holm(p_values)) if p <= alpha} == rejected


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_never_smaller_never_over_bonferroni(p_values: list[float]) -> None:
    for p, adjusted in zip(p_values, holm(p_values), strict=True):
        assert p <= adjusted <= min(1.0, len(p_values) * p)
