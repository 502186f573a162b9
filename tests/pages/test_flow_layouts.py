"""What the fields of a flow layout do to a page."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from PIL import ImageChops

from pytest_vtcfaith.pages import render
from pytest_vtcfaith.pages.layouts import GLYPH
from pytest_vtcfaith.pages.typesetting import Alignment

APART = replace(GLYPH, newline_mark="")
"""Glyph with paragraphs kept apart."""


def test_glyph_is_the_whole_page_unless_cropped() -> None:
    assert render("low tide", layout="glyph").image.size == (595, 842)
    cropped = render("low tide", layout=replace(GLYPH, crop_last_page=True))
    assert cropped.width == 595
    assert cropped.height == pytest.approx(30, abs=3)


def test_colours() -> None:
    page = render("low tide", layout=replace(GLYPH, ink=(255, 255, 0), paper=(0, 0, 128)))
    assert page.image.getpixel((0, 0)) == (0, 0, 128)
    word = page.words[0]
    red, _, blue = page.image.crop((word.left, word.top, word.right, word.bottom)).split()
    assert red.getextrema()[1] > 200
    assert blue.getextrema()[0] < 60


def test_a_newline_is_drawn_as_a_mark_that_is_no_word() -> None:
    page = render("low tide\n\nhigh tide\nend", layout="glyph")
    assert page.text == "low tide\nhigh tide\nend"
    assert [word.text for word in page.words] == ["low", "tide", "high", "tide", "end"]
    assert [(mark.text, page.text[mark.start]) for mark in page.marks] == [("\\n", "\n")] * 2
    assert {box.line for box in page.words + page.marks} == {0}
    order = sorted(page.words + page.marks, key=lambda box: box.left)
    assert [box.start for box in order] == sorted(box.start for box in order)
    for mark in page.marks:
        crop = page.image.crop((mark.left, mark.top, mark.right, mark.bottom))
        assert crop.getchannel("R").getextrema() == (255, 255)
        assert crop.getchannel("B").getextrema()[0] < 100
    assert render("low tide", layout="glyph").marks == ()
    assert render("low tide\nhigh", layout=APART).marks == ()


def test_marks_of_a_resized_page_are_scaled_with_it() -> None:
    page = render("low tide\nhigh tide", layout="glyph", size=(1190, 1684))
    nominal = render("low tide\nhigh tide", layout="glyph")
    assert page.marks[0].left == pytest.approx(2 * nominal.marks[0].left, abs=8)
    red = page.image.crop(page.marks[0][1:5])
    assert red.getpixel((red.width // 2, red.height // 2)) != (0, 0, 0)
    assert ImageChops.difference(red.getchannel("R"), red.getchannel("G")).getextrema()[1] > 100


@pytest.mark.parametrize(("alignment", "left", "right"), [("left", 10, None), ("right", None, 585), ("center", 0, 0)])
def test_alignment(alignment: Alignment, left: int | None, right: int | None) -> None:
    words = render("low tide at nine", layout=replace(GLYPH, alignment=alignment)).words
    if alignment == "center":
        assert words[0].left - 10 == pytest.approx(585 - words[-1].right, abs=2)
    else:
        assert left is None or words[0].left == pytest.approx(left, abs=1)
        assert right is None or words[-1].right == right


def test_justified_lines_but_the_last_end_at_the_margin() -> None:
    page = render("tide and time wait for no man " * 30, layout=replace(GLYPH, alignment="justify"))
    ends = [max(word.right for word in page.words if word.line == line) for line in range(len(page.line_starts))]
    assert len(ends) > 3
    assert set(ends[:-1]) == {585}
    assert ends[-1] < 585


def test_indents_and_spaces_of_paragraphs() -> None:
    text = "tide and time wait for no man " * 8 + "\n" + "low tide " * 40
    changes = {"first_line_indent_pt": 30, "left_indent_pt": 50, "right_indent_pt": 100, "space_before_pt": 7}
    page = render(text, layout=replace(APART, space_after_pt=4, **changes))
    assert all(word.left >= 59 and word.right <= 485 for word in page.words)
    lines = [[word for word in page.words if word.line == line] for line in range(len(page.line_starts))]
    begins = [page.line_starts.index(0), page.line_starts.index(page.text.index("\n") + 1)]
    for number, line in enumerate(lines):
        assert line[0].left == pytest.approx(90 if number in begins else 60, abs=1)
    tops = [min(word.top for word in line if word.text[0] in "tl") for line in lines]
    steps = [b - a for a, b in pairwise(tops)]
    assert steps[begins[1] - 1] == pytest.approx(21, abs=2)
    assert steps[0] == pytest.approx(10, abs=2)


def test_a_paragraph_has_its_ground_and_border() -> None:
    layout = replace(
        APART, paragraph_paper=(200, 255, 200), border_width_pt=2, border_padding_pt=5, border_ink=(0, 0, 255)
    )
    page = render("low tide\nhigh tide", layout=layout)
    assert page.image.getpixel((10, 10)) == page.image.getpixel((584, 11)) == (0, 0, 255)
    assert page.image.getpixel((9, 9)) == (255, 255, 255)
    assert page.image.getpixel((14, 14)) == (200, 255, 200)
    assert min(word.left for word in page.words) >= 17
    column = [page.image.getpixel((300, y)) for y in range(page.height)]
    assert column.count((0, 0, 255)) == 8


def test_cropping_the_width() -> None:
    page = render("low tide", layout=replace(GLYPH, crop_width=True))
    assert page.width == page.words[-1].right + 10
    assert page.height == 842
    assert render("", layout=replace(GLYPH, crop_width=True)).width == pytest.approx(30, abs=2)


def test_the_horizontal_scale_widens_letters_and_spaces_on_the_same_page() -> None:
    plain, wide = (render("tide and time", layout=replace(GLYPH, horizontal_scale=scale)).words for scale in (1.0, 1.5))
    for a, b in zip(plain, wide, strict=True):
        assert b.right - b.left == pytest.approx(1.5 * (a.right - a.left), abs=2)
        assert b.left - 10 == pytest.approx(1.5 * (a.left - 10), abs=3)
        assert b.bottom - b.top == a.bottom - a.top


def test_glyph_letters_are_as_wide_as_those_of_dejavu_sans() -> None:
    """Oracle: advances in thousandths of an em, read off DejaVuSans.ttf of rinoh-typeface-dejavusans 0.1.0."""
    dejavu = {"a": 613, "e": 615, "h": 634, "i": 278, "n": 634, "o": 612, "r": 411, "s": 521, "t": 392, " ": 318}
    text = " ".join(["the ion has shorn a teat or a tiara so then it is near a store"] * 2)
    words = render(text, layout=replace(GLYPH, font_size_pt=18, line_height_pt=20, width_pt=3000)).words
    assert words[-1].right - words[0].left == pytest.approx(sum(18 * dejavu[c] / 1000 for c in text), rel=0.02)
