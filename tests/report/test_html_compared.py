"""What was read around an edit: marks where the metric counts an error, and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_html import PRINTED, answer, case, html_run
from made_views import failure, view
from PIL import Image

from pytest_vtcfaith.engine.pictures import picture_reply
from pytest_vtcfaith.engine.transcript import Transcript
from pytest_vtcfaith.metrics.blocks import Block
from pytest_vtcfaith.report.html import Answer, write_html
from pytest_vtcfaith.suites import load_suite
from pytest_vtcfaith.suites.editing_cases import pair_of
from pytest_vtcfaith.suites.instruments import Instruments

EDITING: Any = load_suite("editing")
CASE = next(of for of in EDITING.cases() if of.id == "en-form-deposit")
PAIR = pair_of(CASE)
NAME = "Name: Ingrid\nSoames"


DOT = (255, 0, 255)
"""The first pixel of an output."""


class Form:
    """Reads two fields beside each other: of a page the left one first, of an output, whose fields stand a pixel
    higher or lower, the right one, with `right` in it. In a crop it reads `region`."""

    def __init__(self, right: str, region: str) -> None:
        self.right, self.region = right, region

    def read(self, images: Sequence[Image.Image]) -> list[list[Block]]:
        return [self._blocks(image) for image in images]

    def _blocks(self, image: Image.Image) -> list[Block]:
        if image.size != PAIR.source.size:
            return [Block((40, 40, image.width - 40, image.height - 40), self.region)]
        if image.getpixel((0, 0)) != DOT:
            return [Block((10, 10, 100, 30), NAME), Block((200, 11, 300, 31), "Plot: 47 East")]
        right = [Block((200, 10, 300, 30), self.right)] if self.right else []
        return [*right, Block((10, 11, 100, 31), NAME)]


def compared(folder: Path, reader: Form) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The metrics of an output, and what the report compares."""
    output = PAIR.reference.copy()
    output.putpixel((0, 0), DOT)
    transcript = Transcript(picture_reply(output), "complete", 0.1, False)
    instruments = Instruments(reader=lambda: reader)
    metrics = EDITING.score(CASE, transcript, None, instruments)
    read = json.loads(json.dumps(EDITING.read_back(CASE, transcript, instruments)))
    row = {"case": CASE.id, "outcome": "complete", "metrics": metrics, "transcript": None, "read": read}
    shown = view(failures=[failure(f"x.py::test_case[m-{CASE.id}]")])
    run = html_run([answer(case(), PRINTED)], folder, suites={"editing": EDITING}, view=shown)
    write_html(folder, replace(run, tiers=[], answers=[Answer(f"m-{CASE.id}", "m", CASE, row)]))
    text = (folder / "vtc-html" / "data" / "detail-0.js").read_text(encoding="utf-8")
    return metrics, json.loads(f"[{text.strip()[len('vtc.take(') : -2]}]")[1]["compared"]


@pytest.mark.parametrize(
    ("right", "counts", "marked"),
    [
        ("Plot: 47 East", {}, []),
        ("Plot:  47\nEast", {}, []),
        ("Plot: 48 West", {"close": [2, 0]}, [[2, "47", "48"], [2, "East", "West"]]),
        ("", {"missing": [3, 0]}, [[4, "Plot: 47 East", ""]]),
    ],
)
def test_a_page_is_marked_where_the_metric_counts(
    tmp_path: Path, right: str, counts: dict[str, list[int]], marked: list[list[Any]]
) -> None:
    metrics, (region, outside) = compared(tmp_path, Form(right, "02.08"))
    assert (metrics["preservation_outside"] > 0.999) == (not marked)
    assert (outside["counts"], [span for span in outside["spans"] if span[0]]) == (counts, marked)
    assert [span for span in region["spans"] if span[0]] == [[3, "35.75", "02.08"]]
    assert outside["label"] == "page outside the edited region"
    assert [0, "\n"] in outside["spans"]  # each block begins a line
