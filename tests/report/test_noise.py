"""noise.json: pairs of answers, differences by tier, the line about them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.engine.transcript import Transcript
from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.models.protocols import Prompt
from pytest_vtcfaith.report.noise import Answered, Pair, counts, describe_noise, tier_noise, write_noise
from pytest_vtcfaith.suites import load_suite
from pytest_vtcfaith.suites.base import Request
from pytest_vtcfaith.suites.case import Case, CaseScore

SUITE = load_suite("rewriting")
ORIGINAL = "one two three four five six seven eight nine ten"
TEXTS = {"original": ORIGINAL, "scramble": ORIGINAL.replace("seven", "sveen")}


def case(number: int, condition: str = "original", lang: str = "en") -> Case:
    params = {"condition": condition, "original": ORIGINAL, "prompt": "plain"}
    name, tier = f"doc-{number}", f"rewriting/{lang}/{condition}"
    text = TEXTS[condition]
    return Case(f"{name}-{condition}", "rewriting", tier, name, lang, text, Path("m.jsonl"), 2, params)


def answered(of: Case, text: str, outcome: str = "complete") -> Answered:
    request = Request(tuple, Prompt("", of.lang))
    metrics = SUITE.score(of, Transcript(Reply(text=text), outcome, 0.0, False), request)
    return Answered(CaseScore(of, "m", outcome, metrics, "gone" if outcome == "infrastructure_error" else ""), text)


def pair(of: Case, first: str | None = None, again: str | None = None) -> Pair:
    """Both answers, those left out are right."""
    texts = (of.reference if text is None else text for text in (first, again))
    return Pair(of, *(answered(of, text) for text in texts))


@pytest.mark.parametrize(
    ("first", "again", "state"),
    [
        ("complete", "complete", "twice"),
        ("complete", "truncated", "twice"),
        ("empty", "complete", "twice"),
        ("complete", "infrastructure_error", "unanswered"),
        ("complete", None, "unanswered"),
        ("infrastructure_error", None, "not_measured"),
        ("infrastructure_error", "complete", "not_measured"),
        (None, None, "not_measured"),
        ("", None, "inapplicable"),
    ],
)
def test_the_state_of_a_pair(first: str | None, again: str | None, state: str) -> None:
    of = case(1)
    found = [None if o is None else Answered(CaseScore(of, "m", o)) for o in (first, again)]
    assert Pair(of, *found).state == state
    assert counts([Pair(of, *found)])[state] == 1


@pytest.mark.parametrize(
    ("first", "again", "differs"),
    [
        ("a b", "a  b\n", False),
        ("a b", "a\u200b b", False),
        ("a b", "a B", True),
        ("a b", "a b.", True),
        ("", "", False),
    ],
)
def test_transcripts_are_compared_normalised(first: str, again: str, differs: bool) -> None:
    assert pair(case(1), first, again).differs is differs


def test_an_outcome_that_differs_is_a_difference_though_the_texts_agree() -> None:
    of = case(1)
    found = counts([Pair(of, answered(of, "a b"), answered(of, "a b", "truncated"))])
    assert (found["differ"], found["outcomes_differ"]) == (1, 1)


def test_the_numbers_of_a_tier() -> None:
    """Ten words a page: one of them wrong the second time on one page of two; a third page is asked once."""
    wrong = ORIGINAL.replace("three", "tree")
    pairs = [pair(case(1), again=wrong), pair(case(2))]
    others = [answered(case(3), "nothing right").score]
    row = tier_noise(SUITE, "rewriting/en/original", pairs, [p.first.score for p in pairs if p.first] + others)
    assert (row["chosen"], row["twice"], row["differ"], row["differing"]) == (2, 2, 1, ["doc-1-original"])
    assert row["case_metrics"]["wer"] == {"cases": 2, "differ": 1, "mean": 0.05, "max": 0.1}
    assert row["case_metrics"]["word_accuracy"]["max"] == 0.1
    assert row["documents"] == 2
    assert row["metrics"]["wer"] == {"first": 0.0, "again": 0.05, "difference": 0.05}


def test_second_answers_count_in_the_tiers_that_a_metric_compares_with() -> None:
    """delta_wer is against `original`: a second answer there moves it, though the tier's own pages read alike."""
    wrong = ORIGINAL.replace("three", "tree")
    pairs = [pair(case(1), again=wrong), pair(case(1, "scramble"))]
    scores = [p.first.score for p in pairs if p.first]
    row = tier_noise(SUITE, "rewriting/en/scramble", pairs, scores)
    assert row["differ"] == 0
    assert row["metrics"]["rewrite_rate"]["difference"] == 0.0
    assert row["metrics"]["delta_wer"]["difference"] == pytest.approx(10.0)  # percentage points


def test_a_metric_that_is_undefined_once_has_no_difference() -> None:
    of = case(1)
    pairs = [Pair(of, answered(of, of.reference), answered(of, "", "empty"))]
    row = tier_noise(SUITE, of.tier, pairs, [answered(of, of.reference).score])
    assert row["metrics"]["word_accuracy"] == {"first": 1.0, "again": None, "difference": None}
    assert row["metrics"]["failure_rate"]["difference"] == 1.0
    assert (row["outcomes_differ"], row["case_metrics"]["word_accuracy"]["max"]) == (1, 1.0)
    assert "wer" not in row["case_metrics"]  # a failed page has no error rate


def test_a_tier_of_which_nothing_was_answered_twice() -> None:
    of = case(1)
    row = tier_noise(SUITE, of.tier, [Pair(of, answered(of, of.reference), None)], [answered(of, of.reference).score])
    assert (row["chosen"], row["unanswered"], row["documents"]) == (1, 1, 0)
    assert row["metrics"] == row["case_metrics"] == {}


@given(st.lists(st.sampled_from(["", "one two", ORIGINAL, ORIGINAL.replace("two", "too")]), min_size=1, max_size=6))
def test_the_same_answers_twice_are_no_noise(texts: list[str]) -> None:
    pairs = [pair(case(number), text, text) for number, text in enumerate(texts)]
    row = tier_noise(SUITE, "rewriting/en/original", pairs, [p.first.score for p in pairs if p.first])
    assert (row["twice"], row["differ"]) == (len(texts), 0)
    assert {m["max"] for m in row["case_metrics"].values()} <= {0.0}
    assert {m["difference"] for m in row["metrics"].values()} <= {0.0}


MODEL = {"model": "m", "by_construction": False, "chosen": 9, "twice": 6, "differ": 2, "outcomes_differ": 1}
MODEL |= {"unanswered": 1, "not_measured": 2, "inapplicable": 0, "reason": "gone\nmore", "batch_size": 16}
MODEL |= {"batch_size_again": 8, "replies": "transcripts"}


@pytest.mark.parametrize(
    ("change", "tiers", "said"),
    [
        (
            {},
            [("a/b", 0.0), ("a/c", 0.01234)],
            "noise of m: 6 of 9 cases were asked twice (batches of 16, then 8), 2 transcripts differ, 1 outcomes; "
            "largest change of a tier: x 0.0123 (a/c); 1 got no second answer (gone); 2 were not measured the first "
            "time",
        ),
        (
            {"batch_size": None, "unanswered": 0, "not_measured": 0, "inapplicable": 3},
            [("a/b", 0.0)],
            "noise of m: 6 of 9 cases were asked twice (batches of unknown size, then 8), 2 transcripts differ, 1 "
            "outcomes; no tier's value changes; 3 are inapplicable",
        ),
        (
            {"batch_size_again": None, "unanswered": 0, "not_measured": 0},
            [("a/b", None)],
            "noise of m: 6 of 9 cases were asked twice, 2 transcripts differ, 1 outcomes; "
            "largest change of a tier: x is undefined one of the times (a/b)",
        ),
        ({"by_construction": True}, [], "noise of m: 0 by construction, its answers are read from a file"),
    ],
)
def test_the_line(change: dict, tiers: list[tuple[str, float | None]], said: str) -> None:
    rows = [{"tier": tier, "primary": "x", "metrics": {"x": {"difference": number}}} for tier, number in tiers]
    assert describe_noise({**MODEL, **change}, rows) == said


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"x": 0.0, "y": 0.0}, "no tier's value changes"),
        ({"x": 0.0, "y": 0.25, "z": 0.5}, "no tier's x changes, 2 other values do, most: z 0.5000 (a/b)"),
        (
            {"x": 0.0, "y": None, "z": 0.0},
            "no tier's x changes, 1 other value does, most: y is undefined one of the times (a/b)",
        ),
        ({"x": 0.0, "y": 1e-10}, "no tier's x changes, 1 other value does, most: y 1.0e-10 (a/b)"),
        ({"x": 0.00001, "y": 0.5}, "largest change of a tier: x 1.0e-05 (a/b)"),
    ],
)
def test_a_value_that_changes_beside_the_primary_one_is_told(changes: dict[str, float | None], said: str) -> None:
    metrics = {name: {"difference": number} for name, number in changes.items()}
    line = describe_noise({**MODEL, "replies": "pictures"}, [{"tier": "a/b", "primary": "x", "metrics": metrics}])
    assert "2 pictures differ, 1 outcomes; " + said + "; 1 got no second answer" in line


def test_the_file(tmp_path: Path) -> None:
    path = write_noise(tmp_path, 5, 3, [MODEL], [])
    assert path == tmp_path / "noise.json"
    assert json.loads(path.read_text(encoding="utf-8")) == {"cases": 5, "seed": 3, "models": [MODEL], "tiers": []}
