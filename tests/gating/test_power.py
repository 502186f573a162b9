"""What a gate can see, and the margin that keeps it quiet: numbers, monotonicity, and that both agree."""

from __future__ import annotations

import math

import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.gating.power import detectable_loss, documents_needed, documents_seeing, quiet_margin
from pytest_vtcfaith.gating.student import narrowed, student_quantile, student_score, widened

WAY = {"confidence": 0.95, "gates": 20}


@pytest.mark.parametrize("freedom", [1, 2, 5, 10, 29, 299, 11_999])
@pytest.mark.parametrize("share", [0.6, 0.9, 0.975, 0.99875])
def test_scipy_finds_the_same_quantile_of_students_t(share: float, freedom: int) -> None:
    z = float(scipy.stats.norm.ppf(share))
    found, oracle = student_quantile(z, freedom), float(scipy.stats.t.ppf(share, freedom))
    assert student_quantile(-z, freedom) == -found
    assert student_score(found, freedom) == pytest.approx(z)
    if freedom >= 5:
        assert found == pytest.approx(oracle, rel=0.015)
    else:
        assert found > oracle * 0.95  # wider than needed rather than narrower


@given(st.floats(-5, 5), st.integers(2, 5000))
def test_widening_has_an_inverse(z: float, documents: int) -> None:
    far = widened(z, documents)
    assert abs(far) >= abs(z) - 1e-9 or documents > 1000
    assert narrowed(far, documents) == pytest.approx(z, abs=1e-6)


def test_the_detectable_loss_of_normal_scores() -> None:
    # margin + (z of 0.025/20 + z of 0.8) σ/√n, with next to nothing unseen
    found = detectable_loss(0.01, 0.002, 0.0, 10_000, **WAY)
    assert found == pytest.approx(0.01 + (3.0233 + 0.8416) * 0.002, rel=1e-3)
    alone = detectable_loss(0.01, 0.002, 0.0, 10_000, confidence=0.95, gates=1)
    assert alone == pytest.approx(0.01 + (1.9600 + 0.8416) * 0.002, rel=1e-3)
    assert detectable_loss(0.01, 0.0, 0.9, 1, **WAY) == math.inf


def test_the_quiet_margin_of_normal_scores() -> None:
    # interval 1.96, 5 % of runs over 20 gates 2.807
    assert quiet_margin(0.002, 0.0, 10_000, **WAY) == pytest.approx((1.9600 + 2.8070) * 0.002, rel=1e-3)
    # nothing changed in 1000 documents: three may in the next run
    assert quiet_margin(0.0, 0.9, 1000, **WAY) == pytest.approx(4.767 * math.sqrt(3) * 0.9 / 1000, rel=0.01)
    assert quiet_margin(0.0, 0.9, 1, **WAY) == math.inf


@given(st.floats(0.0001, 0.2), st.floats(0.0, 1.0), st.integers(2, 2000), st.floats(0.005, 0.5), st.integers(1, 100))
def test_the_documents_needed_make_the_margin_the_quiet_one(
    deviation: float, worst: float, documents: int, margin: float, gates: int
) -> None:
    way = {"confidence": 0.95, "gates": gates}
    needed = documents_needed(margin, deviation / math.sqrt(documents), worst, documents, **way)
    assert needed is not None
    assert quiet_margin(deviation / math.sqrt(needed), worst, needed, **way) <= margin
    fewer = needed - 1
    assert fewer < 2 or quiet_margin(deviation / math.sqrt(fewer), worst, fewer, **way) > margin


def test_where_nothing_can_be_said() -> None:
    assert documents_needed(0.0, 0.1, 0.9, 50, **WAY) is None
    assert documents_needed(1e-9, 0.1, 0.9, 50, **WAY) is None
    assert documents_needed(0.1, 0.1, 0.9, 1, **WAY) is None


@given(st.floats(0, 0.1), st.floats(0, 1), st.integers(2, 1000), st.integers(1, 50))
def test_more_gates_see_less_and_need_more(spread: float, worst: float, documents: int, gates: int) -> None:
    one, more = ({"confidence": 0.95, "gates": n} for n in (gates, gates + 1))
    assert quiet_margin(spread, worst, documents, **one) <= quiet_margin(spread, worst, documents, **more)
    assert detectable_loss(0.1, spread, worst, documents, **one) <= detectable_loss(
        0.1, spread, worst, documents, **more
    )


def test_the_documents_that_see_a_loss_are_the_fewest() -> None:
    spread, worst, documents = 0.3, 1.0, 4
    found = documents_seeing(0.8, 0.02, spread, worst, documents, **WAY)
    assert found is not None
    deviation = spread * math.sqrt(documents)
    assert detectable_loss(0.02, deviation / math.sqrt(found), worst, found, **WAY) <= 0.8
    assert detectable_loss(0.02, deviation / math.sqrt(found - 1), worst, found - 1, **WAY) > 0.8
    assert documents_seeing(0.01, 0.02, spread, worst, documents, **WAY) is None
    assert documents_seeing(1.0, 0.02, spread, worst, 1, **WAY) is None
