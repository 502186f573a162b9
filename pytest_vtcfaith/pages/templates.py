"""Layouts from annotated pages in the format of OmniDocBench."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from pytest_vtcfaith.pages.blocks import Block, BlockLayout, Figure, Role, overlap
from pytest_vtcfaith.pages.checks import is_number, shown

TEMPLATE_PREFIX = "template:"
_LONG_SIDE_PT = 842
_KEPT_SHARE = 0.5
_MOST_PIXELS = 100_000  # a side; the largest scans have about 30,000
_SLIMMEST = 20  # a page 842 pt long is then 42 pt wide, a few letters
_FILLED: dict[str, Role] = {
    "title": "title",
    "text_block": "body",
    "list_group": "body",
    "reference": "body",
    "code_txt": "body",
    "figure_caption": "caption",
    "table_caption": "caption",
    "equation_caption": "caption",
    "code_txt_caption": "caption",
    "figure_footnote": "note",
    "table_footnote": "note",
    "page_footnote": "note",
    "header": "note",
    "footer": "note",
    "page_number": "note",
}
_PAINTED = ("figure", "table")


def read_template(name: str) -> BlockLayout:
    """The layout of one annotated page: `name` is FILE or FILE#PAGE, PAGE its number from 1 or its image's name.

    FILE is JSON in the format of OmniDocBench, a list of pages or one page. A page's `layout_dets` are filled in the
    order of their `order` (equal ones as they stand in the file) where their `category_type` bears text: titles; text
    blocks, lists, references and code as body; captions; footnotes, headers, footers and page numbers as notes. Blocks
    without an order (those the annotators kept out of the reading order) and those with `ignore` stay blank; figures
    and tables are painted; everything else (formulas, masks, discarded content) stays blank. A block is the upright
    rectangle around its `poly` (8 numbers, pixels), inside the page; where it overlaps an earlier block it is cut back
    to what is beside, above or below that one. The page's longer side becomes 842 pt, the shorter one in proportion of
    `page_info.width` × `page_info.height`, rounded to whole points.

    Raises ValueError that names file, page and block for a file that is not of this form, a page that is not there, one
    with a side over 100,000 pixels or over 20 times the other, a `poly` without area or outside the page, a block of
    which less than half is left beside the earlier ones, and a page without a block to fill.
    """
    file, _, page = (name, "", "") if "#" not in name or Path(name).is_file() else name.rpartition("#")
    path = Path(file)
    try:
        stat = path.stat()
        if not path.is_file():  # reading a pipe may never end
            raise ValueError(f"{file}: the annotation file cannot be read: it is no regular file")
        pages = _pages(path, stat.st_mtime_ns, stat.st_size)
    except OSError as problem:
        raise ValueError(f"{file}: the annotation file cannot be read: {problem.strerror or problem}") from None
    number = _number(file, pages, page)
    return _layout(TEMPLATE_PREFIX + name, f"{file}, page {number + 1}", pages[number])


@lru_cache(maxsize=4)
def _pages(path: Path, mtime_ns: int, size: int) -> list[Any]:
    """All pages of a file; time and size are there so that a changed file is read again."""
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as problem:
        raise ValueError(f"{path}: no annotation file in JSON (UTF-8): {problem}") from None
    pages = found if isinstance(found, list) else [found]
    if not pages:
        raise ValueError(f"{path}: the list of pages is empty")
    return pages


def _number(file: str, pages: list[Any], page: str) -> int:
    if not page:
        return 0
    if page.isdecimal():
        if not 1 <= int(page) <= len(pages):
            raise ValueError(f"{file}: there is no page {page}, it has {len(pages)} (counted from 1)")
        return int(page) - 1
    for number, found in enumerate(pages):
        info = found.get("page_info") if isinstance(found, dict) else None
        image = info.get("image_path") if isinstance(info, dict) else None
        if isinstance(image, str) and page in (image, Path(image).name, Path(image).stem):
            return number
    raise ValueError(f"{file}: no page's page_info.image_path is {page!r}")


def _layout(name: str, where: str, page: Any) -> BlockLayout:
    if not isinstance(page, dict):
        raise ValueError(f"{where}: a page must be an object, got {type(page).__name__}")
    width, height = _page_size(where, page.get("page_info"))
    dets = page.get("layout_dets")
    if not isinstance(dets, list):
        raise ValueError(f"{where}: layout_dets must be a list, got {type(dets).__name__}")
    scale = _LONG_SIDE_PT / max(width, height)
    width_pt, height_pt = max(1, round(width * scale)), max(1, round(height * scale))

    filled: list[tuple[float, str, Block]] = []
    figures = []
    for number, det in enumerate(dets):
        there = f"{where}, layout_dets[{number}]"
        if not isinstance(det, dict) or not isinstance(det.get("category_type"), str):
            raise ValueError(f"{there}: a block must be an object with a category_type, got {shown(det)}")
        category, order = det["category_type"], det.get("order")
        there += f" ({category})"
        if det.get("ignore") or not (category in _PAINTED or (category in _FILLED and order is not None)):
            continue
        box = _rectangle(there, det.get("poly"), scale, width_pt, height_pt)
        if category in _PAINTED:
            figures.append(Figure(*box))
        elif not is_number(order):
            raise ValueError(f"{there}: order must be a number or null, got {shown(order)}")
        else:
            filled.append((order, there, Block(_FILLED[category], *box)))
    if not filled:
        raise ValueError(f"{where}: no block to fill: none of {', '.join(_FILLED)} has an order and is not ignored")
    blocks: list[Block] = []
    for _, there, block in sorted(filled, key=lambda found: found[0]):
        blocks.append(_beside(there, block, blocks))
    return BlockLayout(name, width_pt, height_pt, tuple(blocks), tuple(figures))


def _page_size(where: str, info: Any) -> tuple[float, float]:
    if not isinstance(info, dict):
        raise ValueError(f"{where}: page_info is missing: width and height of the page are needed")
    sides = []
    for field in ("width", "height"):
        value = info.get(field)
        if not is_number(value) or not 1 <= value <= _MOST_PIXELS:
            raise ValueError(
                f"{where}: page_info.{field} must be at least 1 pixel and at most {_MOST_PIXELS}, got {shown(value)}"
            )
        sides.append(float(value))
    if max(sides) > _SLIMMEST * min(sides):
        raise ValueError(
            f"{where}: page_info has {sides[0]:g} x {sides[1]:g} pixels: "
            f"no side may be over {_SLIMMEST} times the other"
        )
    return sides[0], sides[1]


def _rectangle(where: str, poly: Any, scale: float, width_pt: int, height_pt: int) -> tuple[float, float, float, float]:
    """Left, top, width and height in points of the part of a polygon's upright rectangle that is on the page."""
    if not isinstance(poly, list) or len(poly) != 8 or not all(map(is_number, poly)):
        raise ValueError(f"{where}: poly must be 8 numbers, got {shown(poly)}")
    left, right = max(0.0, min(poly[0::2]) * scale), min(float(width_pt), max(poly[0::2]) * scale)
    top, bottom = max(0.0, min(poly[1::2]) * scale), min(float(height_pt), max(poly[1::2]) * scale)
    if not (right > left and bottom > top):
        raise ValueError(f"{where}: poly {poly} has no area on the page")
    return left, top, right - left, bottom - top


def _beside(where: str, block: Block, earlier: list[Block]) -> Block:
    """The block cut back to the largest rectangle of it beside, above or below each earlier block in turn."""
    kept = block
    for other in earlier:
        if overlap(kept, other):
            kept = max(_cuts(kept, other), key=lambda cut: cut.width_pt * cut.height_pt)
    if not kept.width_pt * kept.height_pt >= _KEPT_SHARE * block.width_pt * block.height_pt:
        raise ValueError(
            f"{where}: over half of the block is covered by earlier blocks: mend poly or order, or set ignore"
        )
    return kept


def _cuts(block: Block, other: Block) -> list[Block]:
    right, bottom = block.left_pt + block.width_pt, block.top_pt + block.height_pt
    other_right, other_bottom = other.left_pt + other.width_pt, other.top_pt + other.height_pt
    sides = [
        (block.left_pt, block.top_pt, other.left_pt - block.left_pt, block.height_pt),
        (other_right, block.top_pt, right - other_right, block.height_pt),
        (block.left_pt, block.top_pt, block.width_pt, other.top_pt - block.top_pt),
        (block.left_pt, other_bottom, block.width_pt, bottom - other_bottom),
    ]
    return [Block(block.role, *side) for side in sides if side[2] > 0 and side[3] > 0] or [
        Block(block.role, block.left_pt, block.top_pt, 0, 0)
    ]
