"""FaithC4's tables of the layer probe: what the text says of their figures, and sums that must come out."""

from __future__ import annotations

from decimal import Decimal

import pytest

from pytest_vtcfaith.published import load_table, published_value, table_numbers

COUNTS = {"7": 60, "8": 19, "9": 16, "10": 42}


def test_which_tables_there_are() -> None:
    assert table_numbers("faithc4") == tuple(COUNTS)
    for number, count in COUNTS.items():
        table = load_table("faithc4", number)
        assert sum(figure is not None for row in table.rows for figure in row.values.values()) == count
        assert f"Table {number}, §4.2" in table.source


def test_the_figures_that_the_text_repeats() -> None:
    """§4.2: 0.321 for random, 0.469 for visual, 0.602 for scramble at layer 35; at L4 2.14×, 1.69×, 1.28×."""
    last = [published_value("faithc4", "7", f"FFN · {kind}", "35") for kind in ("Random", "Visual", "Scramble")]
    assert [round(figure or 0, 3) for figure in last] == [Decimal("0.321"), Decimal("0.468"), Decimal("0.602")]
    fourth = [published_value("faithc4", "7", f"attention · {kind}", "4") for kind in ("Scramble", "Visual", "Random")]
    assert list(map(str, fourth)) == ["2.14", "1.69", "1.28"]
    assert str(published_value("faithc4", "9", "Rewritten (%)", "Q4 (most similar)")) == "4.66"


@pytest.mark.parametrize("column", ["Original", "Scramble", "Random", "Visual"])
def test_the_classes_of_table_8_are_all_words(column: str) -> None:
    shares = [row.values[column] or Decimal(0) for row in load_table("faithc4", "8").rows]
    assert abs(sum(shares) - 100) <= Decimal("0.2")


def test_the_lengths_of_table_10_are_all_words() -> None:
    """409 words: the base of Table 9's shares, which are of all words and not of the quartile (19 of 409 is 4.65 %)."""
    rows = load_table("faithc4", "10").rows
    assert sum(row.values["n"] or 0 for row in rows) == 409
    for row in rows:
        shares = [row.values[name] or Decimal(0) for name in ("Verbatim", "Close", "Moderate", "Rewritten", "Wrong")]
        assert abs(sum(shares) - 100) <= Decimal("0.2")
