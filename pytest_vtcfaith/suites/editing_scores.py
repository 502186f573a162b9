"""The score of an edited picture: both columns, local and global, the properties of A.2, and the OCR's own ceiling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from pytest_vtcfaith.metrics.block_scores import block_scores
from pytest_vtcfaith.metrics.blocks import Block
from pytest_vtcfaith.metrics.boxes import enclosing
from pytest_vtcfaith.metrics.columns import Column
from pytest_vtcfaith.metrics.edit import (
    completeness,
    edit_fidelity,
    localization,
    preservation_outside,
    text_correctness,
    visual_fidelity,
)
from pytest_vtcfaith.metrics.pictures import identical, psnr, ssim
from pytest_vtcfaith.models.page_reading import Reader, ground_of, read_region
from pytest_vtcfaith.pages.edits.pair import EditPair
from pytest_vtcfaith.pages.images import upright_rgb

if TYPE_CHECKING:
    from PIL import Image

    from pytest_vtcfaith.metrics.pictures import Picture
    from pytest_vtcfaith.models.scorers import PictureScorer

Score = dict[str, float | int | None]

SCOPES = ("local", "global")
NEURAL = ("lpips", "clip")
"""What networks measure, where a user names their weights."""
NO_SCORERS: Mapping[str, PictureScorer] = {}
TEXT_METRICS = ("iou", "cdm", "bleu", "textsim", "teds")
PROPERTIES = ("text_correctness", "visual_fidelity", "preservation_outside", "localization", "completeness")
CEILINGS = (*PROPERTIES, "edit_fidelity", "cdm_local", "cdm_global", "teds_local", "teds_global")
"""What is also measured on the untouched reference, as `ceiling_…`: no editor can be expected to score higher."""


@dataclass(frozen=True, slots=True)
class Readings:
    """What was read of one picture, in its pixels: `page` of the whole, `region` of the regions, each cropped, and
    `outside` of the whole with the regions covered."""

    page: tuple[Block, ...]
    region: tuple[Block, ...]
    outside: tuple[Block, ...]


def fitted(output: Image.Image, pair: EditPair) -> tuple[Image.Image, bool]:
    """The picture upright, RGB and of the reference's size, and whether it had to be resized."""
    from PIL import Image

    output = upright_rgb(output)
    if output.size == pair.reference.size:
        return output, False
    return output.resize(pair.reference.size, Image.Resampling.LANCZOS), True


def read_picture(reader: Reader, pair: EditPair, picture: Image.Image) -> Readings:
    """Reads the reference, or a fitted output, of a pair."""
    page, outside = reader.read([picture, _covered(pair, picture)])
    return Readings(tuple(page), read_regions(reader, pair, picture), tuple(outside))


def read_source(reader: Reader, pair: EditPair) -> Readings:
    """Reads the source of a pair: outside the regions, and in them only where their text is not known."""
    (outside,) = reader.read([_covered(pair, pair.source)])
    known = pair.source_text is not None
    return Readings((), () if known else read_regions(reader, pair, pair.source), tuple(outside))


def score_output(
    reader: Reader, pair: EditPair, output: Image.Image, scorers: Mapping[str, PictureScorer] = NO_SCORERS
) -> Score:
    """The metrics of an edited picture, by definitions §5; what could not be measured is None.

    - `METRIC_SCOPE`, `METRIC_SCOPE_published`: iou, cdm, bleu, textsim and teds in both columns; `spurious_SCOPE`,
      `tables_not_scored_SCOPE`. SCOPE is `local` (the regions, cropped and read) or `global` (the page).
    - `psnr_SCOPE` (None for identical pictures, 100 in the column `published`), `ssim_SCOPE`, `identical_SCOPE`; what
      `scorers` measure as `NAME_SCOPE`, None for `NEURAL` ones that are not among them.
    - the properties of VDE Bench A.2 (`PROPERTIES`), `edit_fidelity`, `resized` (1: the output had another size).
    - `ceiling_…`: what the untouched reference scores with this reader (`CEILINGS`).
    """
    picture, resized = fitted(output, pair)
    source, reference = read_source(reader, pair), read_picture(reader, pair, pair.reference)
    best = _score(pair, pair.reference, reference, source, reference)
    same = picture.tobytes() == pair.reference.tobytes()
    score = best if same else _score(pair, picture, read_picture(reader, pair, picture), source, reference)
    for scope, box in _boxes(pair).items():
        ours, theirs = pair.reference.crop(box), picture.crop(box)
        score |= {f"{name}_{scope}": scorers[name].score(ours, theirs) if name in scorers else None for name in NEURAL}
    return score | {"resized": int(resized)} | {f"ceiling_{name}": best[name] for name in CEILINGS}


def _score(pair: EditPair, picture: Image.Image, read: Readings, source: Readings, reference: Readings) -> Score:
    wanted = reference.region if pair.region_blocks is None else pair.region_blocks
    page = reference.page if pair.blocks is None else pair.blocks
    before = text_of(source.region) if pair.source_text is None else pair.source_text
    score: Score = {}
    boxes = _boxes(pair)
    for scope, ours, theirs in (("local", wanted, read.region), ("global", page, read.page)):
        score |= _text_scores(ours, theirs, pair.lang, scope)
        box = boxes[scope]
        score |= _picture_scores(_pixels(pair.reference, box), _pixels(picture, box), scope)
    whole = (0, 0, *picture.size)
    old, new, made = (_pixels(image, whole) for image in (pair.source, pair.reference, picture))
    correct = text_correctness(wanted, read.region, lang=pair.lang, operation=pair.operation)
    preserved = preservation_outside(source.outside, read.outside, old, made, pair.regions, lang=pair.lang)
    complete = completeness(
        before,
        text_of(wanted),
        text_of(read.region),
        lang=pair.lang,
        source=old,
        reference=new,
        output=made,
        regions=pair.regions,
    )
    return score | {
        "text_correctness": correct,
        "visual_fidelity": visual_fidelity(new, made, pair.regions),
        "preservation_outside": preserved,
        "localization": localization(old, made, pair.regions),
        "completeness": complete,
        "edit_fidelity": edit_fidelity(correct, preserved, complete),
    }


def _boxes(pair: EditPair) -> dict[str, tuple[int, int, int, int]]:
    left, top, right, bottom = map(int, enclosing(pair.regions))
    return {"local": (left, top, right, bottom), "global": (0, 0, *pair.reference.size)}


def _covered(pair: EditPair, picture: Image.Image) -> Image.Image:
    """The picture with its regions painted in the ground of the source's."""
    covered = picture.copy()
    for region in pair.regions:
        covered.paste(ground_of(pair.source.crop(region)), region)
    return covered


def read_regions(reader: Reader, pair: EditPair, picture: Image.Image) -> tuple[Block, ...]:
    return tuple(block for region in pair.regions for block in read_region(reader, picture, region))


def _text_scores(reference: Sequence[Block], output: Sequence[Block], lang: str, scope: str) -> Score:
    found: Score = {}
    for column in get_args(Column):
        values = block_scores(reference, output, lang=lang, column=column)
        audited = column == "audited"
        found |= {f"{name}_{scope}{'' if audited else '_published'}": values[name] for name in TEXT_METRICS}
        if audited:
            found |= {f"{name}_{scope}": values[name] for name in ("spurious", "tables_not_scored")}
    return found


def _picture_scores(reference: Picture, output: Picture, scope: str) -> Score:
    same = identical(reference, output)
    value = psnr(reference, output)
    return {
        f"psnr_{scope}": None if same else value,
        f"psnr_{scope}_published": value,
        f"ssim_{scope}": ssim(reference, output) if min(reference.shape[:2]) >= 3 else None,
        f"identical_{scope}": int(same),
    }


def _pixels(image: Image.Image, box: Sequence[float]) -> Picture:
    import numpy as np

    left, top, right, bottom = map(int, box)
    return np.asarray(image.crop((left, top, right, bottom)))


def text_of(blocks: Sequence[Block]) -> str:
    return "\n".join(block.text for block in blocks)
