"""Pictures that explain an edit: frames around the regions, and what differs."""

from __future__ import annotations

from PIL import Image

from pytest_vtcfaith.suites.editing_pictures import FRAME, difference, framed

PAGE = Image.new("RGB", (80, 60), "white")
REGION = (20, 20, 50, 40)


def test_a_frame_stands_around_the_region_and_covers_none_of_it() -> None:
    page = PAGE.copy()
    page.paste((0, 0, 0), REGION)
    found = framed(page, [REGION])
    assert found.crop(REGION).tobytes() == page.crop(REGION).tobytes()
    for place in ((16, 16), (53, 43), (30, 16), (16, 30), (18, 18)):
        assert found.getpixel(place) == FRAME
    for place in ((15, 15), (54, 44), (19, 19), (50, 40)):
        assert found.getpixel(place) == (255, 255, 255) or place == (50, 40)
    assert page.getpixel((16, 16)) == (255, 255, 255)


def test_a_region_at_the_edge_and_a_grey_page() -> None:
    found = framed(PAGE.convert("L"), [(0, 0, 80, 60), (70, 50, 80, 60)])
    assert (found.mode, found.size) == ("RGB", PAGE.size)


def test_what_differs_is_dark() -> None:
    output = PAGE.copy()
    output.putpixel((5, 5), (255, 255, 155))
    output.putpixel((6, 5), (0, 255, 255))
    found = difference(PAGE, output, [])
    assert found.getpixel((5, 5)) == (155, 155, 155)
    assert found.getpixel((6, 5)) == (0, 0, 0)
    assert found.getpixel((7, 5)) == (255, 255, 255)
    assert difference(output, PAGE, []).tobytes() == found.tobytes()
