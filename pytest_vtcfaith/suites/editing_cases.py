"""The cases of the editing suite, and the pictures that belong to one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_vtcfaith.metrics.layout_statistics import Element, PageLayout
from pytest_vtcfaith.pages.edits.pair import EditPair, draw_pair, source_fingerprint
from pytest_vtcfaith.pages.page import Page
from pytest_vtcfaith.suites.bundled import manifests
from pytest_vtcfaith.suites.case import Case
from pytest_vtcfaith.suites.editing_published import (
    published_fingerprint,
    published_pair,
    published_source,
    region_blocks_of,
)
from pytest_vtcfaith.texts.edits.picture_rows import SCHEMA as PICTURES
from pytest_vtcfaith.texts.edits.rows import SCHEMA


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
            reference=_region_text(row),
            file=manifest.path,
            line=line,
            params=row,
            parts=tuple(
                f"editing/{scope}/{row['region']}/{row['operation']}/{row['lang']}" for scope in ("global", "local")
            ),
        )
        for schema in (SCHEMA, PICTURES)
        for manifest in manifests(folder, schema)
        for line, row in manifest.rows
    ]
    return sorted(found, key=lambda case: case.id)


def pair_of(case: Case) -> EditPair:
    """The pictures of a case of `editing_cases`, drawn or read now. Raises as `draw_pair` and `published_pair`."""
    if _published(case):
        return published_pair(case.params, case.file, case.line)
    return draw_pair(case.params)


def source_of(case: Case) -> Page:
    """The page that an editor is given; drawn or read at first use, with the errors of `pair_of`."""
    row = case.params
    size = row["reference"] if _published(case) else row["source"]
    return Page(
        text="" if _published(case) else row["source_text"],
        width=size["width"],
        height=size["height"],
        line_starts=(0,),
        layout="edit",
        fingerprint=published_fingerprint(row) if _published(case) else source_fingerprint(row),
        draw=lambda: published_source(row, case.file, case.line) if _published(case) else pair_of(case).source,
        place=lambda: ((), ()),
    )


def layout_of(case: Case) -> PageLayout | None:
    """The blocks of a case's reference as `metrics.layout_statistics` takes them; None where it was not read.

    Pages drawn here have the kinds `text` and `table`, published ones those of their results of OCR.
    """
    row = case.params
    if row["blocks"] is None:
        return None
    size = row["reference"] if _published(case) else row["source"]
    return PageLayout(
        size["width"],
        size["height"],
        tuple(
            Element(block.get("kind") or ("table" if block.get("table") else "text"), tuple(block["box"]))
            for block in row["blocks"]
        ),
    )


def _published(case: Case) -> bool:
    return "reference" in case.params


def _region_text(row: Mapping[str, Any]) -> str:
    """What the regions should show, one block a line; "" where only the OCR can tell."""
    if "region_blocks" in row:
        return "\n".join(block["text"] for block in row["region_blocks"])
    return "\n".join(block.text for block in region_blocks_of(row) or ())
