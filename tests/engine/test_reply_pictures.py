"""Pictures in replies: what is kept is what was given, upright and RGB, and what is broken is refused."""

from __future__ import annotations

import base64
import io
import struct
import warnings
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_vtcfaith.engine.pictures import MOST_PIXELS, picture_of, picture_reply, png_of
from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.pages.images import upright_rgb

SIZE = (6, 4)


def pictured(mode: str) -> Image.Image:
    """A picture of that mode whose pixels are not all alike."""
    source = Image.new("RGB", SIZE, "white")
    source.paste((200, 30, 90), (1, 1, 3, 3))
    return source.convert(mode)


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "LA", "P", "1", "CMYK", "YCbCr", "I", "F", "I;16"])
def test_a_picture_of_any_mode_comes_back_as_every_metric_sees_it(mode: str) -> None:
    given = Image.new("I;16", SIZE, 30000) if mode == "I;16" else pictured(mode)
    back = picture_of(picture_reply(given))
    assert back is not None
    assert (back.mode, back.size) == ("RGB", SIZE)
    assert back.tobytes() == upright_rgb(given).tobytes()


@given(st.binary(min_size=3 * 15, max_size=3 * 15))
def test_every_pixel_survives(pixels: bytes) -> None:
    back = picture_of(picture_reply(Image.frombytes("RGB", (5, 3), pixels)))
    assert back is not None
    assert back.tobytes() == pixels


def test_a_turned_picture_is_kept_upright() -> None:
    given = Image.new("RGB", (60, 20), "white")
    given.getexif()[0x0112] = 6
    back = picture_of(picture_reply(given))
    assert back is not None
    assert back.size == (20, 60)


def test_equal_pictures_are_equal_replies_whatever_they_carry_along() -> None:
    given = pictured("RGB")
    noted = given.copy()
    noted.info |= {"dpi": (300, 300), "Software": "an editor 1.2"}
    assert picture_reply(given) == picture_reply(noted)


def test_a_reply_without_a_picture() -> None:
    assert png_of(Reply(text="no")) is None
    assert picture_of(Reply(text="no")) is None


def test_the_file_is_a_png() -> None:
    png = png_of(picture_reply(pictured("RGB")))
    assert png is not None
    with Image.open(io.BytesIO(png)) as opened:
        assert (opened.format, opened.size) == ("PNG", SIZE)


@pytest.mark.parametrize("picture", ["not base64!", "AAA", "caf\u00e9", "", base64.b64encode(b"no picture").decode()])
def test_what_is_no_picture_raises(picture: str) -> None:
    with pytest.raises((ValueError, OSError)):
        picture_of(Reply(text=None, picture=picture))


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


PNG = base64.b64decode(picture_reply(pictured("RGB")).picture or "")
HUGE = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)


@pytest.mark.parametrize(
    ("file", "says"),
    [
        (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", HUGE) + chunk(b"IDAT", b"") + chunk(b"IEND", b""), "exceeds limit"),
        (PNG.replace(b"\0\0\0\x20IDAT", b"\0\0\0\0IDAT"), "broken PNG file"),
    ],
    ids=["huge", "damaged"],
)
def test_pillow_s_own_errors_are_value_errors(file: bytes, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        picture_of(Reply(text=None, picture=base64.b64encode(file).decode("ascii")))


@pytest.mark.parametrize("size", [(16_000, 16_000), (10_000, 9_000), (1, MOST_PIXELS + 1)])
def test_a_picture_that_is_too_large_is_refused_by_its_size(size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=f"too large: {size[0]} x {size[1]} pixels, at most 89,478,485"):
        picture_reply(Image.new("1", size))


def test_a_file_that_pillow_only_warns_of_is_refused_too() -> None:
    large = struct.pack(">IIBBBBB", 10_000, 9_000, 1, 0, 0, 0, 0)
    file = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", large) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")
    reply = Reply(text=None, picture=base64.b64encode(file).decode("ascii"))
    with (
        pytest.warns(Image.DecompressionBombWarning),
        pytest.raises(ValueError, match="too large: 10000 x 9000 pixels"),
    ):
        picture_of(reply)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="too large: Image size \\(90000000 pixels\\)"):
            picture_of(reply)


@given(place=st.integers(0, len(PNG) - 1), value=st.integers(0, 255), cut=st.integers(1, len(PNG)))
def test_a_damaged_file_is_a_picture_or_raises_what_is_declared(place: int, value: int, cut: int) -> None:
    damaged = (PNG[:place] + bytes([value]) + PNG[place + 1 :])[:cut]
    try:
        found = picture_of(Reply(text=None, picture=base64.b64encode(damaged).decode("ascii")))
    except (ValueError, OSError):
        return
    assert found is not None
    assert found.mode == "RGB"
