from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vtcfaith.pages.bundled_blocks import FOX, OMNI
from pytest_vtcfaith.pages.layouts import FAITHC4, GLYPH, LAYOUTS, layout_named


def test_bundled_layouts() -> None:
    assert LAYOUTS == {"faithc4": FAITHC4, "fox": FOX, "glyph": GLYPH, "omni": OMNI}
    assert FAITHC4.line_height_pt == pytest.approx(1.2 * FAITHC4.font_size_pt)
    assert (FOX.width_pt, FOX.height_pt) == (612, 792)


def test_glyph_is_the_shipped_configuration() -> None:
    shipped = {
        "width_pt": 595,
        "height_pt": 842,
        "dpi": 72,
        "margin_x_pt": 10,
        "margin_y_pt": 10,
        "font_size_pt": 9,
        "line_height_pt": 10,
        "ink": (0, 0, 0),
        "alignment": "left",
        "horizontal_scale": 1.0,
        "first_line_indent_pt": 0,
        "left_indent_pt": 0,
        "right_indent_pt": 0,
        "space_after_pt": 0,
        "space_before_pt": 0,
        "border_width_pt": 0,
        "border_padding_pt": 0,
        "paper": (255, 255, 255),
        "paragraph_paper": None,
        "newline_mark": "\\n",
        "newline_ink": (255, 0, 0),
        "crop_width": False,
        "crop_last_page": False,
    }
    assert {field: getattr(GLYPH, field) for field in shipped} == shipped


def test_an_unknown_layout_lists_the_known_nearest_first() -> None:
    with pytest.raises(ValueError, match=r"unknown layout 'gliph'; known, nearest first: glyph, .*, or template:FILE"):
        layout_named("gliph")


@pytest.mark.parametrize(
    ("field", "value"),
    [("width_pt", 0), ("height_pt", -1), ("font_size_pt", 0), ("line_height_pt", float("nan")), ("dpi", 0)],
)
def test_a_layout_without_room_is_an_error(field: str, value: float) -> None:
    with pytest.raises(ValueError, match=rf"layout 'glyph': {field} must be over 0"):
        replace(GLYPH, **{field: value})


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("margin_x_pt", -1, "margin_x_pt must be at least 0, got -1"),
        ("margin_y_pt", float("nan"), "margin_y_pt must be at least 0, got nan"),
        ("margin_x_pt", 297.5, "595.0 pt across .* leave no room for text"),
        ("margin_y_pt", 421, "842 pt down leave no room for text"),
        ("left_indent_pt", 600, "leave no room for text"),
        ("border_padding_pt", 300, "leave no room for text"),
        ("first_line_indent_pt", -1, "may go back no further than left_indent_pt"),
        ("newline_mark", "a b", "must be one word, got 'a b'"),
    ],
)
def test_margins_and_indents_must_leave_room(field: str, value: float | str, message: str) -> None:
    with pytest.raises(ValueError, match=f"layout 'glyph': .*{message}"):
        replace(GLYPH, **{field: value})
