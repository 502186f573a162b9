"""The manifest of edits of published pictures, made of VDE Bench as its reader gives it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from pytest_vtcfaith.texts.documents import slug
from pytest_vtcfaith.texts.edits.picture_rows import SCHEMA
from pytest_vtcfaith.texts.errors import TextsError
from pytest_vtcfaith.texts.manifest import VERSION, Draft
from pytest_vtcfaith.texts.vde import VdeItem, read_vde

GENERATOR = "vtcfaith build vde"

_DIGITS = 12  # of the hash of a source page, in the name of its document
_SUFFIXES = {"JPEG": "jpg"}


@dataclass(frozen=True, slots=True)
class PicturesDraft:
    """A manifest before it is written, and the pictures to be written before it: by their paths from its folder, the
    SHA-256 and the file or bytes to copy.
    """

    draft: Draft
    pictures: Mapping[str, tuple[str, Path | bytes]]


def build_vde(source: str, out: Path, *, region: str | None = None, licence: str = "not stated") -> PicturesDraft:
    """The manifest of VDE Bench data that will lie at `out`, its pictures in the folder `STEM-pictures` beside it.

    `source`, `region` as `read_vde` has them. Every picture is decoded once; nothing is written. Raises TextsError as
    `read_vde`, and for a picture that is damaged.
    """
    found = read_vde(source, region=region)
    pictures: dict[str, tuple[str, Path | bytes]] = {}
    rows = [_row(item, f"{out.stem}-pictures", pictures) for item in found.items]
    header = {"schema": SCHEMA, "version": VERSION, "seed": None, "generator": GENERATOR, "licence": licence}
    return PicturesDraft(Draft(header, rows, found.notes), pictures)


def _row(item: VdeItem, folder: str, pictures: dict[str, tuple[str, Path | bytes]]) -> dict[str, Any]:
    source = _picture(item, "image_input", item.source, item.source_size, folder, pictures)
    reference = _picture(item, "image_output", item.reference, item.reference_size, folder, pictures)
    return {
        "case": f"vde-{slug(item.id)}",
        "document": f"vde-{source['sha256'][:_DIGITS]}",
        "lang": item.lang,
        "region": item.region,
        "operation": item.operation,
        "instruction": item.instruction,
        "source": source,
        "reference": reference,
        "boxes": [list(box) for box in item.regions],
        "blocks": None if item.blocks is None else _blocks(item),
        "record": {"id": item.id} | ({"data_source": item.data_source} if item.data_source else {}),
    }


def _blocks(item: VdeItem) -> list[dict[str, Any]]:
    return [
        {"box": [float(side) for side in block.box], "kind": kind, "text": block.text}
        | ({} if block.table is None else {"table": block.table})
        for block, kind in zip(item.blocks or (), item.kinds, strict=True)
    ]


def _picture(
    item: VdeItem,
    field: str,
    data: Path | bytes,
    size: tuple[int, int],
    folder: str,
    pictures: dict[str, tuple[str, Path | bytes]],
) -> dict[str, Any]:
    """A picture as a row has it; it is added to `pictures`."""
    from PIL import Image

    content = data if isinstance(data, bytes) else data.read_bytes()
    sha256 = hashlib.sha256(content).hexdigest()
    try:
        with Image.open(BytesIO(content)) as picture:
            suffix = _SUFFIXES.get(picture.format or "", (picture.format or "picture").lower())
            name = f"{folder}/{sha256}.{suffix}"
            if name not in pictures:
                picture.load()  # the reader saw the head only; a torn file must not come to light in a run
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        shown = data if isinstance(data, Path) else "a picture"
        raise TextsError(
            f"{item.place}: item {item.id!r}, field {field!r} = {shown} is damaged ({error}): download it again"
        ) from error
    pictures[name] = (sha256, data)
    return {"file": name, "sha256": sha256, "width": size[0], "height": size[1]}
