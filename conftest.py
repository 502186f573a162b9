"""The worked example of plugging a model in: `pytest --vtc-model=my-ocr -n 4` measures the class below.

Replace the body of `transcribe` by a call of your own model. It gets upright RGB pictures on white and returns one text
per picture; it never sees the truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_vtcfaith import Prompt, Reply, register_model, resolve

if TYPE_CHECKING:
    from PIL import Image

ENGINE = resolve("rapidocr")


@register_model("my-ocr", languages=ENGINE.languages, prompts=False, revision=ENGINE.revision)
class MyOcr:
    """RapidOCR, standing in for your own model."""

    def __init__(self) -> None:
        self.engine = ENGINE.load()

    def transcribe(self, images: Sequence[Image.Image], prompt: Prompt) -> Sequence[Reply | str]:
        """Reads the pictures one by one."""
        return self.engine.transcribe(images, prompt)  # type: ignore[attr-defined,no-any-return]
