"""Pictures that models give: as they are kept in a reply, and back."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING

from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.pages.images import upright_rgb

if TYPE_CHECKING:
    from PIL import Image


def picture_reply(image: Image.Image) -> Reply:
    """The reply of an editor or illustrator: the picture upright and RGB, as a PNG file in base64."""
    file = io.BytesIO()
    upright_rgb(image).save(file, format="PNG")
    return Reply(text=None, picture=base64.b64encode(file.getvalue()).decode("ascii"))


def png_of(reply: Reply) -> bytes | None:
    """The PNG file of a reply, None where it has no picture. Raises ValueError for what is no base64."""
    return None if reply.picture is None else base64.b64decode(reply.picture, validate=True)


def picture_of(reply: Reply) -> Image.Image | None:
    """The picture of a reply, mode RGB, None where it has none. Raises ValueError or OSError for a broken one."""
    png = png_of(reply)
    if png is None:
        return None
    from PIL import Image

    with Image.open(io.BytesIO(png)) as opened:
        return upright_rgb(opened)
