"""The four kinds of pages of the editing set: which texts and tables they have, and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pytest_vtcfaith.metrics.table_html import Cell
from pytest_vtcfaith.pages.colours import RGB
from pytest_vtcfaith.pages.edits.design import WHITE, Design, Panel, Table, Text
from pytest_vtcfaith.pages.fonts import Style


@dataclass(frozen=True, slots=True)
class Palette:
    """Two colours that go together: `dark` for headings and bars, `pale` behind dark text."""

    dark: RGB
    pale: RGB


PALETTES = (
    Palette((28, 52, 94), (221, 230, 243)),
    Palette((30, 84, 58), (222, 239, 228)),
    Palette((98, 34, 62), (245, 226, 234)),
    Palette((64, 64, 64), (232, 232, 232)),
)


@dataclass(frozen=True, slots=True)
class _Template:
    """A kind of page: its size, its texts (the boxes of form fields among `panels`), its table and that one's width."""

    width: int
    height: int
    texts: Mapping[str, Text]
    table: Table
    table_width: int
    panels: tuple[Panel, ...] = ()


def _text(left: int, top: int, width: int, height: int, size: float, style: Style = "sans") -> Text:
    return Text("", left, top, width, height, size, style)


def _field(left: int, top: int) -> Panel:
    return Panel(left - 16, top - 14, 368, 64, WHITE, border=2, border_ink=(70, 70, 70))


_FIELDS = {"first": (80, 194), "second": (480, 194), "third": (80, 278), "fourth": (480, 278)}
KINDS: dict[str, _Template] = {
    "report": _Template(
        896,
        1120,
        {
            "title": _text(64, 48, 768, 60, 38),
            "byline": _text(64, 124, 768, 36, 22),
            "lead": _text(64, 190, 768, 136, 24, "serif"),
            "list": _text(64, 364, 768, 168, 24, "serif"),
            "remark": _text(64, 900, 768, 72, 22, "serif"),
            "footer": _text(64, 1040, 768, 36, 20),
        },
        Table((), 64, 560, (), 48, 23),
        768,
    ),
    "tables": _Template(
        1120,
        832,
        {
            "title": _text(56, 40, 1008, 58, 36),
            "intro": _text(56, 120, 1008, 66, 22, "serif"),
            "list": _text(56, 600, 1008, 100, 22, "serif"),
            "footer": _text(56, 760, 1008, 36, 20),
        },
        Table((), 56, 216, (), 50, 23),
        1008,
    ),
    "form": _Template(
        896,
        1056,
        {
            "title": _text(64, 44, 768, 56, 36),
            "office": _text(64, 116, 768, 36, 22),
            **{name: _text(left, top, 336, 36, 22) for name, (left, top) in _FIELDS.items()},
            "list": _text(64, 384, 768, 100, 22, "serif"),
            "remark": _text(64, 820, 768, 66, 22, "serif"),
            "footer": _text(64, 964, 768, 36, 20),
        },
        Table((), 64, 520, (), 48, 22),
        768,
        tuple(_field(left, top) for left, top in _FIELDS.values()),
    ),
    "slide": _Template(
        1280,
        720,
        {
            "title": replace(_text(56, 26, 1168, 64, 42), ink=WHITE),
            "list": _text(56, 168, 560, 260, 28, "serif"),
            "remark": _text(56, 520, 1168, 76, 26, "serif"),
            "footer": _text(56, 660, 1168, 36, 20),
        },
        Table((), 672, 168, (), 52, 24),
        552,
        (Panel(0, 0, 1280, 112, (0, 0, 0)),),
    ),
}


def page_of(
    kind: str,
    texts: Mapping[str, str],
    rows: Sequence[Sequence[Cell]],
    widths: Sequence[int] = (),
    *,
    palette: Palette,
    style: Style,
    shift: tuple[int, int] = (0, 0),
) -> Design:
    """A page of a kind.

    - `kind`: one of `KINDS`; `texts` by the names of its places, `rows` of its table; `widths` of the table's columns
      in pixels, equal ones over the table's width where none are given.
    - `palette`, `style`: its colours, and the style that its running text is set in.
    - `shift`: pixels to move all but the bar of a slide right and down.

    Raises ValueError for a text that has no place on such a page.
    """
    template = KINDS[kind]
    if unknown := sorted(set(texts) - set(template.texts)):
        raise ValueError(f"a {kind} has no place {unknown[0]!r}: it has {', '.join(template.texts)}")
    right, down = shift
    columns = sum(cell.colspan for cell in rows[0])
    table = replace(
        _moved(template.table, right, down),
        rows=tuple(tuple(row) for row in rows),
        widths=tuple(widths) or (template.table_width // columns,) * columns,
        style=style,
        head=palette.pale,
        rule_ink=palette.dark if kind == "slide" else template.table.rule_ink,
    )
    panels = [
        replace(panel, fill=palette.dark) if panel.fill == (0, 0, 0) else _moved(panel, right, down)
        for panel in template.panels
    ]
    placed = {
        name: replace(
            _moved(place, right, down),
            text=texts.get(name, ""),
            style=style if place.style == "serif" else place.style,
        )
        for name, place in template.texts.items()
    }
    return Design(template.width, template.height, tuple(panels), placed, {"table": table})


def _moved(place: Any, right: int, down: int) -> Any:
    return replace(place, left=place.left + right, top=place.top + down)
