"""The tables and the figure of made-up probes, whose figures can be worked out by hand."""

from __future__ import annotations

import json
import math
from xml.etree import ElementTree

import pytest

from pytest_vtcfaith.models.probe.figure import figure
from pytest_vtcfaith.models.probe.results import (
    as_json,
    as_markdown,
    class_table,
    layer_table,
    length_table,
    quartile_table,
)
from pytest_vtcfaith.models.probe.run import Probed


def page(
    number: int, condition: str, cosine: float, attention: float | None, outcome: str, word: str = "pier"
) -> Probed:
    return Probed(
        document=f"d{number}",
        word=word,
        condition=condition,
        form=word if condition == "original" else "peir",
        read="",
        outcome=outcome,
        patches=3,
        cosine=(1.0, cosine),
        attention=(None, attention),
        ratio=(None, None),
    )


PAGES = [
    each
    for number in range(8)
    for each in (
        page(number, "original", 1.0, 0.002, "verbatim", "pier" if number < 6 else "lanterns"),
        page(
            number,
            "scramble",
            0.1 * number,
            0.001 * (number + 1),
            "rewritten" if number >= 6 else "verbatim",
            "pier" if number < 6 else "lanterns",
        ),
    )
]


def test_layers() -> None:
    first, last = layer_table(PAGES)
    assert first == {"layer": 0, "cosine": {"scramble": 1.0}, "ratio": {"scramble": None}}
    assert last["cosine"]["scramble"] == pytest.approx(0.35)
    assert last["ratio"]["scramble"] == pytest.approx(0.0045 / 0.002)


def test_classes() -> None:
    table = class_table(PAGES)
    assert table["original"]["verbatim"] == 1
    assert (table["scramble"]["rewritten"], table["scramble"]["verbatim"]) == (0.25, 0.75)
    assert all(sum(shares.values()) == pytest.approx(1) for shares in table.values())


def test_quartiles() -> None:
    rows = quartile_table(PAGES, "scramble")
    assert [row["pages"] for row in rows] == [2, 2, 2, 2]
    assert [row["cosine"] for row in rows] == pytest.approx([0.05, 0.25, 0.45, 0.65])
    assert [row["attention"] for row in rows] == pytest.approx([0.0015, 0.0035, 0.0055, 0.0075])
    assert [(row["rewritten"], row["count"]) for row in rows] == [(0, 0), (0, 0), (0, 0), (1, 2)]
    assert quartile_table(PAGES[:6], "scramble") == []
    assert [row["pages"] for row in quartile_table(PAGES[:14], "scramble")] == [1, 2, 2, 2]


def test_lengths() -> None:
    rows = length_table(PAGES, "scramble")
    assert [(row["length"], row["pages"], row["rewritten"]) for row in rows] == [("4", 6, 0), ("8–9", 2, 1)]
    assert [row["cosine"] for row in rows] == pytest.approx([0.25, 0.65])


def test_json_has_no_nan_and_everything_else() -> None:
    pages = [*PAGES, page(9, "scramble", math.nan, None, "wrong")]
    results = as_json(pages, {"model": {"adapter": "transformers"}})
    text = json.dumps(results, allow_nan=False)
    assert json.loads(text) == results
    assert (results["schema"], results["version"]) == ("vtcfaith/probe", 1)
    assert results["provenance"] == {"model": {"adapter": "transformers"}}
    assert len(results["pages"]) == len(pages)
    assert results["pages"][-1]["cosine"] == [1.0, None]


def test_markdown_shows_some_layers_and_the_last() -> None:
    lines = as_markdown(as_json(PAGES, {}), every=4)
    assert lines[:4] == [
        "| layer | cosine scramble | attention scramble |",
        "|---|---|---|",
        "| 0 | 1.0000 | – |",
        "| 1 | 0.3500 | 2.25× |",
    ]
    assert "| Q4 | 2 | 0.650 | 0.00750 | 100.00% (2) |" in lines
    assert "| rewritten | 0.0% | 25.0% |" in lines
    assert "| 8–9 | 2 | 0.650 | 100.00% (2) |" in lines


def test_quartiles_of_different_cosines_look_different() -> None:
    pages = [PAGES[0], *(page(4, "scramble", 0.99995 + n * 1e-5, 0.01, "wrong") for n in range(4))]
    lines = as_markdown(as_json(pages, {}))
    shown = [line.split(" | ")[2] for line in lines if line.startswith("| Q")]
    assert shown == ["0.99995", "0.99996", "0.99997", "0.99998"]


@pytest.mark.parametrize(
    ("least", "labels"),
    [
        (0.35, ["0.2", "0.4", "0.6", "0.8", "1.0"]),
        (0.9992, ["0.9992", "0.9994", "0.9996", "0.9998", "1.0000"]),
        (0.999955, ["0.99992", "0.99994", "0.99996", "0.99998", "1.00000"]),
    ],
)
def test_labels_of_even_ticks_are_even(least: float, labels: list[str]) -> None:
    drawn = figure(as_json([PAGES[0], page(4, "scramble", least, 0.01, "wrong")], {}), "t")
    root = ElementTree.fromstring(drawn)
    ticks = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text") if t.get("text-anchor") == "end"]
    assert ticks[: len(labels)] == labels


def test_the_figure_is_xml_with_a_curve_a_panel_and_a_title_that_is_text() -> None:
    drawn = figure(as_json(PAGES, {}), "</title><script>alert(1)</script> & \x07")
    root = ElementTree.fromstring(drawn)
    name = "{http://www.w3.org/2000/svg}"
    assert not root.findall(f".//{name}script")
    assert root.find(f"{name}title").text == "</title><script>alert(1)</script> & ?"
    assert len(root.findall(f"{name}polyline")) == 3, "two curves and the key"
    assert "href" not in drawn


def test_higher_values_stand_higher() -> None:
    root = ElementTree.fromstring(figure(as_json(PAGES, {}), "t"))
    curve = root.findall("{http://www.w3.org/2000/svg}polyline")[0].get("points")
    (_, first), (_, last) = (map(float, point.split(",")) for point in curve.split())
    assert first < last, "a cosine of 1 is drawn above one of 0.35"
