"""What stands around an equation: whether it is whole, and in one unit. What is cut is not judged.

The grammar of `judges.expressions` finds the longest stretch that it can read. Where something else belongs to it
("√144 = 12", "12 mod 5 = 2", "42²", "half of 12 = 6", kilograms added to grams), the stretch alone would be judged
wrongly in either direction; here such stretches are found.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from pytest_vtcfaith.models.judges.expressions import Relation

_LEADS = "so then that thus hence therefore because since gives give makes make get have has we is are was were"
_LEADING = frozenset(_LEADS.split())
"""Words before an equation that do not belong to it, whatever stands before them."""
_OPERATORS = (
    "mod modulo sqrt root log half twice thrice double triple squared cubed factorial hundred thousand million billion "
    "dozen percent per remainder rest over times plus minus negative divided multiplied k power"
)
_OPERATING = frozenset(_OPERATORS.split())
_SPOKEN_NAMES = "plus minus times equals of x"
_SPOKEN = frozenset(_SPOKEN_NAMES.split())
_COUNTED = "in altogether total all left together and or so because but which on at from per now then is are after for"
_NO_UNIT = frozenset(_COUNTED.split())

_LAST_WORDS = re.compile(r"([\d%)\]²³]?)\s*((?:[A-Za-z]+\s+)?[A-Za-z]+)$")
_MULTIPLES = re.compile(
    r"\b(?:hundred|thousand|million|billion|dozen|percent|half|twice|double|squared|cubed|k)s?\b"
    r"|[^%\s]\s*[-+−–—]\s*\d[\d.,]*\s*%(?!\s*of\b)",
    re.IGNORECASE,
)
"""What changes a number inside an equation: "2 dozen eggs", and a percentage of what stands before it ("80 − 25%")."""
_WORD = re.compile(r"[A-Za-z]+")
_NUMBER_SOON = re.compile(r"[A-Za-z]+(?:\s+[A-Za-z]+)?\s*[\d√½⅓¼¾]")


def is_cut(text: str, relation: Relation, relations: Sequence[Relation], unknowns: Collection[str]) -> bool:
    """Whether something that the grammar does not understand belongs, or may belong, to an equation of a text.

    `relations`: all that were found in the text; `unknowns`: the letters that stand for numbers.
    """
    begin = max((other.end for other in relations if other.end <= relation.start), default=0)
    end = min((other.start for other in relations if other.start >= relation.end), default=len(text))
    return (
        _MULTIPLES.search(relation.text) is not None
        or _cut_before(text[begin : relation.start], begin > 0, relation)
        or _cut_behind(text[relation.end : end], end < len(text))
        or _several_units(relation, text[relation.end : end], unknowns)
    )


def _cut_before(text: str, follows: bool, relation: Relation) -> bool:
    text = text.rstrip("$€£")
    before = re.sub(r"(?:^|(?<=[\s:,.;(]))[*`\"'“‘]+$", "", text).rstrip()
    if not before:
        return follows and not text
    last = before[-1]
    if last in "([":
        return len(before) > 1 and before[-2].isalnum()
    if last in "-–—•":
        return bool(before[:-1].strip()) and not before[:-1].rstrip().endswith((":", ".", ";"))
    if last in ".,;!?":
        return before == text
    if last == ":":
        return before[:-1].endswith(" ") or (before == text and before[-2:-1].isdigit())
    if last in "=≈":
        return not before[:-1].rstrip()[-1:].isalpha()
    words = _LAST_WORDS.search(before)
    if words is None or before == text:
        return not (words is None and last == "'")
    number, said = words[1], words[2].lower().split()
    if not _OPERATING.isdisjoint(said) or (number and said[-1] not in _LEADING):
        return True
    lone = sum(token.kind == "number" for token in relation.sides[0]) == len(relation.sides[0]) == 1
    return lone and said[-1] not in _LEADING | {"and", "but", "while", "as", "or", "by"}


def _cut_behind(text: str, leads: bool) -> bool:
    behind = text.lstrip()
    if not behind:
        return leads and not text
    first, glued = behind[0], behind == text
    if first in ".,;:?\"'”’*`":
        return glued and (behind[1:2].isalnum() or (first == ":" and behind[1:2].isdigit()))
    if first in ")]":
        return behind[1:2].isalnum() or behind[1:2] in tuple("²³^!")
    if first in "([":
        return glued
    if first in "-–—":
        return glued or not re.match(r".\s+[A-Za-z(]", behind)
    word = _WORD.match(behind)
    if word is None:
        return True
    return word[0].lower() in _OPERATING or _NUMBER_SOON.match(behind) is not None


def _several_units(relation: Relation, behind: str, unknowns: Collection[str]) -> bool:
    """Whether numbers of one equation are in different units, so far as any are named in front of its last number."""
    text = relation.text
    units = [
        words[-1].lower()
        for run in re.findall(r"[A-Za-z]+(?:\s+[A-Za-z]+)*", text)
        if (words := [word for word in run.split() if word.lower() not in _SPOKEN and word not in unknowns])
    ] + re.findall(r"[$€£]", text)
    if not units:
        return False
    follows = re.match(r"\s*([A-Za-z]+)", behind)
    if follows is not None and follows[1].lower() not in _NO_UNIT:
        named = re.match(r"\s*((?:[A-Za-z]+\s+)?[A-Za-z]+)", behind)
        own = named[1].lower().split() if named else []
        units.append(next((word for word in own if _same(word, units[0])), own[0]))
    return not all(_same(unit, units[0]) for unit in units)


def _same(one: str, other: str) -> bool:
    """Whether two words are one unit, singular or plural."""
    short, long = sorted((one, other), key=len)
    return long in (short, f"{short}s", f"{short}es")
