"""Text into a page: the visible text, where each of its words stands, and the picture."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from pytest_vtcfaith.pages import drawing
from pytest_vtcfaith.pages.fonts import FontFile, MissingGlyphs, font_for, missing_characters
from pytest_vtcfaith.pages.layouts import Layout, layout_named
from pytest_vtcfaith.pages.linebreaking import visible_text
from pytest_vtcfaith.pages.page import Page, WordBox
from pytest_vtcfaith.pages.typesetting import Ink, PageOverflow, Setting, typeset

if TYPE_CHECKING:
    from PIL import Image

RENDERER = 2  # raised with every change that moves a pixel
_MASTER_SCALE = 4


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A page laid out at one resolution: its size in pixels, its font size, and its words' boxes."""

    width: int
    height: int
    font_size: float
    boxes: tuple[WordBox, ...]


def render(
    text: str,
    *,
    layout: str | Layout = "faithc4",
    lang: str = "en",
    size: tuple[int, int] | None = None,
    visual_tokens: int | None = None,
) -> Page:
    """Lays a text out as a page; the picture is drawn when it is first asked for.

    `layout` is a layout or the name of a bundled one, `lang` one of `en`, `zh`, `ko`, `mixed`. Without `size` the page
    is drawn at the layout's resolution and word boxes are exact: a crop shows the word and nothing else. With `size`
    (width, height in pixels) it is drawn at an integer multiple of 72 dpi, at least 4 and at least twice `size` in each
    direction, and brought to `size` by Lanczos. Word boxes are then scaled and rounded outwards: a pixel between two
    words carries ink of both, so that boxes of neighbours may overlap by a pixel. `visual_tokens` is what a picture of
    that size costs under the rule it was fitted to.

    Raises MissingGlyphs for characters the font lacks, PageOverflow for a text longer than the page, FontUnavailable,
    and ValueError for an unknown layout or language or an impossible size.
    """
    if isinstance(layout, str):
        layout = layout_named(layout)
    if size is not None and (len(size) != 2 or min(size) < 1):
        raise ValueError(f"size must be two sides of at least 1 pixel, got {size}")
    font = font_for(layout.style, lang)
    text = visible_text(text)
    if missing := missing_characters(text, font):
        raise MissingGlyphs(missing, font)

    sheet = (
        _lay_out(text, layout, lang, font, layout.dpi / 72) if size is None else _master(text, layout, lang, font, size)
    )
    boxes = sheet.boxes if size is None else tuple(_scaled(box, sheet, size) for box in sheet.boxes)
    width, height = size or (sheet.width, sheet.height)
    draw = partial(
        drawing.draw,
        (sheet.width, sheet.height),
        [(box.text, box.left, box.top) for box in sheet.boxes],
        path=font.path,
        font_size=sheet.font_size,
        resized=size,
        ink=layout.ink,
        paper=layout.paper,
    )
    starts = {box.line: box.start for box in reversed(boxes)}
    return Page(
        text=text,
        width=width,
        height=height,
        words=boxes,
        line_starts=tuple(starts[line] for line in sorted(starts)),
        layout=layout.name,
        fingerprint=_fingerprint(text, layout, lang, font, size),
        draw=draw,
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


def _lay_out(text: str, layout: Layout, lang: str, font: FontFile, scale: float) -> _Sheet:
    """`scale` is pixels per point."""
    font_size = layout.font_size_pt * scale
    line_height = layout.line_height_pt * scale
    margin = round(layout.margin_pt * scale)
    width, full_height = round(layout.width_pt * scale), round(layout.height_pt * scale)

    loaded = drawing.load_font(font.path, font_size)
    ascent, descent = loaded.getmetrics()

    def measure(word: str) -> Ink:
        drawn = drawing.stamp(word, font.path, font_size)
        if drawn is None:
            raise MissingGlyphs(sorted(set(word)), font)
        return drawn.ink

    setting = typeset(
        text,
        lang,
        width=width - 2 * margin,
        line_height=line_height,
        first_baseline=(line_height - ascent - descent) / 2 + ascent,
        measure=measure,
        space=loaded.getlength(" "),
    )
    needed = margin + setting.height + margin
    if needed > full_height:
        raise PageOverflow(_overflow(setting, layout, needed / scale))
    blank = math.ceil(line_height) + 2 * margin
    height = min(full_height, max(needed, blank)) if layout.crop_height else full_height
    boxes = tuple(
        WordBox(
            text=word.text,
            left=margin + word.x + word.ink.left,
            top=margin + line.baseline + word.ink.top,
            right=margin + word.x + word.ink.right,
            bottom=margin + line.baseline + word.ink.bottom,
            line=number,
            start=word.start,
        )
        for number, line in enumerate(setting.lines)
        for word in line.words
    )
    return _Sheet(width, height, font_size, boxes)


def _overflow(setting: Setting, layout: Layout, needed_pt: float) -> str:
    return (
        f"the text takes {len(setting.lines)} lines and a page of {needed_pt:.0f} pt, "
        f"layout {layout.name!r} has {layout.height_pt} pt: shorten the text or split it over pages"
    )


def _master(text: str, layout: Layout, lang: str, font: FontFile, size: tuple[int, int]) -> _Sheet:
    scale = _MASTER_SCALE
    sheet = _lay_out(text, layout, lang, font, scale)
    least = max(math.ceil(2 * size[0] * scale / sheet.width), math.ceil(2 * size[1] * scale / sheet.height))
    return sheet if least <= scale else _lay_out(text, layout, lang, font, least)


def _scaled(box: WordBox, sheet: _Sheet, size: tuple[int, int]) -> WordBox:
    return WordBox(
        text=box.text,
        left=box.left * size[0] // sheet.width,
        top=box.top * size[1] // sheet.height,
        right=-(-box.right * size[0] // sheet.width),
        bottom=-(-box.bottom * size[1] // sheet.height),
        line=box.line,
        start=box.start,
    )


def _fingerprint(text: str, layout: Layout, lang: str, font: FontFile, size: tuple[int, int] | None) -> str:
    parts = [RENDERER, text, asdict(layout), lang, size, font.sha256, *_library_versions()]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode("ascii")).hexdigest()


@lru_cache(maxsize=1)
def _library_versions() -> tuple[str, str]:
    import PIL
    from PIL import features

    return PIL.__version__, str(features.version("freetype2"))
