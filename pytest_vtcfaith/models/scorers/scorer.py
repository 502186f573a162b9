"""What scores an edited picture against its reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from pytest_vtcfaith.models.protocols import NotInstalled

if TYPE_CHECKING:
    from PIL import Image


@runtime_checkable
class PictureScorer(Protocol):
    """Scores a picture against its reference."""

    @property
    def reason(self) -> str:
        """Why nothing is measured; empty where something is."""
        ...

    @property
    def revision(self) -> str:
        """The SHA-256 of the weights; empty where there are none."""
        ...

    def score(self, reference: Image.Image, output: Image.Image) -> float | None:
        """The score of `output` (RGB, of the size of `reference`); None where it cannot be measured."""
        ...


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """The `PictureScorer` that stands where there are no weights."""

    reason: str
    revision: str = ""

    def score(self, reference: Image.Image, output: Image.Image) -> None:
        """Nothing: what was not measured has no score."""


def import_torch() -> Any:
    """PyTorch. Raises NotInstalled without it."""
    try:
        import torch
    except ImportError as error:
        raise NotInstalled(f"torch is not installed: pip install 'pytest-vtcfaith[edit]' ({error})") from error
    return torch


def check_pair(reference: Image.Image, output: Image.Image) -> None:
    """Raises ValueError unless both pictures have one size."""
    if reference.size != output.size:
        raise ValueError(f"the sizes {reference.size} and {output.size} differ: resize the output to the reference")
