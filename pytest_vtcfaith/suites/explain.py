"""Small parts that every suite's explanation of a failing case uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_vtcfaith.metrics import normalise, tokens
from pytest_vtcfaith.report.worddiff import visible

if TYPE_CHECKING:
    from pytest_vtcfaith.pages.page import Page


def describe_text(text: str, limit: int = 80) -> str:
    """The head of a transcript with its length, safe to print."""
    head = visible(" ".join(text[: 4 * limit].split()))
    return f"{len(text)} characters" + (f", begins {head[:limit]!r}" if head else "")


def page_word(page: Page | None, lang: str, index: int | None) -> int | None:
    """Index into `page.words` of the `index`-th token of the page's normalised text.

    Words and tokens are cut by different rules in Chinese, so they are matched by the characters before them.
    """
    if page is None or index is None or not page.words:
        return None
    before = sum(len(t) for t in tokens(normalise(page.text, "verbatim", lang), lang)[:index])
    passed = 0
    for position, word in enumerate(page.words):
        passed += len(word.text)
        if passed > before:
            return position
    return len(page.words) - 1
