"""Asks a transformers model for highlighted words and records what its layers do (FaithC4 §4.2)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.metrics.normalise import normalise
from pytest_vtcfaith.metrics.rewrites import process_rewrites
from pytest_vtcfaith.models.probe.layers import Layer, Record, cosine, decoder_layers, recording
from pytest_vtcfaith.models.probe.pages import ORIGINAL, ProbePage, ProbeWord
from pytest_vtcfaith.models.probe.patches import highlighted_positions, image_grid
from pytest_vtcfaith.models.probe.squares import FAMILIES, is_inside, shown_part, square_grid
from pytest_vtcfaith.models.vlm import Question

if TYPE_CHECKING:
    from pytest_vtcfaith.models.transformers import TransformersVlm

PROMPT = "One word of this page is highlighted in yellow. Write this word exactly as it is printed, and nothing else."

_NO_WORD = "0000"
"""A word that no page has, as the original of an unperturbed one: what was read is then never `rewritten`."""


@dataclass(frozen=True, slots=True)
class Probed:
    """One page: what is printed, what was read and its class (`metrics.rewrites.KINDS`), and by layer the cosine of the
    FFN's output with that on the original page, the mean attention weight on the highlighted patches, and its ratio to
    that on the original page. Attention is None at a layer without; `patches` counts the highlighted ones.
    """

    document: str
    word: str
    condition: str
    form: str
    read: str
    outcome: str
    patches: int
    cosine: tuple[float, ...]
    attention: tuple[float | None, ...]
    ratio: tuple[float | None, ...]


def probe(
    model: TransformersVlm,
    words: Sequence[ProbeWord],
    *,
    lang: str,
    layout: str = "faithc4",
    prompt: str = PROMPT,
    advance: Callable[[], None] = lambda: None,
) -> list[Probed]:
    """One `Probed` for every page of every word; `advance` is called after each page.

    A word is left out where the picture processor crops a page so that the model does not see all of it.

    `model` must have been loaded with attention = "eager". Cosines compare the last input token of the page with that
    of the same word's original page, so they are 1 there, and ratios too (perturbed ÷ original: over 1 means that the
    model looks harder at the perturbed word).

    Raises ValueError for a model whose layers or patches the probe cannot find, RuntimeError where a page was not read.
    """
    layers = decoder_layers(model.network)
    found: list[Probed] = []
    for word in words:
        original: Record | None = None
        pages = list(word.pages(lang, layout))
        if not all(is_inside(page.boxes, _shown(model, page)) for page in pages):
            for _ in pages:
                advance()
            continue
        for page in pages:
            read = _read(model, page, prompt)  # first: it refuses a page beyond the context at once
            record, patches = _record(model, layers, page, prompt)
            if original is None:
                original = record
            found.append(
                Probed(
                    document=word.document,
                    word=word.word,
                    condition=page.condition,
                    form=page.form,
                    read=read,
                    outcome=reading_class(word.word, page, read, lang),
                    patches=patches,
                    cosine=tuple(map(cosine, original.ffn, record.ffn)),
                    attention=tuple(record.attention),
                    ratio=tuple(map(_ratio, record.attention, original.attention)),
                )
            )
            advance()
    return found


def reading_class(word: str, page: ProbePage, read: str, lang: str) -> str:
    """The class of what was read for the highlighted word (definitions §4; FaithC4 Table 8); `missing` for nothing."""
    before = _NO_WORD if page.condition == ORIGINAL else word
    words = process_rewrites(before, page.form, normalise(read, "verbatim", lang), lang=lang).words
    return words[0].kind if words else "missing"


def _record(model: TransformersVlm, layers: Sequence[Layer], page: ProbePage, prompt: str) -> tuple[Record, int]:
    import torch

    inputs = model.inputs([Question(page.image, prompt)])
    tokens = inputs["input_ids"][0].tolist()
    if _is_square(model):
        grid = square_grid(inputs, tokens.count(model.image_token))
    else:
        grid = image_grid(inputs, int(getattr(model.picture_processor, "merge_size", 1)))
    left, top, right, bottom = _shown(model, page)
    boxes = [(box[0] - left, box[1] - top, box[2] - left, box[3] - top) for box in page.boxes]
    positions = highlighted_positions(tokens, model.image_token, boxes, (right - left, bottom - top), grid)
    network: Any = model.network
    spare = {"use_cache": False, "logits_to_keep": 1}
    known = inspect.signature(network.forward).parameters
    with torch.inference_mode(), recording(layers, positions) as record:
        network(**inputs, **{name: value for name, value in spare.items() if name in known})
    return record, len(positions)


def _is_square(model: TransformersVlm) -> bool:
    return model.network.config.model_type in FAMILIES


def _shown(model: TransformersVlm, page: ProbePage) -> tuple[float, float, float, float]:
    width, height = page.image.size
    return shown_part(model.picture_processor, page.image.size) if _is_square(model) else (0, 0, width, height)


def _read(model: TransformersVlm, page: ProbePage, prompt: str) -> str:
    (answer,) = model.generate([Question(page.image, prompt)])
    if answer.error is not None:
        raise RuntimeError(f"the page of {page.form!r} was not read: {answer.error}")
    return answer.text.strip()


def _ratio(perturbed: float | None, original: float | None) -> float | None:
    return None if perturbed is None or not original else perturbed / original
