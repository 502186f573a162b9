from __future__ import annotations

from pytest_vtcfaith.metrics.table_html import Cell, table_html
from pytest_vtcfaith.metrics.tables import html_tables


def test_what_is_written_is_read_again() -> None:
    html = table_html([[Cell("a < b & c"), Cell("", 2)], [Cell('"d"', 1, 3), Cell("e"), Cell("f")]])
    assert html == (
        '<table><tr><td>a &lt; b &amp; c</td><td colspan="2"></td></tr>'
        '<tr><td rowspan="3">"d"</td><td>e</td><td>f</td></tr></table>'
    )
    (table,) = html_tables(html)
    rows = [row for section in table.children for row in (section.children if section.tag == "tbody" else [section])]
    assert [[(cell.text, cell.colspan, cell.rowspan) for cell in row.children] for row in rows] == [
        [("a < b & c", 1, 1), ("", 2, 1)],
        [('"d"', 1, 3), ("e", 1, 1), ("f", 1, 1)],
    ]


def test_a_table_without_rows() -> None:
    assert table_html([]) == "<table></table>"
