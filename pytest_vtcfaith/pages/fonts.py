"""The fonts pages are set in: files of pip packages, pinned by hash, and which characters they have."""

from __future__ import annotations

import hashlib
import importlib.util
import unicodedata
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

Style = Literal["serif", "sans", "wide"]
STYLES: tuple[Style, ...] = ("serif", "sans", "wide")
LANGUAGES = ("en", "zh", "ko", "mixed")
_NAMED_IN_MESSAGE = 20


class FontUnavailable(RuntimeError):
    """A font package is missing or of another version; the message names the pip command that mends it."""


class MissingGlyphs(ValueError):
    """The text has characters the font cannot draw; `characters` lists them."""

    def __init__(self, characters: list[str], font: FontFile) -> None:
        self.characters = characters
        shown = ", ".join(f"U+{ord(c):04X} {unicodedata.name(c, 'unnamed')}" for c in characters[:_NAMED_IN_MESSAGE])
        more = f" and {len(characters) - _NAMED_IN_MESSAGE} more" if len(characters) > _NAMED_IN_MESSAGE else ""
        super().__init__(
            f"{font.name} cannot draw {len(characters)} of the text's characters: {shown}{more}; "
            "remove these characters, or give the text the language they belong to"
        )


@dataclass(frozen=True, slots=True)
class FontFile:
    """A font: its name, where its file is, and the SHA-256 of that file.

    Its letters are to be drawn `stretch` times as wide as the file has them, its spaces `space_em` em wide (None: as
    wide as the stretch makes the file's).
    """

    name: str
    path: Path
    sha256: str
    stretch: float = 1.0
    space_em: float | None = None


@dataclass(frozen=True, slots=True)
class _Source:
    package: str
    file: str
    sha256: str
    requirement: str
    stretch: float = 1.0
    space_em: float | None = None


_LATIN_SERIF = _Source(
    "fontpkg_noto_serif",
    "files/NotoSerif[wdth,wght].ttf",
    "4d8e6761424656867019081a1a01336f3cb086982682698714054fc33f782713",
    "fontpkg-noto-serif==2.15",
)
_LATIN_SANS = _Source(
    "fontpkg_noto_sans",
    "files/NotoSans[wdth,wght].ttf",
    "bfb7bb691513f12e734dc346c03a03f784912432d7e3fa8e56efcf906fe86b3d",
    "fontpkg-noto-sans==2.15",
)
_HAN_SERIF = _Source(
    "pylopdf_fonts_zh_cn",
    "NotoSerifSC-Regular.otf",
    "e8f396decc1f0963a016a989c3d8852e863d1350996f573860a80767c83a1cd3",
    "pylopdf-fonts-zh-cn==0.1.1",
)
_HAN_SANS = _Source(
    "pylopdf_fonts_zh_cn",
    "NotoSansSC-Regular.otf",
    "faa6c9df652116dde789d351359f3d7e5d2285a2b2a1f04a2d7244df706d5ea9",
    "pylopdf-fonts-zh-cn==0.1.1",
)
_HANGUL_SERIF = _Source(
    "pylopdf_fonts_ko",
    "NotoSerifKR-Regular.otf",
    "5ea012e15cb7eacc1f680aee1703f3b164791b1443ea3e52b65080cca5d179cf",
    "pylopdf-fonts-ko==0.1.1",
)
_HANGUL_SANS = _Source(
    "pylopdf_fonts_ko",
    "NotoSansKR-Regular.otf",
    "69975a0ac8472717870aefeab0a4d52739308d90856b9955313b2ad5e0148d68",
    "pylopdf-fonts-ko==0.1.1",
)
# Glyph's English pages are set in Verdana, which no pip package may carry. The package of its like, DejaVu Sans
# (rinoh-typeface-dejavusans 0.1.0), pulls heavy and copyleft dependencies, so Noto Sans is widened to it: over the
# letters of our English texts the two have 0.5189 and 0.5510 em on average; DejaVu's space has 0.318.
_LATIN_WIDE = replace(_LATIN_SANS, stretch=1.062, space_em=0.318)
_SOURCES: dict[tuple[str, str], _Source] = {
    ("serif", "en"): _LATIN_SERIF,
    ("sans", "en"): _LATIN_SANS,
    ("wide", "en"): _LATIN_WIDE,
    ("serif", "zh"): _HAN_SERIF,
    ("sans", "zh"): _HAN_SANS,
    ("serif", "mixed"): _HAN_SERIF,
    ("sans", "mixed"): _HAN_SANS,
    ("serif", "ko"): _HANGUL_SERIF,
    ("sans", "ko"): _HANGUL_SANS,
    ("wide", "zh"): _HAN_SANS,
    ("wide", "mixed"): _HAN_SANS,
    ("wide", "ko"): _HANGUL_SANS,
}


def font_for(style: Style, lang: str) -> FontFile:
    """The font of a style (`serif`, `sans`, or `wide`) and a language (`en`, `zh`, `ko`, `mixed`).

    `wide` is the sans with Latin letters as wide as those of the Verdana-like DejaVu Sans on average; Han and Hangul
    stay as they are.
    Mixed-language texts use the Chinese font, as they use the Chinese rules (definitions §2). Raises ValueError for an
    unknown style or language, FontUnavailable where its package is missing or its file is not the pinned one.
    """
    source = _SOURCES.get((style, lang))
    if source is None:
        raise ValueError(
            f"no font for style {style!r} and language {lang!r}; styles: {', '.join(STYLES)}; "
            f"languages: {', '.join(LANGUAGES)}"
        )
    return _load(source)


@lru_cache(maxsize=16)
def _load(source: _Source) -> FontFile:
    mend = f'run: pip install "{source.requirement}"'
    spec = importlib.util.find_spec(source.package)
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    path = next((p for p in (Path(place, source.file) for place in places) if p.is_file()), None)
    if path is None:
        raise FontUnavailable(f"the font package {source.package} is not installed ({source.file} is missing); {mend}")
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    if sha256 != source.sha256:
        raise FontUnavailable(
            f"{path}: SHA-256 is {sha256}, pages are pinned to {source.sha256} of {source.requirement}; {mend}"
        )
    return FontFile(path.stem.partition("[")[0], path, sha256, source.stretch, source.space_em)


def missing_characters(text: str, font: FontFile) -> list[str]:
    """The characters of `text` the font has no glyph for, each once, by code point.

    Spaces and newlines never count; other control characters always do, since fonts map some of them to nothing.
    """
    covered = _coverage(font.path)
    return sorted(c for c in set(text) - {" ", "\n"} if ord(c) not in covered or unicodedata.category(c) == "Cc")


@lru_cache(maxsize=16)
def _coverage(path: Path) -> frozenset[int]:
    from fontTools.ttLib import TTFont

    with TTFont(path, lazy=True) as font:
        # The cmap table speaks of glyphs by name; reading the real names of a CJK font costs most of a second.
        font.setGlyphOrder([str(index) for index in range(font["maxp"].numGlyphs)])
        return frozenset(code for code, glyph in font["cmap"].getBestCmap().items() if glyph != "0")
