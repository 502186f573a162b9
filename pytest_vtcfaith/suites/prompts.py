"""What transcribers are asked (FaithC4 §3.2, appendix F.2 and F.3; ZeroSense Table A3)."""

from __future__ import annotations

from pytest_vtcfaith.models.protocols import Prompt

_BASE = "Extract all text from this document image. Output document text only."
_NO_CORRECT = (
    "Write every word exactly as it is printed, letter by letter, also where it looks misspelt or makes no sense. "
    "Do not correct, complete or replace anything."
)

CONDITIONS = {
    "plain": _BASE,
    "no_correct": f"{_BASE} {_NO_CORRECT}",
    "no_correct+think": f"{_BASE} {_NO_CORRECT}",
}
"""Prompt condition → text. `+think` asks the same with the model's reasoning switched on, which the adapter does."""


def prompt(condition: str, lang: str) -> Prompt:
    """The prompt of a condition for a page in `lang`; raises KeyError for an unknown condition."""
    return Prompt(CONDITIONS[condition], lang, condition)
