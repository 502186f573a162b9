"""Edit fidelity and its properties (`metrics/edit.py`), on pages whose text is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFilter

from pytest_vtcfaith.metrics.blocks import Block
from pytest_vtcfaith.metrics.edit import (
    DILATION,
    completeness,
    edit_fidelity,
    has_outside,
    localization,
    preservation_outside,
    text_correctness,
    visual_fidelity,
)
from pytest_vtcfaith.metrics.pictures import ssim_map

LINES = ("The office opens at nine", "Parking costs 5 pounds", "Dogs wait outside please", "Ring twice for the porter")
WANTED = "Parking costs 12 euros"
REGION = (10, 45, 230, 70)


def page(lines: Sequence[str], shift: int = 0) -> np.ndarray:
    picture = Image.new("L", (240, 160), 255)
    draw = ImageDraw.Draw(picture)
    for number, line in enumerate(lines):
        draw.text((20 + shift, 20 + 30 * number), line, fill=0)
    return np.asarray(picture)


def blocks(lines: Sequence[str]) -> list[Block]:
    return [Block((20, 18 + 30 * n, 220, 34 + 30 * n), line) for n, line in enumerate(lines) if line]


def replaced(line: str) -> list[str]:
    return [LINES[0], line, *LINES[2:]]


def blurred(picture: np.ndarray) -> np.ndarray:
    return np.asarray(Image.fromarray(picture).filter(ImageFilter.GaussianBlur(2)))


def composed(inside: np.ndarray, outside: np.ndarray) -> np.ndarray:
    made = outside.copy()
    made[REGION[1] : REGION[3], REGION[0] : REGION[2]] = inside[REGION[1] : REGION[3], REGION[0] : REGION[2]]
    return made


SOURCE, REFERENCE = page(LINES), page(replaced(WANTED))
# What an editor draws, and what a perfect reading of it gives
EDITORS: Mapping[str, tuple[np.ndarray, list[str]]] = {
    "perfect": (REFERENCE, replaced(WANTED)),
    "re-typeset": (composed(REFERENCE, page(replaced(WANTED), shift=1)), replaced(WANTED)),
    "blurred": (blurred(REFERENCE), ["The offlce opens at nlne", WANTED, "Dogs walt outslde p1ease", *LINES[3:]]),
    "collateral damage": (page([LINES[0], WANTED, "Cats", ""]), [LINES[0], WANTED, "Cats", ""]),
    "wrong text": (page(replaced("Parking is not allowed")), replaced("Parking is not allowed")),
    "no-op": (SOURCE, list(LINES)),
    "wrong place": (page([*LINES[:3], WANTED]), [*LINES[:3], WANTED]),
    "deletes everything": (page([]), []),
}


def scored(editor: str) -> dict[str, Any]:
    picture, lines = EDITORS[editor]
    read = blocks(lines)
    inside = [block for block in read if block.box[1] == 48]
    outside = [block for block in read if block.box[1] != 48]
    one = text_correctness(blocks(replaced(WANTED))[1:2], inside, lang="en", operation="modify")
    three = preservation_outside(blocks(replaced("")), outside, SOURCE, picture, [REGION], lang="en")
    five = completeness(
        LINES[1],
        WANTED,
        "".join(block.text for block in inside),
        lang="en",
        source=SOURCE,
        reference=REFERENCE,
        output=picture,
        regions=[REGION],
    )
    return {
        "text_correctness": one,
        "visual_fidelity": visual_fidelity(REFERENCE, picture, [REGION]),
        "preservation_outside": three,
        "localization": localization(SOURCE, picture, [REGION]),
        "completeness": five,
        "edit_fidelity": edit_fidelity(one, three, five),
    }


def test_the_reference_editors_are_in_order() -> None:
    fidelity = {editor: scored(editor)["edit_fidelity"] for editor in EDITORS}
    assert fidelity["perfect"] == 1.0
    falling = [fidelity[editor] for editor in ("perfect", "re-typeset", "blurred", "collateral damage")]
    assert all(better > worse for better, worse in pairwise(falling))
    assert falling[-1] > 0
    assert fidelity["perfect"] > fidelity["wrong text"]
    for editor in ("no-op", "wrong place", "deletes everything"):
        assert fidelity[editor] == 0.0


def test_each_property_sees_its_own_fault() -> None:
    assert scored("perfect")["visual_fidelity"] == 1.0
    assert scored("blurred")["visual_fidelity"] < 0.95
    assert scored("blurred")["text_correctness"] == 1.0
    assert scored("re-typeset")["text_correctness"] == 1.0
    assert scored("collateral damage")["preservation_outside"] < 0.7
    assert scored("wrong text")["preservation_outside"] == 1.0
    assert scored("wrong text")["text_correctness"] < 0.7
    assert scored("no-op")["completeness"] == 0
    assert scored("no-op")["localization"] == 0.0
    assert scored("no-op")["preservation_outside"] == 1.0
    assert scored("deletes everything")["preservation_outside"] == 0.0


@pytest.mark.parametrize(
    ("operation", "reference", "output", "value"),
    [
        ("modify", "2024", "2023", 0.75),
        ("modify", "2024", "", 0.0),
        ("modify", "", "2024", None),
        ("add", "", "", None),
        ("structure", "", "", None),
        ("delete", "", "", 1.0),
        ("delete", "kept", "", 1.0),  # blank and remaining surroundings are both valid
        ("delete", "kept", "kept", 1.0),
        ("delete", "kept", "kepx", 0.75),
        ("delete", "", "target", 0.0),
        ("delete", "", " \u200b", 1.0),
    ],
)
def test_text_correctness(operation: Any, reference: str, output: str, value: float | None) -> None:
    found = text_correctness(blocks([reference]), blocks([output]), lang="en", operation=operation)
    assert found == value


def test_pictures_without_text_in_the_reference_do_not_lower_it() -> None:
    picture = Block((0, 100, 50, 150), "")
    assert text_correctness([*blocks(["a"]), picture], blocks(["a"]), lang="en", operation="modify") == 1.0


def test_an_unknown_operation() -> None:
    with pytest.raises(ValueError, match="operation 'rotate' is unknown: choose one of modify, add, delete, structure"):
        text_correctness([], [], lang="en", operation="rotate")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("source", "reference", "output", "complete"),
    [
        ("abcd", "abxy", "abxy", 1),
        ("abcd", "abxy", "abcd", 0),
        ("abcd", "abxy", "abcy", 0),  # as near to the one as to the other
        ("abcd", "abxy", "zzzz", 0),
        ("", "new", "", 0),
        ("", "new", "nev", 1),
        ("old text", "text", "", 1),
        ("a  b", "a b c", "a b", 0),  # white space is not text
    ],
)
def test_completeness(source: str, reference: str, output: str, complete: int) -> None:
    pictures = {"source": SOURCE, "reference": REFERENCE, "output": REFERENCE}
    assert completeness(source, reference, output, lang="en", regions=[REGION], **pictures) == complete


def test_where_the_text_stays_the_pictures_tell() -> None:
    pictures = {"source": SOURCE, "reference": REFERENCE}
    noise = np.random.default_rng(0).integers(0, 60, SOURCE.shape).astype(np.uint8)
    made = (REFERENCE, np.maximum(REFERENCE, noise), composed(REFERENCE, SOURCE))
    missing = (SOURCE, np.maximum(SOURCE, noise))
    for output, complete in [*((output, 1) for output in made), *((output, 0) for output in missing)]:
        found = completeness("same", "same ", "any", lang="en", output=output, regions=[REGION], **pictures)
        assert found == complete
    nothing_to_do = {"source": SOURCE, "reference": SOURCE, "output": REFERENCE}
    assert completeness("a", "a", "a", lang="en", regions=[REGION], **nothing_to_do) == 0
    with pytest.raises(ValueError, match=r"the shapes .* differ"):
        completeness("a", "a", "a", lang="en", output=SOURCE[:-1], regions=[REGION], **pictures)


def test_preservation_takes_the_lesser_and_leaves_the_edge_of_the_region_out() -> None:
    page_, spoilt = np.full((80, 80), 255, dtype=np.uint8), np.full((80, 80), 255, dtype=np.uint8)
    region = (30, 30, 50, 50)
    spoilt[30 - DILATION + 3 : 50 + DILATION - 3, 30 - DILATION + 3 : 50 + DILATION - 3] = 0  # windows reach 3 pixels
    read = blocks(["a line"])
    assert preservation_outside(read, read, page_, spoilt, [region], lang="en") == 1.0
    spoilt[30 - DILATION - 1, 40] = 0
    found = preservation_outside(read, read, page_, spoilt, [region], lang="en")
    assert found is not None
    assert found < 1.0
    outside = np.ones((80, 80), dtype=bool)
    outside[22:58, 22:58] = False
    assert found == pytest.approx(ssim_map(page_, spoilt)[outside[3:-3, 3:-3]].mean())
    assert preservation_outside(read, blocks(["a lime"]), page_, page_, [region], lang="en") == pytest.approx(5 / 6)
    two = preservation_outside(read, read, page_, spoilt, [region, (35, 15, 45, 25)], lang="en")
    assert two == 1.0


def test_a_region_that_fills_the_page_leaves_nothing_outside() -> None:
    assert preservation_outside([], [], SOURCE, SOURCE, [(5, 5, 235, 155)], lang="en") is None


def test_visual_fidelity_of_a_thin_region() -> None:
    assert visual_fidelity(SOURCE, SOURCE, [(10, 10, 60, 12)]) is None
    assert visual_fidelity(SOURCE, SOURCE, [(10, 10, 60, 13)]) == 1.0
    assert visual_fidelity(SOURCE, SOURCE, [(10.4, 10, 60, 11), (9, 30, 20, 30.5)]) == 1.0
    with pytest.raises(ValueError, match="no box to enclose"):
        visual_fidelity(SOURCE, SOURCE, [])


def test_localization() -> None:
    changed = SOURCE.copy()
    changed[50:70, 100:160] = 255 - changed[50:70, 100:160]
    assert localization(SOURCE, changed, [(100, 50, 160, 70)]) == 1.0
    assert localization(SOURCE, changed, [(100, 50, 130, 70), (130, 60, 160, 70)]) == 1.0
    assert localization(SOURCE, changed, [(100, 50, 160, 90)]) == 0.5
    assert localization(SOURCE, changed, [(0, 90, 60, 110)]) == 0.0


@pytest.mark.parametrize(
    ("one", "three", "five", "value"),
    [
        (1.0, 1.0, 1, 1.0),
        (0.5, 1.0, 1, 2 / 3),
        (0.0, 1.0, 1, 0.0),
        (1.0, -0.1, 1, 0.0),
        (1.0, 1.0, 0, 0.0),
        (None, 1.0, 1, None),
        (1.0, None, 1, None),
        (None, None, 0, 0.0),
    ],
)
def test_edit_fidelity(one: float | None, three: float | None, five: int, value: float | None) -> None:
    assert edit_fidelity(one, three, five) == value


def test_no_number() -> None:
    with pytest.raises(ValueError, match="must be finite numbers"):
        edit_fidelity(float("nan"), 1.0, 1)


@pytest.mark.parametrize("page", [(3, 3), (20, 30), (40, 25)])
@pytest.mark.parametrize(
    "regions", [[(0, 0, 3, 3)], [(0, 0, 9, 9)], [(0, 0, 14, 30)], [(0, 0, 20, 15), (0, 15, 20, 30)], []]
)
def test_where_there_is_an_outside_preservation_is_measured(
    page: tuple[int, int], regions: list[tuple[int, int, int, int]]
) -> None:
    white = np.full((page[1], page[0], 3), 255, dtype=np.uint8)
    measured = preservation_outside([], [], white, white, regions, lang="en") is not None
    assert has_outside(page, regions) == measured
    assert not has_outside((2, 900), regions)
