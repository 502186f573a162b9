"""The tables of Reasoning Fidelity: that they agree with one another and with what the paper says of them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from pytest_vtcfaith.published import load_table, published_value, table_numbers

COUNTS = {"1": 48, "2": 12, "3": 16}


def test_which_tables_there_are() -> None:
    assert table_numbers("reasoning") == tuple(COUNTS)
    for number, count in COUNTS.items():
        table = load_table("reasoning", number)
        assert sum(figure is not None for row in table.rows for figure in row.values.values()) == count
        assert f"Table {number}" in table.source


@pytest.mark.parametrize("model", ["GPT-M", "Gemini", "Flux.2"])
@pytest.mark.parametrize("rate", ["CER", "WER"])
def test_tables_1_and_2_have_the_same_rates(model: str, rate: str) -> None:
    first = published_value("reasoning", "1", f"Rendering · {rate}", model)
    assert first == published_value("reasoning", "2", f"PaddleOCR · {rate}", model)


def test_what_the_paper_reads_from_them() -> None:
    answers = published_value("reasoning", "1", "Mathematics · S_a", "Gemini") or Decimal(0)
    steps = published_value("reasoning", "1", "Mathematics · S_p", "Gemini") or Decimal(0)
    assert answers - steps == Decimal("0.342")
    table = load_table("reasoning", "1")
    ceiling = table.rows[0].values
    for row in table.rows[2:]:  # every illustrator stays under the language model in every score
        for column in table.columns[2:]:
            assert (row.values[column] or 0) < (ceiling[column] or 0)


def test_all_characters_clear_is_rarer_than_a_character_clear() -> None:
    for row in load_table("reasoning", "3").rows:
        for kind in ("Text", "Mathematics"):
            assert (row.values[f"{kind} · ACR"] or 0) < (row.values[f"{kind} · CCR"] or 0)
