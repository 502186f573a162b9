from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vtcfaith.pages.layouts import FAITHC4, GLYPH, LAYOUTS, layout_named


def test_bundled_layouts() -> None:
    assert LAYOUTS == {"faithc4": FAITHC4, "glyph": GLYPH}
    assert FAITHC4.line_height_pt == pytest.approx(1.2 * FAITHC4.font_size_pt)
    assert (GLYPH.width_pt, GLYPH.height_pt, GLYPH.crop_height) == (595, 842, False)


def test_an_unknown_layout_lists_the_known_nearest_first() -> None:
    with pytest.raises(ValueError, match="unknown layout 'gliph'; known, nearest first: glyph, faithc4"):
        layout_named("gliph")


@pytest.mark.parametrize(
    ("field", "value"),
    [("width_pt", 0), ("height_pt", -1), ("font_size_pt", 0), ("line_height_pt", float("nan")), ("dpi", 0)],
)
def test_a_layout_without_room_is_an_error(field: str, value: float) -> None:
    with pytest.raises(ValueError, match=rf"layout 'glyph': {field} must be over 0"):
        replace(GLYPH, **{field: value})


@pytest.mark.parametrize("margin", [-1, 297.5, float("nan")])
def test_margins_must_leave_room(margin: float) -> None:
    with pytest.raises(ValueError, match="leave no room for text"):
        replace(GLYPH, margin_pt=margin)
