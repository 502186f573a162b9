"""Which pictures in a report folder are about which case."""

from __future__ import annotations

import glob
from collections.abc import Container
from pathlib import Path


def owner(stem: str, known: Container[str]) -> str | None:
    """The case that a file of `pages/` is about: the longest of the `known` ids that its name begins with.

    Behind the id may stand `-` and what the picture shows: `m-doc-1-visual-word`; an id may begin with another one.
    """
    while stem not in known:
        stem, dash, _ = stem.rpartition("-")
        if not dash:
            return None
    return stem


def pictures_of(folder: Path, ask: str, known: Container[str]) -> list[Path]:
    """What was written about the case with the id `ask`: its pages first, then the picture that was replied."""
    found = sorted((folder / "pages").glob(f"{glob.escape(ask)}*.png"), key=lambda path: (path.stem != ask, path.stem))
    replied = folder / "pictures" / f"{ask}.png"
    return [*(path for path in found if owner(path.stem, known) == ask), *([replied] if replied.is_file() else [])]
