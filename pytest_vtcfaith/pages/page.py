"""A rendered page: the picture, what it says, and where every word stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from PIL import Image


class WordBox(NamedTuple):
    """One word (for Han text: one character) and the pixels its ink covers.

    `left`, `top`, `right`, `bottom` are pixels of the page's picture, right and bottom exclusive. On a page drawn at
    its layout's resolution a box holds the ink of its word and nothing else. On a page brought to a given size it is
    the smallest box of whole pixels around that ink, and boxes of neighbours may overlap by a pixel: resampling leaves
    pixels that carry the ink of two words.
    `line` counts from 0 over the whole page; `start` is the offset of the word in `Page.text`.
    """

    text: str
    left: int
    top: int
    right: int
    bottom: int
    line: int
    start: int


@dataclass(frozen=True)
class Page:
    """A picture of a text.

    `text` is the text as it is visible: NFC, one space between words, "\\n" between paragraphs.
    `line_starts` are the offsets in `text` at which each printed line begins.
    `width` and `height` are pixels of the picture. `visual_tokens` is what the picture costs under the budget rule
    it was fitted to, None where there was none. `fingerprint` names everything that shapes the pixels (text, layout,
    font files' hashes, Pillow and FreeType versions) without drawing them. `draw` draws the picture, `place` gives the
    boxes of `words` and of `marks`.
    """

    text: str
    width: int
    height: int
    line_starts: tuple[int, ...]
    layout: str
    fingerprint: str
    draw: Callable[[], Image.Image] = field(repr=False, compare=False)
    place: Callable[[], tuple[tuple[WordBox, ...], tuple[WordBox, ...]]] = field(repr=False, compare=False)
    visual_tokens: int | None = None

    @cached_property
    def image(self) -> Image.Image:
        """The picture, mode RGB, drawn at first use."""
        return self.draw()

    @property
    def words(self) -> tuple[WordBox, ...]:
        """The words' boxes in reading order.

        Exact where the page was drawn at its layout's resolution, rounded outwards, and so overlapping, where it was
        brought to a given size (see `WordBox`).
        """
        return self._boxes[0]

    @property
    def marks(self) -> tuple[WordBox, ...]:
        """The boxes of the drawn marks of newlines, where the layout joins paragraphs by them.

        `text` has a newline there, and a mark's `start` is its offset. The mark is no word of the text, so that a
        reading which gives a newline or a space there is right.
        """
        return self._boxes[1]

    @property
    def pixels_per_character(self) -> float:
        """Pixels of the whole picture per character of `text`, spaces and newlines counted (definitions §3)."""
        return self.width * self.height / max(1, len(self.text))

    @cached_property
    def _boxes(self) -> tuple[tuple[WordBox, ...], tuple[WordBox, ...]]:
        return self.place()
