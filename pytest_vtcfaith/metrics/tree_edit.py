"""The edit distance of two ordered trees, by numpy."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Integers = NDArray[numpy.int64]

_SCALE = 2**36
"""Costs are whole multiples of 2⁻³⁶: integers stay exact under the offsets that part the trees of one step."""
_MOST_NODES = 8000  # of both trees together: beyond it those offsets could pass 2⁶³
_MOST_STEPS = 5 * 10**8  # single costs to find for all key roots together: a few seconds
_ROW = 3000  # steps that take as long as what every row of them costs besides
_MOST_KEPT = 3 * 10**7  # steps that are in memory at one time, 8 bytes each


class OutOfTime(Exception):
    """The distance was not found before the deadline."""


class TooManySteps(Exception):
    """The trees are so large and so deeply nested that the distance is not looked for; no matter on which machine."""


@dataclass(frozen=True, slots=True)
class _Roots:
    """Key roots of one tree, their nodes laid out one after the other.

    Each key root has one column for the empty forest, then one for every node of its subtree in postorder.
    `nodes`, `columns`: the nodes and their columns; `starts`: for every node the column of the forest before the
    subtree of its own; `path`: which of `nodes` lie on the way from a key root to its leftmost leaf; `insertions`: the
    cost of inserting a column's forest; `apart`: the same, negative, less what keeps a running minimum from passing
    from one key root to the next.
    """

    nodes: Integers
    columns: Integers
    starts: Integers
    path: Integers
    insertions: Integers
    apart: Integers


def tree_edit_distance(
    first: Sequence[int], second: Sequence[int], rename: NDArray[numpy.float64], *, deadline: float | None = None
) -> float:
    """The least cost of turning the first tree into the second; inserting or deleting a node costs 1.

    - `first`, `second`: each tree as the number of children of every node, in postorder (children left to right, then
      their parent); neither is empty.
    - `rename`: the cost of making node i of the first into node j of the second, in [0, 1]; shape nodes × nodes.
      It is rounded to 2⁻³⁶.
    - `deadline`: of `time.thread_time()`, in seconds: what other processes take does not count; looked at after every
      key root.

    Raises OutOfTime, TooManySteps, and ValueError when a sequence is no tree, `rename` does not fit, or the trees have
    over 8,000 nodes together.
    Source: Zhang and Shasha, SIAM J. Comput. 18(6), 1989. Forest distances are computed a row at a time, for all key
    roots of the second tree at once where they do not wait for one another; a leaf against any tree has a closed form.
    Both trees are turned left to right, or one taken for the other, where that is less work: the distance stays.
    """
    import numpy as np

    for tree in (first, second):
        _sizes(tree)  # raises for what is no tree
    if len(first) + len(second) > _MOST_NODES:
        raise ValueError(f"trees of {len(first)} and {len(second)} nodes are too large: {_MOST_NODES} together at most")
    if rename.shape != (len(first), len(second)) or not (rename.min() >= 0 and rename.max() <= 1):
        raise ValueError(f"rename must hold {len(first)} × {len(second)} costs from 0 to 1")
    costs = np.rint(rename * _SCALE).astype(np.int64)
    ways = _ways(first, second, costs)
    steps, way = min(ways, key=lambda found: found[0], default=(_MOST_STEPS + 1, None))
    if way is None or steps > _MOST_STEPS:
        raise TooManySteps
    return _distance(*way, deadline)


def _ways(
    first: Sequence[int], second: Sequence[int], costs: Integers
) -> list[tuple[int, tuple[Sequence[int], Sequence[int], Integers]]]:
    """Pairs of trees with the same distance, each with the steps to it, where these fit in memory."""
    import numpy as np

    (turned_a, nodes_a), (turned_b, nodes_b) = _mirrored(first), _mirrored(second)
    turned = costs[np.ix_(nodes_a, nodes_b)]
    found = []
    for one, other, between in ((first, second, costs), (turned_a, turned_b, turned)):
        sum_a, sum_b = _subtrees(_sizes(one)), _subtrees(_sizes(other))
        if len(one) * sum_b <= _MOST_KEPT:
            found.append((sum_a * (sum_b + _ROW), (one, other, between)))
        if len(other) * sum_a <= _MOST_KEPT:
            found.append((sum_b * (sum_a + _ROW), (other, one, between.T)))
    return found


def _distance(first: Sequence[int], second: Sequence[int], costs: Integers, deadline: float | None) -> float:
    import numpy as np

    sizes_a, sizes_b = _sizes(first), _sizes(second)
    trees = np.zeros_like(costs)
    _leaves(first, sizes_a, sizes_b, costs, trees)
    _leaves(second, sizes_b, sizes_a, costs.T, trees.T)
    levels = [_layout(roots, sizes_b, len(first)) for roots in _levels(sizes_b)]
    together = _layout([root for roots in _levels(sizes_b) for root in roots], sizes_b, len(first))
    lefts = np.arange(len(first)) - np.array(sizes_a) + 1
    for root in (root for level in _levels(sizes_a) for root in level):
        _forests(root, lefts, together, levels, costs, trees)
        if deadline is not None and time.thread_time() > deadline:
            raise OutOfTime
    return float(trees[-1, -1]) / _SCALE


def _mirrored(children: Sequence[int]) -> tuple[list[int], list[int]]:
    """The tree with every node's children in reverse order, and the number each of its nodes has in the given one."""
    sizes = _sizes(children)
    backwards: list[int] = []  # nodes before their children, these in order: the reverse of the postorder looked for
    pending = [len(sizes) - 1]
    while pending:
        node = pending.pop()
        backwards.append(node)
        child = node - 1
        while child > node - sizes[node]:
            pending.append(child)
            child -= sizes[child]
    nodes = backwards[::-1]
    return [children[node] for node in nodes], nodes


def _subtrees(sizes: Sequence[int]) -> int:
    """Nodes of the subtrees of all key roots that are no leaves."""
    return sum(sizes[root] for level in _levels(sizes) for root in level)


def _sizes(children: Sequence[int]) -> list[int]:
    """The number of nodes of every node's subtree, in postorder."""
    sizes: list[int] = []
    pending: list[int] = []
    for count in children:
        if not 0 <= count <= len(pending):
            raise ValueError(f"a node with {count} children cannot follow {len(pending)} open subtrees in a postorder")
        size = 1 + sum(pending[len(pending) - count :])
        del pending[len(pending) - count :]
        pending.append(size)
        sizes.append(size)
    if len(pending) != 1:
        raise ValueError(f"{len(pending)} roots are no tree: give one")
    return sizes


def _leaves(
    children: Sequence[int], sizes: Sequence[int], others: Sequence[int], costs: Integers, trees: Integers
) -> None:
    """Fills in the distances of every leaf to every tree: all but the node the leaf is made into is inserted."""
    import numpy as np

    leaves = np.array([node for node, count in enumerate(children) if count == 0])
    best = costs[leaves]
    for node, size in enumerate(others):
        child = node - 1
        while child > node - size:
            np.minimum(best[:, node], best[:, child], out=best[:, node])
            child -= others[child]
    trees[leaves] = best + (np.array(others, dtype=np.int64) - 1) * _SCALE


def _levels(sizes: Sequence[int]) -> list[list[int]]:
    """The key roots that are no leaves, in an order in which none comes before one that lies in it.

    A key root is the root, or a node with a sibling to its left; key roots of one list do not lie in one another.
    """
    last = {node - size + 1: node for node, size in enumerate(sizes)}  # the highest node of each leftmost leaf
    levels: list[list[int]] = []
    height = [0] * len(sizes)  # of the highest level of a key root within a node's subtree, counted from 1
    for node, size in enumerate(sizes):
        child = node - 1
        while child > node - size:
            height[node] = max(height[node], height[child])
            child -= sizes[child]
        if size > 1 and last[node - size + 1] == node:
            if height[node] == len(levels):
                levels.append([])
            levels[height[node]].append(node)
            height[node] += 1
    return levels


def _layout(roots: Sequence[int], sizes: Sequence[int], others: int) -> _Roots:
    import numpy as np

    nodes: list[int] = []
    columns: list[int] = []
    starts: list[int] = []
    path: list[int] = []
    insertions: list[int] = []
    apart: list[int] = []
    step = 2 * others + 2  # a forest distance and its insertions differ by at most the nodes of the other tree, + 1
    column = 0
    for number, root in enumerate(roots):
        left = root - sizes[root] + 1
        insertions.extend(range(sizes[root] + 1))
        apart.extend(step * -number - count for count in range(sizes[root] + 1))
        for node in range(left, root + 1):
            if node - sizes[node] + 1 == left:
                path.append(len(nodes))
            nodes.append(node)
            columns.append(column + node - left + 1)
            starts.append(column + node - sizes[node] + 1 - left)
        column += sizes[root] + 1
    scaled = (np.array(values, dtype=np.int64) * _SCALE for values in (insertions, apart))
    return _Roots(*(np.array(values, dtype=np.int64) for values in (nodes, columns, starts, path)), *scaled)


def _forests(
    root: int, lefts: Integers, together: _Roots, levels: Sequence[_Roots], costs: Integers, trees: Integers
) -> None:
    """Computes the forest distances of one key root to all key roots of the second tree, and the tree distances that
    become known.

    Such a distance becomes known in a row of the way to the root's leftmost leaf, for one key root of the second tree
    after the other, as these lie in one another (`levels`); the other rows need those of earlier rows only, and are
    computed for all of them at once (`together`: the same columns).
    """
    import numpy as np

    left = int(lefts[root])
    rows = np.empty((root - left + 2, len(together.insertions)), dtype=np.int64)
    rows[0] = together.insertions
    for number, node in enumerate(range(left, root + 1), start=1):
        start = int(lefts[node])
        if start != left:
            whole = rows[start - left].take(together.starts) + trees[node].take(together.nodes)
            _next_row(rows[number - 1], whole, together, rows[number])
            continue
        column = 0
        for roots in levels:
            part = slice(column, column + len(roots.insertions))
            before, row = rows[number - 1, part], rows[number, part]
            path_nodes, path_columns = roots.nodes[roots.path], roots.columns[roots.path]
            whole = rows[0, part].take(roots.starts) + trees[node].take(roots.nodes)
            whole[roots.path] = before.take(path_columns - 1) + costs[node].take(path_nodes)
            _next_row(before, whole, roots, row)
            trees[node, path_nodes] = row.take(path_columns)
            column = part.stop


def _next_row(before: Integers, whole: Integers, roots: _Roots, row: Integers) -> None:
    """Fills in a row: a node of the first tree is deleted, made into one of the second with its subtree (`whole`), or
    one of the second is inserted.
    """
    import numpy as np

    np.add(before, _SCALE, out=row)
    row[roots.columns] = np.minimum(row.take(roots.columns), whole)
    row += roots.apart
    np.minimum.accumulate(row, out=row)
    row -= roots.apart
