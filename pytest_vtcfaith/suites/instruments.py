"""What the replies of models are measured with: engines that read pictures, and a judge of statements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_vtcfaith.models.page_reading import Reader
    from pytest_vtcfaith.models.protocols import Judge
    from pytest_vtcfaith.models.scorers import PictureScorer


class InstrumentFailed(Exception):
    """An instrument could not be loaded, or raised: the case was not measured, and no model is to blame."""


def _no_reader() -> Reader:
    from pytest_vtcfaith.models.protocols import NotInstalled

    raise NotInstalled("nothing here reads pictures: choose an engine with --vtc-ocr")


def _none() -> None:
    return None


def _no_scorers() -> Mapping[str, PictureScorer]:
    return {}


@dataclass(frozen=True, slots=True)
class Instruments:
    """`reader` reads edited and drawn pictures (`--vtc-ocr`), `second` reads them again where a second engine was
    chosen, `judge` is the judge model (`--vtc-judge`), None where the suite's own judge does. `scorers` are networks
    that compare pictures, `lpips` and `clip`, as far as `[tool.vtcfaith.scorers]` names their weights. Each is loaded
    when it is first called; what loading raises is raised at every call. `ocr` is what people call the reader.
    """

    reader: Callable[[], Reader] = _no_reader
    second: Callable[[], Reader | None] = _none
    judge: Callable[[], Judge | None] = _none
    scorers: Callable[[], Mapping[str, PictureScorer]] = _no_scorers
    ocr: str = "the OCR"


NO_INSTRUMENTS = Instruments()
