"""The manifest of the embedded editing set, made from the pages as they were written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from pytest_vtcfaith.metrics.blocks import Block
from pytest_vtcfaith.pages.edits.design import Design, design_of, plain, plain_rows
from pytest_vtcfaith.pages.edits.regions import changed_region, percent, region_blocks
from pytest_vtcfaith.pages.edits.setting import set_page
from pytest_vtcfaith.pages.edits.templates import PALETTES, page_of
from pytest_vtcfaith.pages.fonts import Style
from pytest_vtcfaith.texts.build import derived_seed
from pytest_vtcfaith.texts.draws import below
from pytest_vtcfaith.texts.edits.rows import SCHEMA
from pytest_vtcfaith.texts.edits.sources import LANGUAGES, EditSource, PageSource, page_sources
from pytest_vtcfaith.texts.errors import TextsError
from pytest_vtcfaith.texts.manifest import VERSION, Draft

GENERATOR = "vtcfaith build edits"
LICENCE = "Apache-2.0"

_STYLES: tuple[Style, ...] = ("sans", "serif")
_SHIFT = 13  # pixels that a page is moved by at most


def build_edits(lang: str, *, seed: int = 0) -> Draft:
    """The manifest of the edits in a language: `en`, `zh` or `mixed`.

    `seed` draws how a page looks, not what it says: its colours, the style of its running text, by how many pixels it
    is moved. Raises TextsError for another language.
    """
    if lang not in LANGUAGES:
        raise TextsError(f"lang {lang!r} is unknown: choose one of {', '.join(LANGUAGES)}")
    rows = [row for page in page_sources(lang) for row in edit_rows(page, seed)]
    header = {"schema": SCHEMA, "version": VERSION, "seed": seed, "generator": GENERATOR, "licence": LICENCE}
    return Draft(header, rows)


def edit_rows(page: PageSource, seed: int) -> Iterator[dict[str, Any]]:
    """The rows of a page's edits in their order; `seed` as `build_edits`.

    Raises TextsError naming page and edit where the page cannot be set or the edit changes nothing.
    """
    design = _design(page, seed)
    written = plain(design)
    source = set_page(design_of(written), page.lang)
    for edit in page.edits:
        changes = _changes(edit)
        try:
            reference = set_page(design.edited(changes), page.lang)
            region = changed_region(source, reference)
        except ValueError as error:
            raise TextsError(f"{page.name}, edit {edit.name!r}: {error}") from error
        yield {
            "case": f"{page.name}-{edit.name}",
            "document": page.name,
            "lang": page.lang,
            "region": edit.region,
            "operation": edit.operation,
            "instruction": edit.instruction,
            "source": written,
            "changes": changes,
            "boxes": [percent(region, design.width, design.height)],
            "blocks": _blocks(reference.blocks()),
            "region_blocks": _blocks(region_blocks(reference, region)),
            "source_text": "\n".join(block.text for block in region_blocks(source, region)),
        }


def _design(page: PageSource, seed: int) -> Design:
    draw = Random(derived_seed(seed, page.name, "look")).random
    return page_of(
        page.kind,
        page.texts,
        page.rows,
        page.widths,
        palette=PALETTES[below(draw, len(PALETTES))],
        style=_STYLES[below(draw, len(_STYLES))],
        shift=(below(draw, _SHIFT), below(draw, _SHIFT)),
    )


def _changes(edit: EditSource) -> dict[str, dict[str, Any]]:
    changes: dict[str, dict[str, Any]] = {name: {"text": text} for name, text in edit.texts.items()}
    if edit.rows is not None:
        changes["table"] = {"rows": plain_rows(edit.rows)}
        if edit.widths is not None:
            changes["table"]["widths"] = list(edit.widths)
    return changes


def _blocks(blocks: Sequence[Block]) -> list[Mapping[str, Any]]:
    return [
        {"box": [float(side) for side in block.box], "text": block.text}
        | ({} if block.table is None else {"table": block.table})
        for block in blocks
    ]
