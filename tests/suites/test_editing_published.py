"""What the regions of a published page show, where its blocks tell it; and what is scored without blocks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from made_vde import item, made_vde

from pytest_vtcfaith.engine.pictures import picture_reply
from pytest_vtcfaith.engine.transcript import Transcript
from pytest_vtcfaith.metrics.blocks import Block
from pytest_vtcfaith.metrics.boxes import percent_to_pixels
from pytest_vtcfaith.models.spec import ModelSpec
from pytest_vtcfaith.suites.editing import SUITE
from pytest_vtcfaith.suites.editing_cases import editing_cases, layout_of, pair_of, source_of
from pytest_vtcfaith.suites.editing_published import region_blocks_of
from pytest_vtcfaith.suites.editing_scores import score_output
from pytest_vtcfaith.suites.instruments import Instruments
from pytest_vtcfaith.texts.edits.picture_build import build_vde
from pytest_vtcfaith.texts.edits.pictures import write_pictures
from pytest_vtcfaith.texts.manifest import write_manifest


def block(left: float, top: float, right: float, bottom: float, text: str = "a") -> dict[str, Any]:
    return {"box": [left, top, right, bottom], "text": text, "kind": "text"}


@pytest.mark.parametrize(
    ("blocks", "operation", "texts"),
    [
        (None, "modify", None),
        ([block(11, 11, 49, 49)], "modify", ["a"]),
        ([block(9, 11, 49, 49)], "modify", ["a"]),  # 2.6 % outside
        ([block(0, 11, 49, 49)], "modify", None),  # a fifth outside
        ([block(11, 11, 49, 49), block(45, 11, 90, 20, "far")], "modify", None),
        ([block(11, 11, 49, 49), block(50, 11, 90, 20, "far")], "modify", ["a"]),  # touches, shares no area
        ([block(11, 11, 49, 49, " ")], "modify", None),
        ([block(60, 60, 90, 90)], "modify", None),
        ([block(60, 60, 90, 90)], "delete", []),
        ([], "delete", []),
    ],
)
def test_what_the_blocks_tell_of_the_region(blocks: Any, operation: str, texts: list[str] | None) -> None:
    found = region_blocks_of({"blocks": blocks, "boxes": [[10, 10, 50, 50]], "operation": operation})
    assert (None if found is None else [each.text for each in found]) == texts


class Reading:
    """Reads one block of every picture that is not white all over."""

    def read(self, images: Any) -> list[list[Block]]:
        found = [Block((0, 0, *image.size), "read") for image in images]
        return [
            [one] if image.convert("L").getextrema()[0] < 255 else [] for one, image in zip(found, images, strict=True)
        ]


def test_without_results_of_ocr_the_engine_reads_the_reference(tmp_path: Path) -> None:
    out = tmp_path / "cases" / "e.jsonl"
    made = build_vde(str(made_vde(tmp_path / "vde", item(), blocks=None)), out)
    write_pictures(out.parent, made.pictures)
    write_manifest(out, made.draft.header, made.draft.rows)
    (case,) = editing_cases(out.parent)
    assert (case.reference, layout_of(case)) == ("", None)
    pair = pair_of(case)
    assert (pair.blocks, pair.region_blocks) == (None, None)
    perfect, nothing = (score_output(Reading(), pair, picture) for picture in (pair.reference, pair.source))
    assert perfect["cdm_global"] == perfect["cdm_local"] == perfect["edit_fidelity"] == 1.0
    assert nothing["cdm_global"] == nothing["cdm_local"] == nothing["edit_fidelity"] == 0.0


def test_the_suite_asks_scores_and_explains(tmp_path: Path) -> None:
    out = tmp_path / "cases" / "e.jsonl"
    made = build_vde(str(made_vde(tmp_path / "vde", item())), out)
    write_pictures(out.parent, made.pictures)
    write_manifest(out, made.draft.header, made.draft.rows)
    (case,) = SUITE.cases(out.parent)
    request = SUITE.request(case, ModelSpec(name="m", load=object, languages=None))
    assert request.prompt.text == "Replace “5” with “6”."
    transcript = Transcript(picture_reply(request.page.image), "complete", seconds=0.0, cached=False)
    instruments = Instruments(reader=Reading)
    metrics = SUITE.score(case, transcript, request, instruments)
    assert metrics["edit_fidelity"] == 0
    found = SUITE.explain(case, transcript, metrics, request, instruments)
    assert any("Total 6" in line for line in found.lines)
    assert [(label, draw().size) for label, draw in found.pictures] == [
        (label, (200, 100)) for label in ("reference", "output", "difference")
    ]


def test_the_fingerprint_of_the_page_is_that_of_its_picture_and_size(tmp_path: Path) -> None:
    prints = set()
    for name, size in (("a", (200, 100)), ("b", (400, 200)), ("c", (200, 100))):
        out = tmp_path / name / "e.jsonl"
        made = build_vde(str(made_vde(tmp_path / "vde" / name, item(), size=size)), out)
        write_manifest(out, made.draft.header, made.draft.rows)
        (case,) = editing_cases(out.parent)
        prints.add(source_of(case).fingerprint)
    assert len(prints) == 2


REGION = {"x": 12.3, "y": 4.0, "width": 30.0, "height": 5.0}


@pytest.mark.parametrize("other", [{}, {"x": 13, "width": 20}, {"x": 20.0, "width": 30.0}])
@pytest.mark.parametrize("told_by", ["labels", "manifest"])
def test_regions_that_overlap_are_read_once(tmp_path: Path, other: dict[str, float], told_by: str) -> None:
    """Text that two of them share would be wanted once, and found twice."""

    class Right:
        """Reads the word of the region in every picture with black in it."""

        def read(self, images: Any) -> list[list[Block]]:
            found = [Block((2, 0, image.width - 2, image.height), "Total 6") for image in images]
            black = [image.convert("L").getextrema()[0] == 0 for image in images]
            return [[one] if shown else [] for one, shown in zip(found, black, strict=True)]

    out = tmp_path / "cases" / "e.jsonl"
    labels = [REGION, {**REGION, **other}]
    written = item(label_output=labels) if told_by == "labels" else item()
    made = build_vde(str(made_vde(tmp_path / "vde", written)), out)
    write_pictures(out.parent, made.pictures)
    rows = made.draft.rows
    if told_by == "manifest":
        boxes = [percent_to_pixels(**label, page=(200, 100)) for label in labels]
        rows = [{**row, "boxes": [list(box) for box in boxes]} for row in rows]
    write_manifest(out, made.draft.header, rows)
    pair = pair_of(editing_cases(out.parent)[0])
    assert len(pair.regions) == 1
    score = score_output(Right(), pair, pair.reference)
    assert (score["text_correctness"], score["completeness"], score["edit_fidelity"]) == (1.0, 1, 1.0)
    assert score_output(Right(), pair, pair.source)["edit_fidelity"] == 0.0
