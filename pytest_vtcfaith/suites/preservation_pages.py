"""The pages of a preservation case: how many, how large, and what each may cost (definitions §3, Budget)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from pytest_vtcfaith.suites.base import Inapplicable
from pytest_vtcfaith.suites.case import Case
from pytest_vtcfaith.suites.preservation_cases import layout_of

if TYPE_CHECKING:
    from pytest_vtcfaith.models.registry import ModelSpec
    from pytest_vtcfaith.pages import Fit, Layout, Page


def fit_pages(case: Case, spec: ModelSpec) -> list[tuple[str, Fit]]:
    """Text, size and cost of every page; all pages together cost what n_text ÷ ratio allows.

    The text tokens that a page counts for are its share of the characters, so that every page has the case's ratio.
    Raises Inapplicable when the model's visual tokens cannot reach the ratio on every page.
    """
    from pytest_vtcfaith.pages import Unsupported, fit_budget

    name = layout_of(case)
    texts = _texts(case.reference, name, case.lang)
    found = []
    for number, (text, n_text) in enumerate(zip(texts, _shares(texts, case.params["budget_text"]), strict=True), 1):
        width, height = _shape(text, name, case.lang, number == len(texts))
        try:
            fit = fit_budget(
                n_text, case.params["ratio"], family=spec.visual_tokens, page_width=width, page_height=height
            )
        except Unsupported as problem:
            where = f"page {number} of {len(texts)}: " if len(texts) > 1 else ""
            raise Inapplicable(f"{where}{problem}") from problem
        found.append((text, fit))
    return found


def draw_pages(case: Case, fitted: Sequence[tuple[str, Fit]]) -> tuple[Page, ...]:
    """Lays the pages out at their sizes."""
    from pytest_vtcfaith.pages import layout_named, render

    layout = layout_named(layout_of(case))
    return tuple(
        render(
            text,
            layout=layout,
            lang=case.lang,
            size=(fit.width, fit.height),
            visual_tokens=fit.tokens,
            last=number == len(fitted),
        )
        for number, (text, fit) in enumerate(fitted, start=1)
    )


def _shares(texts: Sequence[str], n_text: int) -> list[int]:
    """`n_text` tokens split by the pages' characters; at least 1 for each."""
    whole = max(1, sum(map(len, texts)))
    ends, characters = [0], 0
    for text in texts:
        characters += len(text)
        ends.append(round(n_text * characters / whole))
    return [max(1, end - start) for start, end in pairwise(ends)]


@lru_cache(maxsize=256)
def _texts(text: str, layout: str, lang: str) -> tuple[str, ...]:
    """The texts of the pages; kept, because a text is asked at several ratios."""
    from pytest_vtcfaith.pages import paginate

    return paginate(text, layout=layout, lang=lang)


@lru_cache(maxsize=256)
def _shape(text: str, layout: str, lang: str, last: bool) -> tuple[int, int]:
    """Width and height of the page that is drawn: the layout's, unless the layout crops it to its text."""
    from pytest_vtcfaith.pages import layout_named, render

    found: Layout = layout_named(layout)
    if not (getattr(found, "crop_width", False) or (last and getattr(found, "crop_last_page", False))):
        return found.width_pt, found.height_pt
    page = render(text, layout=found, lang=lang, last=last)
    return page.width, page.height
