"""Texts longer than a page."""

from __future__ import annotations

from dataclasses import replace

from pytest_vtcfaith.pages.blocks import BlockLayout
from pytest_vtcfaith.pages.composing import check_glyphs, lay_out
from pytest_vtcfaith.pages.layouts import Layout, layout_named
from pytest_vtcfaith.pages.linebreaking import visible_text
from pytest_vtcfaith.pages.page import Page
from pytest_vtcfaith.pages.render import MASTER_SCALE, render
from pytest_vtcfaith.pages.typesetting import PageOverflow

_SEEN = 32_768
"""Characters looked at to find a page's end; more where a page takes over half of them."""


def paginate(text: str, *, layout: str | Layout = "faithc4", lang: str = "en") -> tuple[str, ...]:
    """Splits a text at the ends of lines into the texts of its pages, each as long as a page holds.

    Joined without anything between them they are the visible text: the space or newline at which a page ends stays at
    the end of its text, so that words and paragraphs are told apart. Every one fits on a page both at the layout's own
    resolution and, unless it is over twice as large as the layout's page at 72 dpi, at any size given to `render`.
    Pages of a block layout but the last hold what its smallest letters hold. A text without ink has one page, of no
    text. Arguments and errors are those of `render`; PageOverflow is raised for a character wider than a line only.
    """
    if isinstance(layout, str):
        layout = layout_named(layout)
    rest = visible_text(text)
    check_glyphs(rest, layout, lang)
    pages = []
    while (page := _first_page(rest, layout, lang)) != rest:
        pages.append(page)
        rest = rest[len(page) :]
    return (*pages, rest)


def render_pages(text: str, *, layout: str | Layout = "faithc4", lang: str = "en") -> tuple[Page, ...]:
    """Lays a text out over as many pages as it takes, each as `render` does at the layout's resolution.

    `Page.text` of a page is its part of the text without the space or newline it ends with, see `paginate`; a mark of a
    newline is not drawn at the end of a page. A layout's cropping of the last page is done to the last one only.
    Arguments and errors are those of `paginate`.
    """
    texts = paginate(text, layout=layout, lang=lang)
    return tuple(
        render(page, layout=layout, lang=lang, last=number == len(texts)) for number, page in enumerate(texts, start=1)
    )


def _first_page(text: str, layout: Layout, lang: str) -> str:
    """The text of the first page, what separates it from the rest at its end."""
    seen = _SEEN
    while True:
        page = _that_fits(text[:seen], layout, lang)
        if seen >= len(text) or 2 * len(page) < seen:
            return page
        seen *= 2


def _that_fits(text: str, layout: Layout, lang: str) -> str:
    """The whole lines at the beginning of a text that fit on a page at both resolutions."""
    if isinstance(layout, BlockLayout):
        layout = replace(layout, largest_pt=layout.smallest_pt)
    page = text
    for scale in (layout.dpi / 72, MASTER_SCALE):
        while (setting := lay_out(page.rstrip(" \n"), layout, lang, scale).setting).rest is not None:
            if setting.rest == 0:
                raise PageOverflow(f"layout {layout.name!r} has no room for a line: {setting.obstacle}".rstrip(": "))
            # The rest may begin with the mark of a newline
            end = setting.rest + 1 if text[setting.rest] == "\n" else setting.rest
            page = text[:end]
    return page
