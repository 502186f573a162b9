from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pytest_vtcfaith.pages import render
from pytest_vtcfaith.pages.blocks import Block, Figure
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
        ("margin_x_pt", -1, "margin_x_pt must be at least 0 .*, got -1"),
        ("margin_y_pt", float("nan"), "margin_y_pt must be at least 0 .*, got nan"),
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


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"alignment": "middle"}, "alignment must be one of left, right, center, justify, got 'middle'"),
        ({"style": "mono"}, "style must be one of serif, sans, wide, got 'mono'"),
        ({"ink": (300, 0, 0)}, r"ink must be a colour, .* from 0 to 255, got \(300, 0, 0\)"),
        ({"paper": (0, 0)}, "paper must be a colour"),
        ({"newline_ink": (0, 0, -1)}, "newline_ink must be a colour"),
        ({"paragraph_paper": "white"}, "paragraph_paper must be a colour"),
        ({"border_ink": (0.5, 0, 0)}, "border_ink must be a colour"),
        ({"paper": (0, 0, 0)}, r"ink must differ from paper, both are \(0, 0, 0\)"),
        ({"paragraph_paper": (0, 0, 0)}, "ink must differ from paragraph_paper"),
        ({"newline_ink": (255, 255, 255)}, "newline_ink must differ from paper"),
        ({"space_before_pt": float("inf")}, "space_before_pt must be at least 0 and at most 5000, got inf"),
        ({"first_line_indent_pt": float("nan")}, "first_line_indent_pt must be at least -5000 .*, got nan"),
        ({"border_width_pt": "1"}, "border_width_pt must be at least 0 and at most 5000, got '1'"),
        ({"width_pt": 10**400}, "width_pt must be over 0 and at most 5000, got 1000"),
        ({"font_size_pt": float("inf")}, "font_size_pt must be over 0 and at most 500, got inf"),
        ({"horizontal_scale": 0.2}, "horizontal_scale must be at least 0.25 and at most 4, got 0.2"),
        ({"horizontal_scale": 5}, "horizontal_scale must be at least 0.25 and at most 4, got 5"),
        ({"line_height_pt": 8.9}, r"line_height_pt must be at least font_size_pt \(9\), got 8.9"),
        ({"dpi": 1e6}, "dpi must be over 0 and at most 1200, got 1000000.0"),
        ({"dpi": 39}, "font_size_pt must be at least 9.23077 at 39 dpi, so that letters have 5 pixels, got 9: 4.9"),
        ({"font_size_pt": 4.9}, "font_size_pt must be at least 5 at 72 dpi"),
        ({"width_pt": 5000, "height_pt": 5000, "dpi": 600}, "dpi 600 makes a page of 1,736,111,111 pixels"),
        ({"newline_mark": "a\tb"}, "newline_mark must be one word"),
    ],
)
def test_what_could_not_be_read_or_drawn_names_field_value_and_range(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"layout 'glyph': {message}"):
        replace(GLYPH, **changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"figure_fill": (0, 0, 256)}, "figure_fill must be a colour"),
        ({"ink": (255, 255, 255)}, "ink must differ from paper"),
        ({"line_height": 0.9}, "line_height must be at least 1 and at most 100, got 0.9"),
        ({"step_pt": 1e-9}, "step_pt must be at least 0.01"),
        ({"paragraph_space": float("nan")}, "paragraph_space must be at least 0"),
        ({"largest_pt": float("inf")}, "largest_pt must be over 0 and at most 500, got inf"),
        ({"smallest_pt": 2}, "smallest_pt must be at least 2.4 at 150 dpi"),
        ({"figures": (Figure(0, 0, 1e300, 5),)}, "figure 1 must be a rectangle on the page of 612 x 792 pt"),
        ({"figures": (Figure(0, float("nan"), 5, 5),)}, "figure 1 must be a rectangle on the page"),
        ({"blocks": (Block("body", 0, 0, 50, 50, max_lines=0),)}, r"block 1 \(body\): max_lines must be at least 1"),
    ],
)
def test_what_could_not_be_read_in_blocks(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"layout 'fox': {message}"):
        replace(FOX, **changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"width_pt": 5000, "height_pt": 5000, "font_size_pt": 500, "line_height_pt": 500},
        {"width_pt": 60, "height_pt": 60, "dpi": 1200},
        {"font_size_pt": 5, "line_height_pt": 5},
        {"horizontal_scale": 0.25},
        {"horizontal_scale": 4},
    ],
)
def test_the_ends_of_the_ranges_are_drawn(changes: dict[str, Any]) -> None:
    page = render("tide", layout=replace(GLYPH, **changes))
    (word,) = page.words
    darkest = page.image.convert("L").crop(word[1:5]).getextrema()[0]
    assert isinstance(darkest, int | float)
    assert darkest < 160
