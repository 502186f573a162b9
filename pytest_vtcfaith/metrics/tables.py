"""Tables in HTML as trees, broken ones as browsers mend them (definitions §5, TEDS)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser

from pytest_vtcfaith.metrics.scripts import WHITE_SPACE

MAX_NESTING = 500
"""Tables in tables; deeper ones are not compared: each level has at least two nodes, so they pass `teds.MAX_NODES`."""

_SECTIONS = ("thead", "tbody", "tfoot")
_CELLS = ("td", "th")
_INNER = (*_SECTIONS, *_CELLS, "tr", "caption", "colgroup", "col")
_PARTING = ("br", "p", "div", "li", "ul", "ol", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote")
_SILENT = ("script", "style")
_COMMENTS = re.compile(r"<!--(?:-?>|.*?(?:--!?>|\Z))|<![^>]*(?:>|\Z)", re.DOTALL)
"""Comments, and what browsers take for one: declarations, marked sections (html.parser breaks on a broken one)."""
_UNFINISHED = re.compile(r"<[A-Za-z/?][^<>]*\Z")
_TAG = re.compile(r"<[A-Za-z/!?][^>]*>")
_NUMBER = re.compile(r"[\t\n\f\r ]*\+?([0-9]+)")
_SPACES = re.compile(f"[{WHITE_SPACE}]+")
_MOST_COLUMNS, _MOST_ROWS = 1000, 65534


class TooDeep(Exception):
    """Tables lie in one another more than `MAX_NESTING` deep."""


@dataclass(slots=True)
class Node:
    """An element of a table: `table`, `caption`, `thead`, `tbody`, `tfoot`, `tr`, `td`, `th`.

    `text`: of a cell or caption, that of tables in it left out; `colspan`, `rowspan`: of a cell, at least 1; `implied`:
    the element is not written, a browser adds it.
    """

    tag: str
    text: str = ""
    colspan: int = 1
    rowspan: int = 1
    implied: bool = False
    children: list[Node] = field(default_factory=list)


def html_tables(html: str) -> list[Node]:
    """The tables of an HTML text, in order; those in a cell or caption are its children.

    End tags that are missing are implied, wrongly nested ones mended, unknown ones ignored, what a table may not hold
    is moved before it, as the HTML standard says for browsers; inline tags are dropped, their text stays. Column groups
    are left out. A span that is no number from 1 is 1; `colspan` ends at 1,000; `rowspan` 0 is the rest of the section.
    White space in a text is one space, none at its ends. Raises TooDeep. Source: HTML Living Standard §13.2.6.4.9–15,
    §4.9.11.
    """
    builder = _Builder()
    builder.feed(_UNFINISHED.sub("", _COMMENTS.sub("", html)))
    builder.close()
    for table in builder.tables:
        _finish(table)
    return builder.tables


class _Builder(HTMLParser):
    """Follows the standard's insertion modes; the mode is the innermost open element that belongs to a table."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[Node] = []
        self._open: list[Node] = []
        self._silent: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Opens an element, and closes or implies what must be before it."""
        if tag in _SILENT:
            self._silent = tag
        elif tag == "table":
            self._start_table()
        elif tag in _INNER:
            while self._open and not self._start_inner(tag, dict(attrs)):
                pass
        elif tag in _PARTING:
            self._write(" ")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """`<td/>` is a start tag: HTML knows no empty elements but its own."""
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        """Closes an element if it is open in the innermost table, with what lies in it."""
        if tag == self._silent:
            self._silent = None
        elif tag in _PARTING:
            self._write(" ")
        elif any(node.tag == tag for node in self._since_table()):
            while self._open.pop().tag != tag:
                pass

    def handle_data(self, data: str) -> None:
        """Adds text to the cell or caption it is in."""
        if self._silent is None:
            self._write(data)

    def _since_table(self) -> list[Node]:
        """The open elements from the innermost table on."""
        start = next((at for at in reversed(range(len(self._open))) if self._open[at].tag == "table"), 0)
        return self._open[start:]

    def _start_table(self) -> None:
        if self._open and self._open[-1].tag not in (*_CELLS, "caption"):
            while self._open.pop().tag != "table":
                pass
        if sum(node.tag == "table" for node in self._open) == MAX_NESTING:
            raise TooDeep(f"tables lie more than {MAX_NESTING} deep in one another")
        self._push(Node("table"))

    def _start_inner(self, tag: str, attributes: dict[str, str | None]) -> bool:
        """One step of the standard's "reprocess the token"; whether it is done."""
        top = self._open[-1].tag
        if top == "table":
            wanted = {"tr": "tbody", "td": "tbody", "th": "tbody", "col": "colgroup"}.get(tag, tag)
        elif top in _SECTIONS and tag in ("tr", *_CELLS):
            wanted = "tr"
        elif top == "tr" and tag in _CELLS:
            wanted = tag
        elif top == "colgroup" and tag == "col":
            return True
        else:
            self._open.pop()
            return False
        node = Node(wanted, implied=wanted != tag)
        if wanted in _CELLS:
            node.colspan = max(1, min(_MOST_COLUMNS, _number(attributes.get("colspan"), 1)))
            node.rowspan = min(_MOST_ROWS, _number(attributes.get("rowspan"), 1))
        self._push(node)
        return wanted == tag

    def _push(self, node: Node) -> None:
        (self._open[-1].children if self._open else self.tables).append(node)
        self._open.append(node)

    def _write(self, text: str) -> None:
        """Text goes to the innermost cell or caption; between the cells of a table, to what the table lies in."""
        if self._open and self._open[-1].tag == "colgroup" and text.strip("\t\n\f\r "):
            self._open.pop()
        for node in reversed(self._open):
            if node.tag in (*_CELLS, "caption"):
                node.text += text
                return


def _number(value: str | None, otherwise: int) -> int:
    """The standard's "rules for parsing non-negative integers": what stands after the digits is ignored."""
    found = _NUMBER.match(value or "")
    return min(int(found[1][:9]), _MOST_ROWS) if found else otherwise


def collapse(text: str) -> str:
    """The text with every run of white space one space, and none at its ends."""
    return _SPACES.sub(" ", text).strip(" ")


def without_tags(html: str) -> str:
    """The text of a piece of HTML: a space for every tag, character references read, white space collapsed.

    As the benchmark's code makes a table's text; a text in which nothing looks like a tag only loses white space.
    """
    return collapse(unescape(_TAG.sub(" ", html)))


def _finish(table: Node) -> None:
    """Leaves column groups out, gives `rowspan` 0 its rows and collapses white space, in the table and those in it."""
    pending = [table]
    while pending:
        node = pending.pop()
        node.children = [child for child in node.children if child.tag != "colgroup"]
        node.text = collapse(node.text)
        if node.tag in _SECTIONS:
            for number, row in enumerate(node.children):
                for cell in row.children:
                    cell.rowspan = cell.rowspan or len(node.children) - number
        pending.extend(node.children)
