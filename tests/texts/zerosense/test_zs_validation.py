"""Statistics of a sequence under a validator, and what passes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.texts import TextsError
from pytest_vtcfaith.texts.zerosense.validation import check_statistic, statistics, validate

probability = st.floats(0, 1)


@given(st.lists(probability, min_size=1, max_size=40), st.floats(1e-9, 1))
def test_statistics_against_numpy_and_what_passes(values: list[float], tau2: float) -> None:
    found, array = statistics(values, tau2), np.array(values)
    assert found.mean == pytest.approx(array.mean(), rel=1e-12)
    assert found.max == array.max()
    assert values[found.step - 1] == found.max
    assert found.below == pytest.approx((array < tau2).mean())
    assert found.passes("mean", tau2) == (found.mean < tau2)
    assert found.passes("max", tau2) == found.passes("all", tau2) == bool((array < tau2).all())
    if found.passes("max", tau2 / 2):
        assert found.passes("mean", tau2)


def test_the_limit_itself_does_not_pass() -> None:
    assert not any(statistics([0.25, 0.25], 0.25).passes(statistic, 0.25) for statistic in ("mean", "max", "all"))


class Told:
    name, revision, settings, tokenizer = "told", "0", {}, None

    def given_probabilities(self, tokens: Any) -> Any:
        return np.where(tokens == 9, np.nan, tokens / 10)

    def next_probabilities(self, tokens: Any, candidates: Any, state: object = None) -> Any:
        raise NotImplementedError


def test_each_sequence_is_judged_alone() -> None:
    first, second = validate(Told(), np.array([[1, 2], [4, 3]]), 0.25)  # type: ignore[arg-type]
    assert (first.mean, first.max, first.below, first.step) == (pytest.approx(0.15), 0.2, 1.0, 2)
    assert (second.mean, second.max, second.below, second.step) == (pytest.approx(0.35), 0.4, 0.0, 1)


def test_a_nan_names_model_step_and_tau() -> None:
    with pytest.raises(TextsError, match=r"model 'told', step 2 of 2, τ2 = 1e-05: the probability is NaN"):
        validate(Told(), np.array([[1, 2], [3, 9]]), 1e-5)  # type: ignore[arg-type]


def test_an_unknown_statistic() -> None:
    with pytest.raises(TextsError, match="statistic 'median' is unknown: choose one of mean, max, all"):
        check_statistic("median")
