"""Which characters belong to a language's script, as regular-expression character ranges."""

from __future__ import annotations

import re

LANGUAGES = ("en", "zh", "ko", "mixed")
"""Languages with rules here; `mixed` is text of several languages and follows the Chinese rules (definitions §2)."""

SPACELESS = ("zh", "mixed")
"""Languages whose words are not separated by white space."""

WHITE_SPACE = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""The Unicode property White_Space; unlike `str.isspace` without U+001C–001F."""

HAN = r"\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0002ebef\U00030000-\U000323af"
"""CJK unified ideographs (FaithC4, appendix A)."""

LATIN = r"A-Za-z\xaa\xba\xc0-\xd6\xd8-\xf6\xf8-\u02b8\u1d00-\u1d25\u1e00-\u1eff\u2c60-\u2c7f\ua722-\ua787"
"""Letters of the Latin script, composed ones included."""

HANGUL = r"\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7a3\ud7b0-\ud7ff"
"""Hangul syllables and letters."""

_HAN_CHARACTER = re.compile(f"[{HAN}]")
_TARGET = {
    "en": re.compile(f"[{LATIN}]"),
    "zh": _HAN_CHARACTER,
    "ko": re.compile(f"[{HANGUL}]"),
    "mixed": re.compile(f"[{LATIN}{HAN}]"),
}


def check_lang(lang: str) -> None:
    """Raises ValueError unless `lang` is one of `LANGUAGES`."""
    if lang not in LANGUAGES:
        raise ValueError(f"lang {lang!r} is unknown: choose one of {', '.join(LANGUAGES)}")


def is_han(character: str) -> bool:
    """Whether the character is a CJK unified ideograph."""
    return _HAN_CHARACTER.fullmatch(character) is not None


def script_share(text: str, lang: str) -> float:
    """Share, in [0, 1], of the characters other than white space that belong to the script of `lang`; 0 without any.

    Raises ValueError for an unknown language.
    """
    check_lang(lang)
    visible = re.sub(f"[{WHITE_SPACE}]+", "", text)
    if not visible:
        return 0.0
    return 1 - len(_TARGET[lang].sub("", visible)) / len(visible)
