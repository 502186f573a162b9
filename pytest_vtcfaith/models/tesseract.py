"""Tesseract 5 through tesserocr: English, Chinese, Korean, with the language data of the system."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.models.line_pitch import is_tiny
from pytest_vtcfaith.models.protocols import NotInstalled, Prompt
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
ENLARGEMENT = 3  # of tiny text: alone, Tesseract reads nothing at 55 dpi and below


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
    """The loaded engine, a `Transcriber`; `psm` is Tesseract's page segmentation mode.

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

    def transcribe(self, images: Sequence[Image.Image], prompt: Prompt) -> list[Reply]:
        """Reads each picture in the prompt's language; the prompt's text is ignored.

        Raises NotInstalled for missing language data, ValueError for a language Tesseract is not set up for.
        """
        api = self._api(prompt.lang)
        return [Reply(text=_read(api, image), finish_reason="stop") for image in images]

    def _api(self, lang: str) -> Any:
        if lang not in self._apis:
            if lang not in LANGUAGE_DATA:
                raise ValueError(f"tesseract reads {', '.join(LANGUAGE_DATA)}, not {lang!r}")
            codes = LANGUAGE_DATA[lang]
            folder = _data_folder() or Path(self._tesserocr.get_languages()[0])
            for code in codes:
                if not (folder / f"{code}.traineddata").is_file():
                    package = f"tesseract-ocr-{code.replace('_', '-')}"
                    raise NotInstalled(
                        f"no Tesseract data for {lang} ({code}.traineddata) in {folder}:"
                        f" install the Debian package {package}, or point TESSDATA_PREFIX at a folder that has the file"
                    )
            self._apis[lang] = self._tesserocr.PyTessBaseAPI(path=str(folder), lang="+".join(codes), psm=self._psm)
        return self._apis[lang]


def _read(api: Any, image: Image.Image) -> str:
    from PIL import Image as Pillow

    if is_tiny(image):
        image = image.resize((image.width * ENLARGEMENT, image.height * ENLARGEMENT), Pillow.Resampling.LANCZOS)
    api.SetImage(image)
    text: str = api.GetUTF8Text() or ""
    return text.rstrip("\n\x0c")  # every page ends with a newline, in some versions with a form feed


def _data_folder() -> Path | None:
    chosen = os.environ.get("TESSDATA_PREFIX")
    if chosen:
        below = Path(chosen) / "tessdata"  # Tesseract 3 wanted the parent here, and many set-ups still give it
        return below if below.is_dir() else Path(chosen)
    return next((Path(folder) for folder in SYSTEM_FOLDERS if Path(folder).is_dir()), None)


@lru_cache(maxsize=32)
def _digest(file: str, changed_ns: int) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:12]
