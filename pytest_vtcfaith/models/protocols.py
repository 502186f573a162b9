"""What a model must offer to be measured. All protocols are batched; none is ever given the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from pytest_vtcfaith.metrics.outcomes import Reply

if TYPE_CHECKING:
    from PIL import Image


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a transcriber is asked: `text` (engines without a language model ignore it), the page's language
    (`en`, `zh`, `ko`) and the name of the prompt condition (FaithC4 appendix F: `plain`, `no_correct`,
    `no_correct+think`).
    """

    text: str
    lang: str
    condition: str = "plain"


class NotInstalled(Exception):
    """Something this machine lacks (language data, an engine, weights); the message names the mend.

    Whatever needed it was not measured: it is never a failure of the model and never passes.
    """


@runtime_checkable
class Transcriber(Protocol):
    """Reads pages."""

    def transcribe(self, images: Sequence[Image.Image], prompt: Prompt) -> Sequence[Reply | str]:
        """Reads each picture (RGB, upright, on white) and returns one reply per picture, in their order."""
        ...
