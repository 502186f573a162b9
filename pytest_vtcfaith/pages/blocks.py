"""Pages of blocks: text is fitted into given rectangles, in the largest letters it fits in."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from pytest_vtcfaith.pages.checks import (
    LARGEST_DPI,
    LARGEST_LETTER_PT,
    LARGEST_SIDE_PT,
    check_colours,
    check_numbers,
    check_resolution,
)
from pytest_vtcfaith.pages.colours import RGB
from pytest_vtcfaith.pages.fonts import Style
from pytest_vtcfaith.pages.typesetting import Alignment

_SLACK = 1e-6
_HEIGHT_FOR_A_LINE = 0.95  # the rest of a block of one line is left to the rounding to whole pixels

Role = Literal["title", "heading", "body", "caption", "note"]


class RoleStyle(NamedTuple):
    """How a role is set: its letter size over the body's, its font's style, its alignment."""

    size: float
    style: Style
    alignment: Alignment


ROLES: dict[Role, RoleStyle] = {
    "title": RoleStyle(1.8, "sans", "left"),
    "heading": RoleStyle(1.25, "sans", "left"),
    "body": RoleStyle(1.0, "serif", "justify"),
    "caption": RoleStyle(0.9, "sans", "left"),
    "note": RoleStyle(0.9, "sans", "left"),
}


@dataclass(frozen=True, slots=True)
class Block:
    """A rectangle that takes text; `left_pt`, `top_pt`, `width_pt`, `height_pt` in points from the page's top left.

    It takes at most `max_lines` lines. A block too low or too narrow for a line of its letters stays empty.
    """

    role: Role
    left_pt: float
    top_pt: float
    width_pt: float
    height_pt: float
    max_lines: int | None = None


@dataclass(frozen=True, slots=True)
class Figure:
    """A rectangle that holds no text, painted in the layout's `figure_fill`; in points as a block."""

    left_pt: float
    top_pt: float
    width_pt: float
    height_pt: float


@dataclass(frozen=True, slots=True)
class BlockLayout:
    """A page of blocks that take a text in their order, which is the reading order; lengths in points of 1/72 inch.

    The body's letters are the largest of `largest_pt`, … `smallest_pt`, in steps of `step_pt`, in which the text fits;
    those of other roles are in proportion (`ROLES`), but not larger than a block is high enough for, nor smaller than
    `smallest_pt` times their proportion where that is under 1, `smallest_pt` else. `line_height` is the distance of
    baselines over the letter size, `paragraph_space` the room between paragraphs over the body's letter size. The
    blocks must not overlap. `dpi` is the resolution of a page drawn without a given size; `ink`, `paper` and
    `figure_fill` are colours. Raises ValueError naming field, value and range, as `FlowLayout`; `line_height` is from 1
    to 100, `step_pt` from 0.01, `paragraph_space` from 0 to 100.
    """

    name: str
    width_pt: int
    height_pt: int
    blocks: tuple[Block, ...]
    figures: tuple[Figure, ...] = ()
    largest_pt: float = 18
    smallest_pt: float = 5
    step_pt: float = 0.25
    line_height: float = 1.2
    paragraph_space: float = 0.3
    dpi: int = 150
    ink: RGB = (0, 0, 0)
    paper: RGB = (255, 255, 255)
    figure_fill: RGB = (226, 226, 226)

    def __post_init__(self) -> None:
        side, letter = (0, LARGEST_SIDE_PT), (0, LARGEST_LETTER_PT)
        check_numbers(self, {"width_pt": side, "height_pt": side, "dpi": (0, LARGEST_DPI)}, over=True)
        check_numbers(self, {"smallest_pt": letter, "largest_pt": letter}, over=True)
        check_numbers(self, {"step_pt": (0.01, LARGEST_LETTER_PT)})
        check_numbers(self, {"line_height": (1, 100), "paragraph_space": (0, 100)})
        check_resolution(self, "smallest_pt")
        check_colours(self, ("ink",), ("paper",), ("figure_fill",))
        if not self.smallest_pt <= self.largest_pt:
            raise ValueError(
                f"layout {self.name!r}: largest_pt ({self.largest_pt}) must be at least smallest_pt "
                f"({self.smallest_pt})"
            )
        if not self.blocks:
            raise ValueError(f"layout {self.name!r}: there is no block for text")
        for number, block in enumerate(self.blocks, start=1):
            where = f"layout {self.name!r}: block {number} ({block.role})"
            if not (block.width_pt > 0 and block.height_pt > 0):
                raise ValueError(f"{where} is {block.width_pt} x {block.height_pt} pt, both must be over 0")
            right, bottom = block.left_pt + block.width_pt, block.top_pt + block.height_pt
            inside = right <= self.width_pt + _SLACK and bottom <= self.height_pt + _SLACK
            if not (block.left_pt >= 0 and block.top_pt >= 0 and inside):
                raise ValueError(f"{where} reaches out of the page of {self.width_pt} x {self.height_pt} pt")
            if block.max_lines is not None and block.max_lines < 1:
                raise ValueError(f"{where}: max_lines must be at least 1, or None for no limit, got {block.max_lines}")
            for earlier, other in enumerate(self.blocks[: number - 1], start=1):
                if overlap(block, other):
                    raise ValueError(f"{where} overlaps block {earlier} ({other.role})")
        for number, figure in enumerate(self.figures, start=1):
            right, bottom = figure.left_pt + figure.width_pt, figure.top_pt + figure.height_pt
            across = 0 <= figure.left_pt < right <= self.width_pt + _SLACK
            if not (across and 0 <= figure.top_pt < bottom <= self.height_pt + _SLACK):
                raise ValueError(
                    f"layout {self.name!r}: figure {number} must be a rectangle on the page of {self.width_pt} x "
                    f"{self.height_pt} pt, got {figure}"
                )

    def sizes(self) -> Iterator[float]:
        """The body's letter sizes in points, from the largest down to `smallest_pt` itself."""
        steps = math.ceil((self.largest_pt - self.smallest_pt) / self.step_pt)
        for step in range(steps):
            yield self.largest_pt - step * self.step_pt
        yield self.smallest_pt

    def letter_size(self, block: Block, body_pt: float) -> float:
        """The letter size of a block in points where the body's is `body_pt`."""
        proportion = ROLES[block.role].size
        lowest = self.smallest_pt * min(1.0, proportion)
        highest = _HEIGHT_FOR_A_LINE * block.height_pt / self.line_height
        return max(lowest, min(body_pt * proportion, highest))


def overlap(a: Block, b: Block) -> bool:
    """Whether two blocks have more than an edge in common."""
    across = min(a.left_pt + a.width_pt, b.left_pt + b.width_pt) - max(a.left_pt, b.left_pt)
    down = min(a.top_pt + a.height_pt, b.top_pt + b.height_pt) - max(a.top_pt, b.top_pt)
    return across > _SLACK and down > _SLACK
