"""The published results of VTC-Bench: what must hold among their counts, and how they read."""

from __future__ import annotations

from decimal import Decimal

import pytest

from pytest_vtcfaith.published import load_table, published_value, table_numbers

SIMPLE, RIGHT, DIFFICULT, RIGHT_DIFFICULT = (
    f"{group} · {what}" for group in ("simple", "difficult") for what in ("questions", "right")
)
# Shares in percent as the file prints them, to four decimals
PRINTED = {
    ("F1", "chartqa", "2", "dart"): ("68.9809", "39.0192"),
    ("F1", "gqa", "3", "fastv"): ("82.4662", "44.4874"),
    ("F1", "mmbench_cn_dev", "5", "visionzip"): ("80.1674", "32.6019"),
    ("F1", "mmbench_en_dev", "10", "prumerge+"): ("55.8676", "17.8470"),
    ("F1", "mme", "4", "dart"): ("88.9007", "46.8599"),
    ("F1", "mmstar", "10", "visionzip"): ("69.3827", "19.3995"),
    ("F1", "ocrbench", "5", "prumerge+"): ("18.4466", "9.2369"),
    ("F1", "pope", "10", "prumerge+"): ("49.7046", "52.6033"),
    ("F2", "gqa", "2", "fastv"): ("84.0059", "54.2605"),
    ("F2", "mmstar", "4", "prumerge+"): ("53.6062", "34.7692"),
    ("F2", "pope", "10", "visionzip"): ("61.8313", "42.0827"),
}


def test_which_tables_there_are() -> None:
    assert table_numbers("vtc-bench") == ("F1", "F2")
    assert [len(load_table("vtc-bench", number).rows) for number in ("F1", "F2")] == [160, 75]
    assert "no table of the paper" in load_table("vtc-bench", "F1").source


@pytest.mark.parametrize("number", ["F1", "F2"])
def test_both_groups_are_what_is_right_at_full_size(number: str) -> None:
    """So the file uses the definition `code`: the groups together are the same number of questions at every factor."""
    totals: dict[str, set[Decimal]] = {}
    for row in load_table("vtc-bench", number).rows:
        values = {name: value or Decimal(0) for name, value in row.values.items()}
        totals.setdefault(row.keys["data set"], set()).add(values[SIMPLE] + values[DIFFICULT])
        assert values[RIGHT] <= values[SIMPLE]
        assert values[RIGHT_DIFFICULT] <= values[DIFFICULT]
    assert all(len(found) == 1 for found in totals.values())


def test_the_groups_of_both_models_are_the_same() -> None:
    """LLaVA-OneVision is measured on the groups of Qwen2-VL, which our suite would refuse."""
    for row in load_table("vtc-bench", "F2").rows:
        for column in (SIMPLE, DIFFICULT):
            own = published_value("vtc-bench", "F1", column, *row.keys.values())
            assert row.values[column] == own


@pytest.mark.parametrize("where", PRINTED, ids="-".join)
def test_printed_shares(where: tuple[str, ...]) -> None:
    number, *keys = where
    simple, difficult = PRINTED[where]
    for right, questions, share in ((RIGHT, SIMPLE, simple), (RIGHT_DIFFICULT, DIFFICULT, difficult)):
        counted, total = (published_value("vtc-bench", number, column, *keys) for column in (right, questions))
        assert counted is not None
        assert total
        assert round(100 * counted / total, 4) == Decimal(share)


def test_the_simple_group_is_answered_better_with_one_exception() -> None:
    exceptions = [
        tuple(row.keys.values())
        for number in ("F1", "F2")
        for row in load_table("vtc-bench", number).rows
        if (row.values[RIGHT] or 0) * (row.values[DIFFICULT] or 0)
        <= (row.values[RIGHT_DIFFICULT] or 0) * (row.values[SIMPLE] or 0)
    ]
    assert exceptions == [("pope", "10", "prumerge+")]
