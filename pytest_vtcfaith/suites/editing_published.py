"""The pictures of an editing case of published pages: read from the files beside its manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.metrics.blocks import Block, blocks_touching
from pytest_vtcfaith.metrics.boxes import area, merged, overlap
from pytest_vtcfaith.pages.edits.pair import EditPair
from pytest_vtcfaith.pages.edits.regions import Pixels, composite
from pytest_vtcfaith.pages.render import library_versions
from pytest_vtcfaith.texts.edits.pictures import read_picture

if TYPE_CHECKING:
    from PIL import Image

INSIDE = 0.9
"""Share of a published block that lies in a region where the region shows its whole text."""


def published_pair(row: Mapping[str, Any], manifest: Path, line: int) -> EditPair:
    """The pair of a row of the schema `vtcfaith/editing-pictures`, which stands at a line of a manifest.

    The source is brought to the size of the reference; the reference is a composite (VDE Bench, Eq. 13). Blocks without
    text are left out, as no engine gives such. Raises ManifestError as `read_picture`.
    """
    source = published_source(row, manifest, line)
    regions = _regions(row)
    return EditPair(
        source=source,
        reference=composite(source, read_picture(manifest, line, "reference", row["reference"]), regions),
        regions=regions,
        blocks=_blocks(row),
        region_blocks=region_blocks_of(row),
        source_text=None,
        lang=row["lang"],
        operation=row["operation"],
        instruction=row["instruction"],
    )


def published_source(row: Mapping[str, Any], manifest: Path, line: int) -> Image.Image:
    """The source of such a row, of the size of its reference. Raises ManifestError as `read_picture`."""
    from PIL import Image

    source = read_picture(manifest, line, "source", row["source"])
    size = row["reference"]["width"], row["reference"]["height"]
    return source if source.size == size else source.resize(size, Image.Resampling.LANCZOS)


def published_fingerprint(row: Mapping[str, Any]) -> str:
    """Names everything that shapes the pixels of such a row's source without reading it."""
    size = row["reference"]["width"], row["reference"]["height"]
    parts = ["picture", row["source"]["sha256"], size, *library_versions()]
    return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()


def region_blocks_of(row: Mapping[str, Any]) -> tuple[Block, ...] | None:
    """What the regions of such a row show by the blocks that were read of its page; None where these do not tell it.

    They tell it where every block that touches a region lies in it by at least `INSIDE` of its area: of a paragraph or
    a table that goes on outside, nobody knows what the region's crop says. No block at all tells a deletion only.
    """
    blocks, regions = _blocks(row), _regions(row)
    if blocks is None:
        return None
    touching = tuple(blocks_touching(blocks, regions))
    if not touching:
        return () if row["operation"] == "delete" else None
    known = all(max(overlap(block.box, region) for region in regions) >= INSIDE * area(block.box) for block in touching)
    return touching if known else None


def _blocks(row: Mapping[str, Any]) -> tuple[Block, ...] | None:
    if row["blocks"] is None:
        return None
    read = (Block(tuple(block["box"]), block["text"], block.get("table")) for block in row["blocks"])
    return tuple(block for block in read if block.text.strip() or block.table)


def _regions(row: Mapping[str, Any]) -> tuple[Pixels, ...]:
    """The regions, merged where they overlap: nothing may be read or compared twice."""
    return merged([(left, top, right, bottom) for left, top, right, bottom in row["boxes"]])
