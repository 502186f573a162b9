"""What was read in a picture that a model gave, beside what should stand there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from pytest_vtcfaith.engine.transcript import Transcript
    from pytest_vtcfaith.suites.case import Case
    from pytest_vtcfaith.suites.instruments import Instruments

JUDGED = ("valid", "right", "wrong", "not decided", "not written", "not marked here")
"""Verdicts on a part that is marked, not compared word by word."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One part of a picture: `expected` should stand there, `read` was read. `verdict` is one of `JUDGED`, with its
    `reason`; "" where the two are to be compared word by word, with `by_line` each line with the one at its place only.
    """

    label: str
    expected: str
    read: str
    verdict: str = ""
    reason: str = ""
    by_line: bool = False


@runtime_checkable
class ReadsPictures(Protocol):
    """A suite whose models give pictures, which it reads."""

    def read_back(self, case: Case, transcript: Transcript, instruments: Instruments) -> dict[str, str]:
        """What was read in the picture, as results.jsonl keeps it; nothing of a reply without one."""
        ...

    def compared(self, case: Case, read: Mapping[str, str]) -> Sequence[Compared]:
        """The parts of the picture, from what `read_back` gave."""
        ...
