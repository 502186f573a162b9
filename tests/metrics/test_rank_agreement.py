"""Rank agreement of models (`metrics/rank_agreement.py`); scipy is the oracle."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pytest_vtcfaith.metrics.rank_agreement import mean_ranks, rank_agreement

SCORES = st.one_of(st.integers(0, 4).map(lambda n: n / 4), st.floats(-1e6, 1e6))


def named(values: list[float | None]) -> dict[str, float | None]:
    return {f"model-{number:02}": value for number, value in enumerate(values)}


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([0.1, 0.5, 0.9], [1, 2, 3], 1.0),
        ([0.1, 0.5, 0.9], [3, 2, 1], -1.0),
        # seven models of which the third and fourth change places: 1 - 6·2 / (7·48)
        ([7, 6, 5, 4, 3, 2, 1], [7, 6, 4, 5, 3, 2, 1], 27 / 28),
        ([0.1, 0.5, 0.5], [1, 2, 3], math.sqrt(0.75)),
        ([0.1, 0.5], [1, 2], None),
        ([], [], None),
        ([0.5, 0.5, 0.5], [1, 2, 3], None),
        ([1, 2, 3], [0.5, 0.5, 0.5], None),
        ([1, 2, 3, None], [1, 2, 3, 0], 1.0),
        ([1, 2, 3], [1, 2, None], None),
    ],
)
def test_values(first: list[float | None], second: list[float | None], expected: float | None) -> None:
    found = rank_agreement(named(first), named(second))
    assert found == (None if expected is None else pytest.approx(expected, abs=1e-12))


def test_models_of_one_side_only_do_not_count() -> None:
    first: dict[str, float | None] = {"a": 1, "b": 2, "c": 3, "only-here": -9}
    second: dict[str, float | None] = {"c": 30, "b": 20, "a": 10, "only-there": 99}
    assert rank_agreement(first, second) == 1.0


@given(st.lists(st.tuples(SCORES, SCORES), min_size=3, max_size=12))
def test_against_scipy(pairs: list[tuple[float, float]]) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    found = rank_agreement(named([*first]), named([*second]))
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert found is None
        return
    assert found == pytest.approx(stats.spearmanr(first, second).statistic, abs=1e-9)
    assert found == rank_agreement(named([*second]), named([*first]))


@given(st.lists(SCORES, max_size=12))
def test_ranks_against_scipy(values: list[float]) -> None:
    assert mean_ranks(values) == list(stats.rankdata(values))


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_no_number(value: float) -> None:
    with pytest.raises(ValueError, match=r"score of model 'model-01' is (nan|inf): give a finite number"):
        rank_agreement(named([1, value, 3]), named([1, 2, 3]))
