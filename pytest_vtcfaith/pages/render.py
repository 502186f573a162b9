"""Text into a page: the visible text, where each of its words stands, and the picture."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from pytest_vtcfaith.pages import drawing
from pytest_vtcfaith.pages.composing import Sheet, check_glyphs, fonts_of, lay_out, unbounded_height_pt
from pytest_vtcfaith.pages.layouts import FlowLayout, Layout, layout_named
from pytest_vtcfaith.pages.linebreaking import visible_text
from pytest_vtcfaith.pages.page import Page, WordBox
from pytest_vtcfaith.pages.typesetting import PageOverflow

if TYPE_CHECKING:
    from PIL import Image

RENDERER = 3  # raised with every change that moves a pixel
MASTER_SCALE = 4


def render(
    text: str,
    *,
    layout: str | Layout = "faithc4",
    lang: str = "en",
    size: tuple[int, int] | None = None,
    visual_tokens: int | None = None,
    last: bool = True,
) -> Page:
    """Lays a text out as a page; the picture is drawn when it is first asked for.

    `layout` is a layout or a name (`layout_named`), `lang` one of `en`, `zh`, `ko`, `mixed`. Without `size` the page
    is drawn at the layout's resolution and word boxes are exact: a crop shows the word and nothing else. With `size`
    (width, height in pixels) it is drawn at an integer multiple of 72 dpi, at least 4 and at least twice `size` in each
    direction, and brought to `size` by Lanczos. Word boxes are then scaled and rounded outwards: a pixel between two
    words carries ink of both, so that boxes of neighbours may overlap by a pixel. `visual_tokens` is what a picture of
    that size costs under the rule it was fitted to. `last` is false for a page that others of its text follow
    (`paginate`): a layout's cropping of last pages leaves it whole.

    Raises MissingGlyphs for characters the font lacks, PageOverflow for a text longer than the page, FontUnavailable,
    and ValueError for an unknown layout or language or an impossible size.
    """
    if isinstance(layout, str):
        layout = layout_named(layout)
    if size is not None and (len(size) != 2 or min(size) < 1):
        raise ValueError(f"size must be two sides of at least 1 pixel, got {size}")
    text = visible_text(text)
    check_glyphs(text, layout, lang)

    scale = layout.dpi / 72 if size is None else MASTER_SCALE
    sheet = lay_out(text, layout, lang, scale, last=last)
    if size is not None:
        least = max(math.ceil(2 * size[0] * scale / sheet.width), math.ceil(2 * size[1] * scale / sheet.height))
        if least > scale:
            scale = least
            sheet = lay_out(text, layout, lang, scale, last=last)
    if sheet.setting.rest is not None:
        raise PageOverflow(_overflow(text, sheet, layout, lang, scale))
    width, height = size or (sheet.width, sheet.height)
    return Page(
        text=text,
        width=width,
        height=height,
        line_starts=tuple(line.words[0].start for line in sheet.setting.lines),
        layout=layout.name,
        fingerprint=_fingerprint(text, layout, lang, size, last),
        draw=partial(
            drawing.draw,
            (sheet.width, sheet.height),
            sheet.prints(layout),
            panes=sheet.panes,
            resized=size,
            paper=layout.paper,
        ),
        place=partial(_boxes, sheet, size),
        visual_tokens=visual_tokens,
    )


def crop_word(page: Page, index: int, context_px: int = 12) -> Image.Image:
    """The page's picture around the whole line that holds word `index`, with `context_px` pixels on every side.

    Raises IndexError where the page has no such word.
    """
    if not 0 <= index < len(page.words):
        raise IndexError(f"the page has {len(page.words)} words, there is no word {index}")
    line = [word for word in page.words if word.line == page.words[index].line]
    return page.image.crop(
        (
            max(0, min(word.left for word in line) - context_px),
            max(0, min(word.top for word in line) - context_px),
            min(page.width, max(word.right for word in line) + context_px),
            min(page.height, max(word.bottom for word in line) + context_px),
        )
    )


def _overflow(text: str, sheet: Sheet, layout: Layout, lang: str, scale: float) -> str:
    if sheet.setting.obstacle:
        return f"layout {layout.name!r}: {sheet.setting.obstacle}"
    mend = "shorten the text or split it over pages"
    if isinstance(layout, FlowLayout):
        lines, needed_pt = unbounded_height_pt(text, layout, lang, scale)
        return (
            f"the text takes {lines} lines and a page of {needed_pt:.0f} pt, "
            f"layout {layout.name!r} has {layout.height_pt} pt: {mend}"
        )
    placed = sheet.setting.rest or 0
    available = sum(block.width_pt * block.height_pt for block in layout.blocks)
    return (
        f"the text has {len(text)} characters, layout {layout.name!r} holds {placed} of them in its smallest letters, "
        f"{layout.smallest_pt:g} pt: they take about {available * len(text) / max(1, placed):.0f} pt² of blocks, the "
        f"page has {available:.0f} pt²: {mend}"
    )


def _boxes(sheet: Sheet, size: tuple[int, int] | None) -> tuple[tuple[WordBox, ...], tuple[WordBox, ...]]:
    words, marks = sheet.boxes(), sheet.boxes(marks=True)
    if size is None:
        return tuple(words), tuple(marks)
    return tuple(_scaled(box, sheet, size) for box in words), tuple(_scaled(box, sheet, size) for box in marks)


def _scaled(box: WordBox, sheet: Sheet, size: tuple[int, int]) -> WordBox:
    return WordBox(
        text=box.text,
        left=box.left * size[0] // sheet.width,
        top=box.top * size[1] // sheet.height,
        right=-(-box.right * size[0] // sheet.width),
        bottom=-(-box.bottom * size[1] // sheet.height),
        line=box.line,
        start=box.start,
    )


def _fingerprint(text: str, layout: Layout, lang: str, size: tuple[int, int] | None, last: bool) -> str:
    parts = [RENDERER, text, _geometry(layout), lang, size, last, _font_keys(layout, lang), *library_versions()]
    return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()


@lru_cache(maxsize=16)
def _geometry(layout: Layout) -> str:
    """Everything of a layout but its name: the path of a template shapes no pixel."""
    return json.dumps({**asdict(layout), "name": ""}, sort_keys=True)


def _font_keys(layout: Layout, lang: str) -> list[tuple[str, float, float | None]]:
    return [(font.sha256, font.stretch, font.space_em) for font in fonts_of(layout, lang)]


@lru_cache(maxsize=1)
def library_versions() -> tuple[str, str]:
    """Versions of Pillow and FreeType, which shape the pixels."""
    import PIL
    from PIL import features

    return PIL.__version__, str(features.version("freetype2"))
