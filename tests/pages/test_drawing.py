from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from pytest_vtcfaith.pages.drawing import Face, Pane, Print, draw, space, stamps
from pytest_vtcfaith.pages.fonts import font_for

PATH = font_for("sans", "en").path


@pytest.mark.parametrize("word", ["harbour", "1,284", "WAVE", "Élodie", "x\u0302y"])
def test_a_spelled_word_of_large_letters_is_what_freetype_draws(word: str) -> None:
    """Oracle: Pillow's own drawing of the whole word; only letters that touch would differ."""
    font = ImageFont.truetype(PATH, 40, layout_engine=ImageFont.Layout.BASIC)
    stamp = stamps(Face(PATH, 40, spelled=True))(word)
    assert stamp is not None
    picture = Image.new("L", (600, 100))
    ImageDraw.Draw(picture).text((50, 60), word, fill=255, font=font, anchor="ls")
    ink = stamp.ink
    assert picture.getbbox() == (50 + ink.left, 60 + ink.top, 50 + ink.right, 60 + ink.bottom)
    assert picture.crop(picture.getbbox()).tobytes() == stamp.coverage.tobytes()
    assert ink.advance == font.getlength(word)


@settings(deadline=None)
@given(st.text("abgjqTW.,|é", min_size=1, max_size=8), st.sampled_from([0.7, 1.0, 1.062, 2.0]), st.integers(6, 30))
def test_a_spelled_words_ink_box_is_tight_and_in_proportion(word: str, stretch: float, size: int) -> None:
    stamp = stamps(Face(PATH, size, stretch, spelled=True))(word)
    assert stamp is not None
    ink, coverage = stamp
    assert coverage.shape == (ink.bottom - ink.top, ink.right - ink.left)
    assert all(edge.max() > 0 for edge in (coverage[0], coverage[-1], coverage[:, 0], coverage[:, -1]))
    plain = stamps(Face(PATH, size, spelled=True))(word)
    assert plain is not None
    assert ink.advance == pytest.approx(stretch * plain.ink.advance)
    assert ink.right - ink.left == pytest.approx(stretch * (plain.ink.right - plain.ink.left), abs=2 + stretch)
    assert (ink.top, ink.bottom) == (plain.ink.top, plain.ink.bottom)


def test_a_word_without_ink_has_no_stamp() -> None:
    for spelled in (False, True):
        assert stamps(Face(PATH, 20, spelled=spelled))(" ") is None
    assert space(Face(PATH, 100, 1.5, spelled=True)) == pytest.approx(1.5 * space(Face(PATH, 100)))


def test_panes_lie_under_the_ink_on_the_paper() -> None:
    pane = Pane(2, 3, 18, 17, fill=(0, 200, 0), border=2, border_ink=(0, 0, 99))
    stamp = stamps(Face(PATH, 12))("I")
    assert stamp is not None
    height, width = stamp.coverage.shape
    prints = [Print(Face(PATH, 12), (255, 0, 0), [("I", 9, 6, 9 + width, 6 + height)])]
    picture = draw((30, 20), prints, panes=[pane], resized=None, paper=(255, 255, 0))
    found = [picture.getpixel(place) for place in [(0, 0), (2, 3), (3, 16), (17, 16), (4, 5), (18, 16)]]
    paper, border = (255, 255, 0), (0, 0, 99)
    assert found == [paper, border, border, border, (0, 200, 0), paper]
    red, green, _ = picture.crop((9, 6, 9 + width, 6 + height)).split()
    assert red.getextrema()[1] > 150
    assert green.getextrema()[0] < 120


def test_colours_are_blended_by_coverage() -> None:
    """Oracle: Pillow's paste of a colour through a mask."""
    stamp = stamps(Face(PATH, 15))("sea")
    assert stamp is not None
    height, width = stamp.coverage.shape
    prints = [Print(Face(PATH, 15), (10, 250, 60), [("sea", 0, 0, width, height)])]
    picture = draw((width, height), prints, panes=[], resized=None, paper=(200, 30, 90))
    expected = Image.new("RGB", (width, height), (200, 30, 90))
    expected.paste((10, 250, 60), (0, 0, width, height), Image.fromarray(stamp.coverage))
    assert max(abs(a - b) for a, b in zip(picture.tobytes(), expected.tobytes(), strict=True)) <= 1
