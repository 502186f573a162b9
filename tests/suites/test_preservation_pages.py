"""Texts longer than a page at a ratio: budgets by the pages' shares, one score over all pages."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_cases import PRESERVATION, REWRITING, answer, preservation_case, rewriting_case, spec

from pytest_vtcfaith.pages import paginate, visual_tokens
from pytest_vtcfaith.suites.base import Inapplicable
from pytest_vtcfaith.suites.case import Case
from pytest_vtcfaith.suites.preservation_pages import _shares

WORDS = ("low", "tide", "at", "the", "old", "pier", "is", "seven", "minutes", "past", "nine", "today")
LONG = " ".join(WORDS[n % len(WORDS)] for n in range(4000))
FAITHC4 = " ".join(f"{WORDS[n % len(WORDS)]}{n}" for n in range(3000))


def long_case(ratio: float = 2.5, n_text: int = 4400, **changes: Any) -> Case:
    return preservation_case(text=LONG, n_text=n_text, ratio=ratio, **changes)


def test_pages_share_the_budget_by_their_characters() -> None:
    request = PRESERVATION.request(long_case(), spec(visual_tokens="qwen2.5-vl"))
    pages = request.pages
    texts = paginate(LONG, layout="glyph", lang="en")
    assert len(pages) == len(texts) > 1
    assert " ".join(page.text for page in pages) == LONG
    for page, text in zip(pages, texts, strict=True):
        target = 4400 / 2.5 * len(text) / len(LONG)
        assert target - max(1, 0.05 * target) <= (page.visual_tokens or 0) <= target + 1
        assert page.visual_tokens == visual_tokens("qwen2.5-vl", page.width, page.height)
    assert request.budget_tokens == sum(page.visual_tokens or 0 for page in pages) <= 4400 / 2.5 + len(pages)
    assert request.page is pages[0]
    part = request.part(pages[1])
    assert (part.pages, part.prompt, part.budget_tokens) == ((pages[1],), request.prompt, pages[1].visual_tokens)
    assert PRESERVATION.request(long_case(), spec()).budget_tokens is None


def test_one_score_over_all_pages() -> None:
    case = long_case()
    request = PRESERVATION.request(case, spec())
    found = PRESERVATION.score(case, answer("\n".join(page.text for page in request.pages)), request)
    assert found["word_accuracy"] == 1.0
    assert found["pages"] == len(request.pages)
    assert found["visual_tokens"] == sum(page.visual_tokens or 0 for page in request.pages)
    assert found["compression_ratio"] == pytest.approx(2.5, rel=0.06)
    pixels = sum(page.width * page.height for page in request.pages)
    assert found["pixels_per_character"] == pytest.approx(pixels / len(LONG), rel=0.001)
    single = PRESERVATION.request(preservation_case(text="pier seven", n_text=300), spec())
    assert "pages" not in PRESERVATION.score(preservation_case(text="pier seven"), answer("pier seven"), single)


def test_the_page_of_the_first_difference_is_shown() -> None:
    case = long_case()
    request = PRESERVATION.request(case, spec())
    words = LONG.split()
    before = len(request.pages[0].text.split())
    words[before + 5] = "wrong"
    transcript = answer(" ".join(words))
    found = PRESERVATION.explain(case, transcript, PRESERVATION.score(case, transcript, request), request)
    assert found.page == 1
    assert request.pages[1].words[found.word or 0].text == LONG.split()[before + 5]
    assert found.word == 5


def test_a_page_that_cannot_reach_the_ratio_makes_the_case_inapplicable() -> None:
    with pytest.raises(Inapplicable, match=r"page 1 of \d+: gemma3"):
        PRESERVATION.request(long_case(), spec(visual_tokens="gemma3"))


def test_a_cropped_page_is_budgeted_as_it_is_drawn() -> None:
    case = preservation_case(text=" ".join(WORDS), n_text=400)
    case.params["layout"] = "faithc4"  # type: ignore[index]
    page = PRESERVATION.request(case, spec()).page
    assert page.width > 4 * page.height  # one line of text, not stretched over a sheet
    assert 77 <= (page.visual_tokens or 0) <= 80


@given(st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=6), st.integers(1, 5000))
def test_shares_add_up(texts: list[str], n_text: int) -> None:
    shares = _shares(texts, n_text)
    assert len(shares) == len(texts)
    assert min(shares) >= 1
    assert n_text <= sum(shares) <= n_text + len(texts)
    whole = sum(map(len, texts))
    for share, text in zip(shares, texts, strict=True):
        assert abs(share - n_text * len(text) / whole) <= 1.0


def test_a_long_rewriting_document_takes_several_pages() -> None:
    case = rewriting_case(original=FAITHC4, page=FAITHC4.replace(WORDS[3] + "2995", "blorb"))
    request = REWRITING.request(case, spec())
    assert len(request.pages) > 1
    assert " ".join(page.text for page in request.pages) == case.reference
    assert len(REWRITING.request(rewriting_case(), spec()).pages) == 1
