from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from pytest_vtcfaith.metrics import Alignment, Edit, align, edit_counts
from pytest_vtcfaith.metrics.align import MAX_CELLS

words = st.lists(st.sampled_from("abc"), max_size=6)
longer = st.lists(st.sampled_from(["the", "a", "hope", "of"]), max_size=40)


def best(reference: Sequence[str], hypothesis: Sequence[str]) -> tuple[int, list[tuple[int, int]]]:
    """The wanted alignment by looking at every one."""
    found: list[tuple[tuple[object, ...], list[tuple[int, int]]]] = []

    def extend(i: int, j: int, pairs: list[tuple[int, int]]) -> None:
        edits, last_i, last_j = 0, 0, 0
        for x, y in (*pairs, (len(reference), len(hypothesis))):
            edits += max(x - last_i, y - last_j)
            last_i, last_j = x + 1, y + 1
        found.append(((edits, -len(pairs), [x for x, _ in pairs], [y for _, y in pairs]), pairs))
        for x in range(i, len(reference)):
            for y in range(j, len(hypothesis)):
                if reference[x] == hypothesis[y]:
                    extend(x + 1, y + 1, [*pairs, (x, y)])

    extend(0, 0, [])
    key, pairs = min(found)
    return int(str(key[0])), pairs


@settings(max_examples=400, deadline=None)
@given(words, words)
def test_every_tie_is_decided_as_defined(reference: list[str], hypothesis: list[str]) -> None:
    edits, pairs = best(reference, hypothesis)
    found = align(reference, hypothesis)
    assert (found.edits, list(found.matches)) == (edits, pairs)
    assert edit_counts(reference, hypothesis) == (edits, len(pairs))


@settings(deadline=None)
@given(longer, longer)
def test_longer_sequences(reference: list[str], hypothesis: list[str]) -> None:
    found = align(reference, hypothesis)
    assert found.edits == Levenshtein.distance(reference, hypothesis)
    assert (found.edits, len(found.matches)) == edit_counts(reference, hypothesis)
    assert edit_counts(reference, hypothesis) == edit_counts(hypothesis, reference)
    check_script(found, reference, hypothesis)


def check_script(found: Alignment, reference: Sequence[str], hypothesis: Sequence[str]) -> None:
    at, read_at, edits, matches = 0, 0, 0, 0
    previous = ""
    for step in found.script():
        assert (step.start, step.read_start) == (at, read_at)
        at, read_at = step.stop, step.read_stop
        old, new = step.stop - step.start, step.read_stop - step.read_start
        if step.kind == "equal":
            assert list(reference[step.start : step.stop]) == list(hypothesis[step.read_start : step.read_stop])
            assert previous != "equal"
            matches += old
        else:
            assert step.kind == ("insert" if not old else "delete" if not new else "replace")
            edits += max(old, new)
        previous = step.kind
    assert (at, read_at) == (len(reference), len(hypothesis))
    assert (edits, matches) == (found.edits, len(found.matches))


@pytest.mark.parametrize(
    ("reference", "hypothesis", "edits", "matches"),
    [
        ("go to the makret today", "go to market the today", 2, [(0, 0), (1, 1), (2, 3), (4, 4)]),
        ("a b", "b a", 2, [(0, 1)]),
        ("a", "a a", 1, [(0, 0)]),
        ("a a", "a", 1, [(0, 0)]),
        ("x a a y", "a", 3, [(1, 0)]),
        ("b", "c b b", 2, [(0, 1)]),
        ("", "a", 1, []),
        ("a", "", 1, []),
        ("", "", 0, []),
    ],
)
def test_ties(reference: str, hypothesis: str, edits: int, matches: list[tuple[int, int]]) -> None:
    found = align(reference.split(), hypothesis.split())
    assert (found.edits, list(found.matches)) == (edits, matches)


def test_script() -> None:
    assert align(["the", "old", "from", "was", "lost"], ["the", "form", "was", "lost", "now"]).script() == [
        Edit("equal", 0, 1, 0, 1),
        Edit("replace", 1, 3, 1, 2),
        Edit("equal", 3, 5, 2, 4),
        Edit("insert", 5, 5, 4, 5),
    ]
    assert align([], []).script() == []
    assert align(["a"], []).script() == [Edit("delete", 0, 1, 0, 0)]


def test_runaway_transcript() -> None:
    draw = random.Random(0)
    page = [f"w{i}" for i in range(600)]
    runaway = ["lost", *page, *(draw.choice(page) for _ in range(60_000))]
    assert len(page) * len(runaway) > MAX_CELLS
    found = align(page, runaway)
    assert found.edits == Levenshtein.distance(page, runaway) == len(runaway) - len(page)
    assert edit_counts(page, runaway) == (found.edits, 600)
    check_script(found, page, runaway)
