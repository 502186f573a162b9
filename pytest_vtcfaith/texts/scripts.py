"""Scripts: which characters belong to a language, and which of them a random replacement is drawn from."""

from __future__ import annotations

from functools import cache

from pytest_vtcfaith.metrics.scripts import is_han
from pytest_vtcfaith.texts.errors import TextsError

LANGS = ("en", "zh", "ko")

HANGUL_FIRST, HANGUL_LAST = 0xAC00, 0xD7A3

_LOWER = tuple("abcdefghijklmnopqrstuvwxyz")
_UPPER = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


def is_ascii_letter(char: str) -> bool:
    """Whether the character is A–Z or a–z."""
    return char.isascii() and char.isalpha()


def is_hangul_syllable(char: str) -> bool:
    """Whether the character is one of the 11,172 precomposed Hangul syllables."""
    return HANGUL_FIRST <= ord(char) <= HANGUL_LAST


def check_lang(lang: str) -> None:
    """Raises TextsError unless `lang` is one of `LANGS`."""
    if lang not in LANGS:
        raise TextsError(f"lang {lang!r} is unknown: choose one of {', '.join(LANGS)}")


def in_script(char: str, lang: str) -> bool:
    """Whether the character belongs to the script of the language: ASCII letters, Han, Hangul syllables.

    `lang` is `en`, `zh` or `ko`; raises TextsError for another.
    """
    check_lang(lang)
    if lang == "en":
        return is_ascii_letter(char)
    return is_han(char) if lang == "zh" else is_hangul_syllable(char)


@cache
def common_syllables() -> tuple[str, ...]:
    """The 2,350 Hangul syllables of KS X 1001, in code point order.

    FaithC4 (appendix A, "Random") says "the 11,172 syllables that exist and are commonly used", which no list is: most
    of the 11,172 occur in no Korean word, and many engines cannot write them at all, so that they would measure an
    engine's alphabet. KS X 1001 is the standard's list of those in use.
    """
    # euc_kr also writes the other syllables, as sequences of four jamo: only two bytes mean a character of KS X 1001
    every = map(chr, range(HANGUL_FIRST, HANGUL_LAST + 1))
    return tuple(char for char in every if len(char.encode("euc_kr")) == 2)


@cache
def common_han() -> tuple[str, ...]:
    """The 3,755 Han characters of GB 2312 level 1, in code point order.

    FaithC4 (appendix A, "Random") draws from some 20,000. Rare ones an engine misreads because it has hardly seen them,
    or cannot write at all: they would measure its dictionary, not its prior. With all 6,763 characters of GB 2312
    RapidOCR kept 84 % of the random windows verbatim, for the rare ones of level 2; level 1 are those in common use.
    """
    # level 1 are rows 16 to 55, lead bytes 0xB0 to 0xD7
    every = (chr(code) for code in range(0x4E00, 0xA000))
    return tuple(char for char in every if 0xB0 <= char.encode("gb2312", "replace")[0] <= 0xD7)


def replacements(char: str, lang: str) -> tuple[str, ...]:
    """The characters a random replacement of `char` is drawn from, `char` itself included where it is one of them.

    English letters keep their case. Raises TextsError when `char` does not belong to the script of `lang`.
    """
    if not in_script(char, lang):
        raise TextsError(f"{char!r} does not belong to the script of {lang}")
    if lang == "en":
        return _UPPER if char.isupper() else _LOWER
    return common_han() if lang == "zh" else common_syllables()
