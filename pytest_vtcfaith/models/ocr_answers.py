"""`ocr-rules`: an answerer made of RapidOCR and rules for the wordings of the embedded questions."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.models.question_rules import ReadPage, answer
from pytest_vtcfaith.models.rapidocr import LANGUAGES, RapidOcr, TextBox, revision
from pytest_vtcfaith.models.spec import ModelSpec, check_options, refuse_identifier
from pytest_vtcfaith.pages.images import pixel_key

if TYPE_CHECKING:
    from PIL import Image

RULES = "rules 1"
"""Version of the rules; it changes whenever an answer may."""
_REMEMBERED = 32  # pages: several questions in a row are about one


def spec(identifier: str | None, options: Mapping[str, Any], name: str) -> ModelSpec:
    """The model `ocr-rules`; it has no options. Raises ValueError for an identifier or an option."""
    refuse_identifier(identifier, "ocr-rules", name)
    check_options(options, {}, name)
    return ModelSpec(
        name=name,
        load=OcrRules,
        languages=LANGUAGES & {"en"},
        prompts=True,
        revision=f"{revision()}; {RULES}",
        adapter="ocr-rules",
        tasks=frozenset({"answer"}),
    )


class OcrRules:
    """The loaded answerer. It reads each picture once. Raises NotInstalled as `rapidocr.RapidOcr`."""

    def __init__(self) -> None:
        self._engine = RapidOcr()
        self._read: OrderedDict[str, list[TextBox]] = OrderedDict()

    def answer(self, images: Sequence[Image.Image], questions: Sequence[str]) -> list[Reply]:
        """An answer for each picture and its question; an empty one where the rules find none."""
        return [
            Reply(text=answer(ReadPage(image, self._pieces(image)), question), finish_reason="stop")
            for image, question in zip(images, questions, strict=True)
        ]

    def _pieces(self, image: Image.Image) -> list[TextBox]:
        key = pixel_key(image)
        if key not in self._read:
            self._read[key] = self._engine.read_boxes(image)
            while len(self._read) > _REMEMBERED:
                self._read.popitem(last=False)
        return self._read[key]
