"""The size of the text is told from the picture."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageOps
from printed import LINES, page

from pytest_vtcfaith.models.line_pitch import is_tiny, line_pitch


@pytest.mark.parametrize("lang", ["en", "zh", "ko"])
@pytest.mark.parametrize("pitch", [19.3, 22, 22.5, 30, 46])
def test_pitch_of_a_printed_page(lang, pitch):
    image = page(LINES[lang] * 4, lang, size=pitch * 0.83, pitch=pitch)
    assert abs(line_pitch(image) - pitch) <= 1
    assert abs(line_pitch(ImageOps.invert(image)) - pitch) <= 1


@pytest.mark.parametrize("scale", [1.0, 0.5, 0.3])
def test_short_lines_between_full_ones_do_not_hide_the_pitch(scale):
    full = "".join(LINES["zh"])
    image = page([full, full, "安排外锚地", full, full, "每小时", full, full, "值班电话"], "zh", 19, 22.5, scale)
    assert abs(line_pitch(image) - 22.5 * scale) <= 1


@pytest.mark.parametrize(("scale", "tiny"), [(1.0, False), (0.67, False), (0.5, True), (0.35, True)])
def test_a_shrunk_page_becomes_tiny(scale, tiny):
    assert is_tiny(page(LINES["en"] * 4, scale=scale)) is tiny


def test_one_line_of_normal_size_is_not_tiny():
    assert not is_tiny(page(LINES["en"][1:2]))
    assert is_tiny(page(LINES["en"][1:2], scale=0.4))


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.binary(min_size=1600, max_size=1600))
def test_any_picture_has_an_answer_within_it(width, height, noise):
    image = Image.frombytes("L", (width, height), noise[: width * height])
    pitch = line_pitch(image)
    assert pitch is None or 1 <= pitch <= height


@pytest.mark.parametrize("colour", ["white", "black", "grey"])
def test_a_blank_picture_has_none(colour):
    assert line_pitch(Image.new("RGB", (50, 40), colour)) is None
    assert not is_tiny(Image.new("RGB", (1, 1), colour))
