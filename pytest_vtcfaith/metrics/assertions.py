"""What a reply states, and whether it states it outright: frames around an answer, negations, hedges, units.

A reply has to *be* the answer. Frames ("The answer is 120.") are a small closed set; whatever else stands around an
answer makes it prose, which no rule here understands. Source: definitions §6 and §7, strict matching of answers.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction

from pytest_vtcfaith.metrics.numerals import NUMBER_WORDS, numbers_in

EDGES = " \t\n.。!！\"'“”‘’`*"
"""What may stand around an answer without a meaning."""

_LEAD_IN = re.compile(
    r"(?:(?:so|thus|hence|therefore),?\s+)?"
    r"(?:(?:the\s+)?(?:final\s+|correct\s+|right\s+)?answer\s*(?:is\s*:?|:)|(?:正确|最终)?答案\s*(?:是|为)?\s*[:：]?)\s*",
    re.IGNORECASE,
)
_STATED = re.compile(
    r"(?:it\s+is|it['’]s|that\s+is|there\s+(?:is|are)|(?:the|its)\s+(?:number|value|total|sum|count|result|year)\s+is\b:?"
    r"|是|一?共(?:有)?|有|=|[a-z]\s*=)\s*(?!\w*['’])",
    re.IGNORECASE,
)
_WRAPPED = re.compile(r"\\boxed\s*\{(.+)\}|\$\s*\\boxed\s*\{(.+)\}\s*\$|\((.+)\)|\[(.+)\]|\{(.+)\}", re.DOTALL)
_NEGATED = re.compile(
    r"\b(?:no|not|never|nor|neither|none|nothing|nobody|cannot|without|except|instead|unlike|hardly|barely|scarcely"
    r"|rather\s+than|anything\s+but|everything\s+but|all\s+but|far\s+from|fails?\s+to|unable|wrong|false|incorrect)\b"
    r"|n['’]t\b|[不没無无非未否]",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:might|maybe|perhaps|possibly|probably|presumably|likely|unlikely|unsure|uncertain|unclear|guess\w*"
    r"|may|could|would|seems?|appears\s+to|looks?\s+like|apparently|think|believe|suppose|assume|or|either|if|unless|whether"
    r"|else|alternatively|no\s+idea)\b"
    r"|(?:\bnot|n['’]t)\s+(?:know|sure|certain|clear|tell)\b|\bcannot\s+tell\b"
    r"|[?？~≈]|也许|可能|大概|或|大约|左右|好像|似乎|如果|是否|是不是|有没有|不知道|不清楚|不一定|不确定|看不清",
    re.IGNORECASE,
)
_SIGNS = "$€£¥%‰°"
_FREE_SIGNS = ("$", "€", "£", "¥", "%", "个")  # what a number may have where the key has no unit
_LONGEST = 40  # characters of a number that is worth converting
_PLACE = re.compile(
    r"(?<!\s)\s+(?:in|on)\s+(?:the|this)\s+(?:chart|graph|plot|diagram|table|picture|image|photo|figure|page|text|passage)",
    re.IGNORECASE,
)
_COUNT_OF = re.compile(r"the\s+(?:total\s+)?number\s+of\s+((?:[^\W\d_]+\s+){1,4})is:?\s+", re.IGNORECASE)
_NUMBER = (
    r"(?P<value>[-+\u2212\u2013]?\s?(?:\d+(?:[.,'\u2019]\d+)*(?:\s?[万亿])?|[零一二三四五六七八九〇两十百千万亿]+)"
    r"(?:\s*[/⁄]\s*\d+)?"
    rf"|(?:{'|'.join(NUMBER_WORDS)}))"
)
_QUANTITY = re.compile(
    rf"(?P<minus>[-\u2212]\s?)?(?P<before>[$€£¥])?\s?{_NUMBER}\s?(?P<behind>[{_SIGNS}]|per\s+cent|[^\W\d_]+(?:/[^\W\d_]+)?)?"
)
_COUNTED = re.compile(
    r"\bhow\s+many\s+(?:of\s+(?:the|these|those)\s+)?(?:(?:two|three|four|five|six|seven|eight|nine|ten|\d+)\s+)?"
    r"((?:[^\W\d_]{2,}\s*){1,6})|\bhow\s+much\s+([^\W\d_]{2,})|\bin\s+([^\W\d_]{2,})\s*\?|(?:多少|几)\s*([个\u4e00-\u9fff])",
    re.IGNORECASE,
)
_PLURAL = re.compile(r"\w*[^\Wsui]s|people|men|women|children|feet|teeth|mice|geese|\w+(?:men|women|ies)")
_NO_UNITS = frozenset(
    [
        "is",
        "are",
        "was",
        "were",
        "do",
        "does",
        "did",
        "can",
        "will",
        "more",
        "less",
        "has",
        "does",
        "times",
        "in",
        "of",
        "percent",
        "the",
        "a",
        "an",
        "this",
        "that",
    ]
)
MULTIPLIERS = frozenset(
    ["hundred", "thousand", "million", "billion", "trillion", "dozen", "k", "bn", "mn", "tn", "mio", "mrd"]
)
"""Words behind a number that make it another number; as a unit they count only where the key's own answer has them."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as it is written (`value`, with its sign) and its `unit`: a word, a sign, "" where it has none."""

    value: str
    unit: str


def trimmed(text: str) -> str:
    """A text without what has no meaning at its ends (`EDGES`); the point of `.5` has one."""
    kept = text.lstrip(EDGES)
    point = kept[:1].isdigit() and text[: len(text) - len(kept)].endswith(".")
    return (("." if point else "") + kept).rstrip(EDGES)


def without_lead_in(text: str) -> str:
    """A text without one lead-in (`Answer:`, `The answer is`, `答案：`) and without what has no meaning at its ends."""
    text = trimmed(text)
    lead_in = _LEAD_IN.match(text)
    return trimmed(text[lead_in.end() :]) if lead_in is not None and lead_in.end() < len(text) else text


def bare(text: str) -> str:
    """A reply without one lead-in (`Answer:`, `The answer is`, `答案：`), without what has no meaning at its ends, and
    without one pair of brackets or a `\\boxed{}` around all of it."""
    text = without_lead_in(text)
    wrapped = _WRAPPED.fullmatch(text)
    inner = next((part for part in wrapped.groups() if part), None) if wrapped else None
    if inner is not None and not set(inner) & set("()[]{}"):
        text = inner
    return trimmed(text)


def quantity(text: str) -> Quantity | None:
    """The one quantity that a reply is: a number, at most one unit or sign, at most one frame ("It is 120 kg.").

    Frames: `it is`, `that is`, `there are`, `the number` (value, total, sum, count, result, year) `is`, `=`, `n =`,
    `是`, `有`, `共`, and `the number of bars is`, whose noun is the unit; `in the chart` (picture, page, …) may follow.
    None for everything else: prose, two numbers, negations, comparisons, hedges, `120²`, `2 × 60`.
    """
    text = _PLACE.sub("", bare(text), count=1)
    counted = _COUNT_OF.match(text)
    frame = counted or _STATED.match(text)
    if frame is not None:
        text = bare(text[frame.end() :])
    found = _QUANTITY.fullmatch(text)
    if found is None or (found["before"] and found["behind"]) or (found["minus"] and found["value"][0] in "-+−–"):
        return None
    value = re.sub(r"\s", "", found["value"]).replace("\u2212", "-").replace("\u2013", "-").replace("⁄", "/")
    unit = re.sub(r"\s+", " ", found["before"] or found["behind"] or "").casefold()
    if counted is not None and not unit:
        unit = counted[1].split()[-1].casefold()
    return Quantity(f"{'-' if found['minus'] else ''}{value}", "%" if unit in ("percent", "per cent") else unit)


def number_of(stated: Quantity) -> Fraction | None:
    """The number of a quantity ("twelve", "+42", "84/2", "十二") by `numerals.numbers_in`; None where it is none."""
    if len(stated.value) > _LONGEST:
        return None
    parts = [numbers_in(part) for part in stated.value.split("/")]
    if len(parts) > 2 or any(len(found) != 1 or found[0] is None for found in parts):
        return None
    numbers = [Fraction(found[0]) for found in parts if found[0] is not None]
    if len(numbers) == 2:
        return numbers[0] / numbers[1] if numbers[1] else None
    return numbers[0]


def unit_fits(given: str, own: str, units: Collection[str]) -> bool:
    """Whether a reply may have the unit `given`: none, the key's `own`, one of the question's `units`, or a sign of
    currency, percent or `个` where the key has no unit. What multiplies (`thousand`, `k`) must be the key's own, and
    then may not be left out."""
    if own in MULTIPLIERS or given in MULTIPLIERS:
        return given == own
    if given in ("", own):
        return True
    return given in units or (not own and given in _FREE_SIGNS)


def units_of(question: str) -> frozenset[str]:
    """The units that a question allows in its answer: what it counts ("How many red bars": bars and bar; "多少根": 根),
    or names at its end ("in euros?"); in small letters. Of several words the first plural is counted, or the last of
    plurals in a row ("sports cars"); without a plural it is the first word."""
    found: set[str] = set()
    for many, much, last, measure in _COUNTED.findall(question.casefold()):
        word = _head(many.split()) if many else much or last or measure
        found |= _forms(word) if many and word not in _NO_UNITS else {word}
    return frozenset(found - _NO_UNITS - MULTIPLIERS - {""})


def _head(words: list[str]) -> str:
    plurals = [_PLURAL.fullmatch(word) is not None and word not in _NO_UNITS for word in words]
    if words[0] in _NO_UNITS or True not in plurals:
        return words[0]
    at = plurals.index(True)
    while at + 1 < len(words) and plurals[at + 1]:
        at += 1
    return words[at]


def _forms(word: str) -> set[str]:
    """A counted word in the plural, as it stands, and in the singular."""
    if word.endswith("ies"):
        return {word, f"{word[:-3]}y"}
    if word.endswith(("ches", "shes", "sses", "xes")):
        return {word, word[:-2]}
    irregular = {"people": "person", "men": "man", "women": "woman", "children": "child", "feet": "foot"}
    return {word, irregular.get(word, word[:-1] if word.endswith("s") and not word.endswith("ss") else word)}


def negated(text: str) -> bool:
    """Whether a text says no to anything ("no rye", "cannot", "everything but"). It errs towards yes."""
    return _NEGATED.search(text) is not None


def hedged(text: str) -> bool:
    """Whether a text leaves anything open ("perhaps", "or", "if", "?"). It errs towards yes."""
    return _HEDGED.search(text) is not None
