from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.pages.budget import FAMILIES, visual_tokens
from pytest_vtcfaith.pages.layouts import layout_named
from pytest_vtcfaith.pages.reach import PAGES, RATIOS, reach, reach_table, reachable_lengths, spans

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "visual-tokens.md"


def test_the_document_holds_what_the_code_computes() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert reach_table() in text, "put the output of `vtcfaith tokens --reach` into docs/visual-tokens.md"
    for family in FAMILIES:
        assert f"| `{family}` |" in text, f"the table of rules has no row for {family}"


def test_the_check_values_in_the_document() -> None:
    """The rows `family`, rule, 1024², A4 at 72 dpi, A4 at 200 dpi."""
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in DOCUMENT.read_text(encoding="utf-8").split("\n")
        if line.startswith("| `")
    ]
    counted = {row[0].strip("`"): row[2:5] for row in rows if len(row) == 5}
    assert set(counted) == set(FAMILIES)
    for family, cells in counted.items():
        sizes = [(1024, 1024), (595, 842), (1654, 2339)]
        assert [int(cell.replace(",", "")) for cell in cells] == [visual_tokens(family, *size) for size in sizes]


def test_the_pages_are_those_of_the_layouts() -> None:
    layouts = {name: layout_named(name) for name in PAGES}
    assert {name: (layout.width_pt, layout.height_pt) for name, layout in layouts.items()} == PAGES


@given(st.sets(st.integers(0, 60)))
def test_spans_hold_the_numbers_and_nothing_else(numbers: set[int]) -> None:
    found = spans(sorted(numbers))
    assert [n for first, last in found for n in range(first, last + 1)] == sorted(numbers)
    assert all(last + 1 < first for (_, last), (first, _) in pairwise(found))


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(
    ("family", "tokens"), [("gemma3", 256), ("deepseek-ocr-tiny", 64), ("deepseek-ocr-small", 100)]
)
def test_a_fixed_price_reaches_a_ratio_where_the_target_is_at_most_five_percent_above_it(
    page: str, family: str, tokens: int
) -> None:
    width, height = PAGES[page]
    for ratio in RATIOS:
        lengths = [n for n in range(200, 1001) if 0 <= n / ratio - tokens <= max(1, 0.05 * n / ratio)]
        assert reachable_lengths(family, ratio, page_width=width, page_height=height) == lengths


def test_hunyuan_cannot_compress_a_zerosense_text_fivefold() -> None:
    """Its least page has 512² pixels: a longest text of 1,000 tokens is under four times that."""
    for width, height in PAGES.values():
        found = reach("hunyuan-ocr", page_width=width, page_height=height)
        assert found[2.5]
        assert not any(found[ratio] for ratio in RATIOS if ratio >= 5)


def test_cells_of_the_table() -> None:
    table = reach_table(["deepseek-ocr-small", "qwen3-vl"])
    assert "| deepseek-ocr-small | 250–263 | 500–526 | 750–789 | 1000 | – | – | – |" in table
    assert "| qwen3-vl | 200–236, 240–1000 | 330–1000 (82 %) |" in table
