"""The pictures beside a manifest of `vtcfaith/editing-pictures`: written once, checked whenever they are read."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.pages.images import upright_rgb
from pytest_vtcfaith.texts.errors import reason, show
from pytest_vtcfaith.texts.manifest import ManifestError, inside

if TYPE_CHECKING:
    from PIL import Image


def read_picture(manifest: Path, line: int, field: str, picture: Mapping[str, Any]) -> Image.Image:
    """The picture, upright and RGB, that `field` of a row names (`picture_rows.PictureFile`).

    `manifest`, `line`: where the row stands. Raises ManifestError, naming the file, for a path that leaves the
    manifest's folder and for a picture that is missing, that is not the one which was copied there, or whose size is
    not the row's.
    """
    from PIL import Image

    shown = f"field '{field}.file' = {show(picture['file'])}"
    file = inside(manifest, line, shown, picture["file"])
    mend = "build the manifest again with vtcfaith build vde"
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ManifestError(f"{manifest}:{line}: {shown}: {file} cannot be read ({reason(error)}): {mend}") from error
    if hashlib.sha256(data).hexdigest() != picture["sha256"]:
        raise ManifestError(f"{manifest}:{line}: {shown}: {file} was changed, its SHA-256 is another: {mend}")
    try:
        with Image.open(BytesIO(data)) as opened:
            image = upright_rgb(opened)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise ManifestError(f"{manifest}:{line}: {shown}: {file} is no picture ({error}): {mend}") from error
    if image.size != (picture["width"], picture["height"]):
        raise ManifestError(
            f"{manifest}:{line}: {shown}: {file} is of {image.width} x {image.height} pixels, the row says "
            f"{picture['width']} x {picture['height']}: {mend}"
        )
    return image


def write_pictures(folder: Path, files: Mapping[str, tuple[str, Path | bytes]]) -> None:
    """Writes pictures, each atomically: by its path below `folder` the SHA-256 and where its bytes are.

    What is there already with the same bytes stays. Raises ManifestError when the system refuses to write, or a picture
    changed since its hash was taken.
    """
    for name, (sha256, data) in files.items():
        target = folder / name
        temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        try:
            if target.is_file() and _sha256(target) == sha256:
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(data, bytes):
                temporary.write_bytes(data)
            else:
                shutil.copyfile(data, temporary)
            if _sha256(temporary) != sha256:
                raise ManifestError(f"{data if isinstance(data, Path) else name}: it changed meanwhile: build again")
            temporary.replace(target)
        except OSError as error:
            raise ManifestError(
                f"{target}: the picture cannot be written ({reason(error)}): make room or get the right to write "
                "there, or choose another --out"
            ) from error
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
