"""One edit as pictures: the page before, the page as it should be after, and what must be read there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.metrics.blocks import Block
from pytest_vtcfaith.metrics.boxes import merged, percent_to_pixels
from pytest_vtcfaith.metrics.edit import Operation
from pytest_vtcfaith.pages.edits.design import Design, design_of
from pytest_vtcfaith.pages.edits.regions import Pixels, composite
from pytest_vtcfaith.pages.edits.setting import set_page
from pytest_vtcfaith.pages.fonts import STYLES, font_for
from pytest_vtcfaith.pages.render import library_versions

if TYPE_CHECKING:
    from PIL import Image


@dataclass(frozen=True, slots=True)
class EditPair:
    """`source` and `reference` are of one size, mode RGB, and equal outside the `regions` (pixels).

    `blocks`, `region_blocks`: what the whole reference shows, and its regions, in pixels; `source_text`: what the
    regions of the source show. Each is None where nobody knows, and the OCR has to tell.
    """

    source: Image.Image
    reference: Image.Image
    regions: tuple[Pixels, ...]
    blocks: tuple[Block, ...] | None
    region_blocks: tuple[Block, ...] | None
    source_text: str | None
    lang: str
    operation: Operation
    instruction: str


def draw_pair(row: Mapping[str, Any]) -> EditPair:
    """The pair of a manifest row of the schema `vtcfaith/editing`; the reference is a composite (VDE Bench, Eq. 13).

    Raises as `set_page` when the page cannot be set on this machine.
    """
    before, after = designs(row)
    source, candidate = (set_page(design, row["lang"]).draw() for design in (before, after))
    regions = regions_of(row)
    return EditPair(
        source=source,
        reference=composite(source, candidate, regions),
        regions=regions,
        blocks=_blocks(row["blocks"]),
        region_blocks=_blocks(row["region_blocks"]),
        source_text=row["source_text"],
        lang=row["lang"],
        operation=row["operation"],
        instruction=row["instruction"],
    )


def designs(row: Mapping[str, Any]) -> tuple[Design, Design]:
    """The page of a row before the edit and after it."""
    before = design_of(row["source"])
    return before, before.edited(row["changes"])


def source_fingerprint(row: Mapping[str, Any]) -> str:
    """Names everything that shapes the pixels of a row's source without drawing it."""
    fonts = [font_for(style, row["lang"]).sha256 for style in STYLES]
    parts = ["edit", row["source"], row["lang"], fonts, *library_versions()]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode("ascii")).hexdigest()


def regions_of(row: Mapping[str, Any]) -> tuple[Pixels, ...]:
    """The regions of a row in pixels."""
    page = row["source"]["width"], row["source"]["height"]
    boxes = [percent_to_pixels(box["x"], box["y"], box["width"], box["height"], page=page) for box in row["boxes"]]
    return merged(boxes)


def _blocks(rows: list[Mapping[str, Any]]) -> tuple[Block, ...]:
    return tuple(Block(tuple(row["box"]), row["text"], row.get("table")) for row in rows)
