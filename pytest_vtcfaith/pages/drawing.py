"""Words into pixels. The ink of a word is measured on the very pixels that are later put on the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

from pytest_vtcfaith.pages.typesetting import Ink

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from PIL import Image, ImageFont

    from pytest_vtcfaith.pages.colours import RGB

_FINE_BELOW = 24
"""Pixels per em under which spelled letters are drawn four times as large and averaged, at four places a pixel."""


class Face(NamedTuple):
    """A font file at `size` pixels per em, its letters `stretch` times as wide as the font has them.

    `spelled` words are put together from letters that are each drawn once, others are drawn by FreeType as a whole.
    Only spelled ones can be stretched.
    """

    path: Path
    size: float
    stretch: float = 1.0
    spelled: bool = False

    @property
    def phases(self) -> int:
        """At how many places a pixel a spelled letter may stand, and how many times as large it is drawn."""
        return 4 if self.size < _FINE_BELOW else 1


class Stamp(NamedTuple):
    """A word drawn alone: its measure, and the coverage (0..255) of the pixels of its ink box."""

    ink: Ink
    coverage: np.ndarray


@dataclass(frozen=True, slots=True)
class Pane:
    """A filled rectangle behind the text, in pixels (right and bottom exclusive), with a border inside its edges."""

    left: int
    top: int
    right: int
    bottom: int
    fill: RGB
    border: int = 0
    border_ink: RGB = (0, 0, 0)


class Print(NamedTuple):
    """Words to print in one face and colour: each with its ink box (left, top, right, bottom)."""

    face: Face
    ink: RGB
    words: Sequence[tuple[str, int, int, int, int]]


Letters = Callable[[str, int], tuple[float, Stamp | None]]
"""Gives the advance and the stamp of a letter of a face, at a phase."""


@lru_cache(maxsize=128)
def load_font(path: Path, size: float) -> ImageFont.FreeTypeFont:
    """The font at `size` pixels per em; the BASIC layout engine, because Raqm is not on every machine."""
    from PIL import ImageFont

    return ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=64)
def stamps(face: Face) -> Callable[[str], Stamp | None]:
    """The function that draws a word alone in a face, None for a word without ink; it remembers its last words."""
    if face.spelled:
        return lru_cache(maxsize=16384)(partial(_spelled, _letters(face), face.phases))
    return lru_cache(maxsize=16384)(partial(_stamp, face))


def space(face: Face) -> float:
    """The advance of a space in pixels."""
    if face.spelled:
        return _letters(face)(" ", 0)[0]
    return load_font(face.path, face.size).getlength(" ")


def _stamp(face: Face, word: str) -> Stamp | None:
    import numpy as np

    picture, left, top = _drawn(face.path, face.size, word)
    box = picture.getbbox()
    if box is None:
        return None
    advance = load_font(face.path, face.size).getlength(word)
    ink = Ink(advance, left + box[0], top + box[1], left + box[2], top + box[3])
    return Stamp(ink, np.asarray(picture.crop(box)))


def _drawn(path: Path, size: float, word: str) -> tuple[Image.Image, int, int]:
    """A word drawn by FreeType, and where the picture's corner is from the pen on the baseline."""
    from PIL import Image, ImageDraw

    font = load_font(path, size)
    reach = font.getbbox(word, anchor="ls")
    left, top = math.floor(reach[0]) - 1, math.floor(reach[1]) - 1
    right, bottom = math.ceil(reach[2]) + 1, math.ceil(reach[3]) + 1
    picture = Image.new("L", (right - left, bottom - top))
    ImageDraw.Draw(picture).text((-left, -top), word, fill=255, font=font, anchor="ls")
    return picture, left, top


_drawn_letter = lru_cache(maxsize=4096)(_drawn)


@lru_cache(maxsize=64)
def _letters(face: Face) -> Letters:
    return lru_cache(maxsize=16384)(partial(_letter, face))


def _spelled(letters: Letters, phases: int, word: str) -> Stamp | None:
    """A word from letters, each drawn once; where two touch, the darker counts."""
    import numpy as np

    placed = []
    pen = 0.0
    for character in word:
        place, phase = divmod(round(pen * phases), phases)
        advance, inked = letters(character, phase)
        pen += advance
        if inked is not None:
            placed.append((place, *inked))
    if not placed:
        return None
    left = min([place + ink.left for place, ink, _ in placed])
    top = min([ink.top for _, ink, _ in placed])
    right = max([place + ink.right for place, ink, _ in placed])
    bottom = max([ink.bottom for _, ink, _ in placed])
    coverage = np.zeros((bottom - top, right - left), np.uint8)
    for place, ink, letter in placed:
        x = place - left
        there = coverage[ink.top - top : ink.bottom - top, x + ink.left : x + ink.right]
        np.maximum(there, letter, out=there)
    return Stamp(Ink(pen, left, top, right, bottom), coverage)


def _letter(face: Face, character: str, phase: int) -> tuple[float, Stamp | None]:
    """The advance of a spelled letter, and its stamp where its pen stands `phase` phases right of a whole pixel."""
    import numpy as np
    from PIL import Image

    finer = face.phases
    font = load_font(face.path, face.size * finer)
    across = face.stretch / finer
    advance = font.getlength(character) * across
    drawn, left, top = _drawn_letter(face.path, face.size * finer, character)
    # Whole pixels of the page around the letter, and the part of a finer canvas they stand for
    begin, above = math.floor(left * across), math.floor(top / finer)
    end, below = math.ceil((left + drawn.width) * across) + 1, math.ceil((top + drawn.height) / finer)
    source_left = (begin - phase / finer) / across
    corner = math.floor(source_left)
    source_right = source_left + (end - begin) / across
    canvas = Image.new("L", (math.ceil(source_right) - corner, (below - above) * finer))
    canvas.paste(drawn, (left - corner, top - above * finer))
    source = (source_left - corner, 0, source_right - corner, canvas.height)
    picture = canvas.resize((end - begin, below - above), Image.Resampling.BOX, box=source)
    box = picture.getbbox()
    if box is None:
        return advance, None
    ink = Ink(advance, begin + box[0], above + box[1], begin + box[2], above + box[3])
    return advance, Stamp(ink, np.asarray(picture.crop(box)))


def draw(
    size: tuple[int, int],
    prints: Iterable[Print],
    *,
    panes: Sequence[Pane],
    resized: tuple[int, int] | None,
    paper: RGB,
) -> Image.Image:
    """Draws a page of `size` (width, height) pixels, mode RGB: panes on the paper, each word once on both.

    With `resized` the page is a master that is brought to that size by Lanczos (definitions §3, Budget).
    """
    from PIL import Image

    page = None
    if panes:
        page = _ground(size, panes, paper)
        if resized is not None:
            page = page.resize(resized, Image.Resampling.LANCZOS)
    for ink, coverage in _coverages(size, prints, resized):
        if page is None:
            page = _on_paper(coverage, ink, paper)
        elif box := coverage.getbbox():
            page.paste(ink, box, coverage.crop(box))
    return page or Image.new("RGB", resized or size, paper)


def _coverages(
    size: tuple[int, int], prints: Iterable[Print], resized: tuple[int, int] | None
) -> Iterable[tuple[RGB, Image.Image]]:
    """The coverage of the page by each colour of ink."""
    import numpy as np
    from PIL import Image

    planes: dict[RGB, np.ndarray] = {}
    for face, ink, words in prints:
        if ink not in planes:
            planes[ink] = np.zeros((size[1], size[0]), np.uint8)
        plane, stamp = planes[ink], stamps(face)
        for word, left, top, right, bottom in words:
            drawn = stamp(word)
            if drawn is not None:
                plane[top:bottom, left:right] = drawn.coverage
    for ink, plane in planes.items():
        coverage = Image.fromarray(plane)
        yield ink, coverage if resized is None else coverage.resize(resized, Image.Resampling.LANCZOS)


def _on_paper(coverage: Image.Image, ink: RGB, paper: RGB) -> Image.Image:
    from PIL import Image, ImageChops

    if (ink, paper) == ((0, 0, 0), (255, 255, 255)):
        grey = ImageChops.invert(coverage)
        return Image.merge("RGB", (grey, grey, grey))
    tables = [[round(p + (i - p) * level / 255) for level in range(256)] for i, p in zip(ink, paper, strict=True)]
    return Image.merge("RGB", [coverage.point(table) for table in tables])


def _ground(size: tuple[int, int], panes: Sequence[Pane], paper: RGB) -> Image.Image:
    from PIL import Image

    page = Image.new("RGB", size, paper)
    for pane in panes:
        page.paste(pane.border_ink if pane.border else pane.fill, (pane.left, pane.top, pane.right, pane.bottom))
        if pane.border:
            inside = (
                pane.left + pane.border,
                pane.top + pane.border,
                pane.right - pane.border,
                pane.bottom - pane.border,
            )
            page.paste(pane.fill, inside)
    return page
