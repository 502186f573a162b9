"""Small parts that every suite's explanation of a failing case uses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_vtcfaith.metrics import normalise, tokens
from pytest_vtcfaith.report.worddiff import quoted

if TYPE_CHECKING:
    from pytest_vtcfaith.pages.page import Page


def describe_text(text: str, limit: int = 80) -> str:
    """The length of a transcript, and its head of at most `limit` characters, safe to print."""
    head = " ".join(text[: 4 * limit].split())
    return f"{len(text)} characters" + (f", begins {quoted(head, limit)}" if head else "")


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


def find_word(pages: Sequence[Page], lang: str, index: int | None) -> tuple[int, int | None]:
    """The page (index into `pages`) on which the `index`-th token of the whole text stands, and its word there;
    None for a word where there is no page.
    """
    if index is None or not pages:
        return 0, None
    for number, page in enumerate(pages[:-1]):
        count = len(tokens(normalise(page.text, "verbatim", lang), lang))
        if index < count:
            return number, page_word(page, lang, index)
        index -= count
    return len(pages) - 1, page_word(pages[-1], lang, index)
