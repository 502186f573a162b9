"""The picture that a question is asked about: a drawn page or a picture file, as it is or reduced by a factor."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from io import BytesIO
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.pages.edits.design import design_of
from pytest_vtcfaith.pages.edits.setting import SetPage, set_page
from pytest_vtcfaith.pages.fonts import font_for
from pytest_vtcfaith.pages.images import upright_rgb
from pytest_vtcfaith.pages.page import Page, WordBox
from pytest_vtcfaith.pages.render import library_versions

if TYPE_CHECKING:
    from PIL import Image

RESAMPLER = "bicubic"
"""The filter of VTC-Bench (appendix, Experiment Details)."""


def reduced_size(width: int, height: int, factor: int) -> tuple[int, int]:
    """Both sides in pixels divided by `factor`, rounded half to even, at least 1."""
    return max(1, round(width / factor)), max(1, round(height / factor))


def reduce_picture(image: Image.Image, factor: int) -> Image.Image:
    """The picture with both sides divided by a whole factor, by Pillow's bicubic filter; 1 leaves it as it is.

    The filter looks at all pixels that a new one covers, so that thin strokes fade and do not vanish. Source:
    definitions §6, VTC-Bench, appendix.
    """
    if factor == 1:
        return image
    from PIL import Image

    return image.resize(reduced_size(*image.size, factor), Image.Resampling.BICUBIC)


def question_page(row: Mapping[str, Any], folder: Path, factor: int) -> Page:
    """The page of a row of the schema `vtcfaith/compression`, reduced by `factor`.

    `folder` is the manifest's. The words of a drawn page have boxes, those of a picture file are unknown. Raises
    ValueError for a picture that is missing or another one, and for a row without any; else as `set_page`.
    """
    if row.get("page") is not None:
        return _drawn(row, factor)
    if row.get("picture") is None:
        raise ValueError(f"document {row['document']}: the row has neither page nor picture: replay its answers")
    return _from_file(folder / row["picture"], row["picture_sha256"], factor)


def full_size(row: Mapping[str, Any], folder: Path) -> tuple[int, int] | None:
    """Width and height in pixels of a row's page at full size; None where there is no picture. Raises as above."""
    if row.get("page") is not None:
        return row["page"]["width"], row["page"]["height"]
    return None if row.get("picture") is None else _opened(folder / row["picture"], row["picture_sha256"]).size


@lru_cache(maxsize=64)
def _set(page: str, lang: str) -> SetPage:
    return set_page(design_of(json.loads(page)), lang)


def _drawn(row: Mapping[str, Any], factor: int) -> Page:
    written, lang = json.dumps(row["page"], sort_keys=True), row["lang"]
    page = _set(written, lang)
    pieces = list(page.pieces())
    starts = [0, *accumulate(len(piece.text) + 1 for piece in pieces)][: len(pieces)]
    fonts = [font_for(style, lang).sha256 for style in ("sans", "serif")]

    def place() -> tuple[tuple[WordBox, ...], tuple[WordBox, ...]]:
        words = (_placed(word, factor, at) for piece, at in zip(pieces, starts, strict=True) for word in piece.words)
        return tuple(words), ()

    width, height = _size(page.design.width, page.design.height, factor)
    return Page(
        text=page.text(),
        width=width,
        height=height,
        line_starts=tuple(starts),
        layout="questions",
        fingerprint=_digest([written, lang, factor, RESAMPLER, fonts, *library_versions()]),
        draw=lambda: reduce_picture(page.draw(), factor),
        place=place,
    )


def _placed(word: WordBox, factor: int, start: int) -> WordBox:
    """A word's box on the reduced picture, rounded outwards."""
    return WordBox(
        word.text,
        word.left // factor,
        word.top // factor,
        -(-word.right // factor),
        -(-word.bottom // factor),
        word.line,
        start + word.start,
    )


def _from_file(path: Path, sha256: str, factor: int) -> Page:
    width, height = _size(*_opened(path, sha256).size, factor)
    return Page(
        text="",
        width=width,
        height=height,
        line_starts=(),
        layout="picture",
        fingerprint=_digest([sha256, factor, RESAMPLER, *library_versions()]),
        draw=lambda: reduce_picture(_opened(path, sha256), factor),
        place=lambda: ((), ()),
    )


def _size(width: int, height: int, factor: int) -> tuple[int, int]:
    return (width, height) if factor == 1 else reduced_size(width, height, factor)


@lru_cache(maxsize=4)
def _opened(path: Path, sha256: str) -> Image.Image:
    from PIL import Image

    try:
        data = path.read_bytes()
    except OSError as error:
        raise ValueError(
            f"{path}: the picture cannot be read ({error.strerror}): put it beside the manifest"
        ) from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise ValueError(f"{path}: the picture is not the one of the manifest: rebuild the manifest")
    try:
        with Image.open(BytesIO(data)) as opened:
            return upright_rgb(opened)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError(f"{path}: is no picture ({error}): download it again") from error


def _digest(parts: list[Any]) -> str:
    return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()
