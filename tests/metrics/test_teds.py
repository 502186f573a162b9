"""TEDS (`metrics/teds.py`), against apted with the same costs."""

from __future__ import annotations

import itertools
import sys
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from pytest_vtcfaith.metrics import teds
from pytest_vtcfaith.metrics.tables import Node, html_tables
from pytest_vtcfaith.metrics.teds import MAX_NODES, has_table, table_likeness

TWO = "<table><tr><td>Item</td><td>Price</td></tr><tr><td>Pear</td><td>3</td></tr></table>"
MARKDOWN = "| Item | Price |\n|---|---|\n| Pear | 3 |"


def table(rows: int, columns: int, cell: str = "td") -> str:
    row = "".join(f"<{cell}>{{0}}.{number}</{cell}>" for number in range(columns))
    return "<table>" + "".join(f"<tr>{row.format(number)}</tr>" for number in range(rows)) + "</table>"


def zigzag(depth: int) -> str:
    """Every table lies between two cells of another."""
    return "<table><tr><td>a</td><td>" * depth + "</td><td>b</td></tr></table>" * depth


@pytest.mark.parametrize(
    ("reference", "hypothesis", "value"),
    [
        (TWO, TWO, 1.0),
        (TWO, "<table><tr><td>Item<td>Price<tr><td>Pear<td>3", 1.0),
        (TWO, "<table><tr><td>Item<td>Pri", 1 - 3.4 / 7),
        (TWO, "<table><thead><tr><th>Item<th>Price</thead><tbody><tr><td>Pear<td>3</table>", 1.0),
        (TWO, MARKDOWN, 1.0),
        (TWO, f"```\n{MARKDOWN}\n```", 1.0),
        (MARKDOWN, TWO, 1.0),
        (TWO, "", 0.0),
        (TWO, "   ", 0.0),
        (TWO, "Item Price Pear 3", 0.0),
        (TWO, "<table></table>", 1 - 6 / 7),
        ("<table></table>", "<table></table>", 1.0),
        ("", " ", 1.0),
        ("", TWO, 0.0),
        ("<table><tr><td colspan=2>a</table>", "<table><tr><td>a</table>", 1 - 1 / 3),
        ("<table><tr><td colspan=1>a</table>", '<table><tr><td colspan="">a</table>', 1.0),
        ("<table><tr><td>Pear</table>", "<table><tr><td><table><tr><td>Pear</table></table>", 1 - 3 / 6),
        ("<table><tr><td>a  b\n</table>", "<table><tr><td>a b</table>", 1.0),
        (TWO + TWO, TWO + "\n" + TWO, 1.0),
        (TWO + TWO, TWO, 1 - 7 / 15),  # both get a common root
    ],
)
def test_audited(reference: str, hypothesis: str, value: float) -> None:
    assert teds(reference, hypothesis) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize(
    ("reference", "hypothesis", "value"),
    [
        (TWO, TWO, 1.0),
        (TWO, TWO.replace("Pear", "Pea"), 1 - 0.25 / 7),
        (TWO, "<table><tr><th>Item<th>Price<tr><td>Pear<td>3", 1 - 2 / 7),
        (TWO, "<table><tbody><tr><td>Item<td>Price<tr><td>Pear<td>3</tbody></table>", 1 - 1 / 8),
        (TWO, MARKDOWN, 0.0),
    ],
)
def test_published(reference: str, hypothesis: str, value: float) -> None:
    assert teds(reference, hypothesis, column="published") == pytest.approx(value, abs=1e-9)


def test_cells_are_normalised_by_language() -> None:
    tables = ("<table><td>合计 金额，５", "<table><td>合计金额,5")
    assert teds(*tables, lang="zh") == 1.0
    assert teds(*tables) == pytest.approx(1 - 3 / 7 / 3)


@pytest.mark.parametrize(
    ("reference", "hypothesis", "reason"),
    [
        (table(60, 60), table(60, 60), "a table has 3,661 nodes, more than 1,000"),
        (TWO, table(34, 30), "a table has 1,055 nodes, more than 1,000"),
        (TWO, "<table><tr><td>" * 3000, "tables lie more than 500 deep in one another"),
        (zigzag(190), zigzag(190), "the tables are too large for how deep they lie in one another"),
        ("<table><td>" + "a" * 400_000, "<table><td>" + "b" * 400_000, "the cells hold too much text"),
    ],
)
def test_not_scored(reference: str, hypothesis: str, reason: str) -> None:
    for pair in ((reference, hypothesis), (hypothesis, reference)):
        assert teds(*pair) == "not_scored"
        assert table_likeness(*pair).value is None
        assert table_likeness(*pair).reason == reason


def test_deep_tables_are_scored() -> None:
    nodes = 20 * 5
    assert teds(zigzag(20), zigzag(20)) == 1.0
    assert teds(zigzag(20), zigzag(19)) == pytest.approx(1 - 5 / nodes)
    assert teds(zigzag(20), zigzag(20).replace("<td>b", "<td>c")) == pytest.approx(1 - 20 / nodes)
    chain = "<table><tr><td>"
    assert teds(chain * 333, chain * 300) == pytest.approx(300 / 333)


def test_the_time_limit_is_of_the_threads_own_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a clock of the wall that runs an hour at every look, nothing takes longer."""
    hours = itertools.count(0, 3600)
    for clock in ("monotonic", "perf_counter", "time"):
        monkeypatch.setattr(time, clock, lambda: float(next(hours)))
    assert teds(TWO, TWO) == 1.0


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text("ab", max_size=6), min_size=1, max_size=9), st.lists(st.text("ab", max_size=6), min_size=1))
def test_texts_in_batches(ours: list[str], theirs: list[str]) -> None:
    """A batch of one text at a time gives what one of all texts gives."""
    pair = ["<table><tr>" + "".join(f"<td>{text}</td>" for text in texts) + "</tr></table>" for texts in (ours, theirs)]
    whole = teds(*pair)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules[table_likeness.__module__], "_BATCH", 1)
        assert teds(*pair) == whole


def test_long_texts_are_compared() -> None:
    """The same texts many times over are compared once; no text of another kind is compared at all."""
    long = "xy " * 700
    many = "<table>" + ("<tr>" + f"<td>{long}</td>" * 20 + "</tr>") * 20 + "</table>"
    assert teds(many, many.replace("xy", "xz")) == pytest.approx(1 - 400 / 3 / 421, abs=1e-3)
    wide = f"<table><tr><td colspan=2>{'a' * 400_000}</td></tr></table>"
    assert teds(wide, wide.replace("colspan=2", "")) == pytest.approx(1 - 1 / 3)


def test_the_time_limit() -> None:
    found = table_likeness(TWO, TWO, time_limit=0)
    assert (found.value, found.reason) == (None, "comparing the tables took longer than 0 s")


def test_just_under_the_cap_is_scored() -> None:
    rows = (MAX_NODES - 1) // 3
    assert teds(table(rows, 2), table(rows, 2)) == 1.0


def test_a_reference_without_a_table_is_an_error() -> None:
    with pytest.raises(ValueError, match="the reference 'Item Price' has no table"):
        teds(" Item Price", TWO)
    with pytest.raises(ValueError, match="has no table"):
        teds(MARKDOWN, TWO, column="published")
    with pytest.raises(ValueError, match="column 'best' is unknown"):
        teds(TWO, TWO, column="best")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="lang 'fr' is unknown"):
        teds(TWO, TWO, lang="fr")


def test_has_table() -> None:
    assert [has_table(text) for text in (TWO, MARKDOWN, "<TABLE\nborder>", "<tables>", "a | b", "")] == [
        True, True, True, False, False, False,
    ]  # fmt: skip


CELLS = st.tuples(
    st.sampled_from(["td", "th"]), st.sampled_from(["", " colspan=2", " rowspan=2"]), st.text("ab ", max_size=4)
).map(lambda cell: "<{0}{1}>{2}</{0}>".format(*cell))
ROWS = st.lists(CELLS, max_size=5).map(lambda cells: f"<tr>{''.join(cells)}</tr>")
INNER = st.lists(ROWS, max_size=3).map(lambda rows: f"<table>{''.join(rows)}</table>")
NESTING = st.tuples(CELLS, INNER).map(lambda pair: f"<tr><td>{pair[1]}</td>{pair[0]}</tr>")
SECTIONS = st.tuples(st.sampled_from(["thead", "tbody", "tfoot"]), st.lists(st.one_of(ROWS, ROWS, NESTING), max_size=4))
TABLES = st.lists(SECTIONS.map(lambda part: "<{0}>{1}</{0}>".format(part[0], "".join(part[1]))), max_size=3).map(
    lambda parts: f"<table>{''.join(parts)}</table>"
)


def folded(node: Node, audited: bool) -> list[Node]:
    found = []
    for child in node.children:
        section = child.tag in ("thead", "tbody", "tfoot")
        found += child.children if section and (audited or child.implied) else [child]
    return found


def by_apted(reference: str, hypothesis: str, audited: bool) -> float:
    apted: Any = pytest.importorskip("apted", reason="needs apted")

    class Costs(apted.Config):
        def rename(self, node1: Node, node2: Node) -> float:
            ours, theirs = (
                ("td" if audited and node.tag == "th" else node.tag, node.colspan, node.rowspan)
                for node in (node1, node2)
            )
            return 1.0 if ours != theirs else Levenshtein.normalized_distance(node1.text, node2.text)

        def children(self, node: Node) -> list[Node]:
            return folded(node, audited)

    def size(node: Node) -> int:
        return 1 + sum(map(size, Costs().children(node)))

    first, second = html_tables(reference)[0], html_tables(hypothesis)[0]
    distance = apted.APTED(first, second, Costs()).compute_edit_distance()
    return max(0.0, 1 - distance / max(size(first), size(second)))


@settings(max_examples=500, deadline=None)
@given(TABLES, TABLES)
def test_equals_apted(reference: str, hypothesis: str) -> None:
    assert teds(reference, hypothesis) == pytest.approx(by_apted(reference, hypothesis, True), abs=1e-9)
    published = by_apted(reference, hypothesis, False)
    assert teds(reference, hypothesis, column="published") == pytest.approx(published, abs=1e-9)
