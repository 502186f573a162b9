"""Pictures of failures take the bytes they are given, and show what the large ones do."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from pytest_vtcfaith.report.small import page_rooms, save_small, thumbnail


def noise(width: int, height: int, mode: str = "RGB") -> Image.Image:
    channels = len(mode)
    return Image.frombytes(mode, (width, height), random.Random(1).randbytes(width * height * channels))


@pytest.mark.parametrize("colour", [(255, 255, 255), (17, 17, 17), (200, 30, 30)])
@pytest.mark.parametrize("exact", [False, True])
def test_a_small_picture_shows_what_the_large_one_does(
    colour: tuple[int, int, int], exact: bool, tmp_path: Path
) -> None:
    image = Image.new("RGB", (30, 20), colour)
    size = save_small(image, tmp_path / "x.png", exact=exact)
    assert (tmp_path / "x.png").stat().st_size == size
    with Image.open(tmp_path / "x.png") as small:
        pixel = small.convert("RGB").getpixel((3, 3))
    assert isinstance(pixel, tuple)
    assert all(abs(ours - theirs) <= (0 if exact else 9) for ours, theirs in zip(colour, pixel, strict=True))


@pytest.mark.parametrize("room", [2_000, 23_000])
@pytest.mark.parametrize(
    "image", [noise(200, 240), noise(300, 300, "L"), noise(3000, 40), Image.new("RGBA", (40, 400), "red")]
)
def test_no_picture_is_larger_than_it_may_be(image: Image.Image, room: int, tmp_path: Path) -> None:
    for exact in (False, True):
        assert save_small(image, tmp_path / "x.png", room, exact=exact) <= room
        with Image.open(tmp_path / "x.png") as small:
            assert small.width / small.height == pytest.approx(image.width / image.height, rel=0.3)


def test_a_page_is_exact_where_it_fits_and_not_reduced_where_colours_are_enough(tmp_path: Path) -> None:
    page = Image.new("RGB", (600, 800), "white")
    draw = ImageDraw.Draw(page)
    for line in range(40):
        draw.text((20, 20 * line), "The harbour master counted seven grey boats", fill=(line * 6,) * 3)
    draw.rectangle((10, 10, 200, 40), outline=(213, 94, 0), width=3)
    exact = save_small(page, tmp_path / "x.png", exact=True)
    with Image.open(tmp_path / "x.png") as small:
        assert small.convert("RGB").tobytes() == page.tobytes()
    save_small(page, tmp_path / "x.png", exact - 1, exact=True)
    with Image.open(tmp_path / "x.png") as small:
        assert small.size == page.size
        assert small.mode == "P"


def test_a_thumbnail_has_its_width(tmp_path: Path) -> None:
    assert thumbnail(noise(300, 400), tmp_path / "x.png", 240) < 40_000
    with Image.open(tmp_path / "x.png") as small:
        assert small.size == (240, 320)


def text_page(ink: int, lines: int = 120) -> Image.Image:
    page = Image.new("RGB", (1240, 1754), "white")
    draw = ImageDraw.Draw(page)
    letters = random.Random(3)
    for line in range(lines):
        text = "".join(letters.choice("abcdefghijklmnopqrstuvwxyz ") for _ in range(190))
        draw.text((20, 20 + 14 * line), text, fill=(ink,) * 3)
    return page


def test_a_page_to_be_read_loses_its_greys_before_it_loses_its_size(tmp_path: Path) -> None:
    page = text_page(40)
    for room, width in ((120_000, 1240), (60_000, 800)):
        assert save_small(page, tmp_path / "x.png", room, page=True) <= room
        with Image.open(tmp_path / "x.png") as small:
            assert small.mode == "1"
            assert width <= small.width <= 1240
        save_small(page, tmp_path / "y.png", room)
        with Image.open(tmp_path / "y.png") as small:
            assert small.width < width


def test_light_text_is_not_lost_in_black_and_white(tmp_path: Path) -> None:
    save_small(text_page(215), tmp_path / "x.png", 30_000, page=True)
    with Image.open(tmp_path / "x.png") as small:
        assert min(small.convert("L").tobytes()) < 240


@pytest.mark.parametrize(("room", "pages", "chosen"), [(76_000, 1, 0), (76_000, 3, 1), (76_000, 40, 39), (9_000, 2, 0)])
def test_the_page_to_be_read_has_most_of_the_room(room: int, pages: int, chosen: int) -> None:
    rooms = page_rooms(room, pages, chosen)
    assert len(rooms) == pages
    assert sum(rooms) <= room
    assert rooms[chosen] >= 2 * room / 3 - 1
    assert page_rooms(room, 0, 0) == []
