"""Where the cases are: the bundled folder, and the manifests of any folder."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from pytest_vtcfaith.texts.manifest import Manifest, ManifestError, read_manifest


def bundled_folder() -> Path:
    """The bundled `benchmark_cases` folder: inside the installed package, or beside it in a source checkout.

    Raises FileNotFoundError when neither exists (a broken installation).
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "benchmark_cases", package.parent / "benchmark_cases"):
        if (folder / "data").is_dir():
            return folder
    raise FileNotFoundError(
        f"the bundled benchmark_cases folder is missing beside {package}; reinstall pytest-vtcfaith"
    )


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
