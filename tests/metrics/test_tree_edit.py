"""The edit distance of ordered trees (`metrics/tree_edit.py`)."""

from __future__ import annotations

import time
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vtcfaith.metrics.tree_edit import OutOfTime, TooManySteps, tree_edit_distance

Tree = tuple[int, ...]
"""The number of children of every node, in postorder."""


@st.composite
def trees(draw: st.DrawFn, most: int = 9) -> Tree:
    counts: list[int] = []
    pending = 0
    for _ in range(draw(st.integers(0, most - 1))):
        counts.append(draw(st.integers(0, pending)))
        pending += 1 - counts[-1]
    if pending:
        return (*counts, pending)
    return (*counts, 0) if not counts else tuple(counts)


def children(tree: Tree) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = []
    pending: list[int] = []
    for node, count in enumerate(tree):
        found.append(tuple(pending[len(pending) - count :]))
        pending = [*pending[: len(pending) - count], node]
    return found


def by_definition(first: Tree, second: Tree, rename: np.ndarray) -> float:
    """The recurrence over the rightmost roots of two forests."""
    ours, theirs = children(first), children(second)

    def size(kids: list[tuple[int, ...]], node: int) -> int:
        return 1 + sum(size(kids, child) for child in kids[node])

    @cache
    def distance(a: tuple[int, ...], b: tuple[int, ...]) -> float:
        if not a or not b:
            return sum(size(ours, node) for node in a) + sum(size(theirs, node) for node in b)
        x, y = a[-1], b[-1]
        return min(
            distance(a[:-1] + ours[x], b) + 1,
            distance(a, b[:-1] + theirs[y]) + 1,
            distance(a[:-1], b[:-1]) + distance(ours[x], theirs[y]) + float(rename[x, y]),
        )

    return distance((len(first) - 1,), (len(second) - 1,))


@settings(max_examples=300, deadline=None)
@given(trees(), trees(), st.integers(0, 2**32 - 1))
def test_equals_the_definition(first: Tree, second: Tree, seed: int) -> None:
    rename = np.random.default_rng(seed).choice([0.0, 0.25, 0.3, 1.0], (len(first), len(second)))
    assert tree_edit_distance(first, second, rename) == pytest.approx(by_definition(first, second, rename), abs=1e-8)


@settings(max_examples=100, deadline=None)
@given(trees(30), trees(30))
def test_is_a_distance(first: Tree, second: Tree) -> None:
    rename = np.ones((len(first), len(second)))
    there = tree_edit_distance(first, second, rename)
    assert there == tree_edit_distance(second, first, rename.T)
    assert tree_edit_distance(first, first, 1 - np.eye(len(first))) == 0
    assert abs(len(first) - len(second)) <= there <= len(first) + len(second)


@pytest.mark.parametrize(
    ("first", "second", "shape", "message"),
    [
        ((0, 0), (0,), (2, 1), "2 roots are no tree"),
        ((), (0,), (0, 1), "0 roots are no tree"),
        ((1,), (0,), (1, 1), "a node with 1 children cannot follow 0 open subtrees"),
        ((0,), (0, 1), (1, 1), "rename must hold 1 × 2 costs"),
        ((0,) * 7999 + (7999,), (0,), (8000, 1), "are too large: 8000 together"),
    ],
)
def test_what_is_no_tree(first: Tree, second: Tree, shape: tuple[int, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tree_edit_distance(first, second, np.zeros(shape))


@pytest.mark.parametrize("cost", [-0.1, 1.5, float("nan")])
def test_costs_out_of_range(cost: float) -> None:
    with pytest.raises(ValueError, match="costs from 0 to 1"):
        tree_edit_distance((0,), (0,), np.full((1, 1), cost))


def test_a_deadline_ends_it() -> None:
    tree = (0, 0, 2, 0, 0, 2, 2)
    with pytest.raises(OutOfTime):
        tree_edit_distance(tree, tree, np.zeros((7, 7)), deadline=time.thread_time() - 1)


def nested(depth: int, left: int, right: int) -> Tree:
    """Every level's node lies between leaves."""
    tree = [0]
    for _ in range(depth):
        tree = [0] * left + tree + [0] * right + [left + right + 1]
    return tuple(tree)


@pytest.mark.parametrize(("left", "right"), [(1, 0), (0, 1), (1, 1), (0, 0)])
def test_deep_trees_equal_the_definition(left: int, right: int) -> None:
    """Whichever side they nest on, and on different sides."""
    first, second = nested(7, left, right), nested(6, right, left)
    for ours, theirs in ((first, second), (second, first), (first, first)):
        rename = np.random.default_rng(1).choice([0.0, 0.25, 0.3, 1.0], (len(ours), len(theirs)))
        assert tree_edit_distance(ours, theirs, rename) == pytest.approx(by_definition(ours, theirs, rename), abs=1e-8)


@pytest.mark.parametrize(("left", "right"), [(3, 0), (0, 3)])
def test_a_tree_that_nests_on_one_side_may_be_deep(left: int, right: int) -> None:
    tree = nested(249, left, right)
    assert tree_edit_distance(tree, tree, 1 - np.eye(len(tree))) == 0


def test_what_takes_too_many_steps_is_refused() -> None:
    tree = nested(249, 2, 1)
    with pytest.raises(TooManySteps):
        tree_edit_distance(tree, tree, 1 - np.eye(len(tree)))
