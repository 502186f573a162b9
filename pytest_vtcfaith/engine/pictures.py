"""Pictures that models give: as they are kept in a reply, and back."""

from __future__ import annotations

import base64
import io
from typing import IO, TYPE_CHECKING

from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.pages.images import upright_rgb

if TYPE_CHECKING:
    from pathlib import Path

    from PIL import Image


MOST_PIXELS = 89_478_485
"""Of a picture that is taken: Pillow warns of larger ones, and refuses those of twice as many."""


def picture_reply(image: Image.Image) -> Reply:
    """The reply of an editor or illustrator: the picture upright and RGB, as a PNG file in base64.

    Raises ValueError for one of more than `MOST_PIXELS`.
    """
    _check_size(image)
    file = io.BytesIO()
    upright_rgb(image).save(file, format="PNG")
    return Reply(text=None, picture=base64.b64encode(file.getvalue()).decode("ascii"))


def png_of(reply: Reply) -> bytes | None:
    """The PNG file of a reply, None where it has no picture. Raises ValueError for what is no base64."""
    return None if reply.picture is None else base64.b64decode(reply.picture, validate=True)


def picture_of(reply: Reply) -> Image.Image | None:
    """The picture of a reply, mode RGB, None where it has none. Raises ValueError or OSError for a broken one."""
    png = png_of(reply)
    return None if png is None else opened(io.BytesIO(png))


def opened(file: Path | IO[bytes]) -> Image.Image:
    """The picture in a file, upright, mode RGB. Raises ValueError or OSError for what is none, or too large."""
    from PIL import Image

    try:
        with Image.open(file) as found:
            _check_size(found)
            return upright_rgb(found)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as problem:
        raise ValueError(f"the picture is too large: {problem}") from problem
    except SyntaxError as problem:  # how Pillow calls a broken PNG
        raise ValueError(str(problem)) from problem


def _check_size(image: Image.Image) -> None:
    if image.width * image.height > MOST_PIXELS:
        raise ValueError(
            f"the picture is too large: {image.width} x {image.height} pixels, at most {MOST_PIXELS:,} in all are taken"
        )
