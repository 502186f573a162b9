"""Characters that a source text may not hold, because no page shows them."""

from __future__ import annotations

import re

from pytest_vtcfaith.metrics.normalise import normalise
from pytest_vtcfaith.pages.linebreaking import INKLESS

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def drop_inkless(text: str) -> str:
    """The text without the characters that a page drops because they have no ink."""
    return INKLESS.sub("", text)


def fault(text: str) -> str:
    """Why a text cannot be put on a page and compared with what is read from it, with the mend; "" when it can.

    Faults are lone surrogates, control characters other than newline and tab, characters that a page drops but
    normalising keeps (a perfect reading would be charged for them), and texts with nothing visible (definitions §2).
    """
    if found := _SURROGATE.search(text):
        return f"has half a surrogate pair, U+{ord(found[0]):04X}: remove it"
    if found := _CONTROL.search(text):
        place = text.count("\n", 0, found.start()) + 1
        return f"has the control character U+{ord(found[0]):04X} in paragraph {place}: remove it"
    for char in () if text.isascii() else sorted(set(INKLESS.findall(text))):
        if normalise(char):
            return f"has U+{ord(char):04X}, which no page shows: remove it, or rebuild with vtcfaith build"
    return "" if normalise(text) else "has nothing visible: fill it or remove it"
