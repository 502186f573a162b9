from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vtcfaith.metrics import normalise
from pytest_vtcfaith.pages import Layout, MissingGlyphs, PageOverflow, layout_named, paginate, render, render_pages
from pytest_vtcfaith.pages.blocks import Block, BlockLayout
from pytest_vtcfaith.pages.layouts import GLYPH, LAYOUTS
from pytest_vtcfaith.pages.linebreaking import visible_text
from pytest_vtcfaith.pages.multipage import _SEEN

TEXTS = {
    "en": ("The harbour master, Élodie, counted 1,284 crates; “a long night”, she wrote. " * 30 + "\n") * 12,
    "zh": ("港务长林晓梅在2024年清点了1,284箱货物（全部受潮）。“今晚会很长……”她写道。" * 20 + "\n") * 20,
    "ko": ("항만 관리자 김민수는 2024년 3월에 1,284개의 상자를 세었다. “길 것이다”라고 그는 적었다. " * 26 + "\n") * 12,
}
CARD = replace(GLYPH, name="card", width_pt=120, height_pt=62)
BLOCKS = BlockLayout("blocks", 120, 80, (Block("title", 5, 5, 110, 15), Block("body", 5, 25, 110, 50)), dpi=72)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("lang", TEXTS)
def test_the_pages_texts_joined_are_the_text_and_each_fits_at_any_size(lang: str, layout: str) -> None:
    texts = paginate(TEXTS[lang], layout=layout, lang=lang)
    assert len(texts) > 1
    assert "".join(texts) == visible_text(TEXTS[lang])
    for text in texts:
        assert text == text.lstrip()
        for size in (None, (320, 440)):
            assert render(text, layout=layout, lang=lang, size=size).text == text.rstrip()


@pytest.mark.parametrize("lang", TEXTS)
def test_the_pages_of_a_text(lang: str) -> None:
    pages = render_pages(TEXTS[lang], layout="faithc4", lang=lang)
    whole, last = pages[:-1], pages[-1]
    assert {page.height for page in whole} == {round(842 * 150 / 72)}
    assert last.height < whole[0].height
    assert normalise("\n".join(page.text for page in pages), "verbatim", lang) == normalise(
        TEXTS[lang], "verbatim", lang
    )


def test_only_the_last_page_is_cropped() -> None:
    layout = replace(CARD, crop_last_page=True)
    pages = render_pages("low tide\n" * 40, layout=layout)
    assert {page.height for page in pages[:-1]} == {62}
    assert render("low tide", layout=layout).height == 30
    assert render("low tide", layout=layout, last=False).height == 62


def fits(text: str, size: tuple[int, int] | None) -> bool:
    try:
        render(text, layout=CARD, size=size)
    except PageOverflow:
        return False
    return True


def test_full_pages_hold_no_line_more() -> None:
    texts = paginate("low tide " * 100, layout=CARD)
    for text, after in pairwise(texts):
        longer = text + " ".join(after.split()[:5])
        assert not all(fits(longer, size) for size in (None, (240, 124)))


@pytest.mark.parametrize(("text", "pages"), [("", ("",)), (" \n ", ("",)), ("low tide", ("low tide",))])
def test_one_page(text: str, pages: tuple[str, ...]) -> None:
    assert paginate(text, layout="glyph") == pages
    assert [page.text for page in render_pages(text, layout="glyph")] == list(pages)


def test_a_newline_between_pages_leaves_no_mark() -> None:
    texts = paginate("low tide\n" * 40, layout=CARD)
    assert all(text.endswith("\n") for text in texts[:-1] if not text.endswith(" "))
    for page in render_pages("low tide\n" * 40, layout=CARD):
        assert len(page.marks) == page.text.count("\n")


def test_a_page_of_more_characters_than_are_looked_at() -> None:
    huge = replace(GLYPH, name="huge", width_pt=3000, height_pt=3000)
    text = "ab cd " * (_SEEN // 4)
    assert len(text) > _SEEN
    assert paginate(text, layout=huge) == (text.strip(),)


@pytest.mark.parametrize("layout", [replace(CARD, width_pt=22), replace(BLOCKS, blocks=(Block("body", 0, 0, 2, 50),))])
def test_no_room_at_all(layout: Layout) -> None:
    with pytest.raises(PageOverflow, match=r"has no room for a line: .*cannot hold the character 'W'"):
        paginate("WW", layout=layout)
    with pytest.raises(PageOverflow, match=r"has no room for a line$"):
        paginate("low", layout=replace(CARD, height_pt=24, margin_y_pt=9.5, line_height_pt=10))


def test_errors_are_found_before_any_page() -> None:
    with pytest.raises(MissingGlyphs):
        render_pages("low tide " * 2000 + "海", layout="glyph")
    with pytest.raises(ValueError, match="unknown layout"):
        paginate("low", layout="gliph")


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.sampled_from(["low", "tide,", "(so)", "\n", "unfathomably" * 4, ".", "“night”", "Ég", ")", "x̂y"]),
        max_size=60,
    ).map(" ".join),
    st.sampled_from([CARD, replace(CARD, newline_mark="", alignment="justify", space_before_pt=3), BLOCKS]),
)
def test_any_text_is_parted_into_pages_that_fit(text: str, layout: Layout) -> None:
    texts = paginate(text, layout=layout)
    assert "".join(texts) == visible_text(text)
    for page_text, page in zip(texts, render_pages(text, layout=layout), strict=True):
        assert page.text == page_text.rstrip()
        assert "".join(word.text for word in page.words) == "".join(page_text.split())
        assert render(page_text, layout=layout, size=(2 * layout.width_pt, 2 * layout.height_pt)).text == page.text


def test_paginating_names_resolves_like_rendering() -> None:
    assert paginate("low tide", layout=layout_named("omni")) == paginate("low tide", layout="omni")
