"""A text laid out at one resolution: where every word stands, and in which letters."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from pytest_vtcfaith.pages import drawing
from pytest_vtcfaith.pages.blocks import ROLES, Block, BlockLayout
from pytest_vtcfaith.pages.drawing import Face, Pane, Print
from pytest_vtcfaith.pages.fonts import FontFile, MissingGlyphs, font_for, missing_characters
from pytest_vtcfaith.pages.layouts import FlowLayout, Layout
from pytest_vtcfaith.pages.page import WordBox
from pytest_vtcfaith.pages.typesetting import Alignment, Frame, Ink, Setting, Spacing, typeset

_SLACK = 1e-6
_ROUGH_SIZE = 100
_MOST_FILLED = 1.08
"""No setting fills the blocks more than this, the rounding of advances to whole pixels included."""


@dataclass(frozen=True, slots=True)
class Area:
    """Where on the sheet a frame has its top left corner, in pixels, and the face its words are drawn in."""

    left: int
    top: int
    face: Face
    frame: Frame


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page laid out at one resolution: its size in pixels, and its text set into its areas.

    `body_pt` is the letter size in points. `setting.rest` is not None where the text does not fit.
    """

    width: int
    height: int
    body_pt: float
    areas: tuple[Area, ...]
    setting: Setting
    panes: tuple[Pane, ...]

    def boxes(self, *, marks: bool = False) -> Iterator[WordBox]:
        """The boxes of the words (or of the marks of newlines), in reading order."""
        for number, (words, baseline, frame) in enumerate(self.setting.lines):
            area = self.areas[frame]
            left, top = area.left, area.top + baseline
            for text, start, x, ink, mark in words:
                if mark is marks:
                    yield WordBox(
                        text, left + x + ink.left, top + ink.top, left + x + ink.right, top + ink.bottom, number, start
                    )

    def prints(self, layout: Layout) -> list[Print]:
        """What is to be printed, by face and colour."""
        text_of: dict[Face, list[tuple[str, int, int, int, int]]] = {}
        marks: list[tuple[str, int, int, int, int]] = []
        for words, baseline, frame in self.setting.lines:
            area = self.areas[frame]
            start, base = area.left, area.top + baseline
            printed = text_of.setdefault(area.face, [])
            for text, _, x, (_, left, top, right, bottom), mark in words:
                pen = start + x
                box = (text, pen + left, base + top, pen + right, base + bottom)
                (marks if mark else printed).append(box)
        prints = [Print(face, layout.ink, words) for face, words in text_of.items()]
        if marks and isinstance(layout, FlowLayout):
            prints.append(Print(self.areas[0].face, layout.newline_ink, marks))
        return prints


def fonts_of(layout: Layout, lang: str) -> tuple[FontFile, ...]:
    """The fonts a layout sets a language in, each once. Raises as `font_for`."""
    styles = [layout.style] if isinstance(layout, FlowLayout) else [ROLES[block.role].style for block in layout.blocks]
    return tuple(font_for(style, lang) for style in dict.fromkeys(styles))


def check_glyphs(text: str, layout: Layout, lang: str) -> None:
    """Raises MissingGlyphs where a font of the layout lacks characters of the text, or of its mark of newlines."""
    if isinstance(layout, FlowLayout):
        text += layout.newline_mark
    for font in fonts_of(layout, lang):
        if missing := missing_characters(text, font):
            raise MissingGlyphs(missing, font)


def lay_out(text: str, layout: Layout, lang: str, scale: float, *, last: bool = True) -> Sheet:
    """Sets visible text at `scale` pixels per point; `last` says whether this is the last page of its text.

    Block layouts take the largest letters in which the text fits, the smallest where it does not fit in any.
    """
    if isinstance(layout, FlowLayout):
        return _flow(text, layout, lang, scale, last=last)
    return _fitted(text, layout, lang, scale)


def unbounded_height_pt(text: str, layout: FlowLayout, lang: str, scale: float) -> tuple[int, float]:
    """How many lines a text takes, and the height in points of the page that would hold them."""
    margin = round(layout.margin_y_pt * scale)
    setting = typeset(
        text,
        lang,
        [_flow_area(layout, lang, scale, math.inf).frame],
        spacing=_flow_spacing(layout, scale),
        mark=layout.newline_mark,
    )
    return len(setting.lines), (2 * margin + setting.heights[0]) / scale


def _flow(text: str, layout: FlowLayout, lang: str, scale: float, *, last: bool) -> Sheet:
    margin_x, margin_y = round(layout.margin_x_pt * scale), round(layout.margin_y_pt * scale)
    width, height = round(layout.width_pt * scale), round(layout.height_pt * scale)
    area = _flow_area(layout, lang, scale, height - 2 * margin_y)
    spacing = _flow_spacing(layout, scale)
    setting = typeset(text, lang, [area.frame], spacing=spacing, mark=layout.newline_mark)
    border = round(layout.border_width_pt * scale)
    panes = []
    fill = layout.paper if layout.paragraph_paper is None else layout.paragraph_paper
    if fill != layout.paper or border:
        for part in setting.parts:
            panes.append(
                Pane(
                    left=margin_x + spacing.left,
                    top=margin_y + part.top,
                    right=width - margin_x - spacing.right,
                    bottom=margin_y + part.bottom,
                    fill=fill,
                    border=border,
                    border_ink=layout.border_ink,
                )
            )
    blank = math.ceil(area.frame.line_height)
    if layout.crop_last_page and last:
        height = min(height, 2 * margin_y + max(setting.heights[0], blank))
    if layout.crop_width:
        words = [word for line in setting.lines for word in line.words]
        right = max([margin_x + word.x + word.ink.right for word in words], default=margin_x + blank)
        width = min(width, margin_x + max([right, *(pane.right for pane in panes)]))
    return Sheet(width, height, layout.font_size_pt, (area,), setting, tuple(panes))


def _flow_area(layout: FlowLayout, lang: str, scale: float, height: float) -> Area:
    margin_x, margin_y = round(layout.margin_x_pt * scale), round(layout.margin_y_pt * scale)
    width = round(layout.width_pt * scale) - 2 * margin_x
    font = font_for(layout.style, lang)
    stretch = font.stretch * layout.horizontal_scale
    face = Face(font.path, layout.font_size_pt * scale, stretch, spelled=stretch != 1)
    frame = _frame(face, font, width, height, layout.line_height_pt * scale, layout.alignment)
    return Area(margin_x, margin_y, face, frame)


def _flow_spacing(layout: FlowLayout, scale: float) -> Spacing:
    border = round(layout.border_width_pt * scale)
    left = round(layout.left_indent_pt * scale)
    return Spacing(
        first_line=max(-left, round(layout.first_line_indent_pt * scale)),
        left=left,
        right=round(layout.right_indent_pt * scale),
        before=layout.space_before_pt * scale,
        after=layout.space_after_pt * scale,
        padding=border + round(layout.border_padding_pt * scale),
    )


def _frame(
    face: Face,
    font: FontFile,
    width: int,
    height: float,
    line_height: float,
    alignment: Alignment,
    max_lines: int | None = None,
) -> Frame:
    ascent, descent = drawing.load_font(face.path, face.size).getmetrics()
    stretched_em = face.size * face.stretch / font.stretch
    return Frame(
        width=width,
        height=height,
        line_height=line_height,
        first_baseline=(line_height - ascent - descent) / 2 + ascent,
        measure=_measure(face, font),
        space=drawing.space(face) if font.space_em is None else font.space_em * stretched_em,
        alignment=alignment,
        max_lines=max_lines,
    )


@lru_cache(maxsize=64)
def _measure(face: Face, font: FontFile) -> Callable[[str], Ink]:
    stamp = drawing.stamps(face)

    @lru_cache(maxsize=16384)
    def measure(word: str) -> Ink:
        drawn = stamp(word)
        if drawn is None:
            raise MissingGlyphs(sorted(set(word)), font)
        return drawn.ink

    return measure


def _fitted(text: str, layout: BlockLayout, lang: str, scale: float) -> Sheet:
    ems = _ems(text, layout, lang)
    for body_pt in layout.sizes():
        if body_pt > layout.smallest_pt and ems > _MOST_FILLED * _capacity(layout, body_pt):
            continue
        areas = tuple(_block_area(block, layout, lang, scale, body_pt) for block in layout.blocks)
        spacing = Spacing(before=layout.paragraph_space * body_pt * scale)
        setting = typeset(text, lang, [area.frame for area in areas], spacing=spacing)
        if setting.rest is None:
            break
    panes = tuple(
        Pane(*_pixels(f.left_pt, f.top_pt, f.width_pt, f.height_pt, scale), fill=layout.figure_fill)
        for f in layout.figures
    )
    width, height = round(layout.width_pt * scale), round(layout.height_pt * scale)
    return Sheet(width, height, body_pt, areas, setting, panes)


def _ems(text: str, layout: BlockLayout, lang: str) -> float:
    """The least advance of the text in units of the letter size: a line's last space takes no room, others do."""
    counts = Counter(text.replace("\n", " "))
    counts[" "] //= 2
    loaded = [drawing.load_font(font.path, _ROUGH_SIZE) for font in fonts_of(layout, lang)]
    advances = [sum(count * font.getlength(character) for character, count in counts.items()) for font in loaded]
    return min(advances) / _ROUGH_SIZE


def _capacity(layout: BlockLayout, body_pt: float) -> float:
    """How many em of letters the blocks have room for, full to the last corner."""
    sizes = [(block, layout.letter_size(block, body_pt)) for block in layout.blocks]
    return sum(block.width_pt * block.height_pt / (size**2 * layout.line_height) for block, size in sizes)


def _block_area(block: Block, layout: BlockLayout, lang: str, scale: float, body_pt: float) -> Area:
    role = ROLES[block.role]
    font = font_for(role.style, lang)
    size = layout.letter_size(block, body_pt) * scale
    face = Face(font.path, size, font.stretch, spelled=True)
    left, top, right, bottom = _pixels(block.left_pt, block.top_pt, block.width_pt, block.height_pt, scale)
    frame = _frame(face, font, right - left, bottom - top, size * layout.line_height, role.alignment, block.max_lines)
    return Area(left, top, face, frame)


def _pixels(left: float, top: float, width: float, height: float, scale: float) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of the whole pixels inside a rectangle."""
    return (
        math.ceil(left * scale - _SLACK),
        math.ceil(top * scale - _SLACK),
        math.floor((left + width) * scale + _SLACK),
        math.floor((top + height) * scale + _SLACK),
    )
