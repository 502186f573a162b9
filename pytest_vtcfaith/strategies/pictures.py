"""Strategies of pictures: pages with the box of every word, and edits of pages with their references."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from hypothesis import strategies as st

from pytest_vtcfaith.metrics.table_html import Cell
from pytest_vtcfaith.pages import render
from pytest_vtcfaith.pages.edits.pair import EditPair, draw_pair
from pytest_vtcfaith.pages.edits.templates import KINDS
from pytest_vtcfaith.strategies.written import known_words, texts
from pytest_vtcfaith.texts.edits.build import edit_rows
from pytest_vtcfaith.texts.edits.sources import REGIONS, EditSource, PageSource, Rows
from pytest_vtcfaith.texts.errors import TextsError

if TYPE_CHECKING:
    from pytest_vtcfaith.metrics.edit import Operation
    from pytest_vtcfaith.pages.page import Page

OPERATIONS: tuple[Operation, ...] = ("modify", "add", "delete", "structure")

_WORDS = 8
_LOOKS = 64
_ASKED = {
    "en": {
        "text/modify": "Replace ‘{0}’ with ‘{7}’.",
        "text/add": "Add ‘{7}’ after ‘{0}’.",
        "text/delete": "Delete the line ‘{2}’.",
        "text/structure": "Swap the lines ‘{1}’ and ‘{2}’.",
        "table/modify": "Replace ‘{5}’ in the table with ‘{7}’.",
        "table/add": "Write ‘{7}’ into the empty cell of the row ‘{6}’.",
        "table/delete": "Delete ‘{5}’ from the table and leave its cell empty.",
        "table/structure": "Swap the columns ‘{3}’ and ‘{4}’, headings and cells.",
    },
    "zh": {
        "text/modify": "把“{0}”改为“{7}”。",
        "text/add": "在“{0}”后面加上“{7}”。",
        "text/delete": "删除“{2}”一行。",
        "text/structure": "把“{1}”和“{2}”两行对调。",
        "table/modify": "把表格中的“{5}”改为“{7}”。",
        "table/add": "在“{6}”一行的空格里填上“{7}”。",
        "table/delete": "删除表格中的“{5}”，单元格留空。",
        "table/structure": "把表格的“{3}”和“{4}”两列对调，表头和内容一起换。",
    },
}


def pages(lang: str = "en", layout: str = "faithc4", *, max_words: int = 60) -> st.SearchStrategy[Page]:
    """Laid-out pages of 1 to `max_words` known words, with the box of every word; drawn when the picture is asked for.

    `layout`: as `pages.render`. Raises ValueError for an unknown `lang`; drawing an example raises it for an unknown
    layout.
    """
    return texts(lang, max_words=max_words).map(lambda text: render(text, layout=layout, lang=lang))


def edits(
    lang: str = "en", *, operation: str | None = None, region: Literal["text", "table"] | None = None
) -> st.SearchStrategy[EditPair]:
    """Edits as the editing suite has them (definitions §5): source and reference pictures, instruction, exact region.

    - `lang`: `en` or `zh`.
    - `operation`: `modify`, `add`, `delete` or `structure`; `region`: `text` or `table`. None: any.

    Every word stands on its page once, so that instructions are unambiguous; they shrink to short words on a report
    whose title changes. Raises TextsError (a ValueError) for others.
    """
    for name, value, known in (
        ("lang", lang, _ASKED),
        ("operation", operation, OPERATIONS),
        ("region", region, REGIONS),
    ):
        if value is not None and value not in known:
            raise TextsError(f"{name} {value!r} is unknown: choose one of {', '.join(known)}")
    return st.builds(
        _pair,
        st.just(lang),
        st.sampled_from(tuple(KINDS)),
        st.sampled_from(REGIONS if region is None else (region,)),
        st.sampled_from(OPERATIONS if operation is None else (cast("Operation", operation),)),
        st.lists(known_words(lang), min_size=_WORDS, max_size=_WORDS, unique=True),
        st.integers(0, _LOOKS - 1),
    )


def _pair(lang: str, kind: str, region: str, operation: Operation, words: list[str], look: int) -> EditPair:
    title, first, second, left, right, cell, row, new = words
    between = "" if lang == "zh" else " "
    rows = ((Cell(left), Cell(right)), (Cell(cell), Cell("7")), (Cell(row), Cell("")))
    changed: dict[str, str] = {}
    table: Rows | None = None
    if region == "text":
        changed = {
            "modify": {"title": new},
            "add": {"title": f"{title}{between}{new}"},
            "delete": {"list": first},
            "structure": {"list": f"{second}\n{first}"},
        }[operation]
    else:
        table = {
            "modify": (rows[0], (Cell(new), rows[1][1]), rows[2]),
            "add": (*rows[:2], (Cell(row), Cell(new))),
            "delete": (rows[0], (Cell(""), rows[1][1]), rows[2]),
            "structure": tuple(tuple(reversed(cells)) for cells in rows),
        }[operation]
    edit = EditSource(
        name="edit",
        region=region,
        operation=operation,
        instruction=_ASKED[lang][f"{region}/{operation}"].format(*words),
        texts=changed,
        rows=table,
        widths=None,
    )
    source = PageSource(
        name=f"{lang}-{kind}",
        kind=kind,
        lang=lang,
        texts={"title": title, "list": f"{first}\n{second}"},
        rows=rows,
        widths=(),
        edits=(edit,),
    )
    (found,) = edit_rows(source, look)
    return draw_pair(found)
