"""Pages of the editing set: exact boxes, spans, overflow, regions; the drawn pixels are the judge."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from pytest_vtcfaith.metrics.boxes import percent_to_pixels
from pytest_vtcfaith.metrics.table_html import Cell
from pytest_vtcfaith.pages.edits.design import Design, Panel, Table, Text, design_of, plain
from pytest_vtcfaith.pages.edits.regions import PAD, changed_region, composite, percent, region_blocks
from pytest_vtcfaith.pages.edits.setting import SetPage, set_page
from pytest_vtcfaith.pages.edits.templates import KINDS, PALETTES, page_of
from pytest_vtcfaith.pages.fonts import MissingGlyphs
from pytest_vtcfaith.pages.typesetting import PageOverflow

ROWS = (
    (Cell("Boat"), Cell("Seats and cabins", colspan=2)),
    (Cell("Tern", rowspan=2), Cell("24"), Cell("18")),
    (Cell("36"), Cell("")),
)
TABLE = Table(ROWS, 40, 220, (120, 130, 140), 48, 22)
DESIGN = Design(
    520,
    420,
    (Panel(20, 20, 480, 70, (220, 230, 240), border=3),),
    {
        "title": Text("Harbour boats", 40, 34, 440, 50, 30),
        "body": Text("Every boat has a bell. The bell is rung in fog, twice a minute.", 40, 110, 440, 80, 22, "serif"),
    },
    {"table": TABLE},
)


def pixels(page: SetPage) -> np.ndarray:
    return np.asarray(page.draw()).astype(int)


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize(
    ("lang", "text"),
    [("en", "Kettles, lamps; (12.5)"), ("zh", "水壶，灯（十二点五）"), ("mixed", "水壶 Kettle，12.5 只")],
)
def test_the_ink_of_every_word_fills_its_box_and_nothing_stands_outside(kind: str, lang: str, text: str) -> None:
    rows = [[Cell(text[:6]), Cell("27")], [Cell(""), Cell(text[-5:])]]
    for style, palette in zip(("sans", "serif"), PALETTES, strict=False):
        design = page_of(kind, dict.fromkeys(KINDS[kind].texts, text), rows, palette=palette, style=style, shift=(7, 9))
        page = set_page(design, lang)
        assert {piece.name for piece in page.texts} == set(KINDS[kind].texts)
        empty = replace(
            design,
            texts={name: replace(place, text="") for name, place in design.texts.items()},
            tables={name: replace(table, rows=((Cell(""),) * 2,) * 2) for name, table in design.tables.items()},
        )
        inked = (pixels(page) != pixels(set_page(empty, lang))).any(axis=2)
        for _, left, top, right, bottom, *_ in page.words():
            box = inked[top:bottom, left:right]
            assert box[0].any()
            assert box[-1].any()
            assert box[:, 0].any()
            assert box[:, -1].any()
            inked[top:bottom, left:right] = False
        assert not inked.any()


def test_the_box_of_a_table_is_what_it_paints() -> None:
    with_table, without = (set_page(design, "en") for design in (DESIGN, replace(DESIGN, tables={})))
    rows, columns = np.nonzero((pixels(with_table) != pixels(without)).any(axis=2))
    assert with_table.tables[0].box == (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)


def test_spans_have_no_rule_inside_and_are_in_the_html() -> None:
    page = set_page(DESIGN, "en")
    assert page.tables[0].html == (
        '<table><tr><td>Boat</td><td colspan="2">Seats and cabins</td></tr>'
        '<tr><td rowspan="2">Tern</td><td>24</td><td>18</td></tr><tr><td>36</td><td></td></tr></table>'
    )
    picture = pixels(page)
    rule = list(TABLE.rule_ink)
    across, down = 40 + 120 + 130, 220 + 2 * 48
    assert picture[220 + 6, across].tolist() == list(TABLE.head)
    assert picture[220 + 48 + 6, across].tolist() == rule
    assert picture[down, 40 + 100].tolist() == [255, 255, 255]
    assert picture[down, 40 + 120 + 6].tolist() == rule


def test_blocks_are_texts_and_tables_from_the_top() -> None:
    blocks = set_page(DESIGN, "en").blocks()
    assert [block.text for block in blocks] == [
        "Harbour boats",
        "Every boat has a bell. The bell is rung in fog, twice a minute.",
        "Boat Seats and cabins Tern 24 18 36",
    ]
    assert [block.table is not None for block in blocks] == [False, False, True]


def test_what_does_not_fit_is_an_error() -> None:
    with pytest.raises(PageOverflow, match="title: 'Harbour boats"):
        set_page(DESIGN.edited({"title": {"text": "Harbour boats " * 4}}), "en")
    with pytest.raises(PageOverflow, match="table, row 1, cell 1: 'Boat and then some more'"):
        set_page(DESIGN.edited({"table": {"rows": (("Boat and then some more", ["Seats", 2, 1]), *ROWS[1:])}}), "en")
    with pytest.raises(MissingGlyphs, match="U\\+6D77"):
        set_page(DESIGN.edited({"title": {"text": "海"}}), "en")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ((("a", "b", "c", "d"),), "row 1 does not fit its 3 columns"),
        ((("a", "b"),), "do not fill 1 x 3 cells"),
        ((("a", ["b", 3, 1]),), "row 1 does not fit"),
        ((("a", "b", ["c", 1, 2]),), "do not fill"),
        ((("a", ["b", 1, 2], "c"), (["d", 2, 1], "e")), "row 2 does not fit"),
    ],
)
def test_a_table_that_is_none(rows: tuple[object, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        set_page(DESIGN.edited({"table": {"rows": rows}}), "en")


def test_a_name_that_is_not_on_the_page() -> None:
    with pytest.raises(KeyError, match="caption"):
        DESIGN.edited({"caption": {"text": "a"}})
    with pytest.raises(ValueError, match="a slide has no place 'lead'"):
        page_of("slide", {"lead": "a"}, ROWS, palette=PALETTES[0], style="sans")


def test_the_description_survives_json() -> None:
    assert design_of(plain(DESIGN)) == DESIGN


def test_a_changed_word_is_the_region_with_paper_around_it() -> None:
    before = set_page(DESIGN, "en")
    after = set_page(DESIGN.edited({"body": {"text": DESIGN.texts["body"].text.replace("minute.", "hour.")}}), "en")
    (old,) = (word for word in before.words() if word.text == "minute.")
    left, top, right, bottom = changed_region(before, after)
    assert (left, right) == (old.left - PAD, old.right + PAD)
    assert top == old.top - PAD  # h is as high as i
    assert bottom == old.bottom + PAD
    assert [block.text for block in region_blocks(after, (left, top, right, bottom))] == ["hour."]
    assert [block.text for block in region_blocks(before, (left, top, right, bottom))] == ["minute."]


def test_a_region_cuts_no_word() -> None:
    """The first line's end and the second line change, so that the region takes in what stands between them."""
    text = DESIGN.texts["body"].text
    before = set_page(DESIGN, "en")
    after = set_page(DESIGN.edited({"body": {"text": text.replace("bell. The", "very old brass bell. The")}}), "en")
    region = changed_region(before, after)
    for page in (before, after):
        region_blocks(page, region)  # raises where it cuts
    with pytest.raises(ValueError, match="cuts a word of 'Harbour boats'"):
        region_blocks(before, (0, 0, 60, 100))


def test_one_cell_is_its_own_region_and_several_are_the_table() -> None:
    before = set_page(DESIGN, "en")
    one = set_page(DESIGN.edited({"table": {"rows": (*ROWS[:2], ("36", "48"))}}), "en")
    two = set_page(DESIGN.edited({"table": {"rows": (*ROWS[:2], ("18", "48"))}}), "en")
    left, top, right, bottom = changed_region(before, one)
    assert left > 40 + 250
    assert right < 40 + 390
    assert top > 220 + 96
    assert bottom < 220 + 144
    table = before.tables[0].box
    assert changed_region(before, two) == (table[0] - PAD, table[1] - PAD, table[2] + PAD, table[3] + PAD)
    shorter = set_page(DESIGN.edited({"table": {"rows": (ROWS[0], ("Tern", "24", "18"))}}), "en")
    assert changed_region(before, shorter) == changed_region(before, two)


def test_nothing_changed() -> None:
    page = set_page(DESIGN, "en")
    with pytest.raises(ValueError, match="changes nothing"):
        changed_region(page, page)


def test_a_composite_takes_the_candidate_inside_only() -> None:
    white, black = Image.new("RGB", (30, 20), "white"), Image.new("RGB", (30, 20), "black")
    picture = np.asarray(composite(white, black, [(3, 4, 10, 12), (20, 0, 30, 5)]))
    dark = np.zeros((20, 30), dtype=bool)
    dark[4:12, 3:10] = dark[0:5, 20:30] = True
    assert ((picture == 0).all(axis=2) == dark).all()
    assert ((picture == 255).all(axis=2) == ~dark).all()
    assert np.asarray(white).min() == 255  # the source stays


@pytest.mark.parametrize("box", [(0, 0, 1, 1), (13, 77, 311, 499), (1, 1, 897, 1120), (896, 1119, 897, 1120)])
def test_percent_and_back(box: tuple[int, int, int, int]) -> None:
    assert percent_to_pixels(**percent(box, 897, 1120), page=(897, 1120)) == box
