"""Results of PaddleOCR-VL as VDE Bench publishes them: the blocks of a page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_vtcfaith.metrics.blocks import Block
from pytest_vtcfaith.metrics.boxes import Box, area
from pytest_vtcfaith.metrics.tables import TooDeep, without_tags
from pytest_vtcfaith.metrics.teds import count_cells, has_table
from pytest_vtcfaith.pages.checks import is_number
from pytest_vtcfaith.texts.documents import read_file
from pytest_vtcfaith.texts.errors import TextsError, is_torn, show

_SUFFIX = "_res"


def index_results(folder: Path) -> dict[str, list[Path]] | None:
    """The result files of a folder by the stem of their pictures; None when no folder below it is named `…ocr…`."""
    folders = [path for path in sorted(folder.rglob("*")) if path.is_dir() and "ocr" in path.name.lower()]
    if not folders:
        return None
    found: dict[str, list[Path]] = {}
    for path in sorted({path for below in folders for path in below.rglob("*.json")}):
        found.setdefault(path.stem.removesuffix(_SUFFIX), []).append(path)
    return found


def read_blocks(
    file: Path, *, page: tuple[int, int], name: str, notes: list[str]
) -> tuple[tuple[Block, ...], tuple[str, ...]]:
    """The blocks of one page, their boxes in pixels of the reference, and the kind of each as it is labelled.

    `page`: its width and height; `name`: of the item, for `notes`, to which every rule that applied is added: boxes are
    scaled when the result tells another size of the page than the reference has, and cut at the page's edges; a table
    that is none is taken as text. Raises TextsError naming file and field when the file is no result, or a block lies
    outside the page.
    """
    try:
        data = json.loads(read_file(file).decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise _error(file, "", f"not JSON in UTF-8 ({error}): download the file again") from None
    result = data.get("res", data) if isinstance(data, Mapping) else None
    rows = result.get("parsing_res_list") if isinstance(result, Mapping) else None
    if not isinstance(result, Mapping) or not isinstance(rows, list):
        raise _error(file, "parsing_res_list", "must be a list of blocks: give a result of PaddleOCR-VL")
    across, down = _scale(file, result, page, name, notes)
    blocks, kinds = [], []
    for number, row in enumerate(rows):
        field = f"parsing_res_list[{number}]"
        if not isinstance(row, Mapping):
            raise _error(file, field, f"= {show(row)} must be an object with block_bbox and block_content")
        left, top, right, bottom = _box(file, f"{field}.block_bbox", row.get("block_bbox"))
        box = (left * across, top * down, right * across, bottom * down)
        cut = max(0.0, box[0]), max(0.0, box[1]), min(float(page[0]), box[2]), min(float(page[1]), box[3])
        if cut[0] >= cut[2] or cut[1] >= cut[3]:
            raise _error(file, f"{field}.block_bbox", f"= {show(row['block_bbox'])} lies outside the page: correct it")
        if cut != box:
            notes.append(f"{name}: {file}: {field}.block_bbox passes the page's edge: cut")
        content = row.get("block_content")
        if content is not None and not isinstance(content, str):
            raise _error(file, f"{field}.block_content", f"= {show(content)} must be text")
        content = content or ""
        kind = "text" if row.get("block_label") is None else row["block_label"]
        if not isinstance(kind, str) or not kind.strip():
            raise _error(file, f"{field}.block_label", f"= {show(kind)} must name the kind of the block, as text")
        for side, value in (("block_content", content), ("block_label", kind)):
            if is_torn(value):
                raise _error(file, f"{field}.{side}", f"= {show(value)} holds half a character: read the page again")
        table = _table(file, f"{field}.block_content", content, name, notes) if kind == "table" else None
        kinds.append(kind)
        blocks.append(Block(cut, without_tags(content) if has_table(content) else content, table))
    return tuple(blocks), tuple(kinds)


def _table(file: Path, field: str, content: str, name: str, notes: list[str]) -> str | None:
    """The table of a block of that kind; None where it holds none that can be compared."""
    try:
        cells = count_cells(content)
    except TooDeep as error:
        raise _error(file, field, f"= {show(content)}: {error}: correct it") from None
    if not cells:
        holds = "a table without cells" if has_table(content) else "no table"
        notes.append(f"{name}: {file}: {field} is of the kind table and holds {holds}: compared by its text only")
        return None
    tags = content.lower()
    if tags.count("<table") != tags.count("</table>"):
        notes.append(f"{name}: {file}: {field}: the table is not closed: mended as browsers do")
    return content


def _scale(
    file: Path, result: Mapping[str, Any], page: tuple[int, int], name: str, notes: list[str]
) -> tuple[float, float]:
    """What to multiply the result's coordinates by, across and down."""
    told = (result.get("width"), result.get("height"))
    if told == (None, None):
        notes.append(f"{name}: {file}: no width and height: its boxes are taken as pixels of the reference")
        return 1.0, 1.0
    for side, value in zip(("width", "height"), told, strict=True):
        if not is_number(value) or value < 1:
            raise _error(file, side, f"= {show(value)} must be the page's {side} in pixels, at least 1: correct it")
    if told == page:
        return 1.0, 1.0
    notes.append(
        f"{name}: {file}: the page is of {told[0]} x {told[1]}, the reference of {page[0]} x {page[1]}: scaled"
    )
    return page[0] / float(told[0] or 0), page[1] / float(told[1] or 0)


def _box(file: Path, field: str, value: object) -> Box:
    numbers = value if isinstance(value, list) and len(value) == 4 else []
    if not numbers or not all(map(is_number, numbers)):
        raise _error(file, field, f"= {show(value)} must be four numbers: left, top, right, bottom")
    left, top, right, bottom = map(float, numbers)
    if left >= right or top >= bottom or not area((left, top, right, bottom)):
        raise _error(file, field, f"= {show(value)} must have right over left and bottom over top: correct it")
    return left, top, right, bottom


def _error(file: Path, field: str, text: str) -> TextsError:
    return TextsError(f"{file}: field {field!r} {text}" if field else f"{file}: {text}")
