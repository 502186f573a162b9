"""Flips in both directions."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.gating.flips import case_metric, describe_flips, find_flips
from pytest_vtcfaith.suites import load_suite


def cases(**values: float | str | None) -> dict[str, dict[str, object]]:
    """A number is a complete case's accuracy, a word an outcome."""
    return {
        name: {"outcome": v, "acc": 0.0} if isinstance(v, str) else {"outcome": "complete", "acc": v}
        for name, v in values.items()
    }


BEFORE = cases(a=0.9, b=0.9, c="empty", d=0.5, e="empty", f=0.9, g=0.2, old=1.0)
NOW = cases(a=0.8, b="refused", c=0.1, d=0.9, e="refused", f=0.9, g=0.25, new=1.0)


def test_both_directions_largest_first() -> None:
    found = find_flips(BEFORE, NOW, "acc", +1)
    assert [f.case for f in found.worse] == ["b", "a"]
    assert [f.case for f in found.better] == ["c", "d", "g"]
    assert (found.same, found.gone, found.added) == (2, 1, 1)
    assert describe_flips(found, 1) == (
        "  2 of 7 cases got worse, first 1:\n    b: 0.9000 → refused\n"
        "  3 of 7 cases got better, first 1:\n    c: empty → 0.1000"
    )


def test_direction_and_tolerance() -> None:
    found = find_flips(BEFORE, NOW, "acc", -1, tolerance=0.2)
    assert [f.case for f in found.worse] == ["b", "d"]  # a failure is worse whatever the metric says
    assert [f.case for f in found.better] == ["c"]


def test_without_a_metric_outcomes_alone_count() -> None:
    found = find_flips(BEFORE, NOW, None, -1)
    assert [f.case for f in found.worse] == ["b"]
    assert [f.case for f in found.better] == ["c"]
    assert "b: complete → refused" in describe_flips(found)
    absent = find_flips(BEFORE, NOW, "nowhere", 1)
    assert [f.case for f in absent.worse] == ["b"]


def test_nothing_changed_says_nothing() -> None:
    assert describe_flips(find_flips(BEFORE, BEFORE, "acc", 1)) == ""
    assert describe_flips(find_flips({}, {}, "acc", 1)) == ""


values = st.dictionaries(st.sampled_from("abcdef"), st.floats(0, 1) | st.sampled_from(["empty", "refused"]))


@given(values, values)
def test_turned_round_worse_is_better(before: dict[str, float | str], now: dict[str, float | str]) -> None:
    there = find_flips(cases(**before), cases(**now), "acc", 1)
    back = find_flips(cases(**now), cases(**before), "acc", 1)
    assert [f.case for f in there.worse] == [f.case for f in back.better]
    assert [f.case for f in there.better] == [f.case for f in back.worse]
    assert len(there.worse) + len(there.better) + there.same == len(before.keys() & now.keys())


def test_the_case_metric_of_a_tiers_metric() -> None:
    rewriting, preservation = (load_suite(name).case_metrics for name in ("rewriting", "preservation"))
    assert case_metric("rewrite_rate@5", rewriting) == "rewrite_rate"
    assert case_metric("delta_wer", rewriting) == "wer"
    assert case_metric("delta_eds", rewriting) == "char_accuracy"
    assert case_metric("failure_rate", rewriting) is None
    assert case_metric("A_M", preservation) == "word_accuracy"
    assert case_metric("prior_gap", preservation) == "word_accuracy"
