"""Saving a found page as a case: a small manifest that `--vtc-cases` runs."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vtcfaith.texts.errors import reason
from pytest_vtcfaith.texts.manifest import VERSION, ManifestError, write_manifest

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


def check_folder(folder: Path | str) -> None:
    """Makes the folder where there is none, and a file in it that is gone again. Raises ManifestError where it cannot:
    better before a search than after it.
    """
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"\n")
    except OSError as error:
        raise ManifestError(
            f"{folder}: no case can be saved there ({reason(error)}): choose another folder, or get the right to write"
        ) from error
