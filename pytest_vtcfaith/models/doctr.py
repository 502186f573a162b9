"""docTR (python-doctr): detection and recognition networks, words joined in reading order."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module, metadata
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.models.accelerators import device_lacks
from pytest_vtcfaith.models.protocols import NotInstalled, Prompt
from pytest_vtcfaith.models.rapidocr import TextBox
from pytest_vtcfaith.models.spec import ModelSpec, check_declared, check_options, refuse_identifier, shown, table

if TYPE_CHECKING:
    from PIL import Image

LANGUAGES = frozenset({"en"})  # the vocabularies of its published recognition weights are Latin
DETECTION, RECOGNITION = "fast_base", "crnn_vgg16_bn"  # what ocr_predictor takes by default
OPTIONS = {
    "detection": f"detection architecture (default {DETECTION})",
    "recognition": f"recognition architecture (default {RECOGNITION})",
    "device": "cpu (default), mps, cuda or cuda:N",
    "languages": "list of languages its recognition reads (default en)",
}


def spec(identifier: str | None, options: Mapping[str, Any], name: str) -> ModelSpec:
    """The model `doctr`. Raises ValueError for an identifier or an option it does not have."""
    refuse_identifier(identifier, "doctr", name)
    check_options(options, OPTIONS, name)
    chosen = {"detection": DETECTION, "recognition": RECOGNITION, "device": "cpu", **options}
    for key in ("detection", "recognition", "device"):
        if not isinstance(chosen[key], str) or not chosen[key]:
            raise ValueError(f"model {name!r}: {key} = {shown(chosen[key])} must be text")
    if not re.fullmatch(r"cpu|mps|cuda(:[0-9]{1,4})?", chosen["device"]):
        raise ValueError(f"model {name!r}: device = {chosen['device']!r}: give cpu, mps, cuda or cuda:N")
    languages = chosen.pop("languages", LANGUAGES)
    check_declared(name, languages, "nominal")
    if not set(languages) <= LANGUAGES:
        raise ValueError(
            f"model {name!r}: languages = {sorted(languages)}: the vocabularies of docTR's published weights are Latin:"
            " give ['en'], or leave it out"
        )
    return ModelSpec(
        name=name,
        load=partial(load, chosen["detection"], chosen["recognition"], chosen["device"], name),
        languages=frozenset(languages),
        lives="worker" if chosen["device"] == "cpu" else "host",
        prompts=False,
        revision=f"python-doctr {_version('python-doctr')}; torch {_version('torch')}; {chosen['detection']};"
        f" {chosen['recognition']}",
        adapter="doctr",
        options=chosen,
    )


def load(detection: str, recognition: str, device: str, name: str = "doctr") -> Doctr:
    """The loaded networks with their published weights, which are downloaded at first use.

    Raises NotInstalled where docTR, its weights or the device cannot be had, ValueError for an unknown architecture.
    """
    try:
        models = import_module("doctr.models")
    except ImportError as error:
        raise NotInstalled(f"docTR is not installed: pip install 'pytest-vtcfaith[doctr]' ({error})") from error
    if lacking := device_lacks(device):
        raise NotInstalled(f"{table(name)}: device = {device!r}: {lacking}: give cpu")
    try:
        predictor = models.ocr_predictor(detection, recognition, pretrained=True)
    except OSError as error:  # urllib's errors are of this kind
        raise NotInstalled(
            f"the weights of docTR's {detection} and {recognition} cannot be downloaded ({error}): connect once, "
            "or put the files into ~/.cache/doctr/models"
        ) from error
    return Doctr(predictor.to(device))


class Doctr:
    """A loaded predictor, a `Transcriber` and a `BoxFinder`."""

    def __init__(self, predictor: Any) -> None:
        self._predictor = predictor

    def transcribe(self, images: Sequence[Image.Image], prompt: Prompt) -> list[Reply]:
        """Reads all pictures in one call; a blank one gives the empty text. The prompt is ignored."""
        import numpy as np

        found = self._predictor([np.asarray(image) for image in images])
        return [Reply(text=page_text(page), finish_reason="stop") for page in found.pages]

    def read_boxes(self, image: Image.Image) -> list[TextBox]:
        """Every word found on an RGB picture with its box, in docTR's order."""
        import numpy as np

        (page,) = self._predictor([np.asarray(image)]).pages
        return page_words(page, image.size)


def page_text(page: Any) -> str:
    """Words joined by spaces into lines, lines by newlines into blocks, blocks by blank lines, in docTR's order."""
    blocks = ("\n".join(" ".join(word.value for word in line.words) for line in block.lines) for block in page.blocks)
    return "\n\n".join(block for block in blocks if block)


def page_words(page: Any, size: tuple[int, int]) -> list[TextBox]:
    """The words of a page with their boxes in pixels of a picture of `size` (width, height).

    docTR gives corners as shares of the page: two of them, or four where it does not take pages for straight.
    """
    width, height = size
    found = []
    for word in (word for block in page.blocks for line in block.lines for word in line.words):
        across, down = ([float(corner[axis]) for corner in word.geometry] for axis in (0, 1))
        box = min(across) * width, min(down) * height, max(across) * width, max(down) * height
        found.append(TextBox(box, word.value, float(word.confidence)))
    return found


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
