"""Pages read into blocks: paragraphs with their boxes, and ruled tables as HTML.

A `Reader` is what reads edited pages. `BoxReader` makes one of any engine that finds pieces of text with their boxes;
`reader_named` finds such an engine among the registered models.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from pytest_vtcfaith.metrics.blocks import Block
from pytest_vtcfaith.metrics.boxes import Box, enclosing, overlap
from pytest_vtcfaith.metrics.table_html import Cell, table_html
from pytest_vtcfaith.metrics.tables import without_tags
from pytest_vtcfaith.models.rapidocr import TextBox, group_lines
from pytest_vtcfaith.models.ruling import Grid, GridCell, find_grids
from pytest_vtcfaith.pages.images import pixel_key

if TYPE_CHECKING:
    from PIL import Image

MARGIN = 40
"""Pixels of plain ground that a crop gets on every side before it is read: engines miss text at a picture's edge."""

_APART = 1.2  # of the letters' height: a wider gap in a line parts two blocks
_LEADING = 0.6  # of the letters' height: a wider gap between lines parts two blocks
_UNLIKE = 1.4  # letters that differ in height by more belong to two blocks
_INTO = 8  # pixels by which a piece of text must reach into a cell to count as standing in it


@runtime_checkable
class Reader(Protocol):
    """Reads pages into blocks."""

    def read(self, images: Sequence[Image.Image]) -> list[list[Block]]:
        """The blocks of each picture (RGB, upright), in pixels, from top to bottom."""
        ...


@runtime_checkable
class BoxFinder(Protocol):
    """An engine that tells where it found which text."""

    def read_boxes(self, image: Image.Image) -> list[TextBox]:
        """Every piece of text found on an RGB picture with its box."""
        ...


class BoxReader:
    """A `Reader` of an engine's pieces of text: those in a ruled table become a table, the others paragraphs."""

    def __init__(self, engine: BoxFinder) -> None:
        self.engine = engine

    def read(self, images: Sequence[Image.Image]) -> list[list[Block]]:
        """The blocks of each picture."""
        return [self._page(image) for image in images]

    def _page(self, image: Image.Image) -> list[Block]:
        pieces = self.engine.read_boxes(image)
        blocks = []
        for grid in find_grids(image):
            inside = [piece for piece in pieces if _centre_in(piece.box, grid.box)]
            pieces = [piece for piece in pieces if piece not in inside]
            blocks.append(self._table(image, grid, inside))
        blocks += paragraphs(pieces)
        return sorted(blocks, key=lambda block: (block.box[1], block.box[0]))

    def _table(self, image: Image.Image, grid: Grid, pieces: Sequence[TextBox]) -> Block:
        texts: dict[GridCell, list[TextBox]] = {cell: [] for cell in grid.cells}
        again: set[GridCell] = set()
        for piece in pieces:
            standing = [cell for cell in grid.cells if _reaches_into(piece.box, cell.box)]
            if len(standing) == 1:
                texts[standing[0]].append(piece)
            else:  # read across a rule: each cell by itself
                again |= set(standing)
        for cell in again:
            left, top, right, bottom = cell.box
            inner = (left + 3, top + 3, right - 2, bottom - 2)
            texts[cell] = [
                TextBox(_shifted(piece.box, inner), piece.text, piece.score)
                for piece in self.engine.read_boxes(with_margin(image.crop(inner)))
            ]
        html = table_html(
            [Cell(_joined(texts[cell], " "), cell.colspan, cell.rowspan) for cell in grid.cells if cell.row == row]
            for row in range(1 + max(cell.row for cell in grid.cells))
        )
        box: Box = tuple(map(float, grid.box))  # type: ignore[assignment]
        return Block(box, without_tags(html), html)


class RememberingReader:
    """A reader that reads each picture once: source and reference pages come up again and again."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self._read: dict[str, list[Block]] = {}

    def read(self, images: Sequence[Image.Image]) -> list[list[Block]]:
        """The blocks of each picture; those not read before are read together."""
        keys = [pixel_key(image) for image in images]
        new = {key: image for key, image in zip(keys, images, strict=True) if key not in self._read}
        if new:
            self._read |= zip(new, self.reader.read(list(new.values())), strict=True)
        return [self._read[key] for key in keys]


def reader_named(name: str, configured: Mapping[str, Mapping[str, Any]] | None = None) -> BoxReader:
    """The reader of a registered model that finds boxes, as `rapidocr` does; `configured` as `registry.resolve` has it.

    Raises ValueError for a model that tells no boxes, and as `registry.resolve` for an unknown one; NotInstalled for
    what this machine lacks.
    """
    from pytest_vtcfaith.models.registry import resolve

    engine = resolve(name, configured).load()
    if not isinstance(engine, BoxFinder):
        raise ValueError(f"model {name!r} tells no boxes of what it reads: choose one that does, as rapidocr")
    return BoxReader(engine)


def read_region(reader: Reader, image: Image.Image, region: Sequence[float]) -> list[Block]:
    """Crops a region, reads it (VDE Bench §4, local), and gives the blocks in pixels of the whole picture."""
    left, top, right, bottom = map(int, region)
    (blocks,) = reader.read([with_margin(image.crop((left, top, right, bottom)))])
    return [Block(_shifted(block.box, (left, top, right, bottom)), block.text, block.table) for block in blocks]


def with_margin(crop: Image.Image) -> Image.Image:
    """The picture with `MARGIN` pixels around it in the colour that most of its edge has."""
    from PIL import Image

    width, height = crop.size
    framed = Image.new(crop.mode, (width + 2 * MARGIN, height + 2 * MARGIN), ground_of(crop))
    framed.paste(crop, (MARGIN, MARGIN))
    return framed


def ground_of(picture: Image.Image) -> tuple[int, int, int]:
    """The colour that most of the edge of an RGB picture has."""
    width, height = picture.size
    edges = [(0, 0, width, 1), (0, height - 1, width, height), (0, 0, 1, height), (width - 1, 0, width, height)]
    counts: Counter[tuple[int, int, int]] = Counter()
    for edge in edges:
        data = picture.crop(edge).tobytes()
        counts.update(zip(data[::3], data[1::3], data[2::3], strict=True))
    return max(sorted(counts), key=counts.__getitem__)


def paragraphs(pieces: Sequence[TextBox]) -> list[Block]:
    """Pieces of text as blocks: lines of letters alike that stand close under each other are one.

    Within a line a gap wider than the letters are high parts two blocks.
    """
    found: list[list[list[TextBox]]] = []
    for line in (part for whole in group_lines(pieces) for part in _parts(whole)):
        above = [block for block in found if _continues(block[-1], line)]
        if above:
            max(above, key=lambda block: _around(block[-1])[3]).append(line)
        else:
            found.append([line])
    return [
        Block(
            enclosing([piece.box for line in block for piece in line]),
            "\n".join(" ".join(piece.text for piece in line) for line in block),
            score=_mean_score([piece for line in block for piece in line]),
        )
        for block in found
    ]


def _mean_score(pieces: Sequence[TextBox]) -> float:
    """The mean of the scores, each counted as often as its piece has characters."""
    return sum(piece.score * len(piece.text) for piece in pieces) / max(1, sum(len(piece.text) for piece in pieces))


def _parts(line: Sequence[TextBox]) -> list[list[TextBox]]:
    """A printed line cut where a gap is wide."""
    widest = _APART * median(piece.box[3] - piece.box[1] for piece in line)
    parts: list[list[TextBox]] = []
    for piece in line:
        if parts and piece.box[0] - parts[-1][-1].box[2] <= widest:
            parts[-1].append(piece)
        else:
            parts.append([piece])
    return parts


def _continues(above: Sequence[TextBox], line: Sequence[TextBox]) -> bool:
    """Whether a line belongs to the block whose last line is `above`."""
    left, top, right, bottom = _around(line)
    other_left, other_top, other_right, other_bottom = _around(above)
    heights = sorted((bottom - top, other_bottom - other_top))
    return (
        top > other_top
        and top - other_bottom <= _LEADING * heights[0]
        and heights[1] <= _UNLIKE * heights[0]
        and min(right, other_right) > max(left, other_left)
    )


def _around(line: Sequence[TextBox]) -> Box:
    return enclosing([piece.box for piece in line])


def _centre_in(box: Sequence[float], outer: Sequence[float]) -> bool:
    across, down = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return outer[0] <= across <= outer[2] and outer[1] <= down <= outer[3]


def _reaches_into(box: Sequence[float], cell: Sequence[float]) -> bool:
    """Whether a piece of text stands in a cell: its middle line passes through, and it reaches well into it."""
    middle = (box[1] + box[3]) / 2
    across = min(box[2], cell[2]) - max(box[0], cell[0])
    centred = cell[0] <= (box[0] + box[2]) / 2 < cell[2]
    return cell[1] <= middle < cell[3] and (across > _INTO or centred)


def _joined(pieces: Sequence[TextBox], between: str) -> str:
    return between.join(piece.text for line in group_lines(pieces) for piece in line)


def _shifted(box: Box, crop: Sequence[float]) -> Box:
    """A box found on a crop with its margin, as a box of the whole picture; what passes the crop's edge is cut."""
    across, down = crop[0] - MARGIN, crop[1] - MARGIN
    moved = (box[0] + across, box[1] + down, box[2] + across, box[3] + down)
    if not overlap(moved, crop):
        return moved
    return max(moved[0], crop[0]), max(moved[1], crop[1]), min(moved[2], crop[2]), min(moved[3], crop[3])
