"""The cases of the preservation suite: rows of its manifests × layouts × compression ratios."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.suites.bundled import manifests
from pytest_vtcfaith.suites.case import Case
from pytest_vtcfaith.suites.preservation_metrics import token_bucket
from pytest_vtcfaith.texts.rows import MATCHED, TEMPLATE, case_name, layout_in, layout_slug, template_file

if TYPE_CHECKING:
    from pytest_vtcfaith.texts.manifest import Manifest

_Row = Mapping[str, Any]


def preservation_cases(folder: Path | None) -> list[Case]:
    """The cases of all manifests in `folder` (None: the bundled ones), sorted by id.

    A tier that one manifest gives on request is on request as a whole. Raises ManifestError for a wrong manifest.
    """
    found = [case for manifest in manifests(folder, "vtcfaith/preservation") for case in _cases(manifest)]
    asked = {case.tier for case in found if case.on_request}
    found = [replace(case, on_request=True) if case.tier in asked and not case.on_request else case for case in found]
    return sorted(found, key=lambda c: c.id)


def layout_of(case: Case) -> str:
    """The case's layout as `pages.layouts.layout_named` takes it: templates lie beside the manifest."""
    return layout_in(case.file.parent, case.params.get("template", case.params["layout"]))


def _cases(manifest: Manifest) -> Iterator[Case]:
    header = manifest.header
    patterns: list[str] = header.get("on_request", [])
    # another template under the same name makes other cases: no stored score or baseline speaks about them
    digests = {
        layout: hashlib.sha256((manifest.path.parent / template_file(layout)[0]).read_bytes()).hexdigest()
        for layout in header["layouts"]
        if layout.startswith(TEMPLATE)
    }
    for source, line, row, partner in _pages(manifest):
        suffix = "" if row["lang"] == "en" else f"-{row['lang']}"
        bucket = token_bucket(partner["n_text"])
        for layout in header["layouts"]:
            shown = layout_slug(layout)
            for ratio in header["ratios"]:
                tier = f"preservation/{shown}/{ratio:g}x/{source}{suffix}"
                # a matched page goes with its partner
                names = {case_name(layout, ratio, name) for name in (source, partner["source"])}
                yield Case(
                    id=f"{row['document']}-{source}-{shown}-{ratio:g}x",
                    suite="preservation",
                    tier=tier,
                    document=row["document"],
                    lang=row["lang"],
                    reference=row["text"],
                    file=manifest.path,
                    line=line,
                    params={
                        "source": source,
                        "layout": shown,
                        "ratio": ratio,
                        "n_text": row["n_text"],
                        "budget_text": partner["n_text"],
                        **({"template": layout, "template_sha256": digests[layout]} if layout in digests else {}),
                    },
                    parts=() if bucket is None else (f"{tier}/{bucket}",),
                    on_request=any(fnmatchcase(name, pattern) for name in names for pattern in patterns),
                )


def _pages(manifest: Manifest) -> Iterator[tuple[str, int, _Row, _Row]]:
    """Source, line and row of every text, and the row whose page gives the size: its own, or that of its partner.

    Every source but `natural` has a natural text drawn as large beside it: the row `natural-at-SOURCE` of the same
    document, or else its row `natural`.
    """
    rows = {(row["document"], row["source"]): (line, row) for line, row in manifest.rows}
    for line, row in manifest.rows:
        document, source = row["document"], row["source"]
        if source.startswith(MATCHED):
            yield source, line, row, rows[document, source.removeprefix(MATCHED)][1]
            continue
        yield source, line, row, row
        matched = MATCHED + source
        if source != "natural" and (document, matched) not in rows and (document, "natural") in rows:
            yield matched, *rows[document, "natural"], row
