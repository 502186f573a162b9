"""Models that see every picture as one square: where a part of the page arrives, by colour and by transformers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="the extra 'torch' is not installed")

import torch
from PIL import Image
from tiny_square import save_tiny_square
from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil
from transformers.models.gemma3.image_processing_pil_gemma3 import Gemma3ImageProcessorPil
from transformers.models.llava.image_processing_pil_llava import LlavaImageProcessorPil

from pytest_vtcfaith.models import resolve
from pytest_vtcfaith.models.probe.layers import decoder_layers
from pytest_vtcfaith.models.probe.pages import ProbePage, ProbeWord, probe_words
from pytest_vtcfaith.models.probe.patches import cells_of
from pytest_vtcfaith.models.probe.run import PROMPT, probe
from pytest_vtcfaith.models.probe.squares import is_inside, shown_part, square_grid
from pytest_vtcfaith.models.vlm import Question
from pytest_vtcfaith.texts.documents import Document

TEXT = "The harbour wall was mended in the spring, and the old pier stood open again by the first week of May."
CROPPED = CLIPImageProcessorPil(size={"shortest_edge": 336}, crop_size={"height": 336, "width": 336})
PADDED = LlavaImageProcessorPil(
    do_pad=True, do_center_crop=False, size={"height": 336, "width": 336}, image_mean=[1, 1, 1]
)
SQUEEZED = Gemma3ImageProcessorPil(size={"height": 336, "width": 336})
PADDED_AND_CROPPED = LlavaImageProcessorPil(
    do_pad=True, size={"shortest_edge": 336}, crop_size={"height": 224, "width": 224}, image_mean=[1, 1, 1]
)


@pytest.fixture(scope="module")
def square_model(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    made: dict[str, Any] = {}

    def model(kind: str) -> Any:
        if kind not in made:
            torch.set_num_threads(1)
            folder = save_tiny_square(kind, tmp_path_factory.mktemp(kind))
            table = {"adapter": "transformers", "model": str(folder), "device": "cpu", "attention": "eager"}
            made[kind] = resolve("m", {"m": {**table, "max_new_tokens": 3}}).load()
        return made[kind]

    return model


@pytest.mark.parametrize("pictures", [CROPPED, PADDED, SQUEEZED, PADDED_AND_CROPPED])
@pytest.mark.parametrize("size", [(1240, 466), (595, 842), (500, 500)])
def test_colour_arrives_in_the_cells_of_its_box(pictures: Any, size: tuple[int, int]) -> None:
    """A red box in the middle of a white page, off the axes."""
    page = Image.new("RGB", size, "white")
    x, y = size[0] // 2 + 40, size[1] // 2 - 90
    box = (x, y, x + 70, y + 30)
    blank = np.asarray(pictures(images=[page], return_tensors="np")["pixel_values"])
    page.paste((255, 0, 0), box)
    found = pictures(images=[page], return_tensors="np")
    change = np.abs(np.asarray(found["pixel_values"]) - blank)[0].max(axis=0)
    side = change.shape[0] // 14
    coloured = change.reshape(side, 14, side, 14).sum(axis=(1, 3)).reshape(-1)
    left, top, right, bottom = shown_part(pictures, size)
    assert is_inside([box], (left, top, right, bottom))
    moved = (box[0] - left, box[1] - top, box[2] - left, box[3] - top)
    expected = cells_of([moved], (right - left, bottom - top), square_grid(found, side * side))
    assert int(coloured.argmax()) in expected
    assert coloured[expected].sum() > 0.97 * coloured.sum()
    # Every cell of which the box covers a pixel or more has colour; ringing over the edges stays under it
    assert len(set(expected) - set(np.flatnonzero(coloured > 0))) == 0


def test_what_is_cropped_is_not_inside() -> None:
    shown = shown_part(CROPPED, (1240, 466))
    assert shown == pytest.approx((387, 0, 853, 466), abs=1)
    assert not is_inside([(300, 100, 390, 120)], shown)
    assert not is_inside([(400, 100, 450, 120), (840, 100, 860, 120)], shown)
    assert is_inside([(400, 100, 450, 120)], shown)
    assert shown_part(SQUEEZED, (1240, 466)) == (0, 0, 1240, 466)
    assert shown_part(PADDED, (1240, 466)) == (0, -387, 1240, 853)


def test_a_way_to_scale_that_is_not_known_is_refused() -> None:
    crop = {"width": 1, "height": 1}
    pictures = SimpleNamespace(do_center_crop=True, do_resize=True, size={"longest_edge": 5}, crop_size=crop)
    with pytest.raises(ValueError, match=r"does not know how SimpleNamespace scales to size = \{'longest_edge': 5\}"):
        shown_part(pictures, (10, 10))


@pytest.mark.parametrize(
    ("shape", "tokens", "expected"),
    [((1, 3, 336, 336), 576, (24, 24)), ((1, 3, 896, 896), 256, (16, 16)), ((1, 3, 28, 84), 12, (2, 6))],
)
def test_the_grid_is_that_of_the_picture(shape: tuple[int, ...], tokens: int, expected: tuple[int, int]) -> None:
    assert square_grid({"pixel_values": np.zeros(shape)}, tokens) == expected


@pytest.mark.parametrize(
    ("shape", "tokens", "said"),
    [
        ((1, 3, 336, 336), 577, "577 image tokens are no grid over a picture of 336 x 336"),
        ((1, 3, 336, 336), 32, "32 image tokens are no grid"),
        ((1, 3, 336, 336), 0, "0 image tokens are no grid"),
        ((1, 3, 84, 28), 10, "10 image tokens are no grid over a picture of 28 x 84"),
        ((3, 3, 896, 896), 256, r"made \[3, 3, 896, 896\] of one page, several pictures: .* \(do_pan_and_scan\)"),
        ((1, 5, 3, 336, 336), 576, "several pictures"),
    ],
)
def test_other_pictures_are_refused(shape: tuple[int, ...], tokens: int, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        square_grid({"pixel_values": np.zeros(shape)}, tokens)


@pytest.mark.parametrize(("kind", "side"), [("llava", 6), ("gemma3", 4)])
def test_a_probe_records_what_transformers_gives(square_model: Callable[[str], Any], kind: str, side: int) -> None:
    """The attention is that on the cells with a pixel of the highlight, by transformers' own weights."""
    model = square_model(kind)
    word = _word_inside(model, kind, side)
    before = _hooks(model)
    original, again = probe(model, [replace(word, forms=(*word.forms[:1], ("random", word.word)))], lang="en")
    assert _hooks(model) == before
    assert again.cosine == pytest.approx([1, 1, 1], abs=1e-12)
    (page, *_) = word.pages("en", "faithc4")
    inputs = model.inputs([Question(page.image, PROMPT)])
    cells = _reached(page, kind, side)
    pictured = [at for at, token in enumerate(inputs["input_ids"][0].tolist()) if token == model.image_token]
    assert len(pictured) == side * side
    with torch.inference_mode():
        weights = model.network(**inputs, output_attentions=True).attentions
    expected = [float(layer[0, :, -1, [pictured[cell] for cell in cells]].mean()) for layer in weights]
    assert original.patches == len(cells)
    assert original.attention == pytest.approx(expected, rel=1e-4)
    assert len(decoder_layers(model.network)) == 3


def test_the_network_answers_to_the_cells(square_model: Callable[[str], Any]) -> None:
    """Other pixels in a cell change the embedding of its token most: rows first, as the grid has them."""
    model = square_model("gemma3")
    blank = Image.new("RGB", (112, 112), "white")
    marked = blank.copy()
    marked.paste((0, 0, 0), (56, 28, 84, 56))  # row 1, column 2 of 4 x 4
    with torch.inference_mode():
        before, after = (
            model.network.model.get_image_features(model.inputs([Question(image, "x")])["pixel_values"]).pooler_output
            for image in (blank, marked)
        )
    change = (after - before).norm(dim=-1).reshape(-1)
    assert len(change) == 16
    assert int(change.argmax()) == 1 * 4 + 2


def test_words_that_are_cropped_off_are_left_out(square_model: Callable[[str], Any]) -> None:
    words = probe_words([Document(Path("a.txt"), "a", TEXT)], "en", ["random"], each=9)
    advanced: list[None] = []
    found = probe(square_model("llava"), words, lang="en", advance=lambda: advanced.append(None))
    left = {page.word for page in found}
    assert 0 < len(left) < len(words)
    assert len(advanced) == 2 * len(words)
    (whole,) = {page.image.size for word in words for page in word.pages("en", "faithc4")}
    middle = ((whole[0] - whole[1]) / 2, (whole[0] + whole[1]) / 2)
    for word in words:
        boxes = [box for page in word.pages("en", "faithc4") for box in page.boxes]
        inside = all(middle[0] - 2 < box[0] and box[2] < middle[1] + 2 for box in boxes)
        assert (word.word in left) == inside


def _hooks(model: Any) -> int:
    return sum(len(module._forward_hooks) for module in model.network.modules())


def _word_inside(model: Any, kind: str, side: int) -> ProbeWord:
    """One that is shown, and whose cells do not hang on a pixel: the processor crops in pixels of its own."""
    words = probe_words([Document(Path("a.txt"), "a", " ".join([TEXT] * 4))], "en", ["random"], each=12)
    for word in words:
        (page, *_) = word.pages("en", "faithc4")
        sure = len({tuple(_reached(page, kind, side, shift)) for shift in (-1, 0, 1)}) == 1
        if sure and probe(model, [word], lang="en"):
            return word
    raise AssertionError("every word grazes a cell")


def _reached(page: ProbePage, kind: str, side: int, shift: int = 0) -> list[int]:
    """The cells with a pixel of the highlight's boxes: of the whole page, or (LLaVA) of the square in its middle."""
    width, height = page.image.size
    mask = Image.new("L", page.image.size, 0)
    for box in page.boxes:
        mask.paste(255, tuple(map(round, box)))
    if kind == "llava":
        left = (width - height) // 2 + shift
        mask = mask.crop((left, 0, left + height, height))
    marked = np.argwhere(np.asarray(mask) > 0)
    rows, columns = (
        (marked[:, axis] * side // mask.size[1 - axis], ((marked[:, axis] + 1) * side - 1) // mask.size[1 - axis])
        for axis in (0, 1)
    )
    return sorted({int(row * side + column) for row in np.unique(rows) for column in np.unique(columns)})
