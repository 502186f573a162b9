"""The cases of the editing suite, and the pictures that belong to one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vtcfaith.metrics.blocks import blocks_touching
from pytest_vtcfaith.metrics.layout_statistics import Element, PageLayout
from pytest_vtcfaith.pages.edits.pair import EditPair, draw_pair
from pytest_vtcfaith.pages.edits.regions import composite
from pytest_vtcfaith.pages.images import upright_rgb
from pytest_vtcfaith.suites.bundled import manifests
from pytest_vtcfaith.suites.case import Case
from pytest_vtcfaith.texts.edits.rows import SCHEMA

if TYPE_CHECKING:
    from PIL import Image

    from pytest_vtcfaith.texts.vde import VdeItem


def editing_cases(folder: Path | None) -> list[Case]:
    """The cases of all manifests in `folder` (None: the bundled ones), sorted by id; nothing is drawn.

    A tier is `editing/REGION/OPERATION/LANGUAGE`; finer ones, `editing/SCOPE/REGION/OPERATION/LANGUAGE`, have the
    metrics of one scope, `local` or `global`. Raises ManifestError for a wrong manifest.
    """
    found = [
        Case(
            id=row["case"],
            suite="editing",
            tier=f"editing/{row['region']}/{row['operation']}/{row['lang']}",
            document=row["document"],
            lang=row["lang"],
            reference="\n".join(block["text"] for block in row["region_blocks"]),
            file=manifest.path,
            line=line,
            params=row,
            parts=tuple(
                f"editing/{scope}/{row['region']}/{row['operation']}/{row['lang']}" for scope in ("global", "local")
            ),
        )
        for manifest in manifests(folder, SCHEMA)
        for line, row in manifest.rows
    ]
    return sorted(found, key=lambda case: case.id)


def pair_of(case: Case) -> EditPair:
    """The pictures of a case of `editing_cases`, drawn now. Raises as `draw_pair`."""
    return draw_pair(case.params)


def layout_of(case: Case) -> PageLayout:
    """The blocks of a case's reference as `metrics.layout_statistics` takes them, of the kinds `text` and `table`."""
    row = case.params
    return PageLayout(
        row["source"]["width"],
        row["source"]["height"],
        tuple(Element("table" if block.get("table") else "text", tuple(block["box"])) for block in row["blocks"]),
    )


def pair_of_item(item: VdeItem) -> EditPair:
    """The pictures of an item of VDE Bench: the source brought to the size of the reference, and the composite.

    Raises ValueError for an item whose reference was not read.
    """
    from PIL import Image

    if item.blocks is None:
        raise ValueError(f"{item.place}, id {item.id}: there are no results of OCR: put them beside the pictures")
    source, candidate = (_opened(picture) for picture in (item.source, item.reference))
    if source.size != candidate.size:
        source = source.resize(candidate.size, Image.Resampling.LANCZOS)
    return EditPair(
        source=source,
        reference=composite(source, candidate, item.regions),
        regions=item.regions,
        blocks=item.blocks,
        region_blocks=tuple(blocks_touching(item.blocks, item.regions)),
        source_text=None,
        lang=item.lang,
        operation=item.operation,
        instruction=item.instruction,
    )


def _opened(picture: Path | bytes) -> Image.Image:
    from io import BytesIO

    from PIL import Image

    with Image.open(BytesIO(picture) if isinstance(picture, bytes) else picture) as opened:
        return upright_rgb(opened)
