"""Tables in HTML and Markdown (`metrics/tables.py`, `metrics/markdown_tables.py`)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pytest_vtcfaith.metrics.markdown_tables import markdown_tables
from pytest_vtcfaith.metrics.tables import MAX_NESTING, Node, TooDeep, html_tables, without_tags

Shape = tuple[str, str, int, int, list[Any]]


def shape(node: Node) -> Shape:
    return node.tag, node.text, node.colspan, node.rowspan, [shape(child) for child in node.children]


def grid(node: Node) -> list[list[str]]:
    """The texts of the rows of a table, of all its sections."""
    return [[cell.text for cell in row.children] for section in node.children for row in section.children]


@pytest.mark.parametrize(
    "html",
    [
        "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>",
        "<table><tr><td>a<td>b<tr><td>c<td>d",
        "<TABLE><TBODY><TR><TD>a</TD><TD>b</TD></TR><TR><TD>c</TD><TD>d</TD></TR></TBODY></TABLE>",
        "<table><td>a</td><td>b</td><tr><td>c</td><td>d</td></table>",
        "<table><tbody><tr><td>a<td>b</tbody><tbody><tr><td>c<td>d</tbody></table>",
        "<html><body><table border=1><colgroup><col><col></colgroup><tr><td> a\n</td><td><b>b</b></td></tr>"
        "<tr><td><p>c</p></td><td>d<br></td></tr></table></body></html>",
        "```html\n<table><tr><td>a</th></td><td/>b</td><tr/><td>c</tr2><td>d</tr></table>\n```",
        "<table>stray<tr>text<td>a<td>b<tr><td>c<!-- x --><td>d<td",
        "<table><tr><td>a<td>b<tr><td>c<td>d<!-- cut",
        "<table><![if x]><tr><td>a<td>b<tr><td>c<td>d<script>x<td>y</script></table>",
    ],
)
def test_one_grid_however_written(html: str) -> None:
    (table,) = html_tables(html)
    assert grid(table) == [["a", "b"], ["c", "d"]]


@pytest.mark.parametrize(
    ("written", "colspan", "rowspan"),
    [
        ('colspan="2" rowspan="3"', 2, 3),
        ('colspan="" rowspan=""', 1, 1),
        ('colspan="2px"', 2, 1),  # the standard ignores what stands after the digits
        ('colspan="0"', 1, 1),
        ('colspan="-2" rowspan="x"', 1, 1),
        ('colspan="２" rowspan="２"', 1, 1),
        ('colspan="1000000" rowspan="99999999999999999999"', 1000, 65534),
        ('colspan=" +7"', 7, 1),
        ("colspan", 1, 1),
        ('rowspan="0"', 1, 2),  # to the end of the section
    ],
)
def test_spans(written: str, colspan: int, rowspan: int) -> None:
    html = f"<table><tbody><tr><td {written}>Pear<tr><td>x</tbody><tbody><tr><td>y</table>"
    cell = html_tables(html)[0].children[0].children[0].children[0]
    assert (cell.colspan, cell.rowspan) == (colspan, rowspan)


def test_nested_tables_stay_in_their_cell() -> None:
    html = "<table><tr><td>a<table><tr><td>Pear</table>b<tr><td>c</table>"
    (outer,) = html_tables(html)
    assert grid(outer) == [["ab"], ["c"]]
    assert grid(outer.children[0].children[0].children[0].children[0]) == [["Pear"]]


def test_a_table_in_a_row_is_a_new_one() -> None:
    assert [grid(table) for table in html_tables("<table><tr><td>a</td><table><tr><td>b")] == [[["a"]], [["b"]]]


def test_nesting_has_an_end() -> None:
    assert len(html_tables("<table><tr><td>" * MAX_NESTING)) == 1
    for depth in (MAX_NESTING + 1, 3000, 100_000):
        with pytest.raises(TooDeep, match="more than 500 deep"):
            html_tables("<table><tr><td>" * depth)


def test_references_are_read_once() -> None:
    assert grid(html_tables("<table><td>A&amp;amp;B &lt;5&gt;")[0]) == [["A&amp;B <5>"]]
    assert without_tags("<td>Fish &amp; chips</td><td>x &lt; y</td>") == "Fish & chips x < y"
    assert without_tags("5 < 6 and 7 > 6") == "5 < 6 and 7 > 6"


TAGS = ("table", "tr", "td", "th", "tbody", "thead", "tfoot", "caption", "colgroup", "col", "b", "br")
PIECES = st.sampled_from(
    [f"<{tag}>" for tag in TAGS]
    + [f"</{tag}>" for tag in TAGS if tag != "br"]
    + ["x", "y ", "&amp;", "<td colspan=2>", "<td rowspan='0'>", '<th colspan="">', "<td/>", "<!-- c -->", "<![x]>"]
)


@settings(max_examples=500, deadline=None)
@given(st.lists(PIECES, max_size=16), st.booleans())
@example(["<td>", "<table>", "x", "<tr>", "y "], True)
def test_broken_html_is_mended_as_html5lib_does(pieces: list[str], opened: bool) -> None:
    html5lib = pytest.importorskip("html5lib", reason="needs html5lib")
    html = "<table>" * opened + "".join(pieces)
    body = html5lib.parse(f"<body>{html}", namespaceHTMLElements=False).find("body")
    expected = [element_shape(table) for table in inner(body) if table.tag == "table"]
    assert [spaceless(shape(table)) for table in html_tables(html)] == expected


def spaceless(found: Shape) -> Shape:
    """Where spaces fall between inline tags is not compared."""
    return found[0], found[1].replace(" ", ""), found[2], found[3], [spaceless(child) for child in found[4]]


def inner(element: Any) -> list[Any]:
    """The elements of tables below an element, others looked through."""
    found = []
    for child in element:
        if isinstance(child.tag, str):
            found += [child] if child.tag in TAGS[:-2] else inner(child)
    return found


def element_text(element: Any) -> str:
    parts = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str) and child.tag != "table":
            parts.append(element_text(child))
        parts.append(child.tail or "")
    return "".join(parts)


def element_shape(element: Any, rows_left: int = 1) -> Shape:
    children = [child for child in inner(element) if child.tag not in ("colgroup", "col")]
    text = "".join(element_text(element).split()) if element.tag in ("td", "th", "caption") else ""
    spans = [1, 1]
    if element.tag in ("td", "th"):
        numbers = [re.match(r"\d+", element.get(name, "")) for name in ("colspan", "rowspan")]
        spans = [int(number[0]) if number else 1 for number in numbers]
    below = (
        [element_shape(child, len(children) - number) for number, child in enumerate(children)]
        if element.tag in ("tbody", "thead", "tfoot")
        else [element_shape(child, rows_left if element.tag == "tr" else 1) for child in children]
    )
    return element.tag, text, max(1, spans[0]), spans[1] or rows_left, below


@settings(max_examples=500, deadline=None)
@given(
    st.lists(st.sampled_from([*"<>!-[]?/&#x;'\"= a", "<table>", "<td", "<!--", "-->", "<![", "<script>"]), max_size=20)
)
def test_nothing_breaks_it(pieces: list[str]) -> None:
    html_tables("".join(pieces))
    markdown_tables("".join(pieces))


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("| a | b |\n|---|---|\n| c | d |", [["a", "b"], ["c", "d"]]),
        ("a | b\n:-- | --:\nc | d", [["a", "b"], ["c", "d"]]),
        ("```markdown\n| a | b |\r\n|:-:|---|\r\n| c |\r\n```", [["a", "b"], ["c", ""]]),
        ("| a |\n|---|\n| c | d |\n\nafter", [["a"], ["c"]]),
        ("| a\\|b | **c** |\n|-|-|\n| x<br>y | 5 &lt; \\*6 |", [["a|b", "c"], ["x y", "5 < *6"]]),
        ("| a | |\n|---|---|", [["a", ""]]),
    ],
)
def test_markdown(text: str, rows: list[list[str]]) -> None:
    (table,) = markdown_tables(text)
    assert grid(table) == rows
    assert [section.tag for section in table.children] == ["thead", "tbody"]


@pytest.mark.parametrize("text", ["", "a\n---", "| a | b |\n|---|\n| c |", "| a | b |\n| c | d |", "a | b"])
def test_no_markdown_table(text: str) -> None:
    assert markdown_tables(text) == []


def test_two_markdown_tables() -> None:
    text = "| a |\n|---|\n| b |\n\nand\n\n| c |\n|---|\n| d |"
    assert [grid(table) for table in markdown_tables(text)] == [[["a"], ["b"]], [["c"], ["d"]]]
