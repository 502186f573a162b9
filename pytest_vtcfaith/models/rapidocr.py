"""RapidOCR 3.10 with the PP-OCRv6 small networks that its wheel ships: English and Chinese, pip alone, no download."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.models.line_memory import LineMemory
from pytest_vtcfaith.models.line_pitch import is_tiny
from pytest_vtcfaith.models.protocols import NotInstalled, Prompt
from pytest_vtcfaith.models.spec import ModelSpec, check_options, refuse_identifier

if TYPE_CHECKING:
    from PIL import Image

LANGUAGES = frozenset({"en", "zh"})
DETECTOR, RECOGNISER = "PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx"
ENLARGING_SIDE, PLAIN_SIDE = 736, 32  # the detector enlarges until the shorter side has this many pixels
SETTINGS: Mapping[str, Any] = {
    "Global.use_cls": False,  # its orientation classifier turns dense lines upside down: WER 17–20 % instead of 0.2 %
    "Global.max_side_len": 4000,
    "Global.log_level": "error",
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
    "Rec.rec_batch_num": 1,  # lines of a batch are padded to the longest, which costs more than it saves
}
MISSING = "RapidOCR is not installed: pip install 'pytest-vtcfaith[rapidocr]'"


class TextBox(NamedTuple):
    """One piece of text: `box` is (left, top, right, bottom) in pixels of the picture, `score` in [0, 1]."""

    box: tuple[float, float, float, float]
    text: str
    score: float


def spec(identifier: str | None, options: Mapping[str, Any], name: str) -> ModelSpec:
    """The model `rapidocr`; it has no options. Raises ValueError for an identifier or an option."""
    refuse_identifier(identifier, "rapidocr", name)
    check_options(options, {}, name)
    return ModelSpec(
        name=name, load=RapidOcr, languages=LANGUAGES, prompts=False, revision=revision(), adapter="rapidocr"
    )


def revision() -> str:
    """Versions of the engine and its runtime and the names of its networks; nothing is imported."""
    return f"rapidocr {_version('rapidocr')}; onnxruntime {_version('onnxruntime')}; {DETECTOR}; {RECOGNISER}"


class RapidOcr:
    """The loaded engine, a `Transcriber`. Raises NotInstalled, with the mend, for whatever this machine lacks."""

    def __init__(self) -> None:
        networks = _networks()
        try:
            import_module("onnxruntime")  # RapidOCR itself imports it only at the first picture
        except ImportError as error:
            raise NotInstalled(
                f"RapidOCR's runtime onnxruntime is not installed: pip install 'pytest-vtcfaith[rapidocr]' ({error})"
            ) from error
        try:
            from rapidocr import RapidOCR
        except ModuleNotFoundError as error:
            raise NotInstalled(f"{MISSING} ({error})") from error
        except ImportError as error:
            if "libGL" in str(error) or "libgthread" in str(error):
                raise NotInstalled(
                    f"OpenCV, which RapidOCR uses, lacks system libraries ({error}):"
                    " apt-get install libgl1 libglib2.0-0"
                ) from error
            raise
        paths = {"Det.model_path": str(networks / DETECTOR), "Rec.model_path": str(networks / RECOGNISER)}
        self._engine: Any = RapidOCR(params={**SETTINGS, **paths})

    def transcribe(self, images: Sequence[Image.Image], prompt: Prompt) -> list[Reply]:
        """Reads each picture, line by line; a blank one gives the empty text. The prompt is ignored."""
        if isinstance(self._engine.text_rec, LineMemory):  # a second reading of a page must be one
            self._engine.text_rec = self._engine.text_rec.recogniser
        return [Reply(text="\n".join(self._lines(image)), finish_reason="stop") for image in images]

    def read_boxes(self, image: Image.Image) -> list[TextBox]:
        """Every piece of text found on an RGB picture with its box, in reading order; lines that it has read before are
        not read again.
        """
        recogniser = self._engine.text_rec  # None before the first picture
        if recogniser is not None and not isinstance(recogniser, LineMemory):
            self._engine.text_rec = LineMemory(recogniser)
        return [box for line in group_lines(self._detect(image)) for box in line]

    def _lines(self, image: Image.Image) -> list[str]:
        return [" ".join(box.text for box in line) for line in group_lines(self._detect(image))]

    def _detect(self, image: Image.Image) -> list[TextBox]:
        side = ENLARGING_SIDE if is_tiny(image) else PLAIN_SIDE
        self._engine.cfg.Det.limit_side_len = side  # read when the detector is loaded, at the first picture
        if self._engine.text_det is not None:
            self._engine.text_det.limit_side_len = side
        found = self._engine(image)
        if not getattr(found, "txts", None):  # nothing found is None in every field
            return []
        boxes = []
        for corners, text, score in zip(found.boxes, found.txts, found.scores, strict=True):
            across, down = [float(point[0]) for point in corners], [float(point[1]) for point in corners]
            boxes.append(TextBox((min(across), min(down), max(across), max(down)), text, float(score)))
        return boxes


def group_lines(boxes: Sequence[TextBox]) -> list[list[TextBox]]:
    """Boxes as printed lines, top to bottom, each left to right.

    A box belongs to a line when its middle is within half the median height from the mean middle of the line's boxes,
    so boxes of one line may differ by some pixels in place and in height.
    """
    if not boxes:
        return []
    reach = median(box.box[3] - box.box[1] for box in boxes) / 2
    lines: list[list[TextBox]] = []
    for box in sorted(boxes, key=_middle):
        if lines and _middle(box) - sum(map(_middle, lines[-1])) / len(lines[-1]) < reach:
            lines[-1].append(box)
        else:
            lines.append([box])
    return [sorted(line, key=lambda box: box.box[0]) for line in lines]


def _middle(box: TextBox) -> float:
    return (box.box[1] + box.box[3]) / 2


def _networks() -> Path:
    found = find_spec("rapidocr")
    if found is None or found.origin is None:
        raise NotInstalled(MISSING)
    folder = Path(found.origin).parent / "models"
    for file in (DETECTOR, RECOGNISER):
        if not (folder / file).is_file():
            raise NotInstalled(
                f"{folder / file} is missing; the networks come with the wheel: pip install 'rapidocr>=3.10,<4'"
            )
    return folder


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
