"""Manifests of published question sets, from a folder of `.jsonl` files, one such file, or `hf:NAME[:SPLIT]`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from pytest_vtcfaith.pages.images import upright_rgb
from pytest_vtcfaith.texts.documents import read_file
from pytest_vtcfaith.texts.errors import TextsError, reason, show
from pytest_vtcfaith.texts.manifest import VERSION, Draft
from pytest_vtcfaith.texts.published import check_source, source_rows
from pytest_vtcfaith.texts.questions.items import Item, item_of
from pytest_vtcfaith.texts.questions.rows import SCHEMA

PICTURES = "pictures"
"""The folder beside the manifest that the pictures are copied to."""
_KINDS = {b"\x89PNG": ".png", b"\xff\xd8\xff": ".jpg", b"RIFF": ".webp", b"GIF8": ".gif", b"BM": ".bmp"}


def read_items(source: str, dataset: str) -> list[Item]:
    """The items of a data set (`texts.questions.items`), a row each. Raises TextsError naming what is wrong."""
    check_source(source)
    items = [item_of(dataset, row, number, place) for number, (place, row) in enumerate(source_rows(source))]
    if not items:
        raise TextsError(f"{source}: there is no item: give a .jsonl file with one a line")
    return items


def read_questions(
    source: str, dataset: str, *, factors: Sequence[int], licence: str, lang: str, folder: Path
) -> Draft:
    """The manifest of a published question set; its pictures are copied to `folder`/pictures, the manifest's folder.

    `lang`: the language of the answers; `licence`: of the data. Items without a picture can only be replayed. Raises
    TextsError for two items of one question, pictures that differ where their id does not, and as `read_items`.
    """
    root = None if source.startswith("hf:") else Path(source)
    if root is not None and root.is_file():
        root = root.parent
    return _draft(
        read_items(source, dataset), root, "items", factors=factors, licence=licence, lang=lang, folder=folder
    )


def draft_of_items(items: Iterable[Item], *, factors: Sequence[int], licence: str, lang: str) -> Draft:
    """The manifest of items without pictures, as published results hold them: their answers can be replayed."""
    return _draft(items, None, "results", factors=factors, licence=licence, lang=lang, folder=None)


def _draft(
    items: Iterable[Item],
    root: Path | None,
    option: str,
    *,
    factors: Sequence[int],
    licence: str,
    lang: str,
    folder: Path | None,
) -> Draft:
    rows: dict[str, dict[str, Any]] = {}
    places: dict[str, str] = {}
    for item in items:
        if item.id in places:
            raise TextsError(
                f"{item.place}: the same question of {item.document!r} is at {places[item.id]}: remove one"
            )
        places[item.id] = item.place
        row = rows.setdefault(item.document, {"document": item.document, "lang": lang, "questions": []})
        row["questions"].append(item.row())
        data = None if folder is None else _picture(item, root)
        if folder is None or data is None:
            continue
        name = f"{PICTURES}/{item.document}{_suffix(item, data)}"
        sha256 = hashlib.sha256(data).hexdigest()
        if row.get("picture_sha256", sha256) != sha256:
            raise TextsError(f"{item.place}: {item.document!r} has another picture than before: give each its own id")
        row |= {"picture": name, "picture_sha256": sha256}
        _store(folder / name, data)
    notes = [f"{name}: no picture, its answers can only be replayed" for name in rows if "picture" not in rows[name]]
    header = {
        "schema": SCHEMA,
        "version": VERSION,
        "seed": None,
        "generator": f"vtcfaith build questions --{option}",
        "licence": licence,
        "factors": list(factors),
        "resampler": "bicubic",
    }
    shown = notes if len(notes) <= 3 else [*notes[:2], f"… and {len(notes) - 2} more documents without a picture"]
    return Draft(header, list(rows.values()), tuple(shown))


def _picture(item: Item, root: Path | None) -> bytes | None:
    """The bytes of an item's picture; its path may not leave the folder of the items."""
    image = item.image
    if isinstance(image, dict):
        if isinstance(image.get("bytes"), bytes):
            return bytes(image["bytes"])
        image = image.get("path")
    if image is None:
        return None
    if hasattr(image, "save"):
        buffer = BytesIO()
        upright_rgb(image).save(buffer, "PNG")
        return buffer.getvalue()
    if not isinstance(image, str) or root is None:
        raise TextsError(f"{item.place}: field 'image' = {show(image)} must be a path in the folder of the items")
    path = (root / image).resolve()
    if not path.is_relative_to(root.resolve()):
        raise TextsError(f"{item.place}: field 'image' = {show(image)} leads out of {root}: name a file of the folder")
    return read_file(path)


def _suffix(item: Item, data: bytes) -> str:
    for begin, suffix in _KINDS.items():
        if data.startswith(begin):
            return suffix
    raise TextsError(f"{item.place}: field 'image' is no picture: give PNG, JPEG, WebP, GIF or BMP")


def _store(path: Path, data: bytes) -> None:
    draft = path.with_name(f".{path.name}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(data)
        draft.replace(path)
    except OSError as error:
        raise TextsError(
            f"{path}: it cannot be written ({reason(error)}): make room, or choose another --out"
        ) from error
