"""Whether the answer that a picture gives is the right one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Literal

AnswerKind = Literal["choice", "number", "name", "free"]
ANSWER_KINDS: tuple[AnswerKind, ...] = ("choice", "number", "name", "free")

NUMBER = re.compile(r"(?<![\w.,])[-−–]?\s?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:\s*/\s*\d+)?")
_LONGEST = 40  # characters of a number that is worth converting
_LATEX = ((r"\\d?t?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"\1/\2"), (r"\\(?:text|mathrm|mbox)\s*\{([^{}]*)\}", r"\1"))
_LATEX_NOISE = re.compile(r"\\(?:left|right|boxed|,|!|;|\$|%|\(|\)|\[|\])|[${}\s]")


def answer_score(
    kind: AnswerKind, expected: str, given: Sequence[str], *, choices: Mapping[str, str] | Sequence[str] = ()
) -> int:
    """S_a: 1 where all answers that are given are the expected one, else 0; 0 also where none is given.

    - `kind`: `choice` (`expected` is the letter of an option, `choices` maps letters to their texts), `number`, `name`
      (`choices` are all the names that could be meant: exactly one may be mentioned), `free` (equal as numbers or as
      text, LaTeX markup aside).
    - `given`: the answers as read. Two that differ cannot both be right: hedging scores 0.

    Raises ValueError for another kind. Source: definitions §7; Reasoning Fidelity, 2.
    """
    if kind not in ANSWER_KINDS:
        raise ValueError(f"answer kind {kind!r} is unknown: choose one of {', '.join(ANSWER_KINDS)}")
    return int(bool(given) and all(_right(kind, expected, text, choices) for text in given))


def number_in(text: str) -> Fraction | None:
    """The only number that a text has ("n = 4", "12 apples", "$1,250.50", "3/4"); None without one or with several."""
    found = [match.group() for match in NUMBER.finditer(text)]
    if len(found) != 1 or len(found[0]) > _LONGEST:
        return None
    number = re.sub(r"[\s,]", "", found[0]).replace("−", "-").replace("–", "-")
    try:
        return Fraction(number)
    except (ValueError, ZeroDivisionError):
        return None


def choice_in(text: str, options: Mapping[str, str]) -> str | None:
    """The letter of the option that a text names: "C", "(c)", "Option C", "C: a bat", "a bat"; None where unclear."""
    plain = _words(text)
    by_text = [letter for letter, option in options.items() if _words(option) == plain]
    if len(by_text) == 1:
        return by_text[0]
    found = re.match(
        r"\W*(?i:option\s+|choice\s+)?\(?([A-Za-z])\)?(?![A-Za-z'])\s*([.:;,)\]–—-]*)\s*(.*)", text, re.DOTALL
    )
    if found is None or found[1].upper() not in options:
        return None
    letter, mark, rest = found[1].upper(), found[2], found[3]
    if mark or not rest.strip() or _words(rest) == _words(options[letter]):
        return letter
    return None


def _right(kind: AnswerKind, expected: str, given: str, choices: Mapping[str, str] | Sequence[str]) -> bool:
    if kind == "choice":
        return isinstance(choices, Mapping) and choice_in(given, choices) == expected
    if kind == "number":
        number = number_in(given)
        return number is not None and number == number_in(expected)
    if kind == "name":
        words = _words(given)
        named = {name for name in {*choices, expected} if _mentions(words, _words(name))}
        return named == {expected}
    number, other = number_in(_plain(given)), number_in(_plain(expected))
    if number is not None and other is not None and _plain(expected) == str(expected).strip():
        return number == other
    return _plain(given).casefold() == _plain(expected).casefold()


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", text.casefold()))


def _mentions(words: Sequence[str], name: Sequence[str]) -> bool:
    return any(tuple(words[at : at + len(name)]) == tuple(name) for at in range(len(words) - len(name) + 1))


def _plain(text: str) -> str:
    for pattern, instead in _LATEX:
        text = re.sub(pattern, instead, text)
    return _LATEX_NOISE.sub("", text).rstrip(".")
