"""Reader of VDE Bench as published: items, pictures, regions and the read reference.

A *source* is a folder, or `hf:NAME[:SPLIT]` (a data set of the Hugging Face hub; split `train` unless named). A folder
has item files (`*.json` with a list of items, or `*.jsonl` with one a line) and, in folders below it, pictures and
PaddleOCR-VL results: every `*.json` under a folder with `ocr` in its name. An item has `id`, `image_input`,
`image_output`, `instruction`, `instruction type`, `language`, `label_output` and optionally `data_source`, `region`.

What is wrong is an error that names file, item, field and mend, but for these rules, each noted when it applies:

- The region is that of field `region`, else `table` where the type of instruction says so, else the one of the words
  `text` and `table` that the name of the item's file has, else `region` of the call, else `text` where the type says
  so.
- A box of `label_output` may pass the page's edge by half a percent: it is cut there.
- Boxes of `label_output` that overlap are merged into the box around them.
- A box whose `original_width` and `original_height` are not the reference's is taken in percent of the reference where
  they are the source's or of the same shape (within 1 %).
- Source and reference of different sizes are taken: the source is to be resized to the reference.
- A read page without `width` and `height` is in pixels of the reference; with another size than the reference's its
  boxes are scaled. A block that passes the page's edge is cut there; one that lies outside is an error.
- A block of a read page without a label is of the kind `text`.
- A block of the kind `table` without a table, or with one without cells, is compared by its text only; a table that is
  not closed is mended as browsers do.
- A page on which no text was read is valid for a deletion only.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any

from pytest_vtcfaith.metrics.blocks import Block
from pytest_vtcfaith.metrics.edit import Operation
from pytest_vtcfaith.texts.documents import read_file
from pytest_vtcfaith.texts.errors import TextsError, is_torn, show
from pytest_vtcfaith.texts.published import _data_set
from pytest_vtcfaith.texts.vde_ocr import index_results, read_blocks
from pytest_vtcfaith.texts.vde_regions import read_regions

REGIONS = ("text", "table")

_LANGUAGES = {"english": "en", "en": "en", "chinese": "zh", "zh": "zh", "mixed": "mixed"}
_OPERATIONS: dict[str, Operation] = {
    **dict.fromkeys(("replacement", "replace", "modification", "modify", "change"), "modify"),
    **dict.fromkeys(("insertion", "insert", "addition", "add"), "add"),
    **dict.fromkeys(("deletion", "delete", "removal", "remove"), "delete"),
    **dict.fromkeys(("structure", "structure modification", "structure edit"), "structure"),
}
_TORN = "holds half a character (a lone surrogate): write the text again"
_ORIENTATION = 0x0112
_TURNED = (5, 6, 7, 8)  # EXIF orientations that swap width and height


@dataclass(frozen=True, slots=True)
class VdeItem:
    """One edit: `place` is where it was found.

    `source`, `reference`: files, or the bytes of files from a data set; their sizes are width and height in pixels,
    upright. `regions`: boxes in pixels of the reference. `blocks`: what was read of the whole reference, None without
    results; `kinds`: of these blocks, as PaddleOCR-VL labels them, empty without results. `operation` is `modify`,
    `add`, `delete` or `structure`, `region` `text` or `table`, `lang` `en`, `zh` or `mixed`.
    """

    place: str
    id: str
    operation: Operation
    region: str
    lang: str
    instruction: str
    source: Path | bytes
    reference: Path | bytes
    source_size: tuple[int, int]
    reference_size: tuple[int, int]
    regions: tuple[tuple[int, int, int, int], ...]
    blocks: tuple[Block, ...] | None
    kinds: tuple[str, ...]
    data_source: str


@dataclass(frozen=True, slots=True)
class VdeSet:
    """The items in the order of their files, and a note for every rule of this module's head that applied."""

    items: tuple[VdeItem, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Row:
    """An item as it is written: where, its fields, the folder its paths start from, and its file's name."""

    place: str
    fields: Mapping[str, Any]
    root: Path | None
    file: str

    def error(self, field: str, value: object, mend: str) -> TextsError:
        name = f"item {show(self.fields['id'])}, " if "id" in self.fields else ""
        return TextsError(f"{self.place}: {name}field {field!r} = {show(value)} {mend}")


def read_vde(source: str, *, region: str | None = None) -> VdeSet:
    """The items of VDE Bench data; the rules: this module's head.

    `source`: a folder, or `hf:NAME[:SPLIT]`; `region`: `text` or `table`, for items that do not tell theirs. Raises
    TextsError naming file, item and field of what is wrong, MissingExtra when `datasets` is needed and missing.
    """
    if region is not None and region not in REGIONS:
        raise TextsError(f"region {region!r} is unknown: choose one of {', '.join(REGIONS)}")
    notes: list[str] = []
    rows = list(_data_set_rows(source) if source.startswith("hf:") else _folder_rows(Path(source)))
    if not rows:
        raise TextsError(f"{source}: there is no item: give a folder with *.json or *.jsonl files of items")
    results = None if source.startswith("hf:") else index_results(Path(source))
    items: dict[str, VdeItem] = {}
    for row in rows:
        item = _item(row, region, results, notes)
        if item.id in items:
            raise row.error("id", item.id, f"was found at {items[item.id].place} too: rename or remove one")
        items[item.id] = item
    return VdeSet(tuple(items.values()), tuple(notes))


def _folder_rows(folder: Path) -> Iterator[_Row]:
    if not folder.is_dir():
        raise TextsError(f"{folder}: there is no such folder: give one, or hf:NAME for a data set of the hub")
    for file in sorted(path for path in folder.iterdir() if path.suffix in (".json", ".jsonl")):
        data = read_file(file).removeprefix(b"\xef\xbb\xbf")
        parts = [(f"{file}:{n}", line) for n, line in enumerate(data.split(b"\n"), 1) if line.strip()]
        for place, part in parts if file.suffix == ".jsonl" else [(str(file), data)]:
            try:
                found = json.loads(part.decode("utf-8"))
            except (ValueError, RecursionError) as error:
                raise TextsError(f"{place}: not JSON in UTF-8 ({error}): download the file again") from None
            values = [found] if file.suffix == ".jsonl" else found
            if not isinstance(values, list):
                raise TextsError(f"{place}: the file is not a list of items: put results of OCR in a folder …ocr…")
            for number, value in enumerate(values, 1):
                where = place if file.suffix == ".jsonl" else f"{place}, item {number}"
                if not isinstance(value, dict):
                    raise TextsError(f"{where}: {show(value)} is not an object: give one item each")
                yield _Row(where, value, folder, file.stem)


def _data_set_rows(source: str) -> Iterator[_Row]:
    """The rows of a data set; its pictures stay undecoded, so that nothing of the files is lost."""
    rows: Any = _data_set(source)
    for name, feature in rows.features.items():
        if type(feature).__name__ == "Image":
            rows = rows.cast_column(name, type(feature)(decode=False))
    name, _, _ = source.removeprefix("hf:").partition(":")
    root = Path(name) if Path(name).is_dir() else None
    for number, row in enumerate(rows, 1):
        yield _Row(f"{source}, row {number}", row, root, "")


def _item(row: _Row, region: str | None, results: Mapping[str, Sequence[Path]] | None, notes: list[str]) -> VdeItem:
    identifier = row.fields.get("id")
    if isinstance(identifier, bool) or not isinstance(identifier, int | str) or not str(identifier).strip():
        raise row.error("id", identifier, "must be a number or a text: add it")
    if is_torn(str(identifier)):
        raise row.error("id", identifier, _TORN)
    operation, kind = _operation(row)
    lang = _text(row, "language").strip().lower()
    if lang not in _LANGUAGES:
        raise row.error("language", lang, f"is unknown: it must be one of {', '.join(_LANGUAGES)}")
    source, source_size = _picture(row, "image_input")
    reference, reference_size = _picture(row, "image_output")
    name = f"{row.place}, id {identifier}"
    if source_size != reference_size:
        sizes = " and ".join("{} x {}".format(*size) for size in (source_size, reference_size))
        notes.append(f"{name}: source and reference are of {sizes} pixels: the source is to be resized")
    regions = read_regions(
        row.fields.get("label_output"),
        reference=reference_size,
        source=source_size,
        name=name,
        notes=notes,
        wrong=row.error,
    )
    blocks, kinds = _blocks(row, results, operation, reference_size, name, notes)
    return VdeItem(
        place=row.place,
        id=str(identifier),
        operation=operation,
        region=_region(row, operation, kind, region),
        lang=_LANGUAGES[lang],
        instruction=_text(row, "instruction"),
        source=source,
        reference=reference,
        source_size=source_size,
        reference_size=reference_size,
        regions=regions,
        blocks=blocks,
        kinds=kinds,
        data_source=_text(row, "data_source") if row.fields.get("data_source") is not None else "",
    )


def _text(row: _Row, field: str) -> str:
    value = row.fields.get(field)
    if not isinstance(value, str) or not value.strip():
        raise row.error(field, value, "must be text: add it")
    if is_torn(value):
        raise row.error(field, value, _TORN)
    return value


def _operation(row: _Row) -> tuple[Operation, str]:
    """The operation of an item, and the region its type of instruction tells; "" when it tells none."""
    written = _text(row, "instruction type")
    words = written.lower().replace("_", " ").replace("-", " ").split()
    table = words[:2] == ["in", "table"] or words[:1] == ["table"]
    words = words[2 if words[:1] == ["in"] else 1 :] if table else words
    text = words[:1] == ["text"]
    words = words[1:] if text else words
    operation = _OPERATIONS.get(" ".join(words))
    if operation is None:
        known = ", ".join(_OPERATIONS)
        raise row.error("instruction type", written, f"is unknown: write text, table or in-table and one of {known}")
    return operation, "table" if table else "text" if text else ""


def _region(row: _Row, operation: Operation, kind: str, otherwise: str | None) -> str:
    if row.fields.get("region") is not None:
        region = _text(row, "region").strip().lower()
        if region not in REGIONS:
            raise row.error("region", region, f"is unknown: it must be one of {', '.join(REGIONS)}")
        return region
    if kind == "table" or (operation == "structure" and not kind):
        return "table"
    named = [word for word in REGIONS if word in row.file.lower()]
    region = named[0] if len(named) == 1 else otherwise or kind
    if not region:
        raise row.error("region", None, "is not told by type or file name: add it, or give the reader a region")
    return region


def _picture(row: _Row, field: str) -> tuple[Path | bytes, tuple[int, int]]:
    """A picture's file or bytes, and its size as it is seen."""
    value = row.fields.get(field)
    data: Path | bytes
    if isinstance(value, Mapping) and isinstance(value.get("bytes"), bytes):
        data = value["bytes"]
    else:
        path = value.get("path") if isinstance(value, Mapping) else value
        if not isinstance(path, str) or not path.strip():
            raise row.error(field, value, "must be the path of a picture: add it")
        if row.root is None:
            raise row.error(field, path, "is a path, but the data set came without files: give its folder")
        data = _inside(row, field, path)
    from PIL import Image

    try:
        with Image.open(BytesIO(data) if isinstance(data, bytes) else data) as picture:
            size = picture.size
            turned = picture.getexif().get(_ORIENTATION, 1) in _TURNED
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        shown = "a picture" if isinstance(data, bytes) else str(data)
        raise row.error(field, shown, f"cannot be read as a picture ({error}): download it again") from error
    return data, (size[1], size[0]) if turned else size


def _inside(row: _Row, field: str, written: str) -> Path:
    """The file that a path names, links followed, which may not leave the folder."""
    assert row.root is not None
    root = row.root.resolve()
    try:
        path = (root / written).resolve()
    except (OSError, ValueError, RuntimeError) as error:  # too long, a NUL, links in a circle
        raise row.error(field, written, f"is no path ({error}): name a file of the folder") from error
    if not path.is_relative_to(root):
        raise row.error(field, written, f"leads out of {root}: name a file of the folder")
    if not path.is_file():
        raise row.error(field, written, f"is missing in {root}: download it")
    return path


def _blocks(
    row: _Row,
    results: Mapping[str, Sequence[Path]] | None,
    operation: Operation,
    page: tuple[int, int],
    name: str,
    notes: list[str],
) -> tuple[tuple[Block, ...] | None, tuple[str, ...]]:
    if results is None:
        return None, ()
    written = row.fields["image_output"]
    stem = PurePosixPath(written["path"] if isinstance(written, Mapping) else written).stem
    found = results.get(stem, ())
    if len(found) != 1:
        count = "no result of OCR" if not found else f"{len(found)} results of OCR ({', '.join(map(str, found))})"
        raise row.error("image_output", written, f"has {count}: there must be one, {stem}.json or {stem}_res.json")
    blocks, kinds = read_blocks(found[0], page=page, name=name, notes=notes)
    if not any(block.text.strip() for block in blocks):
        if operation != "delete":
            raise row.error("image_output", written, f"shows no text in {found[0]}: read the page again")
        notes.append(f"{name}: no text was read on the reference: valid for a deletion")
    return blocks, kinds
