from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from pytest_vtcfaith.pages.budget import visual_tokens
from pytest_vtcfaith.published import load_table
from pytest_vtcfaith.published.consistency import (
    coincidences,
    disagreements,
    outside_their_parts,
    rounding_differences,
    same_cells,
)

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "zerosense.md"


def test_ours_is_the_maximum_over_the_models_in_every_cell() -> None:
    pairs = [pair for pair in same_cells() if pair.first_at == "Table 2, Ours"]
    assert len(pairs) == 54
    assert all(pair.first == pair.second for pair in pairs)


def test_the_cells_of_table_2_and_a4_that_disagree() -> None:
    assert [(pair.what, pair.first_at, pair.first, pair.second) for pair in disagreements()] == [
        ("OmniDocBench layout, Omni text, 12.5×", "Table 2, DeepSeek-OCR", Decimal("75.6"), Decimal("68.6"))
    ]


def test_every_kind_of_pair_is_compared() -> None:
    pairs = same_cells()
    assert len(pairs) == 3 * 18 * 2 + 6 * 4 + 6
    assert {pair.first_at for pair in pairs} == {"Table 2, Ours", "Table 2, DeepSeek-OCR", "Table 3", "Table A7"}


def test_table_3_is_never_over_table_a5_and_at_most_one_digit_under() -> None:
    assert {(pair.first_at, pair.second - pair.first) for pair in rounding_differences()} == {
        ("Table 3", Decimal("0.1"))
    }


def test_wholes_outside_their_parts() -> None:
    assert [(whole.what, whole.figure, whole.low, whole.high) for whole in outside_their_parts()] == [
        ("FOX layout, ZeroSense text, 15×", Decimal("4.8"), Decimal("4.9"), Decimal("6.2")),
        ("Omni layout, ZeroSense text, 5×", Decimal("42.8"), Decimal("26.9"), Decimal("30.9")),
    ]


def test_moved_words_and_moved_letters_have_the_same_figures() -> None:
    assert len(coincidences()) == 20
    assert all(pair.first == pair.second for pair in coincidences())


def test_three_rows_repeat_fox_as_omni() -> None:
    table = load_table("zerosense", "A4")
    copied = [
        tuple(row.keys.values())
        for row in table.rows
        for model in ("DeepSeek-OCR", "HunyuanOCR", "Qwen2.5VL-7B")
        if row.values[f"{model} · FOX"] == row.values[f"{model} · Omni"] is not None
    ]
    assert copied == [("Omni layout", ratio) for ratio in ("12.5×", "15×", "17.5×")]


def test_the_document_names_every_inconsistency_with_both_values() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in DOCUMENT.read_text(encoding="utf-8").split("\n")
        if line.startswith("| ")
    ]
    for pair in (*disagreements(), *rounding_differences()):
        assert [pair.what, f"{pair.first} ({pair.first_at})", f"{pair.second} ({pair.second_at})"] in rows
    for whole in outside_their_parts():
        assert [
            whole.what,
            f"{whole.figure} ({whole.at})",
            f"{whole.low} to {whole.high} ({whole.parts_at})",
        ] in rows


def test_the_native_counts_of_table_a1_are_those_of_the_rules() -> None:
    """ZeroSense, Table A1: 256, 1,058 and 1,369 visual tokens, which a page of 1024 x 1024 pixels costs."""
    families = ("deepseek-ocr-base", "hunyuan-ocr", "qwen2.5-vl")
    assert [visual_tokens(family, 1024, 1024) for family in families] == [256, 1058, 1369]
