"""Where the cases are: the bundled folder, and the manifests of any folder."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from pytest_vtcfaith.texts.bundled import bundled_folder
from pytest_vtcfaith.texts.manifest import Manifest, ManifestError, read_manifest


@lru_cache(maxsize=16)
def _read(path: Path, changed_ns: int, size: int) -> Manifest:
    return read_manifest(path)


def manifests(folder: Path | None, schema: str) -> Iterator[Manifest]:
    """All manifests of one schema in `folder` (None: the bundled data), by file name.

    Raises ManifestError for a manifest that does not hold what its header promises, or a folder without manifests.
    """
    place = folder if folder is not None else bundled_folder() / "data"
    files = sorted(place.glob("*.jsonl"), key=lambda p: p.name)
    if not files:
        raise ManifestError(f"{place}: no manifest (*.jsonl) in this folder; make one with `vtcfaith build`")
    for path in files:
        stat = path.stat()
        manifest = _read(path, stat.st_mtime_ns, stat.st_size)
        if manifest.header["schema"] == schema:
            yield manifest
