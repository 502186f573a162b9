"""Whether the answer that a picture gives is the right one."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Literal

from pytest_vtcfaith.metrics.answers import chosen
from pytest_vtcfaith.metrics.assertions import (
    hedged,
    negated,
    number_of,
    quantity,
    trimmed,
    unit_fits,
    without_lead_in,
)
from pytest_vtcfaith.metrics.formulas import plain_formula

AnswerKind = Literal["choice", "number", "name", "free"]
ANSWER_KINDS: tuple[AnswerKind, ...] = ("choice", "number", "name", "free")

NUMBER = re.compile(r"(?<![\w.,])[-−–]?\s?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:\s*/\s*\d+)?")
_FACTORIAL = re.compile(r"(?:\d|\b[A-Za-z]|\))!(?=[\s.$}]*\Z)")
_BOXED = re.compile(r"\$?\s*\\boxed\s*\{(.*)\}\s*\$?", re.DOTALL)


def answer_score(
    kind: AnswerKind,
    expected: str,
    given: Sequence[str],
    *,
    choices: Mapping[str, str] | Sequence[str] = (),
    units: Collection[str] = (),
) -> int:
    """S_a: 1 where all answers that are given are the expected one, else 0; 0 also where none is given.

    - `kind`: `choice` (`expected` is the letter of an option, `choices` maps letters to their texts: `choice_in`),
      `number` (the answer is one number: `number_in`), `name` (`choices` are all the names that could be meant: exactly
      one may be mentioned, and the rest of the answer neither negates nor hedges), `free` (equal as numbers or as
      formulas in one spelling: `formulas.plain_formula`).
    - `units`: the unit words that a number may have though `expected` lacks them (`assertions.units_of`).
    - `given`: the answers as read. Two that differ cannot both be right: hedging scores 0.

    Raises ValueError for another kind. Source: definitions §7; Reasoning Fidelity, 2.
    """
    if kind not in ANSWER_KINDS:
        raise ValueError(f"answer kind {kind!r} is unknown: choose one of {', '.join(ANSWER_KINDS)}")
    return int(bool(given) and all(_right(kind, expected, text, choices, units) for text in given))


def number_in(text: str, expected: str = "", units: Collection[str] = ()) -> Fraction | None:
    """The number that a text is ("n = 4", "12 apples", "$1,250.50", "3/4", "It is 12."); None where it is not one.

    A text that only has a number in it ("not 12", "12 thousand", "more than 12", "12²") is none. `expected`: the right
    answer, whose unit a text may have; `units`: further ones. The rules: `assertions.quantity`, `assertions.unit_fits`.
    """
    stated, own = quantity(text), quantity(expected)
    if stated is None or not unit_fits(stated.unit, own.unit if own is not None else "", units):
        return None
    return number_of(stated)


def choice_in(text: str, options: Mapping[str, str]) -> str | None:
    """The letter of the option that a text is: "C", "(c)", "[C]", "Option C", "C: a bat", "a bat"; None where unclear.

    Behind the letter only its own option's text may stand: "C, or D" and "C because …" are unclear (`answers.chosen`).
    """
    return chosen(options, text)


def _right(
    kind: AnswerKind,
    expected: str,
    given: str,
    choices: Mapping[str, str] | Sequence[str],
    units: Collection[str],
) -> bool:
    if kind == "choice":
        return isinstance(choices, Mapping) and choice_in(given, choices) == expected
    if kind == "number":
        number = number_in(given, expected, units)
        return number is not None and number == number_in(expected, expected)
    if kind == "name":
        words = _words(given)
        named = {name for name in {*choices, expected} if _mentions(words, _words(name))}
        rest = re.sub(rf"\b{re.escape(expected)}\b", "", given, flags=re.IGNORECASE)
        return named == {expected} and not negated(rest) and not hedged(rest)
    text, right = _plain(given), _plain(expected)
    number, other = number_in(text, right, units), number_in(right, right)
    if number is not None and other is not None and "!" not in text + right:
        return number == other
    return text.casefold() == right.casefold()


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", text.casefold()))


def _mentions(words: Sequence[str], name: Sequence[str]) -> bool:
    return any(tuple(words[at : at + len(name)]) == tuple(name) for at in range(len(words) - len(name) + 1))


def _plain(text: str) -> str:
    """A free answer as it is compared; brackets stay, for `(3, 4)` is not `[3, 4]`."""
    factorial = "!" if _FACTORIAL.search(text) else ""
    text = without_lead_in(text)
    boxed = _BOXED.fullmatch(text)
    return plain_formula(trimmed(boxed[1] if boxed else text)) + factorial
