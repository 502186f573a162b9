"""The adapter `editor:NAME`: reference editors, which know the answers, to show that the gates of editing can tell."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_vtcfaith.models.editors import EDITORS, ReferenceEditor
from pytest_vtcfaith.models.spec import ModelSpec, check_options, shown
from pytest_vtcfaith.texts.bundled import bundled_folder
from pytest_vtcfaith.texts.edits.rows import SCHEMA
from pytest_vtcfaith.texts.manifest import read_manifest

VERSION = "1"
"""Changes when a reference editor draws something else."""
OPTIONS = {"cases": "the folder of manifests whose edits it knows (default: the bundled ones)"}


def spec(identifier: str | None, options: Mapping[str, Any], name: str) -> ModelSpec:
    """The reference editor of that name; it is no model, and knows what it should not.

    Raises ValueError for a name that `EDITORS` lacks (the known ones are listed), an unknown option, and a folder that
    is none.
    """
    check_options(options, OPTIONS, name)
    if identifier is None or identifier not in EDITORS:
        raise ValueError(f"model {name!r}: reference editor {shown(identifier)}: give one of {', '.join(EDITORS)}")
    given = options.get("cases")
    if given is not None and not (isinstance(given, str) and Path(given).is_dir()):
        raise ValueError(f"model {name!r}: cases = {shown(given)}: name a folder of manifests")
    files = sorted((bundled_folder() / "data" if given is None else Path(given)).glob("*.jsonl"))
    digest = hashlib.sha256(VERSION.encode("ascii"))
    for file in files:
        digest.update(hashlib.sha256(file.read_bytes()).digest())

    def load() -> ReferenceEditor:
        found = [read_manifest(file) for file in files]
        rows = [row for manifest in found if manifest.header["schema"] == SCHEMA for _, row in manifest.rows]
        if not rows:
            raise ValueError(
                f"model {name!r}: reference editors know edits of pages that are drawn here, not of published "
                "pictures: give cases = a folder with a manifest of vtcfaith build edits"
            )
        return ReferenceEditor(identifier, rows)

    return ModelSpec(
        name=name,
        load=load,
        languages=None,
        revision=f"{VERSION}-{digest.hexdigest()[:16]}",
        adapter=f"editor/{identifier}",
        options=dict(options),
        tasks=frozenset({"edit"}),
    )
