"""The rows of a suite's table."""

from __future__ import annotations

import pytest
from made_views import failure, verdict, view

from pytest_vtcfaith.report.view import Row, accepted, headline, rows


def test_one_row_for_a_tier_that_passes() -> None:
    found = rows(
        [verdict(metric="failure_rate", gate="a"), verdict(), verdict(metric="delta_wer", gate="c")], "rewrite_rate"
    )
    assert found == [Row("rewriting/en/visual", "m", "24/24", "rewrite_rate", "0.0125", "≤ 0.05", "pass (3 gates)")]
    assert rows([verdict()], "word_accuracy")[0].verdict == "pass"


@pytest.mark.parametrize(
    ("word", "shown"), [("fail", "FAIL"), ("inconclusive", "INCONCLUSIVE"), ("not_measured", "NOT MEASURED")]
)
def test_every_gate_that_did_not_pass_has_a_row(word: str, shown: str) -> None:
    found = rows(
        [verdict(), verdict(word, metric="wer", value=None, measured=3), verdict(word, metric="cer")], "rewrite_rate"
    )
    assert [(r.metric, r.verdict) for r in found] == [("wer", shown), ("cer", shown)]
    assert (found[0].value, found[0].n) == ("–", "3/24")


def test_nothing_judged() -> None:
    assert rows([], "x") == []
    inapplicable = verdict("not_applicable", value=None, message="all 24 cases are inapplicable: no Korean")
    assert rows([inapplicable], "x")[0].verdict == "n/a"
    new = verdict("not_applicable", message="no baseline, accept with --snapshot-update")
    assert rows([new], "x")[0].verdict == "new"


def test_tiers_and_models_are_apart() -> None:
    found = rows([verdict(), verdict("fail", model="other"), verdict(tier="rewriting/ko/visual")], "rewrite_rate")
    assert [(r.tier, r.model, r.verdict) for r in found] == [
        ("rewriting/en/visual", "m", "pass"),
        ("rewriting/en/visual", "other", "FAIL"),
        ("rewriting/ko/visual", "m", "pass"),
    ]


def test_bounds_baseline_and_stored_scores() -> None:
    both = verdict(min=0.5, max=0.75, stored=True)
    assert (rows([both], "")[0].threshold, rows([both], "")[0].n) == ("≥ 0.5 ≤ 0.75", "24/24*")
    assert rows([verdict(max=None, baseline=0.2)], "")[0].threshold == "was 0.2000"


def test_only_an_inconclusive_gate_whose_test_did_not_fail_is_accepted() -> None:
    unsure = verdict("inconclusive")
    assert accepted(unsure, view(unsure))
    assert not accepted(unsure, view(unsure, failures=[failure(f"x.py::test_gate[{unsure.gate}]")]))
    assert accepted(unsure, view(unsure, failures=[failure(f"x.py::test_gate[{unsure.gate}-regression]")]))
    assert not accepted(verdict("fail"), view())


def test_a_run_without_gates_does_not_count_them() -> None:
    assert headline(view(failures=[failure()])) == ("red", "nothing was judged by a gate, 1 of 1 case failed.")


def test_whatever_went_wrong_is_counted_once() -> None:
    gates = [verdict("fail", gate=f"g{n}") for n in range(3)]
    tests = [failure(f"x.py::test_gate[g{n}]", file="") for n in range(3)]
    cases = [failure(f"x.py::test_case[m-d{n}]") for n in range(2)]
    again, other = failure("y.py::test_case[m-d1]"), failure("x.py::test_mine", file="")
    told = headline(view(*gates, verdict(), failures=[*tests, *cases, again, other], cases=7))[1]
    assert told == "3 of 4 gates did not pass, 2 of 7 cases failed, 1 other test failed."
