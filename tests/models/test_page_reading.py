"""Blocks of a page from pieces of text and ruled lines; the last tests read with the real RapidOCR."""

from __future__ import annotations

import pytest
from PIL import Image

from pytest_vtcfaith.metrics.block_scores import block_scores
from pytest_vtcfaith.metrics.table_html import Cell
from pytest_vtcfaith.models import registry
from pytest_vtcfaith.models.page_reading import (
    MARGIN,
    BoxFinder,
    BoxReader,
    Reader,
    RememberingReader,
    ground_of,
    paragraphs,
    read_region,
    reader_named,
    with_margin,
)
from pytest_vtcfaith.models.rapidocr import RapidOcr, TextBox
from pytest_vtcfaith.pages.edits.design import Design, Table, Text
from pytest_vtcfaith.pages.edits.regions import Pixels
from pytest_vtcfaith.pages.edits.setting import set_page

TABLE = Table(
    ((Cell("Boat"), Cell("Seats"), Cell("Crew")), (Cell("Tern"), Cell("24 and 18", 2))),
    40,
    200,
    (120, 130, 140),
    48,
    22,
)
DESIGN = Design(
    560,
    360,
    texts={
        "title": Text("Harbour boats", 40, 34, 440, 50, 30),
        "body": Text("Every boat has a bell. The bell is rung in fog, twice a minute.", 40, 110, 440, 66, 22),
    },
    tables={"table": TABLE},
)


class Pieces:
    """An engine that finds the pieces it was told to find on pictures of a size."""

    def __init__(self, found: dict[tuple[int, int], list[TextBox]]) -> None:
        self.found = found
        self.asked: list[tuple[int, int]] = []

    def read_boxes(self, image: Image.Image) -> list[TextBox]:
        self.asked.append(image.size)
        return self.found.get(image.size, [])


def piece(text: str, left: float, top: float, right: float, bottom: float) -> TextBox:
    return TextBox((left, top, right, bottom), text, 0.9)


def texts(*pieces: TextBox) -> list[str]:
    return [block.text for block in paragraphs(pieces)]


def test_lines_close_under_each_other_are_one_block() -> None:
    assert texts(piece("one", 10, 10, 200, 34), piece("two", 10, 42, 150, 66), piece("far", 10, 100, 150, 124)) == [
        "one\ntwo",
        "far",
    ]


def test_pieces_of_a_line_are_one_where_the_gap_is_a_space() -> None:
    assert texts(piece("Kiln", 10, 10, 60, 34), piece("Yard", 70, 11, 130, 35)) == ["Kiln Yard"]
    assert texts(piece("Name", 10, 10, 60, 34), piece("Plot", 90, 11, 130, 35)) == ["Name", "Plot"]


def test_columns_stay_apart() -> None:
    left = [piece(f"left {n}", 10, 10 + 32 * n, 150, 34 + 32 * n) for n in range(3)]
    right = [piece(f"right {n}", 300, 12 + 32 * n, 450, 36 + 32 * n) for n in range(2)]
    assert texts(*left, *right) == ["left 0\nleft 1\nleft 2", "right 0\nright 1"]


def test_letters_of_another_size_are_another_block() -> None:
    assert texts(piece("Title", 10, 10, 200, 50), piece("text", 10, 54, 150, 76)) == ["Title", "text"]


def test_no_pieces() -> None:
    assert paragraphs([]) == []


def test_pieces_in_cells_become_a_table() -> None:
    picture = set_page(DESIGN, "en").draw()
    cells = [
        piece("Boat", 54, 210, 100, 236),
        piece("Seats", 174, 210, 230, 236),
        piece("Crew", 304, 210, 350, 236),
        piece("24 and", 174, 252, 240, 270),
        piece("18", 174, 272, 200, 290),
    ]
    (block,) = BoxReader(Pieces({(560, 360): cells})).read([picture])[0]
    assert block.table == (
        "<table><tr><td>Boat</td><td>Seats</td><td>Crew</td></tr>"
        '<tr><td></td><td colspan="2">24 and 18</td></tr></table>'
    )
    assert block.text == "Boat Seats Crew 24 and 18"
    assert all(abs(a - b) <= 2 for a, b in zip(block.box, (40, 200, 432, 298), strict=True))


def test_a_piece_across_a_rule_is_read_again_cell_by_cell() -> None:
    picture = set_page(DESIGN, "en").draw()
    crop = (115 + 2 * MARGIN, 43 + 2 * MARGIN)
    engine = Pieces({(560, 360): [piece("Boat Seats", 54, 210, 230, 236)]})
    inner = {(cell, 43): text for cell, text in ((115, "Boat"), (125, "Seats"))}
    engine.found |= {
        (w + 2 * MARGIN, h + 2 * MARGIN): [piece(text, MARGIN + 5, MARGIN + 5, MARGIN + 60, MARGIN + 30)]
        for (w, h), text in inner.items()
    }
    (block,) = BoxReader(engine).read([picture])[0]
    assert crop in engine.asked
    assert (block.table or "").startswith("<table><tr><td>Boat</td><td>Seats</td><td></td></tr>")


def test_a_region_is_cropped_read_and_put_back() -> None:
    found = [piece("fog", MARGIN - 3, MARGIN + 4, MARGIN + 40, MARGIN + 28)]
    engine = Pieces({(60 + 2 * MARGIN, 30 + 2 * MARGIN): found})
    (block,) = read_region(BoxReader(engine), Image.new("RGB", (300, 200), "white"), (100, 50, 160, 80))
    assert (block.box, block.text) == ((100, 54, 140, 78), "fog")


def test_the_margin_has_the_colour_of_most_of_the_edge() -> None:
    crop = Image.new("RGB", (40, 20), (221, 230, 243))
    crop.paste((0, 0, 0), (0, 0, 12, 20))
    assert ground_of(crop) == (221, 230, 243)
    framed = with_margin(crop)
    assert framed.size == (40 + 2 * MARGIN, 20 + 2 * MARGIN)
    assert framed.getpixel((0, 0)) == (221, 230, 243)
    assert framed.crop((MARGIN, MARGIN, MARGIN + 40, MARGIN + 20)).tobytes() == crop.tobytes()


def test_a_picture_is_read_once() -> None:
    engine = Pieces({(300, 200): [piece("fog", 10, 10, 50, 30)]})
    reader = RememberingReader(BoxReader(engine))
    one, other = Image.new("RGB", (300, 200), "white"), Image.new("RGB", (300, 201), "white")
    first = reader.read([one, other, one.copy()])
    assert [[block.text for block in blocks] for blocks in first] == [["fog"], [], ["fog"]]
    assert reader.read([other, one]) == [first[1], first[0]]
    assert engine.asked == [(300, 200), (300, 201)]


@pytest.mark.parametrize("name", ["rapidocr", "tesseract"])
def test_readers_by_name(name: str) -> None:
    reader = reader_named(name)
    assert isinstance(reader, Reader)
    assert isinstance(reader.engine, BoxFinder)


def test_a_model_that_tells_no_boxes_reads_no_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "REGISTERED", {})
    registry.register_model("blind")(object)
    with pytest.raises(ValueError, match="'blind' tells no boxes"):
        reader_named("blind")


@pytest.fixture(scope="module")
def reader() -> BoxReader:
    return BoxReader(RapidOcr())


@pytest.mark.parametrize("colour", ["white", "black"])
def test_a_blank_page_has_no_blocks(reader: BoxReader, colour: str) -> None:
    assert reader.read([Image.new("RGB", (600, 400), colour)]) == [[]]


def test_a_real_page(reader: BoxReader) -> None:
    page = set_page(DESIGN, "en")
    (blocks,) = reader.read([page.draw()])
    scores = block_scores(page.blocks(), blocks, lang="en")
    assert [scores[name] for name in ("cdm", "teds", "spurious")] == [1.0, 1.0, 0.0]
    assert (scores["iou"] or 0) > 0.7


@pytest.mark.parametrize(
    ("text", "lang"), [("46", "en"), ("Dunholt", "en"), ("北区六十二", "zh"), ("Genoa 馆", "mixed")]
)
def test_small_real_regions(reader: BoxReader, text: str, lang: str) -> None:
    page = set_page(Design(400, 200, texts={"t": Text(text, 100, 80, 280, 40, 22)}), lang)
    box = page.texts[0].box
    region: Pixels = (int(box[0]) - 6, int(box[1]) - 6, int(box[2]) + 6, int(box[3]) + 6)
    (block,) = read_region(reader, page.draw(), region)
    assert block.text == text
