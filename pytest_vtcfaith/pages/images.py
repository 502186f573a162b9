"""Pictures as every model and metric must see them: upright, RGB, on an opaque ground; and what tells two apart."""

from __future__ import annotations

import hashlib
import json
import logging
import math
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from PIL import Image

_log = logging.getLogger(__name__)
_EXIF_ORIENTATION = 0x0112
_VISIBLE_CONTRAST = 16


def upright_rgb(image: Image.Image) -> Image.Image:
    """The picture upright (EXIF orientation applied), mode RGB, without EXIF data, whatever mode it comes in.

    Integers of 16 and of 32 bits (modes I;16… and I, in which Pillow opens 16-bit files) are divided by 257; floats
    count as 0..1 where none is over 1, else as 0..255. Alpha and the transparent value of a grey, colour or palette
    picture are composited on white, or on black where white would show nothing although the alpha channel has ink
    (logged as a warning). Raises ValueError for floats that are infinite or undefined.
    """
    from PIL import Image, ImageOps

    image = ImageOps.exif_transpose(image)
    if image.mode.startswith("I") or image.mode == "F":
        flat = _grey(image)
    elif image.has_transparency_data:
        straight = image.convert("LA") if image.mode == "La" else image  # Pillow has no La → RGBA
        flat = _on_ground(straight.convert("RGBA"))
    else:
        flat = image.convert("RGB")
    clean = Image.new("RGB", flat.size)
    clean.paste(flat)
    return clean


def pixel_key(image: Image.Image) -> str:
    """SHA-256 over all that shapes what is seen: mode, size, palette, transparency, EXIF orientation, pixels."""
    transparency = image.info.get("transparency")
    header = [
        image.mode,
        image.size,
        image.getpalette("RGBA") if image.mode in ("P", "PA") else None,
        transparency.hex() if isinstance(transparency, bytes) else transparency,
        image.getexif().get(_EXIF_ORIENTATION, 1),
    ]
    digest = hashlib.sha256(json.dumps(header).encode("ascii") + b"\n")
    digest.update(image.tobytes())
    return digest.hexdigest()


def _grey(image: Image.Image) -> Image.Image:
    from PIL import Image, ImageMath

    whole = image if image.mode == "F" else image.convert("I")
    low, high = cast("tuple[float, float]", whole.getextrema())
    if not (math.isfinite(low) and math.isfinite(high)):
        raise ValueError(f"a picture of mode 'F' reaches from {low} to {high}; clip it to finite values first")
    scale = {"I": 1 / 257, "F": 255.0 if high <= 1 else 1.0}[whole.mode]
    # Adding a half before the truncation of the conversion rounds to nearest.
    grey = whole.point(lambda value: value * scale + 0.5).convert("L")
    transparent = image.info.get("transparency")
    if transparent is None:
        return grey.convert("RGB")
    clear = ImageMath.lambda_eval(lambda given: given["whole"] == transparent, whole=whole)
    alpha = clear.point(lambda value: value * -255 + 255).convert("L")
    return _on_ground(Image.merge("LA", (grey, alpha)).convert("RGBA"))


def _on_ground(image: Image.Image) -> Image.Image:
    from PIL import Image

    white = Image.alpha_composite(Image.new("RGBA", image.size, (255, 255, 255, 255)), image).convert("RGB")
    if _contrast(white) >= _VISIBLE_CONTRAST or _contrast(image.getchannel("A")) < _VISIBLE_CONTRAST:
        return white
    _log.warning("a transparent picture of %dx%d pixels shows nothing on white: it is put on black", *image.size)
    return Image.alpha_composite(Image.new("RGBA", image.size, (0, 0, 0, 255)), image).convert("RGB")


def _contrast(image: Image.Image) -> int:
    """The widest range of any channel."""
    bands = (cast("tuple[float, float]", band.getextrema()) for band in image.split())
    return max(int(high - low) for low, high in bands)
