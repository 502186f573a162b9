"""Characters that look alike: what the `visual` perturbation replaces a character with."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pytest_vtcfaith.metrics.scripts import is_han
from pytest_vtcfaith.texts.errors import TextsError
from pytest_vtcfaith.texts.scripts import HANGUL_FIRST, check_lang, common_han, common_syllables, is_hangul_syllable

# FaithC4, Table A.1, complete
_ENGLISH = {
    "a": "e o c",
    "b": "h d",
    "c": "e o",
    "d": "o cl b",
    "e": "a c o",
    "f": "l",
    "g": "q c o",
    "h": "n b li",
    "i": "l j",
    "j": "i l",
    "k": "lc l x",
    "l": "I i j f",
    "m": "n rn",
    "n": "h m",
    "o": "a e c",
    "p": "q o",
    "q": "g p",
    "r": "n c",
    "s": "a e z",
    "t": "i l",
    "u": "v n",
    "v": "u",
    "w": "vv u m",
    "x": "k",
    "y": "j",
    "z": "s e",
    "A": "H N",
    "B": "S R D E",
    "C": "G O",
    "D": "O B",
    "E": "F B",
    "F": "E",
    "G": "C O Q",
    "H": "A N",
    "I": "l J T",
    "J": "I T",
    "K": "X Y",
    "L": "I N",
    "M": "N H",
    "N": "M H",
    "O": "C D G Q",
    "P": "R B",
    "Q": "O G C",
    "R": "P B",
    "S": "B",
    "T": "I J",
    "U": "V",
    "V": "U N",
    "W": "V U M VV",
    "X": "K",
    "Y": "I K",
    "Z": "S",
}

# The order of the jamo in Unicode's Hangul arithmetic (The Unicode Standard, 3.12)
_INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_FINALS = " ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"

# Jamo a stroke or a doubling apart; a syllable never gains or loses its final, which would change its outline
_SIMILAR_INITIALS = {
    "ㄱ": "ㅋㄲ",
    "ㄲ": "ㄱㅋ",
    "ㄴ": "ㄷ",
    "ㄷ": "ㅌㄸㄴ",
    "ㄸ": "ㄷ",
    "ㄹ": "ㅌ",
    "ㅁ": "ㅂ",
    "ㅂ": "ㅍㅃㅁ",
    "ㅃ": "ㅂ",
    "ㅅ": "ㅆㅈ",
    "ㅆ": "ㅅ",
    "ㅇ": "ㅎ",
    "ㅈ": "ㅊㅉㅅ",
    "ㅉ": "ㅈ",
    "ㅊ": "ㅈㅎ",
    "ㅋ": "ㄱ",
    "ㅌ": "ㄷㄹ",
    "ㅍ": "ㅂ",
    "ㅎ": "ㅇㅊ",
}
_SIMILAR_VOWELS = {
    "ㅏ": "ㅑㅓ",
    "ㅐ": "ㅔㅒ",
    "ㅑ": "ㅏㅕ",
    "ㅒ": "ㅐㅖ",
    "ㅓ": "ㅕㅏ",
    "ㅔ": "ㅐㅖ",
    "ㅕ": "ㅓㅑ",
    "ㅖ": "ㅔㅒ",
    "ㅗ": "ㅛㅜㅡ",
    "ㅘ": "ㅙㅝ",
    "ㅙ": "ㅘㅞ",
    "ㅚ": "ㅟㅘ",
    "ㅛ": "ㅗㅠ",
    "ㅜ": "ㅠㅗㅡ",
    "ㅝ": "ㅞㅘ",
    "ㅞ": "ㅝㅙ",
    "ㅟ": "ㅚㅝ",
    "ㅠ": "ㅜㅛ",
    "ㅡ": "ㅗㅜ",
    "ㅢ": "ㅟㅚ",
    "ㅣ": "ㅏㅓ",
}
_SIMILAR_FINALS = {
    "ㄱ": "ㅋㄲ",
    "ㄲ": "ㄱㅋ",
    "ㄳ": "ㄱㄲ",
    "ㄴ": "ㄷㄹ",
    "ㄵ": "ㄶㄴ",
    "ㄶ": "ㄵㄴ",
    "ㄷ": "ㅌㄴ",
    "ㄹ": "ㅌㄷ",
    "ㄺ": "ㄻㄼ",
    "ㄻ": "ㄺㄼ",
    "ㄼ": "ㄿㄻ",
    "ㄽ": "ㄹㄾ",
    "ㄾ": "ㄿㄹ",
    "ㄿ": "ㄼㄾ",
    "ㅀ": "ㄹㄶ",
    "ㅁ": "ㅂㅇ",
    "ㅂ": "ㅍㅁ",
    "ㅄ": "ㅂ",
    "ㅅ": "ㅆㅈ",
    "ㅆ": "ㅅ",
    "ㅇ": "ㅎㅁ",
    "ㅈ": "ㅊㅅ",
    "ㅊ": "ㅈㅎ",
    "ㅋ": "ㄱ",
    "ㅌ": "ㄷㄹ",
    "ㅍ": "ㅂ",
    "ㅎ": "ㅇㅊ",
}
_PARTS = ((_INITIALS, _SIMILAR_INITIALS), (_VOWELS, _SIMILAR_VOWELS), (_FINALS, _SIMILAR_FINALS))

_HAN_FILE = Path(__file__).parent / "data" / "han_lookalikes.txt"


def jamo(syllable: str) -> tuple[int, int, int]:
    """The indices of a syllable's initial (0–18), vowel (0–20) and final (0–27, 0: none), by Unicode's arithmetic.

    Raises TextsError for anything but a precomposed Hangul syllable.
    """
    if len(syllable) != 1 or not is_hangul_syllable(syllable):
        raise TextsError(f"{syllable!r} is not a Hangul syllable")
    rest, final = divmod(ord(syllable) - HANGUL_FIRST, len(_FINALS))
    initial, vowel = divmod(rest, len(_VOWELS))
    return initial, vowel, final


def syllable(initial: int, vowel: int, final: int) -> str:
    """The syllable with these jamo; the inverse of `jamo`."""
    return chr(HANGUL_FIRST + (initial * len(_VOWELS) + vowel) * len(_FINALS) + final)


def parse_groups(text: str, file: str) -> dict[str, tuple[str, ...]]:
    """Reads groups of look-alike Han characters, one group a line, `#` for comments.

    Returns for every character the others of its groups, in the order of the file. `file` is named in the TextsError
    raised for a line that is not a group of two or more different Han characters.
    """
    found: dict[str, dict[str, None]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        group = line.strip()
        if not group or group.startswith("#"):
            continue
        if len(group) < 2 or len(set(group)) < len(group) or not all(map(is_han, group)):
            raise TextsError(f"{file}:{number}: {group!r} must be two or more different Han characters")
        for char in group:
            found.setdefault(char, {}).update(dict.fromkeys(other for other in group if other != char))
    return {char: tuple(others) for char, others in found.items()}


@cache
def _han() -> dict[str, tuple[str, ...]]:
    groups = parse_groups(_HAN_FILE.read_text(encoding="utf-8"), str(_HAN_FILE))
    common = set(common_han())
    return {char: tuple(other for other in others if other in common) for char, others in groups.items()}


def _korean(char: str) -> tuple[str, ...]:
    parts = jamo(char)
    common = set(common_syllables())
    found = []
    for place, (alphabet, similar) in enumerate(_PARTS):
        for other in similar.get(alphabet[parts[place]], ""):
            swapped = [*parts[:place], alphabet.index(other), *parts[place + 1 :]]
            found.append(syllable(*swapped))
    return tuple(char for char in found if char in common)


def lookalikes(char: str, lang: str) -> tuple[str, ...]:
    """What a character may be replaced with because it looks alike; empty where nothing does.

    English (`en`): FaithC4, Table A.1, where a replacement may have two letters (m → rn). Chinese (`zh`): the others of
    its groups in `data/han_lookalikes.txt`, made for this project, that are `common_han`: a rare one would measure an
    engine's dictionary, not its prior. Korean (`ko`): the syllables of KS X 1001 that differ in exactly one jamo, by a
    similar one (FaithC4, appendix A, "Visual"). `lang` outside these raises TextsError.
    """
    check_lang(lang)
    if lang == "en":
        return tuple(_ENGLISH.get(char, "").split())
    if lang == "zh":
        return _han().get(char, ())
    return _korean(char) if is_hangul_syllable(char) else ()
