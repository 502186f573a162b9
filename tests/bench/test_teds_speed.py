"""Speed of TEDS against apted at the same costs, and its bounds (issue 5).

Run it alone: `pytest tests/bench/test_teds_speed.py -s -p no:randomly`. It prints seconds a pair and fails
over a target.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import pytest
from rapidfuzz.distance import Levenshtein

from pytest_vtcfaith.metrics import teds
from pytest_vtcfaith.metrics.tables import Node, html_tables

TIMES_AS_FAST = 20
MOST_SECONDS = 5.0


def table(rows: int, columns: int, seed: int, characters: int = 8) -> str:
    letters = random.Random(seed)
    cells = ("".join(letters.choices("abcdefgh ", k=characters)) for _ in range(rows * columns))
    row = "<tr>" + "<td>{}</td>" * columns + "</tr>"
    return "<table>" + (row * rows).format(*cells) + "</table>"


def nested(depth: int, cells: int) -> str:
    """Each row's last cell holds the next table: the shape that costs most for its nodes."""
    inner = ""
    for _ in range(depth):
        inner = f"<table><tr><td>a</td></tr><tr>{'<td>a</td>' * cells}<td>{inner}</td></tr></table>"
    return inner


def seconds(call: Callable[[], object]) -> float:
    """Of the thread's CPU time, which is what the limit counts."""
    start = time.thread_time()
    call()
    return time.thread_time() - start


def test_against_apted() -> None:
    apted: Any = pytest.importorskip("apted", reason="the comparison needs apted")

    class Costs(apted.Config):
        def rename(self, node1: Node, node2: Node) -> float:
            ours, theirs = ((node.tag, node.colspan, node.rowspan) for node in (node1, node2))
            return 1.0 if ours != theirs else Levenshtein.normalized_distance(node1.text, node2.text)

        def children(self, node: Node) -> list[Node]:
            return (
                [row for section in node.children for row in section.children] if node.tag == "table" else node.children
            )

    pair = table(20, 20, 1), table(20, 20, 2)
    distances: list[float] = []

    def theirs() -> None:
        first, second = (html_tables(html)[0] for html in pair)
        distances.append(apted.APTED(first, second, Costs()).compute_edit_distance())

    slow = seconds(theirs)
    teds(*pair)  # imports numpy
    fast = min(seconds(lambda: teds(*pair)) for _ in range(3))
    print(f"\n20 x 20: ours {fast:.3f} s, apted {slow:.2f} s, {slow / fast:.0f} times as fast")
    assert teds(*pair) == pytest.approx(1 - distances[0] / 421, abs=1e-9)
    assert slow / fast >= TIMES_AS_FAST


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("30 x 30", table(30, 30, 1), table(30, 30, 2)),
        ("499 x 1", table(499, 1, 1), table(499, 1, 2)),
        ("1 x 998", table(1, 998, 1), table(1, 998, 2)),
        ("333 x 2 and 1 x 998", table(333, 2, 1), table(1, 998, 2)),
        ("4 deep", nested(4, 243), nested(4, 242)),
        ("4 deep and 30 x 30", nested(4, 243), table(30, 30, 1)),
        ("20 deep", nested(20, 45), nested(20, 44)),
        ("30 x 30 of 150 characters", table(30, 30, 1, 150), table(30, 30, 2, 150)),
        ("20 x 20 of 300 characters", table(20, 20, 1, 300), table(20, 20, 2, 300)),
        ("10 x 10 of 3,000 characters", table(10, 10, 1, 3000), table(10, 10, 2, 3000)),
    ],
)
def test_up_to_a_thousand_nodes_is_scored_in_time(name: str, first: str, second: str) -> None:
    found: list[object] = []
    took = seconds(lambda: found.append(teds(first, second)))
    print(f"\n{name}: {took:.2f} s")
    assert isinstance(found[0], float)
    assert took < MOST_SECONDS


def test_a_large_pair_is_refused_in_time() -> None:
    found: list[object] = []
    took = seconds(lambda: found.append(teds(table(60, 60, 1), table(60, 60, 2))))
    print(f"\n60 x 60: {took:.2f} s")
    assert found == ["not_scored"]
    assert took < MOST_SECONDS
