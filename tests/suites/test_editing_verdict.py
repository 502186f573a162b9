"""What is said first of an edit: what the region shows in its place, and that an OCR cannot read."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PIL import Image
from test_editing_scores import BLACK, PAIR, READER, RED, WHITE, Bars, picture

from pytest_vtcfaith.pages.edits.regions import composite
from pytest_vtcfaith.suites.editing_scores import score_output
from pytest_vtcfaith.suites.editing_verdict import RegionTexts, region_texts, verdict

GREEN = (0, 128, 0)
SEEING = Bars({**READER.words, GREEN: "of old word"}, {BLACK: "stays as it is"})
OCR = "the OCR mine"


GONE = "; little is left of the page around it (0)"
BLACKENED = "; little is left of the page around it (0.00646)"


def said(reader: Bars, output: Image.Image, pair: object = PAIR) -> str:
    metrics = score_output(reader, pair, output)  # type: ignore[arg-type]
    return verdict(metrics, region_texts(reader, pair, output), "en", OCR)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("output", "right"),
    [
        (PAIR.source, "the edit is missing, the region reads as before"),
        (
            Image.new("RGB", PAIR.source.size, WHITE),
            f"the edit is missing, nothing is read in the region any more{GONE}",
        ),
        (
            Image.new("RGB", PAIR.source.size, BLACK),
            f"the edit is missing, the region reads as before{BLACKENED}",
        ),  # as Bars do
        (Image.new("RGB", (1, 1), WHITE), f"the edit is missing, nothing is read in the region any more{GONE}"),
        (picture(GREEN), "the edit is missing, the region reads neither as before nor as it should"),
    ],
)
def test_what_stands_in_the_place_of_an_edit_that_is_missing(output: Image.Image, right: str) -> None:
    assert said(SEEING, output) == f"edit_fidelity 0: {right}"


def test_nothing_was_there_before_either() -> None:
    added = replace(
        PAIR,
        source=picture(WHITE),
        reference=composite(picture(WHITE), picture(RED), PAIR.regions),
        source_text="",
        operation="add",
    )
    assert said(SEEING, added.source, added).endswith("nothing is read in the region, as in the source")


def test_texts_that_are_equal_say_nothing() -> None:
    texts = RegionTexts(wanted="a b", before="a  b", source_read="a b", read="a b")
    metrics = {"edit_fidelity": 0.0, "completeness": 0, "ceiling_edit_fidelity": 1.0, "ceiling_completeness": 1}
    assert verdict(metrics, texts, "en", OCR).endswith("looks more like the source than like the reference")


@pytest.mark.parametrize("output", [PAIR.source, PAIR.reference, Image.new("RGB", PAIR.source.size, WHITE)])
def test_an_engine_that_reads_nothing_is_no_fault_of_the_editor(output: Image.Image) -> None:
    found = said(Bars({}, {}), output)
    assert found.startswith(f"edit_fidelity 0: {OCR} cannot read the untouched reference (ceiling_edit_fidelity 0)")
    assert "editor" in found
    assert "missing" not in found


@pytest.mark.parametrize(
    ("score", "ceiling", "blames"),
    [(0.4, 0.4, False), (0.385, 0.4, False), (0.37, 0.4, True), (0.4, 1.0, True), (0.4, None, True)],
)
def test_a_score_near_a_low_ceiling(score: float, ceiling: float | None, blames: bool) -> None:
    metrics = {"edit_fidelity": score, "completeness": 1, "text_correctness": score, "preservation_outside": 1.0}
    found = verdict(metrics | {"ceiling_edit_fidelity": ceiling}, None, "en", OCR)
    assert ("the region does not say" in found) == blames
    assert (f"{OCR} cannot read the untouched reference any better (ceiling_edit_fidelity 0.4)" in found) != blames
