"""Checks before the work begins that what a command is to write can be written."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path

from pytest_vtcfaith.texts.errors import TextsError, reason
from pytest_vtcfaith.texts.manifest import output_file


def check_files(options: Mapping[str, Path | None]) -> None:
    """Tries to write beside each file as writing it will, and leaves nothing behind.

    `options` are the files by the option that names them; None for an option that was not given. Raises TextsError for
    one that cannot be written, and for two options that name one file.
    """
    named: dict[Path, str] = {}
    for option, path in options.items():
        if path is None:
            continue
        try:
            target = output_file(path)
        except TextsError as error:
            raise TextsError(f"{option} {error}") from error
        if target in named:
            raise TextsError(f"{option} {path}: {named[target]} writes the same file: name another")
        named[target] = option
        _try(target, f"{option} {path}")


def check_folder(option: str, folder: Path) -> None:
    """The same for a folder that files are to be written into, made where there is none."""
    if folder.exists() and not folder.is_dir():
        raise TextsError(f"{option} {folder}: is a file: name a folder")
    _try(folder.absolute() / "file", f"{option} {folder}")


def _try(target: Path, told: str) -> None:
    draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    made: list[Path] = []
    try:
        for folder in reversed([each for each in (target.parent, *target.parent.parents) if not each.exists()]):
            folder.mkdir()
            made.append(folder)
        draft.write_bytes(b"0")
    except OSError as error:
        raise TextsError(
            f"{told}: it cannot be written ({reason(error)}): make room, get the right to write there, or name another"
        ) from error
    finally:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        for folder in reversed(made):
            with contextlib.suppress(OSError):
                folder.rmdir()
