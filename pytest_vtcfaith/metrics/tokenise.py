"""Words: what a word error rate counts (definitions §2)."""

from __future__ import annotations

import re

from pytest_vtcfaith.metrics.scripts import LATIN, SPACELESS, WHITE_SPACE, check_lang

_WORD = re.compile(f"[^{WHITE_SPACE}]+")
_CHINESE = re.compile(f"(?:[{LATIN}0-9]|(?<=[0-9])[.,-](?=[0-9]))+|[^{WHITE_SPACE}]")


def tokens(text: str, lang: str) -> list[str]:
    """The tokens of a normalised text.

    `en`, `ko`: what stands between white space. `zh`, `mixed`: a maximal run of Latin letters and ASCII digits
    (with inner `.` `,` `-` between digits), or one other code point; white space is no token, so pure Chinese WER is
    CER.
    Raises ValueError for another `lang`. Source: definitions §2.
    """
    check_lang(lang)
    return (_CHINESE if lang in SPACELESS else _WORD).findall(text)
