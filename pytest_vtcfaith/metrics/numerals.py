"""Numbers as people write them: thousands separators, percent, Chinese numerals, number words."""

from __future__ import annotations

import re
from decimal import Decimal

_DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10**4, "亿": 10**8}
_HAN = "".join((*_DIGITS, *_UNITS, *_MYRIADS))
_SPELLED = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
NUMBER_WORDS = {word: value for value, word in enumerate(_SPELLED.split())}
# A run of digits with whatever may be a separator between them; letters, points and commas before it make it no number
_RUN = re.compile(r"(?<![\w.,])(?<![^\W\d_][-\u2010\u2011])([-\u2212+]?)(\d+(?:[.,'\u2019]\d+)*)")
_GROUPED = re.compile(r"\d{1,3}(?:([,'\u2019])\d{3})(?:\1\d{3})*(\.\d+)?")
_PLAIN = re.compile(r"\d+(?:\.\d+)?")
_MYRIAD = re.compile(r"\s?([万亿])")


def numbers_in(text: str) -> list[Decimal | None]:
    """The numbers that a normalised text states, in order; None for digits that are no number by these rules.

    - Digits that follow a letter, a letter's hyphen, a point or a comma (`Q3`, `KM-48`, `.5`) belong to a word and are
      passed over. A unit may follow digits without a space (`120kg`, `25%`); `3万` is 30,000.
    - `,`, `'` and `’` part thousands where every group after the first has three digits; a space never does: `1 234`
      are two numbers. The decimal mark is a point. Other runs (`1,5`, `1.2.3`) are None: nobody knows what they mean.
    - Chinese numerals (`一百二十`) count where the text has no digits at all. A number word (`seven`, up to twenty)
      counts where it is the whole text.
    """
    if not re.search(r"\d", text):
        word = text.strip(" .").casefold()
        if word in NUMBER_WORDS:
            return [Decimal(NUMBER_WORDS[word])]
        return [_han(run) for run in re.findall(f"[{_HAN}]+", text)]
    found: list[Decimal | None] = []
    for match in _RUN.finditer(text):
        value = _plain(match[2])
        myriad = _MYRIAD.match(text, match.end())
        if value is not None and myriad is not None:
            value *= _MYRIADS[myriad[1]]
        found.append(-value if value is not None and match[1] in ("-", "\u2212") else value)
    return found


def _plain(digits: str) -> Decimal | None:
    if _PLAIN.fullmatch(digits):
        return Decimal(digits)
    if _GROUPED.fullmatch(digits):
        return Decimal(re.sub(r"[^\d.]", "", digits))
    return None


def _han(run: str) -> Decimal | None:
    """A Chinese numeral, None where it is none: 三百二十, 十五, 一万二千, 二〇二四."""
    if all(character in _DIGITS for character in run):
        return Decimal("".join(str(_DIGITS[character]) for character in run)) if run else None
    total = section = digit = 0
    last = 10**12
    for character in run:
        if character in _DIGITS:
            if digit:
                return None
            digit = _DIGITS[character]
        elif character in _UNITS:
            unit = _UNITS[character]
            if unit >= last or (not digit and unit != 10):
                return None
            section += (digit or 1) * unit
            digit, last = 0, unit
        else:
            total = (total + section + digit) * _MYRIADS[character]
            section = digit = 0
            last = 10**12
    return Decimal(total + section + digit)
