from __future__ import annotations

import io
import logging

import pytest
from PIL import Image

from pytest_vtcfaith.pages.images import pixel_key, upright_rgb


def values(image: Image.Image) -> list[tuple[int, int, int]]:
    data = image.tobytes()
    return [(data[i], data[i + 1], data[i + 2]) for i in range(0, len(data), 3)]


def greys(image: Image.Image) -> list[int]:
    assert image.mode == "RGB"
    assert all(r == g == b for r, g, b in values(image))
    return [r for r, _, _ in values(image)]


def row(mode: str, pixels: list[object]) -> Image.Image:
    image = Image.new(mode, (len(pixels), 1))
    for x, pixel in enumerate(pixels):
        image.putpixel((x, 0), pixel)  # type: ignore[arg-type]
    return image


@pytest.mark.parametrize("mode", ["I;16", "I;16B", "I;16L", "I"])
def test_16_bit_grey_is_divided_by_257(mode: str) -> None:
    assert greys(upright_rgb(row(mode, [0, 200, 30000, 65535]))) == [0, 1, 117, 255]


def test_16_bit_grey_from_a_png_file() -> None:
    buffer = io.BytesIO()
    row("I;16", [0, 200, 30000, 65535]).save(buffer, "PNG")
    assert greys(upright_rgb(Image.open(buffer))) == [0, 1, 117, 255]


@pytest.mark.parametrize(
    ("mode", "pixels", "expected"),
    [
        ("I", [0, 200, 255], [0, 1, 1]),
        ("I", [-9, 65_535, 1 << 20], [0, 255, 255]),
        ("F", [0.0, 0.5, 1.0], [0, 128, 255]),
        ("F", [0.0, 99.6, 255.0], [0, 100, 255]),
        ("L", [0, 7, 255], [0, 7, 255]),
        ("1", [0, 255], [0, 255]),
    ],
)
def test_grey_modes(mode: str, pixels: list[object], expected: list[int]) -> None:
    assert greys(upright_rgb(row(mode, pixels))) == expected


def test_floats_that_are_no_brightness_are_an_error() -> None:
    with pytest.raises(ValueError, match=r"reaches from 0\.0 to inf"):
        upright_rgb(row("F", [0.0, float("inf")]))


@pytest.mark.parametrize("mode", ["I;16", "I;16B", "I;16L", "I"])
def test_a_dark_16_bit_picture_is_not_taken_for_one_of_8_bits(mode: str) -> None:
    assert greys(upright_rgb(row(mode, [0, 200]))) == [0, 1]


@pytest.mark.parametrize("mode", ["I;16", "I;16B", "I"])
def test_the_transparent_value_of_a_16_bit_picture_is_white(mode: str) -> None:
    image = row(mode, [200, 0, 30000])
    image.info["transparency"] = 200
    assert greys(upright_rgb(image)) == [255, 0, 117]


@pytest.mark.parametrize(("mode", "clear", "ink"), [("L", 5, 0), ("I;16", 5000, 0), ("RGB", (1, 2, 3), (0, 0, 0))])
def test_the_transparent_value_of_a_png_file_is_white(mode: str, clear: object, ink: object) -> None:
    buffer = io.BytesIO()
    row(mode, [clear, ink]).save(buffer, "PNG", transparency=clear)
    assert greys(upright_rgb(Image.open(buffer))) == [255, 0]


def test_palette_indices_are_not_colours() -> None:
    image = row("P", [0, 1])
    image.putpalette([255, 255, 255, 0, 0, 0])
    assert greys(upright_rgb(image)) == [255, 0]


def test_cmyk_white_is_white() -> None:
    assert greys(upright_rgb(Image.new("CMYK", (1, 1), (0, 0, 0, 0)))) == [255]


@pytest.mark.parametrize("mode", ["YCbCr", "HSV", "RGBX"])
def test_other_colour_modes(mode: str) -> None:
    assert greys(upright_rgb(Image.new("RGB", (1, 1), (255, 255, 255)).convert(mode))) == [255]


@pytest.mark.parametrize(
    ("mode", "clear", "ink"),
    [
        ("RGBA", (0, 0, 0, 0), (0, 0, 0, 255)),
        ("LA", (0, 0), (0, 255)),
        ("RGBa", (0, 0, 0, 0), (0, 0, 0, 255)),
        ("La", (0, 0), (0, 255)),
    ],
)
def test_black_text_on_a_transparent_ground_stands_on_white(mode: str, clear: object, ink: object) -> None:
    assert greys(upright_rgb(row(mode, [clear, ink, clear]))) == [255, 0, 255]


def test_half_transparent_ink_is_grey() -> None:
    assert greys(upright_rgb(row("RGBA", [(0, 0, 0, 0), (0, 0, 0, 128)]))) == [255, 127]


def test_transparent_palette_entry_is_white() -> None:
    image = row("P", [0, 1])
    image.putpalette([0, 0, 0, 0, 0, 0])
    image.info["transparency"] = 0
    assert greys(upright_rgb(image)) == [255, 0]


def test_transparent_colour_of_an_rgb_png_is_white() -> None:
    buffer = io.BytesIO()
    row("RGB", [(1, 2, 3), (0, 0, 0)]).save(buffer, "PNG", transparency=(1, 2, 3))
    assert greys(upright_rgb(Image.open(buffer))) == [255, 0]


def test_white_text_on_a_transparent_ground_stands_on_black_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert greys(upright_rgb(row("RGBA", [(0, 0, 0, 0), (255, 255, 255, 255)]))) == [0, 255]
    assert "put on black" in caplog.text


@pytest.mark.parametrize("pixels", [[(0, 0, 0, 0)] * 2, [(255, 255, 255, 255)] * 2])
def test_a_blank_page_stays_white(pixels: list[object], caplog: pytest.LogCaptureFixture) -> None:
    assert greys(upright_rgb(row("RGBA", pixels))) == [255, 255]
    assert caplog.text == ""


def oriented(orientation: int) -> Image.Image:
    image = Image.new("RGB", (60, 20), (255, 255, 255))
    image.paste((0, 0, 0), (0, 0, 30, 20))
    exif = Image.Exif()
    exif[0x0112] = orientation
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", exif=exif, quality=100)
    return Image.open(buffer)


def test_exif_orientation_is_applied_once() -> None:
    seen = upright_rgb(oriented(6))
    assert seen.size == (20, 60)
    assert seen.getpixel((10, 5)) == (0, 0, 0)
    assert seen.getpixel((10, 55)) == (255, 255, 255)
    assert seen.getexif().get(0x0112) is None
    assert upright_rgb(seen).tobytes() == seen.tobytes()


def test_the_picture_given_is_left_alone() -> None:
    image = row("RGB", [(1, 2, 3)])
    seen = upright_rgb(image)
    seen.putpixel((0, 0), (9, 9, 9))
    assert image.getpixel((0, 0)) == (1, 2, 3)


def test_keys_tell_sizes_and_modes_apart() -> None:
    data = bytes(range(48))
    pictures = [
        Image.frombytes("L", (8, 6), data),
        Image.frombytes("L", (6, 8), data),
        Image.frombytes("RGB", (4, 4), data),
    ]
    assert len({pixel_key(picture) for picture in pictures}) == 3


def test_keys_see_the_last_pixel_the_palette_transparency_and_orientation() -> None:
    plain = Image.new("RGB", (50, 50))
    last = plain.copy()
    last.putpixel((49, 49), (0, 0, 1))
    assert pixel_key(plain) != pixel_key(last)
    palette = row("P", [0, 1])
    palette.putpalette([255, 255, 255, 0, 0, 0])
    swapped = row("P", [0, 1])
    swapped.putpalette([0, 0, 0, 255, 255, 255])
    assert pixel_key(palette) != pixel_key(swapped)
    transparent = palette.copy()
    transparent.info["transparency"] = b"\x00\xff"
    assert pixel_key(palette) != pixel_key(transparent)
    assert pixel_key(oriented(1)) != pixel_key(oriented(6))


def test_a_key_stays_the_same() -> None:
    assert pixel_key(Image.new("L", (2, 2), 7)) == pixel_key(Image.new("L", (2, 2), 7))
    assert len(pixel_key(Image.new("L", (2, 2)))) == 64
