"""How a page is laid out: as one flow of lines of a given size, or (`blocks`) as text fitted into blocks."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import get_args

from pytest_vtcfaith.pages.blocks import BlockLayout
from pytest_vtcfaith.pages.bundled_blocks import FOX, OMNI
from pytest_vtcfaith.pages.checks import (
    LARGEST_DPI,
    LARGEST_LETTER_PT,
    LARGEST_SIDE_PT,
    check_choice,
    check_colours,
    check_numbers,
    check_resolution,
)
from pytest_vtcfaith.pages.colours import RGB
from pytest_vtcfaith.pages.fonts import STYLES, Style
from pytest_vtcfaith.pages.templates import TEMPLATE_PREFIX, read_template
from pytest_vtcfaith.pages.typesetting import Alignment

_ROOMS = (
    "margin_x_pt",
    "margin_y_pt",
    "left_indent_pt",
    "right_indent_pt",
    "space_before_pt",
    "space_after_pt",
    "border_width_pt",
    "border_padding_pt",
)


@dataclass(frozen=True, slots=True)
class FlowLayout:
    """A page of one column in one letter size; lengths in points of 1/72 inch.

    `width_pt` × `height_pt` is the whole page, `margin_x_pt` and `margin_y_pt` its blank edges, `line_height_pt` the
    distance of baselines. `dpi` is the resolution of a page drawn without a given size. `alignment` is `left`, `right`,
    `center` or `justify`.

    `newline_mark` joins the paragraphs into one flow: it is drawn, in `newline_ink`, as a word where a newline was; the
    empty string keeps paragraphs apart, each from a new line. `first_line_indent_pt` (negative for a hanging one),
    `left_indent_pt` and `right_indent_pt` are a paragraph's indents, `space_before_pt` and `space_after_pt` the room
    between paragraphs, none at the top of a page. Paragraphs have the ground `paragraph_paper` (None: the page's) and a
    border of `border_width_pt` in `border_ink`, `border_padding_pt` away from the text, both inside the margins.

    `horizontal_scale` widens letters and spaces (over 1) or narrows them on a page that keeps its size. With
    `crop_width` the picture ends one margin right of the longest line, with `crop_last_page` the last page (the only
    one of a text that fits on a page) one margin below its text; both are counted in the budget as they are drawn.
    `ink` and `paper` are the colours of text and page.

    Raises ValueError naming field, value and range for a page on which nothing could be read: sides over 0 and up to
    5,000 pt, letters up to 500 pt and of at least 5 pixels at `dpi` (up to 1,200), `line_height_pt` from the letter
    size, `horizontal_scale` from 0.25 to 4, colours of 0 to 255 and no ink on paper of its own colour.
    """

    name: str
    width_pt: int
    height_pt: int
    margin_x_pt: float
    margin_y_pt: float
    font_size_pt: float
    line_height_pt: float
    style: Style
    dpi: int
    alignment: Alignment = "left"
    newline_mark: str = ""
    newline_ink: RGB = (255, 0, 0)
    first_line_indent_pt: float = 0
    left_indent_pt: float = 0
    right_indent_pt: float = 0
    space_before_pt: float = 0
    space_after_pt: float = 0
    border_width_pt: float = 0
    border_padding_pt: float = 0
    horizontal_scale: float = 1.0
    crop_width: bool = False
    crop_last_page: bool = False
    ink: RGB = (0, 0, 0)
    paper: RGB = (255, 255, 255)
    paragraph_paper: RGB | None = None
    border_ink: RGB = (0, 0, 0)

    def __post_init__(self) -> None:
        side = (0, LARGEST_SIDE_PT)
        check_numbers(self, {"width_pt": side, "height_pt": side, "dpi": (0, LARGEST_DPI)}, over=True)
        check_numbers(self, {"font_size_pt": (0, LARGEST_LETTER_PT)}, over=True)
        check_numbers(self, {"line_height_pt": side}, over=True)
        check_numbers(self, dict.fromkeys(_ROOMS, side))
        check_numbers(self, {"first_line_indent_pt": (-LARGEST_SIDE_PT, LARGEST_SIDE_PT)})
        check_numbers(self, {"horizontal_scale": (0.25, 4)})
        check_choice(self, "alignment", get_args(Alignment))
        check_choice(self, "style", STYLES)
        check_resolution(self, "font_size_pt")
        if self.line_height_pt < self.font_size_pt:
            raise ValueError(
                f"layout {self.name!r}: line_height_pt must be at least font_size_pt ({self.font_size_pt}), "
                f"got {self.line_height_pt}"
            )
        inks = ("ink", "newline_ink") if self.newline_mark else ("ink",)
        check_colours(self, inks, ("paper", "paragraph_paper"), ("newline_ink", "border_ink"))
        if not self.left_indent_pt + self.first_line_indent_pt >= 0:
            raise ValueError(
                f"layout {self.name!r}: first_line_indent_pt may go back no further than left_indent_pt "
                f"({self.left_indent_pt}), got {self.first_line_indent_pt}"
            )
        beside = 2 * (self.margin_x_pt + self.border_width_pt + self.border_padding_pt)
        beside += self.left_indent_pt + max(0, self.first_line_indent_pt) + self.right_indent_pt
        above = 2 * (self.margin_y_pt + self.border_width_pt + self.border_padding_pt)
        if not (beside < self.width_pt and above < self.height_pt):
            raise ValueError(
                f"layout {self.name!r}: margins, indents and borders of {beside} pt across and {above} pt down leave "
                f"no room for text on a page of {self.width_pt} x {self.height_pt} pt"
            )
        if self.newline_mark.split() not in ([], [self.newline_mark]) or self.newline_mark.isspace():
            raise ValueError(f"layout {self.name!r}: newline_mark must be one word, got {self.newline_mark!r}")


Layout = FlowLayout | BlockLayout

FAITHC4 = FlowLayout(
    # FaithC4 §3: 9 pt serif, 1.2 line height, one A4 page. Its blank rest holds nothing to read and only costs time.
    name="faithc4",
    width_pt=595,
    height_pt=842,
    margin_x_pt=36,
    margin_y_pt=36,
    font_size_pt=9,
    line_height_pt=10.8,
    style="serif",
    dpi=150,
    crop_last_page=True,
)
GLYPH = FlowLayout(
    # The English configuration that Glyph is shipped with, but for its automatic cropping, which definitions §3 leaves
    # off, and for the font, see `fonts`.
    name="glyph",
    width_pt=595,
    height_pt=842,
    margin_x_pt=10,
    margin_y_pt=10,
    font_size_pt=9,
    line_height_pt=10,
    style="wide",
    dpi=72,
    newline_mark="\\n",
)
LAYOUTS: dict[str, Layout] = {layout.name: layout for layout in (FAITHC4, FOX, GLYPH, OMNI)}


def layout_named(name: str) -> Layout:
    """The bundled layout of that name, or the one of an annotated page, `template:FILE` or `template:FILE#PAGE`.

    PAGE is the number of a page in the file, from 1, or its image's name; see `templates.read_template`. Raises
    ValueError that lists the known names, the nearest first, or says what is wrong with the file.
    """
    if name.startswith(TEMPLATE_PREFIX):
        return read_template(name.removeprefix(TEMPLATE_PREFIX))
    if name not in LAYOUTS:
        nearest = difflib.get_close_matches(name, LAYOUTS, n=len(LAYOUTS), cutoff=0.0)
        raise ValueError(f"unknown layout {name!r}; known, nearest first: {', '.join(nearest)}, or template:FILE")
    return LAYOUTS[name]
