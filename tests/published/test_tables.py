from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from pytest_vtcfaith.published import load_table, papers, published_value, table_numbers
from pytest_vtcfaith.published.tables import read_table

NUMBERS = ("2", "3", "4", "5", "6", "A4", "A5", "A7")

# The figures once more, typed from the paper's page by another hand than the data files, row by row; x is the printed –
RETYPED = {
    "2": """
        97.7 75.2 33.8 97.7 75.2 33.8 | 96.6 70.1 20.2 96.6 70.1 20.2 | 95.4 65.3 11.8 95.4 65.3 11.8
        93.8 61.2 7.0 93.8 61.2 7.0 | 91.8 56.6 4.8 91.8 56.6 4.8 | 87.0 51.4 2.1 87.0 51.4 2.1
        90.7 76.7 42.8 90.7 76.7 29.1 | 82.7 76.0 17.1 82.7 76.0 17.1 | 74.1 78.3 12.2 74.1 75.6 12.2
        68.6 78.7 11.3 68.6 75.6 11.3 | 61.5 80.5 11.3 61.5 61.5 11.3 | 57.3 84.2 11.2 57.3 57.3 11.2
        98.9 94.2 65.3 98.9 94.2 65.3 | 98.2 92.3 52.0 98.2 92.3 52.0 | 97.4 90.2 39.6 97.4 90.2 39.6
        96.7 87.9 29.7 96.7 87.9 29.7 | 94.4 86.3 23.5 94.4 86.3 23.5 | 92.3 84.0 15.1 92.3 84.0 15.1""",
    "3": """
        71.6 68.2 64.4 59.1 | 67.8 65.8 63.6 57.6 | 54.8 51.7 50.0 48.2
        42.7 39.2 37.5 36.2 | 32.1 29.1 27.3 27.4 | 27.0 25.3 23.3 21.1""",
    "4": """
        0.6742 0.6761 0.6762 0.6750 | 0.6496 0.6487 0.6494 0.6489 | 0.5204 0.5195 0.5201 0.5206
        0.3962 0.3951 0.3952 0.3948 | 0.2968 0.2959 0.2966 0.2970 | 0.2339 0.2346 0.2343 x""",
    "5": """
        0.937 0.915 0.935 0.917 | 0.849 0.819 0.842 0.812 | 0.824 0.806 0.827 0.798
        0.772 0.742 0.763 0.750 | 0.730 0.744 0.734 0.750 | 0.710 0.667 0.703 0.646""",
    "6": """
        0.850 0.829 0.709 | 0.784 0.747 0.604 | 0.707 0.659 0.453
        0.655 0.581 0.361 | 0.628 0.541 0.245 | 0.588 0.491 0.246""",
    "A4": """
        97.7 75.2 33.8 66.3 40.1 2.7 81.7 44.1 x | 96.6 70.1 20.2 56.2 26.7 x x 32.5 x
        95.4 65.3 11.8 x 23.5 x x 35.0 x | 93.8 61.2 7.0 x 19.2 x x x x
        91.8 56.6 4.8 x x x x x x | 87.0 51.4 2.1 x x x x x x
        90.7 76.7 29.1 50.4 58.9 13.3 72.9 73.9 42.8 | 82.7 76.0 17.1 47.2 58.8 12.0 x 74.2 x
        74.1 75.6 12.2 x 60.1 x x 78.3 x | 68.6 68.6 11.3 x 59.3 x x 78.7 x
        61.5 61.5 11.3 x 57.6 x x 80.5 x | 57.3 57.3 11.2 x 50.1 x x 84.2 x
        98.9 94.2 65.3 74.4 81.5 22.9 79.1 84.9 x | 98.2 92.3 52.0 58.0 68.8 x 93.9 76.4 x
        97.4 90.2 39.6 42.0 67.8 x 64.4 65.3 x | 96.7 87.9 29.7 35.1 66.0 x 60.8 61.1 x
        94.4 86.3 23.5 33.5 63.0 x x 55.3 x | 92.3 84.0 15.1 x 58.0 x x 45.8 x""",
    "A5": """
        46.2 44.2 34.3 28.5 | 28.3 38.5 35.0 28.5 | 17.4 21.4 20.8 21.2
        13.7 11.7 11.3 6.5 | x 7.9 6.3 4.3 | x 6.2 4.9 x
        48.5 38.7 37.3 40.1 | 26.9 29.7 30.9 28.5 | 16.1 15.6 18.8 21.1
        12.9 10.4 12.8 17.1 | 11.8 11.0 10.4 14.0 | x 9.7 10.5 13.5
        71.7 68.3 64.4 59.1 | 67.8 65.8 63.6 57.6 | 54.8 51.8 50.0 48.2
        42.7 39.2 37.6 36.2 | 32.2 29.1 27.3 27.4 | 27.1 25.4 23.4 21.1""",
    "A7": """
        98.9 98.2 97.4 96.7 94.4 92.3
        84.9 82.4 77.2 73.0 71.0 73.0 | 81.9 80.6 74.2 74.4 66.7 71.6
        67.2 64.5 62.2 57.7 57.9 51.8 | 57.2 39.9 49.7 42.4 51.1 29.6
        84.2 82.7 76.3 73.4 70.3 70.4 | 81.2 79.8 75.0 75.0 64.6 71.2
        65.5 62.3 65.0 63.8 53.5 57.6 | 58.4 46.1 45.3 58.0 45.7 51.3""",
}
LAYOUTS = ("FOX layout", "Omni layout", "Glyph rendering")
RATIOS = ("5×", "7.5×", "10×", "12.5×", "15×", "17.5×")


def test_which_tables_there_are() -> None:
    assert papers() == ("faithc4", "reasoning", "vde", "vtc-bench", "zerosense")
    assert table_numbers("zerosense") == NUMBERS == tuple(RETYPED)


@pytest.mark.parametrize("number", NUMBERS)
def test_every_figure_as_printed(number: str) -> None:
    retyped = [row.split() for line in RETYPED[number].strip().split("\n") for row in line.split("|")]
    loaded = [
        ["x" if figure is None else str(figure) for figure in row.values.values()]
        for row in load_table("zerosense", number).rows
    ]
    assert loaded == retyped


@pytest.mark.parametrize("number", NUMBERS)
def test_caption_unit_and_source(number: str) -> None:
    table = load_table("zerosense", number)
    assert (table.paper, table.number) == ("zerosense", number)
    assert table.unit == ("share" if number in ("4", "5", "6") else "percent")
    assert f"Table {number}, " in table.source
    assert table.caption.endswith(".")
    assert all(tuple(row.keys) == table.keys and tuple(row.values) == table.columns for row in table.rows)


@pytest.mark.parametrize("number", ["2", "A4", "A5"])
def test_rows_are_layouts_by_ratios(number: str) -> None:
    ratios = ("2.5×", *RATIOS[:-1]) if number == "A5" else RATIOS
    layouts = [name.replace("Omni", "OmniDocBench") if number == "2" else name for name in LAYOUTS]
    rows = [tuple(row.keys.values()) for row in load_table("zerosense", number).rows]
    assert rows == [(layout, ratio) for layout in layouts for ratio in ratios]


def test_accuracy_on_zerosense_falls_with_the_ratio() -> None:
    table = load_table("zerosense", "2")
    for layout in dict.fromkeys(row.keys["rendering"] for row in table.rows):
        for column in ("Ours · ZeroSense", "DeepSeek-OCR · ZeroSense", "Ours · FOX"):
            figures = [table.value(column, layout, ratio) for ratio in RATIOS]
            assert figures == sorted((f for f in figures if f is not None), reverse=True)


def test_stricter_thresholds_lower_the_accuracy() -> None:
    for row in load_table("zerosense", "6").rows:
        figures = [figure for figure in row.values.values() if figure is not None]
        assert figures == sorted(figures, reverse=True)


def test_looking_up_a_figure() -> None:
    assert published_value("zerosense", "2", "Ours · ZeroSense", "FOX layout", "17.5×") == Decimal("2.1")
    assert str(published_value("zerosense", "6", "10⁻³", "2.5×")) == "0.850"
    assert published_value("zerosense", "a4", "HunyuanOCR · FOX", "FOX layout", "10×") is None


def test_looking_up_what_is_not_there() -> None:
    with pytest.raises(ValueError, match="unknown paper 'zerosens': known are zerosense"):
        load_table("zerosens", "2")
    with pytest.raises(ValueError, match="zerosense has no Table '1' here: there are 2, 3, 4, 5, 6, A4, A5, A7"):
        load_table("zerosense", "1")
    with pytest.raises(KeyError, match="no column 'ZeroSense': Ours · FOX"):
        published_value("zerosense", "2", "ZeroSense", "FOX layout", "5×")
    with pytest.raises(KeyError, match=r"no row '5×': 2.5×; 5.0×"):
        published_value("zerosense", "3", "200–400", "5×")


GOOD = {
    "paper": "p",
    "table": "1",
    "caption": "c",
    "unit": "share",
    "source": "s",
    "keys": ["ratio"],
    "columns": ["a"],
    "rows": [["5×", "0.50"]],
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"unit": "pct"}, "p/1: unit 'pct': choose one of percent, share"),
        ({"rows": [["5×"]]}, r"p/1: rows: \['5×'\] must have 2 cells"),
        ({"rows": [["5×", 0.5]]}, "p/1: rows: 0.5 must be a text with a number from 0 to 1"),
        ({"rows": [["5×", "50"]]}, "p/1: rows: '50' must be a text with a number from 0 to 1"),
        ({"rows": [["5×", "NaN"]]}, "p/1: rows: 'NaN' must be"),
        ({"rows": [["5×", "–"]]}, "p/1: rows: '–' must be"),
        ({"rows": [["5×", "0.5"], ["5×", None]]}, "p/1: rows: two rows have the same ratio"),
        ({"note": "x"}, "p/1: the fields must be paper, table"),
    ],
)
def test_a_file_of_another_form(change: dict[str, object], message: str) -> None:
    assert str(read_table(json.dumps(GOOD), "p/1").value("a", "5×")) == "0.50"
    with pytest.raises(ValueError, match=message):
        read_table(json.dumps(GOOD | change), "p/1")


def test_only_changes_in_points_may_be_negative() -> None:
    rows = {"rows": [["5×", "-0.50"]]}
    assert str(read_table(json.dumps(GOOD | rows | {"unit": "points"}), "p/1").value("a", "5×")) == "-0.50"
    for unit in ("percent", "share", "printed"):
        with pytest.raises(ValueError, match=r"'-0\.50' must be a text with a number from 0"):
            read_table(json.dumps(GOOD | rows | {"unit": unit}), "p/1")


def test_a_file_that_is_not_json() -> None:
    with pytest.raises(ValueError, match="p/1: not JSON"):
        read_table("{", "p/1")


def test_the_files_are_in_the_package() -> None:
    """The wheel holds the whole package folder; the data must lie in it under names that the loader finds."""
    import pytest_vtcfaith.published as package

    folder = Path(str(package.__file__)).parent / "zerosense"
    assert sorted(path.name for path in folder.iterdir()) == sorted(f"table_{n.lower()}.json" for n in NUMBERS)
