"""Readers for the published FaithC4 and ZeroSense data, turned into manifests of ours.

Neither benchmark documents a file format, so both readers take the plain shapes below. A *source* is a folder, a
`.jsonl` file, or `hf:NAME[:SPLIT]` (a data set of the Hugging Face hub; split `train` unless named).

FaithC4: a folder with `LANG/CONDITION/ID.txt`, or rows with `id`, `lang` (or `language`), `condition` (or
`perturbation`), `text`, and `original` where no row of condition `original` gives it.
ZeroSense: a folder of `.txt` files, or rows with `id` and `text`; English.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_vtcfaith.texts.build import LAYOUTS, check_layouts, preservation_header
from pytest_vtcfaith.texts.checks import check_ratio
from pytest_vtcfaith.texts.documents import checked, read_documents, read_file, slug, survives
from pytest_vtcfaith.texts.errors import TextsError, import_extra, show
from pytest_vtcfaith.texts.manifest import VERSION, Draft
from pytest_vtcfaith.texts.scripts import LANGS, check_lang
from pytest_vtcfaith.texts.tokenizers import count_tokens

CONDITIONS = ("original", "scramble", "random", "visual")

_LANGUAGES = {"english": "en", "chinese": "zh", "korean": "ko"}


@dataclass(frozen=True, slots=True)
class _Page:
    """One published page: where it was found, and what it is."""

    place: str
    id: str
    lang: str
    condition: str
    text: str
    original: str | None


def source_rows(source: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The rows of a source with their places: of all `.jsonl` files of a folder, of one such file, or of a data set."""
    if source.startswith("hf:"):
        for number, row in enumerate(_data_set(source), 1):
            yield f"{source}, row {number}", row
        return
    path = Path(source)
    for file in sorted(path.glob("*.jsonl")) if path.is_dir() else [path]:
        for number, line in enumerate(read_file(file).removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
            if not line.strip():
                continue
            place = f"{file}:{number}"
            try:
                row = json.loads(line.decode("utf-8"))
            except (ValueError, RecursionError) as error:
                raise TextsError(f"{place}: not JSON in UTF-8 ({error}): download the file again") from None
            if not isinstance(row, dict):
                raise TextsError(f"{place}: the line is not a JSON object: give one row a line")
            yield place, row


def _data_set(source: str) -> Iterable[Mapping[str, Any]]:
    """The rows of `hf:NAME[:SPLIT]`; NAME may be a folder, as `datasets` has it."""
    name, _, split = source.removeprefix("hf:").partition(":")
    if not name:
        raise TextsError(f"{source!r} names no data set: write hf:NAME or hf:NAME:SPLIT")
    datasets = import_extra("datasets", "datasets")
    try:
        rows: Iterable[Mapping[str, Any]] = datasets.load_dataset(name, split=split or "train")
    except Exception as error:  # of many kinds: a wrong name or split, no connection, files it cannot read
        raise TextsError(
            f"{source}: datasets cannot load it ({type(error).__name__}: {error}): check name, split and connection"
        ) from error
    return rows


def text_field(place: str, row: Mapping[str, Any], *names: str) -> str:
    """The first of the named fields that the row has, as text."""
    value = next((row[name] for name in names if row.get(name) is not None), None)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip():
        raise TextsError(f"{place}: field {' or '.join(map(repr, names))} = {show(value)} must be text: add it")
    return value


def _one_of(place: str, field: str, value: str, known: Sequence[str]) -> str:
    if value not in known:
        raise TextsError(f"{place}: {field} {show(value)} is unknown: it must be one of {', '.join(known)}")
    return value


def _faithc4_pages(source: str) -> Iterator[_Page]:
    root = None if source.startswith("hf:") else Path(source)
    folders = [root / lang for lang in LANGS if (root / lang).is_dir()] if root else []
    for folder in folders:
        for directory in sorted(path for path in folder.iterdir() if path.is_dir()):
            condition = _one_of(str(directory), "condition", directory.name, CONDITIONS)
            for document in read_documents(directory):
                yield _Page(str(document.path), document.path.stem, folder.name, condition, document.text, None)
    if folders:
        return
    for place, row in source_rows(source):
        lang = text_field(place, row, "lang", "language").lower()
        yield _Page(
            place=place,
            id=text_field(place, row, "id"),
            lang=_one_of(place, "lang", _LANGUAGES.get(lang, lang), LANGS),
            condition=_one_of(
                place, "condition", text_field(place, row, "condition", "perturbation").lower(), CONDITIONS
            ),
            text=checked(text_field(place, row, "text"), place),
            original=checked(text_field(place, row, "original"), place) if row.get("original") is not None else None,
        )


def _rewriting_rows(pages: Iterable[_Page]) -> tuple[list[dict[str, Any]], list[str]]:
    rows, notes = [], []
    originals: dict[str, str] = {}
    found: dict[tuple[str, int], _Page] = {}
    for page in pages:
        key = (f"{page.lang}-{slug(page.id)}", CONDITIONS.index(page.condition))
        if key in found:
            raise TextsError(
                f"{page.place}: {page.id!r} ({page.condition}) was found at {found[key].place}: remove one"
            )
        found[key] = page
        if page.condition == "original":
            originals[key[0]] = page.text
    for (document, _), page in sorted(found.items()):
        original = originals.get(document, page.original)
        if original is None:
            raise TextsError(f"{page.place}: there is no original of {page.id!r}: add its row of condition 'original'")
        if page.condition != "original" and not survives(original, page.text, page.lang):
            notes.append(f"{page.place}: left out, its text is the original's after normalising")
            continue
        rows.append(
            {
                "case": f"{document}-{page.condition}",
                "document": document,
                "lang": page.lang,
                "condition": page.condition,
                "original": original,
                "text": page.text,
            }
        )
    return rows, notes


def check_source(source: str) -> None:
    """Raises TextsError for a file or folder that is not there."""
    if not source.startswith("hf:") and not Path(source).exists():
        raise TextsError(f"{source}: there is no such file or folder: give one, or hf:NAME for a data set of the hub")


def read_faithc4(source: str, langs: Sequence[str] = LANGS, *, licence: str) -> Draft:
    """The rewriting manifest of published FaithC4 data.

    `source`: as in this module's head; `langs`: the languages to keep; `licence`: of the data. A page whose
    perturbation does not survive normalising is left out with a note. Raises TextsError naming the place of what is
    wrong, MissingExtra when `datasets` is needed and missing.
    """
    for lang in langs:
        check_lang(lang)
    check_source(source)
    rows, notes = _rewriting_rows(page for page in _faithc4_pages(source) if page.lang in langs)
    if not rows:
        raise TextsError(f"{source}: no page in {', '.join(langs)} was found: see the layouts in vtcfaith build --help")
    header = {
        "schema": "vtcfaith/rewriting",
        "version": VERSION,
        "seed": None,
        "generator": "vtcfaith build --faithc4",
        "licence": licence,
        "rate": None,
        "visual_rate": None,
    }
    return Draft(header, rows, tuple(notes))


def read_zerosense(
    source: str,
    *,
    ratios: Sequence[float],
    tokenizer: str,
    layouts: Sequence[str] = LAYOUTS,
    folder: Path = Path(),
    on_request: Sequence[str] = (),
    licence: str,
) -> Draft:
    """The preservation manifest of published ZeroSense data, its rows with the source `zerosense`.

    `source`: as in this module's head; `licence`: of the data; the others: as `build_preservation`. Raises TextsError
    naming the place of what is wrong, MissingExtra when a package is missing.
    """
    for ratio in ratios:
        check_ratio("ratio", ratio)
    check_layouts(layouts, folder)
    check_source(source)
    path = Path(source)
    texts: dict[str, str] = {}
    if not source.startswith("hf:") and path.is_dir() and any(path.glob("*.txt")):
        texts = {document.slug: document.text for document in read_documents(path)}
    else:
        for place, row in source_rows(source):
            name = slug(text_field(place, row, "id"))
            if name in texts:
                raise TextsError(f"{place}: id {row['id']!r} stands twice: rename one")
            texts[name] = checked(text_field(place, row, "text"), place)
    if not texts:
        raise TextsError(f"{source}: no text was found: see the layouts in vtcfaith build --help")
    rows = [
        {
            "document": f"en-{name}",
            "lang": "en",
            "source": "zerosense",
            "text": text,
            "n_text": count_tokens(text, tokenizer),
        }
        for name, text in sorted(texts.items())
    ]
    generator = "vtcfaith build --zerosense"
    header = preservation_header(
        seed=None,
        generator=generator,
        licence=licence,
        layouts=layouts,
        ratios=ratios,
        tokenizer=tokenizer,
        on_request=on_request,
    )
    return Draft(header, rows)
