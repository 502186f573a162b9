"""TEDS: likeness of two tables by the edit distance of their trees (definitions §5)."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pytest_vtcfaith.metrics.columns import Column, check_column
from pytest_vtcfaith.metrics.markdown_tables import markdown_tables
from pytest_vtcfaith.metrics.normalise import normalise
from pytest_vtcfaith.metrics.tables import Node, TooDeep, html_tables
from pytest_vtcfaith.metrics.tree_edit import OutOfTime, TooManySteps, tree_edit_distance

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

NOT_SCORED: Literal["not_scored"] = "not_scored"
MAX_NODES = 1000
"""Nodes of one table's tree; 30 × 30 cells are 931."""
TIME_LIMIT = 30.0
"""Seconds of the thread's own CPU time for one pair. The other limits are the same on every machine and keep a pair far
below it: it ends what a very slow one cannot do."""

_MAX_CHARACTERS = (
    10**11
)  # of one table's different texts times those of the other: comparing all with all takes seconds
_BATCH = 10**9  # of the same, between two looks at the clock
_TABLE_TAG = re.compile(r"<table[\s/>]", re.IGNORECASE)
_FOLDED = ("thead", "tbody", "tfoot")


@dataclass(frozen=True, slots=True)
class TableLikeness:
    """`value`: in [0, 1], or None with the `reason` why the tables were not compared."""

    value: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Tree:
    """Nodes in postorder: the number of children, what must be equal, and the text of each."""

    children: tuple[int, ...]
    kinds: tuple[tuple[str, int, int], ...]
    texts: tuple[str, ...]


def teds(
    reference: str, hypothesis: str, *, lang: str | None = None, column: Column = "audited"
) -> float | Literal["not_scored"]:
    """Tree edit distance similarity of two tables, in [0, 1], or `not_scored`; arguments and errors: `table_likeness`.

    Source: VDE Bench F.2.3, Eq. 18; definitions §5.
    """
    value = table_likeness(reference, hypothesis, lang=lang, column=column).value
    return NOT_SCORED if value is None else value


def table_likeness(
    reference: str,
    hypothesis: str,
    *,
    lang: str | None = None,
    column: Column = "audited",
    time_limit: float = TIME_LIMIT,
) -> TableLikeness:
    """1 − tree edit distance ÷ nodes of the larger tree, or why there is none.

    - `reference`, `hypothesis`: HTML or, in the column `audited`, Markdown; where one holds several tables, a common
      root is put over those of both. A hypothesis without a table gives 0, and two blank texts give 1.
    - `lang`: where given, the texts of the cells are normalised first (`normalise`, profile `verbatim`).
    - `column`: `audited` compares `th` as `td` and rows whatever their section; `published` compares what is written.
    - `time_limit`: seconds of CPU time of the calling thread: a busy machine changes no score.

    Inserting or deleting a node costs 1; making one into another 1 where tag or spans differ, else the normalised
    Levenshtein distance of their texts. Not compared are trees of more than `MAX_NODES` nodes, tables nested deeper
    than `MAX_NESTING` or so that comparing them takes too many steps (6 deep it never does), cells of too much text,
    and what takes longer than `time_limit`. Raises ValueError for a reference that has text but no table, an unknown
    language or column.
    Source: VDE Bench F.2.3, Eq. 18; definitions §5.
    """
    check_column(column)
    deadline = time.thread_time() + time_limit
    try:
        tables = [_tables(text, column) for text in (reference, hypothesis)]
    except TooDeep as error:
        return TableLikeness(None, str(error))
    if not tables[0] and reference.strip():
        raise ValueError(f"the reference {reference.strip()[:40]!r} has no table: give HTML with <table>")
    if not tables[0] or not tables[1]:
        return TableLikeness(1.0 if not reference.strip() and not hypothesis.strip() else 0.0)
    several = any(len(found) > 1 for found in tables)
    trees = [_tree(Node("tables", children=found) if several else found[0], lang, column) for found in tables]
    first, second = trees
    most = max(len(first.children), len(second.children))
    if most > MAX_NODES:
        return TableLikeness(None, f"a table has {most:,} nodes, more than {MAX_NODES:,}")
    pairs = _same_kind(first, second)
    if sum(pair.characters for pair in pairs) > _MAX_CHARACTERS:
        return TableLikeness(None, "the cells hold too much text")
    try:
        rename = _rename((len(first.texts), len(second.texts)), pairs, deadline)
        distance = tree_edit_distance(first.children, second.children, rename, deadline=deadline)
    except OutOfTime:
        return TableLikeness(None, f"comparing the tables took longer than {time_limit:g} s")
    except TooManySteps:
        return TableLikeness(None, "the tables are too large for how deep they lie in one another")
    return TableLikeness(max(0.0, 1 - distance / most))


def has_table(text: str) -> bool:
    """Whether the text holds a table in HTML or in Markdown."""
    return bool(_TABLE_TAG.search(text)) or bool(markdown_tables(text))


def count_cells(text: str) -> int:
    """Cells of the tables of a text, in HTML or in Markdown. Raises TooDeep."""
    return sum(
        node.tag in ("td", "th") for table in _tables(text, "audited") for node, _ in _postorder(table, _written)
    )


def _tables(text: str, column: Column) -> list[Node]:
    if _TABLE_TAG.search(text):
        return html_tables(text)
    return markdown_tables(text) if column == "audited" else []


def _tree(root: Node, lang: str | None, column: Column) -> _Tree:
    def clean(text: str) -> str:
        return normalise(text, "verbatim", lang) if lang is not None and text else text

    audited = column == "audited"
    children, kinds, texts = [], [], []
    for node, count in _postorder(root, _unfolded if audited else _written):
        tag = "td" if audited and node.tag == "th" else node.tag
        children.append(count)
        kinds.append((tag, node.colspan, node.rowspan))
        texts.append(clean(node.text))
    return _Tree(tuple(children), tuple(kinds), tuple(texts))


def _unfolded(node: Node) -> list[Node]:
    """The children, those of sections in their place."""
    return [inner for child in node.children for inner in (child.children if child.tag in _FOLDED else [child])]


def _written(node: Node) -> list[Node]:
    """The children; a section that a browser adds is no node."""
    return [
        inner
        for child in node.children
        for inner in (child.children if child.implied and child.tag in _FOLDED else [child])
    ]


def _postorder(root: Node, children: Callable[[Node], list[Node]]) -> Iterator[tuple[Node, int]]:
    """Every node with the number of its children, after them."""
    pending: list[tuple[Node, int | None]] = [(root, None)]
    while pending:
        node, count = pending.pop()
        if count is not None:
            yield node, count
            continue
        inner = children(node)
        pending.append((node, len(inner)))
        pending.extend((child, None) for child in reversed(inner))


@dataclass(frozen=True, slots=True)
class _Texts:
    """The different texts of the nodes of one kind; `nodes` and, for each, `places`: the number of its text."""

    texts: tuple[str, ...]
    nodes: tuple[int, ...]
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Pair:
    """The texts of one kind in both trees, and the characters of one side times those of the other."""

    first: _Texts
    second: _Texts
    characters: int


def _same_kind(first: _Tree, second: _Tree) -> list[_Pair]:
    """What has to be compared: a node of another kind costs 1 whatever its text."""
    ours, theirs = _by_kind(first), _by_kind(second)
    return [
        _Pair(ours[kind], theirs[kind], _characters(ours[kind].texts) * _characters(theirs[kind].texts))
        for kind in ours
        if kind in theirs
    ]


def _by_kind(tree: _Tree) -> dict[tuple[str, int, int], _Texts]:
    nodes: dict[tuple[str, int, int], list[int]] = {}
    for node, kind in enumerate(tree.kinds):
        nodes.setdefault(kind, []).append(node)
    found = {}
    for kind, members in nodes.items():
        numbers: dict[str, int] = {}
        places = tuple(numbers.setdefault(tree.texts[node], len(numbers)) for node in members)
        found[kind] = _Texts(tuple(numbers), tuple(members), places)
    return found


def _rename(shape: tuple[int, int], pairs: Sequence[_Pair], deadline: float) -> NDArray[numpy.float64]:
    import numpy as np

    costs = np.ones(shape)
    for pair in pairs:
        between = _distances(pair, deadline)
        costs[np.ix_(pair.first.nodes, pair.second.nodes)] = between[np.ix_(pair.first.places, pair.second.places)]
    return costs


def _distances(pair: _Pair, deadline: float) -> NDArray[numpy.float64]:
    """Normalised Levenshtein distances of all texts of the one side to all of the other. Raises OutOfTime."""
    import numpy as np
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    ours, theirs = pair.first.texts, pair.second.texts
    found = np.empty((len(ours), len(theirs)))
    others = max(1, _characters(theirs))
    start = 0
    while start < len(ours):
        stop, work = start, 0
        while stop < len(ours) and (stop == start or work + len(ours[stop]) * others <= _BATCH):
            work += len(ours[stop]) * others
            stop += 1
        scorer = Levenshtein.normalized_distance
        found[start:stop] = cdist(ours[start:stop], theirs, scorer=scorer, dtype=np.float64)
        if time.thread_time() > deadline:
            raise OutOfTime
        start = stop
    return found


def _characters(texts: Sequence[str]) -> int:
    return sum(map(len, texts))
