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
from pytest_vtcfaith.metrics.tree_edit import OutOfTime, tree_edit_distance

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

NOT_SCORED: Literal["not_scored"] = "not_scored"
MAX_NODES = 1000
"""Nodes of one table's tree; 30 × 30 cells are 931."""
TIME_LIMIT = 5.0
"""Seconds for one pair. A pair within the other limits is far below it: it ends what a very slow machine cannot do."""

_MAX_CHARACTERS = 10**11  # of one table times those of the other: comparing all cells with all takes about a second
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
    - `time_limit`: seconds.

    Inserting or deleting a node costs 1; making one into another 1 where tag or spans differ, else the normalised
    Levenshtein distance of their texts. Not compared are trees of more than `MAX_NODES` nodes, tables nested deeper
    than `MAX_NESTING`, cells of too much text, and what takes longer than `time_limit`. Raises ValueError for a
    reference that has text but no table, an unknown language or column.
    Source: VDE Bench F.2.3, Eq. 18; definitions §5.
    """
    check_column(column)
    deadline = time.monotonic() + time_limit
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
    if sum(map(len, first.texts)) * sum(map(len, second.texts)) > _MAX_CHARACTERS:
        return TableLikeness(None, "the cells hold too much text")
    try:
        distance = tree_edit_distance(first.children, second.children, _rename(first, second), deadline=deadline)
    except OutOfTime:
        return TableLikeness(None, f"comparing the tables took longer than {time_limit:g} s")
    return TableLikeness(max(0.0, 1 - distance / most))


def has_table(text: str) -> bool:
    """Whether the text holds a table in HTML or in Markdown."""
    return bool(_TABLE_TAG.search(text)) or bool(markdown_tables(text))


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


def _rename(first: _Tree, second: _Tree) -> NDArray[numpy.float64]:
    import numpy as np
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    (texts_a, of_a), (texts_b, of_b) = _numbered(first.texts), _numbered(second.texts)
    between = cdist(texts_a, texts_b, scorer=Levenshtein.normalized_distance, dtype=np.float64)
    kinds = {kind: number for number, kind in enumerate({*first.kinds, *second.kinds})}
    kinds_a, kinds_b = (np.array([kinds[kind] for kind in tree.kinds]) for tree in (first, second))
    return np.where(kinds_a[:, None] == kinds_b[None, :], between[np.ix_(of_a, of_b)], 1.0)


def _numbered(texts: Sequence[str]) -> tuple[list[str], list[int]]:
    """The distinct texts, and the number of each node's."""
    numbers: dict[str, int] = {}
    places = [numbers.setdefault(text, len(numbers)) for text in texts]
    return list(numbers), places
