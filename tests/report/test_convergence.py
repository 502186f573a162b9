"""How means settle: nested subsets that keep the lengths, and the largest deviation from the whole."""

from __future__ import annotations

import json
import random
from pathlib import Path
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.report.convergence import convergence, nested_order, subset_sizes, write_convergence
from pytest_vtcfaith.suites.base import TierMetric, ratio

MEAN = TierMetric("x", 1, lambda sums: ratio(sums["x"], sums["n"]))


@pytest.mark.parametrize(
    ("documents", "sizes"),
    [(1, [1]), (10, [10]), (11, [10, 11]), (40, [10, 20, 40]), (120, [10, 20, 40, 80, 120])],
)
def test_sizes(documents: int, sizes: list[int]) -> None:
    assert subset_sizes(documents) == sizes


strata = st.dictionaries(st.text("abcdef", min_size=1, max_size=4), st.sampled_from(["s", "m", "l", ""]), max_size=60)


@given(strata, st.integers(0, 5))
def test_every_beginning_keeps_the_lengths(found: dict[str, str], seed: int) -> None:
    order = nested_order(found, seed)
    assert sorted(order) == sorted(found)
    assert order == nested_order(dict(reversed(found.items())), seed)
    kinds = set(found.values())
    for kind in kinds:
        total = sum(value == kind for value in found.values())
        for size in range(len(order) + 1):
            count = sum(found[document] == kind for document in order[:size])
            assert abs(count - size * total / len(order)) <= 0.5 + len(kinds) / 2


def test_the_order_is_random_and_seeded() -> None:
    found = {f"d{n:03d}": "s" for n in range(100)}
    assert nested_order(found, 0) != nested_order(found, 1)
    assert nested_order(found, 0) != sorted(found)


def test_values_are_the_means_of_the_first_documents() -> None:
    made = random.Random(3)
    columns = {f"d{n:03d}": {"x": made.random(), "n": 1.0} for n in range(47)}
    columns["lost"] = {"n": 0.0}
    order = nested_order(dict.fromkeys(columns, "s"), 0)
    found = convergence(MEAN, columns, order)
    assert found is not None
    kept = [document for document in order if document != "lost"]
    assert (found["documents"], found["sizes"]) == (47, [10, 20, 40, 47])
    means = [mean(columns[d]["x"] for d in kept[:size]) for size in found["sizes"]]
    assert found["values"] == pytest.approx(means)
    assert found["largest_deviation"] == pytest.approx(max(abs(m - means[-1]) for m in means))


def test_what_is_undefined() -> None:
    assert convergence(MEAN, {}, []) is None
    assert convergence(MEAN, {"a": {"x": 0.0, "n": 0.0}}, ["a"]) is None
    columns = {f"d{n:02d}": {"x": 1.0, "n": float(n >= 10)} for n in range(20)}
    found = convergence(MEAN, columns, sorted(columns))
    assert found is not None
    assert found["values"] == [None, 2.0]
    assert found["largest_deviation"] == 0.0


def test_the_file(tmp_path: Path) -> None:
    rows = [{"tier": "t", "model": "m", "metric": "x", "sizes": [1], "values": [None]}]
    path = write_convergence(tmp_path / "new", rows)
    assert path.name == "convergence.json"
    assert json.loads(path.read_bytes()) == rows
