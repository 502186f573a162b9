"""The strategies give what they say."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vtcfaith import strategies
from pytest_vtcfaith.metrics import classify_rewrites
from pytest_vtcfaith.pages.page import Page


@pytest.mark.parametrize(("kind", "lang"), [("scramble", "en"), ("random", "zh"), ("visual", "ko")])
def test_a_perturbed_page_read_as_the_original_is_rewritten(kind: str, lang: str) -> None:
    @settings(max_examples=25, deadline=None)
    @given(strategies.perturbed(kind, lang))
    def check(pair: tuple[str, str]) -> None:
        original, page = pair
        kept = classify_rewrites(original, page, page, lang=lang)
        assert kept["perturbed"] == kept["verbatim"] > 0
        assert classify_rewrites(original, page, original, lang=lang)["verbatim"] == 0

    check()


@settings(max_examples=10, deadline=None)
@given(st.sampled_from(["en", "zh", "ko"]).flatmap(strategies.pages))
def test_pages_show_their_text(page: Page) -> None:
    assert page.image.size == (page.width, page.height)
    assert "".join(word.text for word in page.words) == page.text.replace(" ", "").replace("\n", "")
