"""Text before scoring: what two texts may differ in without being different (definitions §2)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from pytest_vtcfaith.metrics.scripts import HAN, SPACELESS, WHITE_SPACE, check_lang

# U+200B, U+2060, U+FEFF, U+00AD; direction marks; variation selectors, those of Mongolian included
_INVISIBLE = re.compile(
    r"[\xad\u061c\u180b-\u180d\u180f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufe00-\ufe0f\ufeff"
    r"\U000e0100-\U000e01ef]+"
)
_SPACES = re.compile(f"[{WHITE_SPACE}]+")
# Han with its compatibility forms, CJK symbols and punctuation, vertical and small forms, full-width punctuation, and
# the punctuation that Chinese shares with other scripts: middle dot, dash, quotation marks, ellipsis
_CJK = (
    HAN + r"\u2e80-\u2fdf\uf900-\ufaff\U0002f800-\U0002fa1f\u3001-\u303f\u30fb\ufe10-\ufe1f\ufe30-\ufe6f"
    r"\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\xb7\u2014\u2018\u2019\u201c\u201d\u2026"
)
_SPACE_BESIDE_CJK = re.compile(f" (?:(?<=[{_CJK}] )|(?=[{_CJK}]))")
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}


@dataclass(frozen=True, slots=True)
class Profile:
    """A named, versioned way to normalise; `apply` takes a text and its language; baselines store name and version."""

    name: str
    version: int
    apply: Callable[[str, str], str]


@lru_cache(maxsize=8)  # outcome, rates and rewrites of one case each ask for the same two or three texts
def _verbatim(text: str, lang: str) -> str:
    if text.isascii():
        return _SPACES.sub(" ", text).strip(" ")
    # Composed before the spaces are looked at: a canonical equivalent may be CJK punctuation (U+2329 is U+3008)
    text = unicodedata.normalize("NFC", _INVISIBLE.sub("", text))
    text = _SPACES.sub(" ", text)
    if lang in SPACELESS:
        text = _SPACE_BESIDE_CJK.sub("", text)
    # Folded after the spaces: a full-width comma is CJK punctuation, the ASCII one is not
    return unicodedata.normalize("NFC", text.translate(_FULL_WIDTH).strip(" "))


def _published(text: str, lang: str) -> str:
    text = _verbatim(text, lang)
    special = {ord(c): None for c in set(text) if c != " " and unicodedata.category(c)[0] not in "LMN"}
    return _verbatim(text.translate(special), lang)


PROFILES = {
    profile.name: profile for profile in (Profile("verbatim", 1, _verbatim), Profile("published", 1, _published))
}
"""The profiles by name."""


def normalise(text: str, profile: str = "verbatim", lang: str = "en") -> str:
    """The text as it is compared; applying it twice changes nothing more.

    - `text`: any string; lone surrogates stay (`published` drops them with the other special characters).
    - `profile`: `verbatim` composes (NFC, never NFKC), drops zero-width characters, soft hyphens, direction marks and
      variation selectors, turns every run of Unicode White_Space into one space, strips the ends and folds U+FF01–FF5E;
      case, punctuation and compatibility characters stay. `published` also drops every character that is neither
      letter, mark, number nor space (Unicode categories L, M, N): FaithC4's "remove special characters and non-textual
      artifacts", which names no list.
    - `lang`: one of `scripts.LANGUAGES`; in `zh` and `mixed` spaces beside a Han character or CJK punctuation
      (full-width forms and `· — ‘ ’ “ ” …` included) are dropped.

    Raises ValueError for an unknown profile or language. Source: definitions §2; FaithC4 §3.2 "Normalization".
    """
    check_lang(lang)
    if profile not in PROFILES:
        raise ValueError(f"profile {profile!r} is unknown: choose one of {', '.join(PROFILES)}")
    return PROFILES[profile].apply(text, lang)


def comparable(*texts: str, profile: str, lang: str) -> tuple[str, ...]:
    """Texts normalised to be compared with each other: all verbatim where the profile would erase all of one.

    Arguments and errors as `normalise`.
    """
    found = tuple(normalise(text, profile, lang) for text in texts)
    if profile != "verbatim" and not all(found):
        verbatim = tuple(normalise(text, "verbatim", lang) for text in texts)
        if any(kept and not left for kept, left in zip(verbatim, found, strict=True)):
            return verbatim
    return found
