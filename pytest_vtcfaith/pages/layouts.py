"""How a page is laid out."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from pytest_vtcfaith.pages.fonts import Style

RGB = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Layout:
    """A page's geometry; lengths in points of 1/72 inch.

    `width_pt` × `height_pt` is the whole page, `margin_pt` the blank edge on all four sides, `line_height_pt` the
    distance of baselines. `dpi` is the resolution of a page drawn without a given size. With `crop_height` the page
    ends one margin below the text instead of at `height_pt`, which stays the most it may take. `ink` and `paper` are
    the colours.
    """

    name: str
    width_pt: int
    height_pt: int
    margin_pt: float
    font_size_pt: float
    line_height_pt: float
    style: Style
    dpi: int
    crop_height: bool = False
    ink: RGB = (0, 0, 0)
    paper: RGB = (255, 255, 255)

    def __post_init__(self) -> None:
        for field in ("width_pt", "height_pt", "font_size_pt", "line_height_pt", "dpi"):
            if not getattr(self, field) > 0:
                raise ValueError(f"layout {self.name!r}: {field} must be over 0, got {getattr(self, field)}")
        if not 0 <= 2 * self.margin_pt < min(self.width_pt, self.height_pt):
            raise ValueError(f"layout {self.name!r}: margins of {self.margin_pt} pt leave no room for text")


FAITHC4 = Layout(
    # FaithC4 §3: 9 pt serif, 1.2 line height, one A4 page. Its blank rest holds nothing to read and only costs time.
    name="faithc4",
    width_pt=595,
    height_pt=842,
    margin_pt=36,
    font_size_pt=9,
    line_height_pt=10.8,
    style="serif",
    dpi=150,
    crop_height=True,
)
GLYPH = Layout(
    name="glyph",
    width_pt=595,
    height_pt=842,
    margin_pt=10,
    font_size_pt=9,
    line_height_pt=10,
    style="sans",
    dpi=72,
)
LAYOUTS: dict[str, Layout] = {layout.name: layout for layout in (FAITHC4, GLYPH)}


def layout_named(name: str) -> Layout:
    """The bundled layout of that name. Raises ValueError that lists the known ones, the nearest first."""
    if name not in LAYOUTS:
        nearest = difflib.get_close_matches(name, LAYOUTS, n=len(LAYOUTS), cutoff=0.0)
        raise ValueError(f"unknown layout {name!r}; known, nearest first: {', '.join(nearest)}")
    return LAYOUTS[name]
