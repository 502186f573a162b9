"""Ruled tables are found as they were drawn."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFilter

from pytest_vtcfaith.metrics.table_html import Cell
from pytest_vtcfaith.models.ruling import find_grids
from pytest_vtcfaith.pages.edits.design import Design, Panel, Table, Text
from pytest_vtcfaith.pages.edits.setting import set_page

Places = list[tuple[int, int, int, int]]


@st.composite
def tables(draw: st.DrawFn) -> tuple[Table, Places]:
    """A table with spans, and row, column, rowspan, colspan of its cells."""
    height, width = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    free = {(row, column) for row in range(height) for column in range(width)}
    rows: list[tuple[Cell, ...]] = []
    places = []
    for row in range(height):
        line = []
        for column in range(width):
            if (row, column) not in free:
                continue
            colspan = rowspan = 1
            if draw(st.integers(0, 3)) == 0:
                while (row, column + colspan) in free and draw(st.booleans()):
                    colspan += 1
                reach = range(column, column + colspan)
                while all((row + rowspan, c) in free for c in reach) and draw(st.booleans()):
                    rowspan += 1
            free -= {(row + r, column + c) for r in range(rowspan) for c in range(colspan)}
            text = draw(st.sampled_from(["", "Il", "147", "Hill"]))
            line.append(Cell(text, colspan, rowspan))
            places.append((row, column, rowspan, colspan))
        rows.append(tuple(line))
    widths = tuple(draw(st.integers(90, 170)) for _ in range(width))
    rule = draw(st.integers(1, 4))
    ink = draw(st.sampled_from([(0, 0, 0), (70, 70, 70), (28, 52, 94), (150, 150, 150)]))
    table = Table(tuple(rows), 30, 40, widths, draw(st.integers(40, 64)), 22, rule=rule, rule_ink=ink)
    return table, places


def drawn(table: Table) -> Image.Image:
    size = 60 + sum(table.widths), 80 + len(table.rows) * table.row_height
    return set_page(Design(*size, tables={"table": table}), "en").draw()


def parted(places: Places) -> bool:
    """Whether every row and column begins somewhere: lines that part nothing cannot be seen."""
    height, width = (max(p[axis] + p[axis + 2] for p in places) for axis in (0, 1))
    return {p[0] for p in places} == set(range(height)) and {p[1] for p in places} == set(range(width))


@settings(max_examples=60, deadline=None)
@given(tables(), st.booleans())
def test_cells_and_spans_are_found_as_drawn(drawing: tuple[Table, Places], blurred: bool) -> None:
    table, places = drawing
    if not parted(places):
        return
    picture = drawn(table)
    if blurred and table.rule > 1 and table.rule_ink[0] < 100:
        picture = picture.filter(ImageFilter.GaussianBlur(1))
    grids = find_grids(picture)
    if len(places) == 1:
        assert grids == []
        return
    (grid,) = grids
    assert [(cell.row, cell.column, cell.rowspan, cell.colspan) for cell in grid.cells] == places
    page = set_page(Design(*picture.size, tables={"table": table}), "en")
    for side, wanted in zip(grid.box, page.tables[0].box, strict=True):
        assert abs(side - wanted) <= 4


def test_two_tables_and_the_text_around_them() -> None:
    rows = ((Cell("Lift"), Cell("Hall")), (Cell("Mill"), Cell("Till")))
    first = Table(rows, 40, 120, (100, 120), 50, 22)
    design = Design(
        700,
        420,
        (Panel(0, 0, 700, 80, (28, 52, 94)), Panel(440, 300, 200, 60, (255, 255, 255), border=2)),
        {
            "title": Text("Illness, filling, stillness", 40, 20, 600, 60, 40, ink=(255, 255, 255)),
            "body": Text("—— ==== ____ HHHH EEEE llll", 40, 300, 380, 50, 24),
        },
        {"one": first, "two": replace(first, left=400, rule_ink=(98, 34, 62))},
    )
    grids = find_grids(set_page(design, "en").draw())
    assert [(len(grid.cells), grid.box[:2]) for grid in grids] == [(4, (40, 120)), (4, (400, 120))]


def test_light_rules_on_a_dark_ground() -> None:
    picture = Image.new("RGB", (300, 160), (20, 30, 60))
    pen = ImageDraw.Draw(picture)
    for across in (20, 140, 260):
        pen.line((across, 20, across, 140), fill="white", width=2)
    for down in (20, 80, 140):
        pen.line((20, down, 260, down), fill="white", width=2)
    (grid,) = find_grids(picture)
    assert len(grid.cells) == 4


@pytest.mark.parametrize("size", [(1, 1), (3, 400), (400, 3), (200, 200)])
@pytest.mark.parametrize("colour", ["white", "black"])
def test_blank_pictures_have_no_table(size: tuple[int, int], colour: str) -> None:
    assert find_grids(Image.new("RGB", size, colour)) == []


def test_a_page_of_large_chinese_letters_has_no_table() -> None:
    text = Text("田目回国圆井晶品口日由甲申", 20, 20, 660, 80, 44)
    assert find_grids(set_page(Design(700, 120, texts={"t": text}), "zh").draw()) == []
