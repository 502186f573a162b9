"""Which checkpoint a path or hub name stands for: its revision and what kind of model it is, without loading it."""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path

WHOLE = 16 * 1024 * 1024  # files up to this size are hashed whole
PIECE, PIECES = 64 * 1024, 64  # of larger ones this many pieces, first and last included


def folder_revision(folder: Path) -> str:
    """`sha256:` over every file directly in the folder: names, sizes and contents, the contents of weights in part.

    A file over 16 MiB enters with 64 pieces of 64 KiB at even distances, the first (in safetensors: the names and
    shapes of all tensors) and the last among them: training changes all of them, a single edited tensor may be missed.
    Hidden files and Markdown (the model card) do not count. Raises OSError for a file that cannot be read.
    """
    digest = hashlib.sha256()
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if not file.is_file() or file.name.startswith(".") or file.suffix == ".md":
            continue
        size = file.stat().st_size
        digest.update(json.dumps([file.name, size]).encode("ascii") + b"\n")
        with file.open("rb") as content:
            if size <= WHOLE:
                digest.update(content.read())
                continue
            for number in range(PIECES):
                content.seek((size - PIECE) * number // (PIECES - 1))
                digest.update(content.read(PIECE))
    return f"sha256:{digest.hexdigest()}"


def hub_revision(identifier: str, revision: str | None) -> str:
    """The commit that a hub name means on this machine: `revision` if it is one, else what the local cache has under
    that branch or tag (`main` by default); empty where nothing is cached yet. Nothing is downloaded.
    """
    if revision is not None and re.fullmatch(r"[0-9a-f]{40}", revision):
        return revision
    entry = hub_cache() / f"models--{identifier.replace('/', '--')}" / "refs" / (revision or "main")
    try:
        commit = entry.read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return ""
    return commit if re.fullmatch(r"[0-9a-f]{40}", commit) else ""


def hub_cache() -> Path:
    """The folder of huggingface_hub's downloads, found by the variables that it reads."""
    if chosen := os.environ.get("HF_HUB_CACHE"):
        return Path(chosen)
    if home := os.environ.get("HF_HOME"):
        return Path(home) / "hub"
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "huggingface" / "hub"


def model_type(folder: Path) -> str | None:
    """`model_type` of the folder's config.json, None where there is none. Raises ValueError for a broken file."""
    file = folder / "config.json"
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except OSError:
        return None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file} is not JSON ({error}); save the model again") from error
    found = content.get("model_type") if isinstance(content, dict) else None
    return found if isinstance(found, str) else None
