"""The score of an edited picture with a reader that knows what it will see: every number has one right value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from PIL import Image, ImageDraw

from pytest_vtcfaith.metrics.blocks import Block
from pytest_vtcfaith.models.page_reading import MARGIN
from pytest_vtcfaith.pages.edits.pair import EditPair
from pytest_vtcfaith.pages.edits.regions import composite
from pytest_vtcfaith.suites.editing_scores import CEILINGS, PROPERTIES, SCOPES, TEXT_METRICS, score_output

SIZE = (400, 300)
REGION = (40, 40, 140, 80)
OTHER = (40, 200, 240, 230)
BLACK, WHITE, RED = (0, 0, 0), (255, 255, 255), (255, 0, 0)


def picture(word: tuple[int, int, int], other: tuple[int, int, int] = BLACK) -> Image.Image:
    """A page with a bar for the word that is edited and one for the text that stays."""
    page = Image.new("RGB", SIZE, WHITE)
    pen = ImageDraw.Draw(page)
    for box, colour in ((REGION, word), (OTHER, other)):
        left, top, right, bottom = box
        pen.rectangle((left + 10, top + 10, right - 11, bottom - 11), fill=colour)
    return page


class Bars:
    """Reads bars by their colour."""

    def __init__(self, words: dict[tuple[int, int, int], str], others: dict[tuple[int, int, int], str]) -> None:
        self.words, self.others = words, others

    def read(self, images: Sequence[Image.Image]) -> list[list[Block]]:
        return [self._blocks(image) for image in images]

    def _blocks(self, image: Image.Image) -> list[Block]:
        if image.size != SIZE:  # a crop with its margin
            box = (MARGIN + 10.0, MARGIN + 10.0, MARGIN + 90.0, MARGIN + 30.0)
            return self._block(box, image.getpixel((MARGIN + 50, MARGIN + 20)), self.words)
        return self._block((50.0, 50.0, 130.0, 70.0), image.getpixel((90, 60)), self.words) + self._block(
            (50.0, 210.0, 230.0, 220.0), image.getpixel((140, 215)), self.others
        )

    def _block(
        self, box: tuple[float, float, float, float], colour: object, texts: dict[tuple[int, int, int], str]
    ) -> list[Block]:
        assert isinstance(colour, tuple)
        return [Block(box, texts[colour])] if texts.get(colour) else []


READER = Bars({BLACK: "old word", RED: "new text"}, {BLACK: "stays as it is", RED: "stays as it was"})
PAIR = EditPair(
    source=picture(BLACK),
    reference=composite(picture(BLACK), picture(RED), [REGION]),
    regions=(REGION,),
    blocks=(Block((50, 50, 130, 70), "new text"), Block((50, 210, 230, 220), "stays as it is")),
    region_blocks=(Block((50, 50, 130, 70), "new text"),),
    source_text="old word",
    lang="en",
    operation="modify",
    instruction="Replace ‘old word’ with ‘new text’.",
)


def test_the_reference_itself() -> None:
    score = score_output(READER, PAIR, PAIR.reference)
    for scope in SCOPES:
        for name in ("iou", "cdm", "textsim", "bleu"):
            assert score[f"{name}_{scope}"] == score[f"{name}_{scope}_published"] == 1.0 or name == "bleu"
        assert score[f"bleu_{scope}"] == 1.0
        assert score[f"teds_{scope}"] is None
        assert (score[f"psnr_{scope}"], score[f"psnr_{scope}_published"]) == (None, 100.0)
        assert (score[f"ssim_{scope}"], score[f"identical_{scope}"], score[f"spurious_{scope}"]) == (1.0, 1, 0.0)
    assert [score[name] for name in (*PROPERTIES, "edit_fidelity", "resized")] == [
        1.0,
        1.0,
        1.0,
        pytest.approx(80 * 20 / (100 * 40)),
        1,
        1.0,
        0,
    ]
    assert all(score[f"ceiling_{name}"] == score[name] for name in CEILINGS)


def test_all_names_are_there_and_plain() -> None:
    score = score_output(READER, PAIR, PAIR.source)
    names = {f"{name}_{scope}{column}" for name in TEXT_METRICS for scope in SCOPES for column in ("", "_published")}
    names |= {f"ceiling_{name}" for name in CEILINGS} | {*PROPERTIES, "edit_fidelity", "resized"}
    assert names <= score.keys()
    assert all(value is None or type(value) in (int, float) for value in score.values())


def test_nothing_done() -> None:
    score = score_output(READER, PAIR, PAIR.source)
    assert (score["completeness"], score["edit_fidelity"], score["localization"]) == (0, 0.0, 0.0)
    assert score["preservation_outside"] == 1.0
    assert score["cdm_local"] == pytest.approx(1 - 7 / 8)
    assert score["ceiling_edit_fidelity"] == 1.0


def test_damage_elsewhere_counts_by_text_or_pixels() -> None:
    output = picture(RED, RED)
    score = score_output(READER, PAIR, output)
    assert score["text_correctness"] == 1.0
    assert score["preservation_outside"] == pytest.approx(1 - 2 / 15)  # i → wa
    faithful = 2 * (1 - 2 / 15) / (2 - 2 / 15)
    assert score["edit_fidelity"] == pytest.approx(faithful)
    blind = Bars(READER.words, {BLACK: "stays as it is", RED: "stays as it is"})
    assert 0.9 < (score_output(blind, PAIR, output)["preservation_outside"] or 0) < 1.0


def test_the_region_does_not_count_as_outside() -> None:
    """What is read in the region of the output, but not of the source, is no damage."""
    added = replace(
        PAIR,
        source=picture(WHITE),
        reference=composite(picture(WHITE), picture(RED), [REGION]),
        source_text="",
        operation="add",
    )
    score = score_output(READER, added, added.reference)
    assert score["preservation_outside"] == score["edit_fidelity"] == 1.0


def test_a_deletion_that_leaves_nothing() -> None:
    gone = replace(
        PAIR,
        reference=composite(picture(BLACK), picture(WHITE), [REGION]),
        blocks=PAIR.blocks[1:],
        region_blocks=(),
        operation="delete",
    )
    assert score_output(READER, gone, gone.reference)["edit_fidelity"] == 1.0
    assert score_output(READER, gone, gone.source)["edit_fidelity"] == 0.0
    everything = score_output(READER, gone, Image.new("RGB", SIZE, WHITE))
    assert (everything["completeness"], everything["preservation_outside"], everything["edit_fidelity"]) == (
        1,
        0.0,
        0.0,
    )
    assert everything["cdm_local_published"] is None


def test_an_output_of_another_size_is_resized_and_recorded() -> None:
    large = PAIR.reference.resize((800, 600), Image.Resampling.NEAREST)
    score = score_output(READER, PAIR, large)
    assert score["resized"] == 1
    assert score["text_correctness"] == 1.0


def test_the_mode_of_the_output_does_not_matter() -> None:
    assert score_output(READER, PAIR, PAIR.reference.convert("RGBA"))["identical_global"] == 1


def test_what_nobody_knows_is_read() -> None:
    unknown = replace(PAIR, region_blocks=None, source_text=None)
    assert score_output(READER, unknown, PAIR.reference)["edit_fidelity"] == 1.0
    assert score_output(READER, unknown, PAIR.source)["edit_fidelity"] == 0.0


def test_the_ceiling_tells_the_readers_own_errors() -> None:
    poor = Bars({BLACK: "old word", RED: "now text"}, READER.others)
    score = score_output(poor, PAIR, PAIR.reference)
    assert score["ceiling_cdm_local"] == score["ceiling_text_correctness"] == pytest.approx(7 / 8)
