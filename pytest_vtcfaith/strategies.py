"""Hypothesis strategies for tests of your own reading pipeline: texts that pages can show, perturbed pairs, pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

try:
    from hypothesis import strategies as st
except ImportError as problem:
    raise ImportError(
        "pytest_vtcfaith.strategies needs hypothesis: pip install 'pytest-vtcfaith[strategies]'"
    ) from problem

from pytest_vtcfaith.texts.perturb import perturb
from pytest_vtcfaith.texts.scripts import common_han, common_syllables

if TYPE_CHECKING:
    from pytest_vtcfaith.pages.page import Page

LATIN = "abcdefghijklmnopqrstuvwxyz"


def words(lang: str = "en", *, min_size: int = 1, max_size: int = 12) -> st.SearchStrategy[str]:
    """Words of `min_size` to `max_size` characters: ASCII lower case (`en`), common Han (`zh`) or Hangul (`ko`)."""
    pools = {"en": LATIN, "zh": "".join(common_han()), "ko": "".join(common_syllables())}
    return st.text(alphabet=pools[lang], min_size=min_size, max_size=max_size)


def texts(lang: str = "en", *, min_words: int = 1, max_words: int = 60) -> st.SearchStrategy[str]:
    """Texts of one paragraph that every bundled font can show; Chinese ones without spaces."""
    between = "" if lang == "zh" else " "
    return st.lists(words(lang), min_size=min_words, max_size=max_words).map(between.join)


def perturbed(kind: str, lang: str = "en") -> st.SearchStrategy[tuple[str, str]]:
    """Pairs (original, page) that differ in at least one word, as the rewriting suite makes them (definitions §4)."""

    def pair(drawn: tuple[str, int]) -> tuple[str, str]:
        text, seed = drawn
        return text, perturb(text, kind, lang=lang, seed=seed)

    drawn = st.tuples(texts(lang, min_words=8), st.integers(0, 2**32 - 1))
    return drawn.map(pair).filter(lambda found: found[0] != found[1])


def pages(lang: str = "en", layout: str = "faithc4") -> st.SearchStrategy[Page]:
    """Drawn pages of such texts, with the box of every word."""
    from pytest_vtcfaith.pages import render

    return texts(lang).map(lambda text: render(text, layout=layout, lang=lang))
