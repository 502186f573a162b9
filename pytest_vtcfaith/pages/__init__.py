"""Text into pictures: fonts, layouts, typesetting with exact word boxes, visual-token budgets."""

from pytest_vtcfaith.pages.blocks import BlockLayout
from pytest_vtcfaith.pages.budget import Fit, Unsupported, fit_budget, visual_tokens
from pytest_vtcfaith.pages.fonts import FontUnavailable, MissingGlyphs
from pytest_vtcfaith.pages.layouts import FlowLayout, Layout, layout_named
from pytest_vtcfaith.pages.multipage import paginate, render_pages
from pytest_vtcfaith.pages.page import Page, WordBox
from pytest_vtcfaith.pages.render import crop_word, render
from pytest_vtcfaith.pages.typesetting import PageOverflow

UNDRAWABLE = (MissingGlyphs, PageOverflow, FontUnavailable)
"""What is raised for a text that no page of the wanted kind can show."""

__all__ = [
    "BlockLayout",
    "Fit",
    "FlowLayout",
    "FontUnavailable",
    "Layout",
    "MissingGlyphs",
    "Page",
    "PageOverflow",
    "Unsupported",
    "WordBox",
    "crop_word",
    "fit_budget",
    "layout_named",
    "paginate",
    "render",
    "render_pages",
    "visual_tokens",
]
