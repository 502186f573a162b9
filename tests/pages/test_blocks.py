from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vtcfaith.pages import BlockLayout, PageOverflow, render
from pytest_vtcfaith.pages.blocks import ROLES, Block, overlap
from pytest_vtcfaith.pages.bundled_blocks import FOX, OMNI
from pytest_vtcfaith.pages.composing import lay_out
from pytest_vtcfaith.pages.linebreaking import visible_text

WORDS = "tide harbour of the lighthouse and 1,284 crates, unfathomably (so) wrote a clerk. "
SMALL = BlockLayout(
    name="small",
    width_pt=200,
    height_pt=160,
    blocks=(Block("title", 10, 10, 180, 30), Block("body", 10, 50, 80, 100), Block("note", 110, 50, 80, 100)),
    dpi=72,
)


def block_of(layout: BlockLayout, box: tuple[float, float, float, float], scale: float) -> int:
    """The number of the one block that a box of pixels lies in."""
    found = [
        number
        for number, block in enumerate(layout.blocks)
        if block.left_pt * scale <= box[0]
        and block.top_pt * scale <= box[1]
        and box[2] <= (block.left_pt + block.width_pt) * scale
        and box[3] <= (block.top_pt + block.height_pt) * scale
    ]
    assert len(found) == 1, (box, found)
    return found[0]


@pytest.mark.parametrize("layout", [FOX, OMNI], ids=lambda layout: layout.name)
@pytest.mark.parametrize("count", [300, 600, 900, 1500])
def test_short_and_long_texts_fill_the_page(layout: BlockLayout, count: int) -> None:
    text = " ".join((WORDS * 200).split()[:count])
    sheet = lay_out(text, layout, "en", layout.dpi / 72)
    assert sheet.setting.rest is None
    assert {line.frame for line in sheet.setting.lines} == set(range(len(layout.blocks)))
    last = sheet.areas[-1].frame
    assert sheet.setting.heights[-1] > (0.5 if count > 300 else 0.3) * last.height


@pytest.mark.parametrize("layout", [FOX, OMNI, SMALL], ids=lambda layout: layout.name)
@pytest.mark.parametrize("lang", ["en", "zh", "ko"])
def test_words_stand_in_the_blocks_in_reading_order(layout: BlockLayout, lang: str) -> None:
    text = {"en": WORDS * 3, "zh": "海路港务，长潮水。GPT4（" * 8, "ko": "항만 관리자 김민수는 세었다. " * 6}[lang]
    page = render(text, layout=layout, lang=lang)
    numbers = [block_of(layout, word[1:5], layout.dpi / 72) for word in page.words]
    assert numbers == sorted(numbers)
    assert "".join(word.text for word in page.words) == "".join(page.text.split())


def test_titles_are_larger_and_headings_take_one_line() -> None:
    sheet = lay_out(visible_text(WORDS * 40), FOX, "en", 4)
    sizes = [area.face.size for area in sheet.areas]
    assert sizes[0] == pytest.approx(ROLES["title"].size * sizes[1])
    assert sizes[2] == sizes[4] == pytest.approx(ROLES["heading"].size * sizes[1])
    frames = [line.frame for line in sheet.setting.lines]
    assert [frames.count(number) for number in (0, 2, 4)] == [1, 1, 1]
    assert frames.count(1) > 5


@pytest.mark.parametrize("layout", [FOX, OMNI], ids=lambda layout: layout.name)
def test_every_block_of_a_bundled_layout_takes_a_line_in_any_size(layout: BlockLayout) -> None:
    for body_pt in (layout.largest_pt, layout.smallest_pt):
        fixed = replace(layout, largest_pt=body_pt, smallest_pt=min(body_pt, 8))
        sheet = lay_out(visible_text(WORDS * 400), replace(fixed, smallest_pt=body_pt), "en", 4)
        assert {line.frame for line in sheet.setting.lines} == set(range(len(layout.blocks)))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from([*WORDS.split(), "\n", "x" * 30]), max_size=90).map(" ".join))
def test_the_letters_are_the_largest_in_which_the_text_fits(text: str) -> None:
    """Oracle: every larger size on its own, without the estimate that skips sizes."""
    text = visible_text(text)
    sheet = lay_out(text, SMALL, "en", 4)
    for body_pt in SMALL.sizes():
        alone = lay_out(text, replace(SMALL, largest_pt=body_pt, smallest_pt=body_pt), "en", 4)
        if body_pt == sheet.body_pt:
            break
        assert alone.setting.rest is not None
    else:
        pytest.fail("the size is none of the layout's")


def test_a_text_too_long_is_an_error_with_the_numbers() -> None:
    with pytest.raises(PageOverflow) as caught:
        render(WORDS * 100, layout=SMALL)
    message = str(caught.value)
    assert message.startswith(f"the text has {len(WORDS) * 100 - 1} characters, layout 'small' holds ")
    assert "in its smallest letters, 5 pt" in message
    assert "the page has 21400 pt²" in message
    holds = int(message.split(" holds ")[1].split()[0])
    assert 300 < holds < 3000
    needed = int(message.split(" about ")[1].split()[0])
    assert needed == pytest.approx(21400 * (len(WORDS) * 100 - 1) / holds, abs=1)


def test_a_block_too_low_or_narrow_stays_empty() -> None:
    layout = replace(
        SMALL, blocks=(Block("body", 10, 10, 3, 100), Block("body", 20, 10, 100, 4), Block("body", 20, 20, 100, 100))
    )
    sheet = lay_out("low tide", layout, "en", 4)
    assert {line.frame for line in sheet.setting.lines} == {2}
    with pytest.raises(PageOverflow, match="layout 'small': a line of 12 pixels cannot hold the character 'W'"):
        render("WWWW", layout=replace(SMALL, blocks=layout.blocks[:1]), size=(100, 80))


def test_figures_are_painted_behind_the_text() -> None:
    page = render("low tide", layout="omni")
    figure = OMNI.figures[0]
    scale = OMNI.dpi / 72
    middle = (round((figure.left_pt + 50) * scale), round((figure.top_pt + 50) * scale))
    assert page.image.getpixel(middle) == OMNI.figure_fill
    assert page.image.getpixel((5, 5)) == OMNI.paper
    small = render("low tide", layout="omni", size=(300, 424)).image
    assert small.getpixel((round((figure.left_pt + 50) / 595 * 300), 100)) == OMNI.figure_fill


@pytest.mark.parametrize("layout", [FOX, OMNI], ids=lambda layout: layout.name)
def test_figures_and_blocks_stand_apart(layout: BlockLayout) -> None:
    areas = [*layout.blocks, *(Block("body", f.left_pt, f.top_pt, f.width_pt, f.height_pt) for f in layout.figures)]
    assert not any(overlap(a, b) for a, b in combinations(areas, 2))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"blocks": ()}, "there is no block for text"),
        ({"smallest_pt": 0}, "smallest_pt must be over 0 and at most 500, got 0"),
        ({"largest_pt": 4}, r"largest_pt \(4\) must be at least smallest_pt \(5\)"),
        ({"blocks": (Block("body", 0, 0, 0, 5),)}, r"block 1 \(body\) is 0 x 5 pt"),
        ({"blocks": (Block("note", 0, 0, 300, 5),)}, r"block 1 \(note\) reaches out of the page of 200 x 160 pt"),
        (
            {"blocks": (Block("body", 0, 0, 20, 20), Block("title", 19, 19, 20, 20))},
            r"block 2 \(title\) overlaps block 1 \(body\)",
        ),
    ],
)
def test_an_impossible_layout_is_an_error(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=f"layout 'small': {message}"):
        replace(SMALL, **changes)  # type: ignore[arg-type]
