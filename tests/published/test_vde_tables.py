"""The tables of VDE Bench: sums and means that the paper prints beside the figures they are made of."""

from __future__ import annotations

from decimal import Decimal

import pytest

from pytest_vtcfaith.published import load_table, published_value, table_numbers

MODELS = ("Step1X", "LongCat", "FireRed", "Qwen", "Instruct", "HiDream", "JoyAI")
ROUNDING = Decimal("0.001")
COUNTS = {"2": 140, "3": 70, "5": 75, "6": 75, "7": 128, "8": 128}


def test_which_tables_there_are() -> None:
    assert table_numbers("vde") == tuple(COUNTS)
    for number, count in COUNTS.items():
        table = load_table("vde", number)
        assert sum(figure is not None for row in table.rows for figure in row.values.values()) == count
        assert f"Table {number}, " in table.source


def test_some_figures() -> None:
    assert published_value("vde", "2", "PSNR", "Global", "Qwen") == Decimal("24.279")
    assert published_value("vde", "2", "FID", "Local", "HiDream") == Decimal("83.785")
    assert published_value("vde", "3", "Chinese · BLEU", "Qwen") == Decimal("0.258")
    common = "Common subset across all seven models"
    assert published_value("vde", "5", "IoU", common, "LongCat", "3,469") == Decimal("0.6849")
    assert published_value("vde", "6", "TEDS", common, "Spearman ρ vs. main table", "—") == Decimal("0.893")
    assert published_value("vde", "8", "HiDream", "Text Deletion (971 samples)", "IoU") == Decimal("0.348")


@pytest.mark.parametrize("language", ["English", "Chinese"])
def test_the_averages_of_table_3_are_those_of_its_four_metrics(language: str) -> None:
    for row in load_table("vde", "3").rows:
        figures = [row.values[f"{language} · {name}"] or Decimal(0) for name in ("IoU", "CDM", "BLEU", "TEDS")]
        assert abs(sum(figures) / 4 - (row.values[f"{language} · Avg."] or Decimal(0))) <= ROUNDING


@pytest.mark.parametrize("number", ["7", "8"])
def test_the_averages_of_tables_7_and_8_are_those_of_the_models(number: str) -> None:
    for row in load_table("vde", number).rows:
        figures = [row.values[model] or Decimal(0) for model in MODELS]
        assert abs(sum(figures) / 7 - (row.values["Avg."] or Decimal(0))) <= ROUNDING, row.keys


@pytest.mark.parametrize(("number", "scope"), [("7", "Global"), ("8", "Local")])
def test_cdm_of_table_2_is_between_the_operations(number: str, scope: str) -> None:
    """A mean over all samples lies between the means of the operations."""
    for model in MODELS:
        parts = [
            row.values[model] or Decimal(0) for row in load_table("vde", number).rows if row.keys["metric"] == "CDM"
        ]
        whole = published_value("vde", "2", "CDM", scope, model) or Decimal(0)
        assert min(parts) - ROUNDING <= whole <= max(parts) + ROUNDING


@pytest.mark.parametrize(("number", "scope"), [("5", "Local"), ("6", "Global")])
def test_the_rank_correlations_with_table_2(number: str, scope: str) -> None:
    from scipy.stats import spearmanr

    rows = {(row.keys["set"][:6], row.keys["model"]): row.values for row in load_table("vde", number).rows}
    for metric in ("IoU", "TextSim", "CDM", "BLEU", "TEDS"):
        other = [float(rows["Common", model][metric] or 0) for model in MODELS]
        main = [float(published_value("vde", "2", metric, scope, model) or 0) for model in MODELS]
        printed = rows["Common", "Spearman ρ vs. main table"][metric]
        assert round(float(spearmanr(main, other).statistic), 3) == float(printed or 0), metric
