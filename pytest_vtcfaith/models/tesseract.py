"""Tesseract 5 through tesserocr: English, Chinese, Korean, with the language data of the system."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.metrics.scripts import HAN
from pytest_vtcfaith.models.line_pitch import is_tiny
from pytest_vtcfaith.models.protocols import NotInstalled, Prompt
from pytest_vtcfaith.models.rapidocr import TextBox
from pytest_vtcfaith.models.spec import ModelSpec, check_options, refuse_identifier, shown

if TYPE_CHECKING:
    from PIL import Image

LANGUAGE_DATA: Mapping[str, tuple[str, ...]] = {"en": ("eng",), "zh": ("chi_sim",), "ko": ("kor", "eng")}
SYSTEM_FOLDERS = (
    "/usr/share/tesseract-ocr/5/tessdata",
    "/usr/share/tesseract-ocr/4.00/tessdata",
    "/usr/share/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
)
SINGLE_BLOCK = 6
SPARSE_TEXT = 11  # finds text in table cells, of which a single block and automatic segmentation miss some
ENLARGEMENT = 3  # of tiny text: alone, Tesseract reads nothing at 55 dpi and below
ONE_LINE = 8, 26  # rows of ink, from the least to under the most, that are a line of readable size, not two tiny ones
INK = 64  # of 255: what differs from the ground by more is ink
_HAN_APART = re.compile(rf"(?<=[{HAN}\u3000-\u303f\uff00-\uffef]) +(?=[{HAN}\u3000-\u303f\uff00-\uffef])")


def spec(identifier: str | None, options: Mapping[str, Any], name: str) -> ModelSpec:
    """The model `tesseract`; option `psm` (0–13, default 6: one block of text). Raises ValueError for anything else."""
    refuse_identifier(identifier, "tesseract", name)
    check_options(options, {"psm": "page segmentation mode, 0 to 13"}, name)
    psm = options.get("psm", SINGLE_BLOCK)
    if not isinstance(psm, int) or isinstance(psm, bool) or not 0 <= psm <= 13:
        raise ValueError(f"model {name!r}: psm = {shown(psm)} must be a whole number from 0 to 13")
    return ModelSpec(
        name=name,
        load=lambda: Tesseract(psm),
        languages=frozenset(LANGUAGE_DATA),
        prompts=False,
        revision=revision(),
        adapter="tesseract",
        options={"psm": psm},
    )


def revision() -> str:
    """Version of tesserocr (its wheel holds Tesseract itself) and hashes of the language data; nothing is imported."""
    try:
        version = metadata.version("tesserocr")
    except metadata.PackageNotFoundError:
        version = "not installed"
    folder = _data_folder()
    codes = sorted({code for codes in LANGUAGE_DATA.values() for code in codes})
    files = [folder / f"{code}.traineddata" for code in codes] if folder else []
    data = [f"{file.stem} {_digest(str(file), file.stat().st_mtime_ns)}" for file in files if file.is_file()]
    return "; ".join([f"tesserocr {version}", *data])


class Tesseract:
    """The loaded engine, a `Transcriber` and a `BoxFinder`; `psm` is Tesseract's page segmentation mode.

    Raises NotInstalled when tesserocr is missing; reading a language whose data are missing raises it too, with the
    name of the Debian package.
    """

    def __init__(self, psm: int = SINGLE_BLOCK) -> None:
        os.environ.setdefault("OMP_THREAD_LIMIT", "1")  # OpenMP reads it once, when the library is loaded
        try:
            import tesserocr
        except ModuleNotFoundError as error:
            raise NotInstalled(
                f"tesserocr is not installed: pip install 'pytest-vtcfaith[tesseract]' ({error})"
            ) from error
        self._tesserocr = tesserocr
        self._psm = psm
        self._apis: dict[str, Any] = {}
        self._sparse: Any = None

    def transcribe(self, images: Sequence[Image.Image], prompt: Prompt) -> list[Reply]:
        """Reads each picture in the prompt's language; the prompt's text is ignored.

        Raises NotInstalled for missing language data, ValueError for a language Tesseract is not set up for.
        """
        api = self._api(prompt.lang)
        return [Reply(text=_read(api, image), finish_reason="stop") for image in images]

    def read_boxes(self, image: Image.Image) -> list[TextBox]:
        """Every printed line on an RGB picture with its box; a line is cut where a gap in it is wide.

        Chinese and English are read where the data for Chinese are there, else English alone; the page segmentation
        mode is that for sparse text. Raises NotInstalled without the data for English.
        """
        if self._sparse is None:
            chinese = self._missing(LANGUAGE_DATA["zh"]) is None
            self._sparse = self._opened(
                "zh" if chinese else "en", ("chi_sim", "eng") if chinese else ("eng",), SPARSE_TEXT
            )
        single = ONE_LINE[0] <= _ink_rows(image) < ONE_LINE[1]  # enlarged, digits of a single line are misread
        shown, scale = (image, 1) if single else _enlarged(image)
        self._sparse.SetImage(shown)
        if not self._sparse.Recognize():
            raise RuntimeError(f"Tesseract failed on a picture of {image.width} x {image.height} pixels")
        level = self._tesserocr.RIL.TEXTLINE
        found = []
        for line in self._tesserocr.iterate_level(self._sparse.GetIterator(), level):
            if line.Empty(level):  # what it gives for a blank page
                continue
            text = _HAN_APART.sub("", line.GetUTF8Text(level).strip())
            if text:  # rules are lines of white space
                left, top, right, bottom = (side / scale for side in line.BoundingBox(level))
                found.append(TextBox((left, top, right, bottom), text, line.Confidence(level) / 100))
        return found

    def _api(self, lang: str) -> Any:
        if lang not in self._apis:
            if lang not in LANGUAGE_DATA:
                raise ValueError(f"tesseract reads {', '.join(LANGUAGE_DATA)}, not {lang!r}")
            self._apis[lang] = self._opened(lang, LANGUAGE_DATA[lang], self._psm)
        return self._apis[lang]

    def _opened(self, lang: str, codes: Sequence[str], psm: int) -> Any:
        if (code := self._missing(codes)) is not None:
            package = f"tesseract-ocr-{code.replace('_', '-')}"
            raise NotInstalled(
                f"no Tesseract data for {lang} ({code}.traineddata) in {self._folder()}:"
                f" install the Debian package {package}, or point TESSDATA_PREFIX at a folder that has the file"
            )
        return self._tesserocr.PyTessBaseAPI(path=str(self._folder()), lang="+".join(codes), psm=psm)

    def _missing(self, codes: Sequence[str]) -> str | None:
        folder = self._folder()
        return next((code for code in codes if not (folder / f"{code}.traineddata").is_file()), None)

    def _folder(self) -> Path:
        return _data_folder() or Path(self._tesserocr.get_languages()[0])


def _read(api: Any, image: Image.Image) -> str:
    api.SetImage(_enlarged(image)[0])
    text: str = api.GetUTF8Text() or ""
    return text.rstrip("\n\x0c")  # every page ends with a newline, in some versions with a form feed


def _ink_rows(image: Image.Image) -> int:
    """How many pixels the ink on a picture is high."""
    import numpy as np

    grey = np.asarray(image.convert("L"), dtype=np.int16)
    inked = np.flatnonzero((np.abs(grey - np.median(grey)) > INK).any(axis=1))
    return int(inked[-1] - inked[0]) + 1 if inked.size else 0


def _enlarged(image: Image.Image) -> tuple[Image.Image, int]:
    """The picture as it is shown to Tesseract, and how many times as large."""
    from PIL import Image as Pillow

    if not is_tiny(image):
        return image, 1
    size = image.width * ENLARGEMENT, image.height * ENLARGEMENT
    return image.resize(size, Pillow.Resampling.LANCZOS), ENLARGEMENT


def _data_folder() -> Path | None:
    chosen = os.environ.get("TESSDATA_PREFIX")
    if chosen:
        below = Path(chosen) / "tessdata"  # Tesseract 3 wanted the parent here, and many set-ups still give it
        return below if below.is_dir() else Path(chosen)
    return next((Path(folder) for folder in SYSTEM_FOLDERS if Path(folder).is_dir()), None)


@lru_cache(maxsize=32)
def _digest(file: str, changed_ns: int) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:12]
