"""Saving a found page as a case: a small manifest that `--vtc-cases` runs."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vtcfaith.texts.manifest import VERSION, write_manifest

if TYPE_CHECKING:
    from pytest_vtcfaith.strategies.written import PerturbedDocument

GENERATOR = "pytest_vtcfaith.strategies"


def save_case(document: PerturbedDocument, folder: Path | str, *, licence: str = "not stated") -> Path:
    """Writes a manifest of the document, original and perturbed, into `folder`, and returns its path.

    Its name is made of language, kind and the hash of both texts, so that the same page is saved once, and a folder
    collects what was found. `pytest --vtc-cases=FOLDER --vtc-model=…` runs all of it. Raises ManifestError for a text
    that no case may have (such as one equal to its original) and when it cannot be written.
    """
    digest = hashlib.sha256("\0".join((document.original, document.text)).encode("utf-8")).hexdigest()[:8]
    name = f"found-{document.lang}-{document.kind}-{digest}"
    conditions = {"original": document.original, document.kind: document.text}
    rows = [
        {
            "case": f"{name}-{condition}",
            "document": name,
            "lang": document.lang,
            "condition": condition,
            "original": document.original,
            "text": text,
        }
        for condition, text in conditions.items()
    ]
    header = {
        "schema": "vtcfaith/rewriting",
        "version": VERSION,
        "seed": None,
        "generator": GENERATOR,
        "licence": licence,
        "rate": None,
        "visual_rate": None,
    }
    path = Path(folder) / f"{name}.jsonl"
    write_manifest(path, header, rows)
    return path
