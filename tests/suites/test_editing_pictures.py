"""Pictures that explain an edit: frames around the regions, and what differs."""

from __future__ import annotations

from PIL import Image

from pytest_vtcfaith.suites.editing_pictures import ADDED, FRAME, MISSING, difference, framed

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


def page(ink: int = 0, ground: int = 255) -> Image.Image:
    """A page with one stroke of ink in the region."""
    found = Image.new("RGB", PAGE.size, (ground,) * 3)
    found.paste((ink,) * 3, (25, 25, 45, 30))
    return found


INK, GROUND = (30, 27), (60, 50)


def test_a_page_that_is_right_is_the_faint_reference() -> None:
    found = difference(page(), page(), [])
    assert (found.getpixel(INK), found.getpixel(GROUND)) == ((204, 204, 204), (255, 255, 255))


def test_a_blanked_page_lacks_all_its_ink_and_nothing_else() -> None:
    found = difference(page(), PAGE, [REGION])
    assert (found.getpixel(INK), found.getpixel(GROUND)) == (MISSING, (255, 255, 255))
    assert found.getpixel((16, 16)) == (0, 0, 0)  # the frame
    colours = {colour for _, colour in found.getcolors()}
    assert colours == {MISSING, (255, 255, 255), (0, 0, 0)}


def test_ink_that_was_added_has_another_colour() -> None:
    found = difference(PAGE, page(), [])
    assert (found.getpixel(INK), found.getpixel(GROUND)) == (ADDED, (255, 255, 255))
    black = difference(page(), page(ground=0), [])
    assert (black.getpixel(INK), black.getpixel(GROUND)) == ((204, 204, 204), ADDED)


def test_an_edit_left_undone_shows_both() -> None:
    source = PAGE.copy()
    source.paste((0, 0, 0), (25, 32, 45, 37))
    found = difference(page(), source, [])
    assert (found.getpixel(INK), found.getpixel((30, 34))) == (MISSING, ADDED)


def test_the_more_a_pixel_differs_the_stronger_its_colour() -> None:
    amounts = (0, 60, 120, 255)
    blues = [difference(page(), page(ink=amount), []).getpixel(INK)[0] for amount in amounts]
    assert blues == sorted(blues, reverse=True)
    assert len(set(blues)) == 4
    tint = PAGE.copy()
    tint.putpixel((5, 5), (255, 255, 155))
    assert difference(PAGE, tint, []).getpixel((5, 5)) == (247, 212, 155)


def test_the_colours_are_told_apart_without_colour_vision() -> None:
    missing, added, faint = (
        Image.new("RGB", (1, 1), c).convert("L").getpixel((0, 0)) for c in (MISSING, ADDED, (204,) * 3)
    )
    assert missing + 80 < added < faint - 30
