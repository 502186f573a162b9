"""Whether the answer to a question is right: strict matching by kind of answer (definitions §6).

A reply is right when it *is* the answer, never because the answer occurs somewhere in it. Rules common to all kinds:
text is compared by the profile `verbatim`, case and the ends' quotation marks, asterisks and full stops do not count,
and one lead-in (`Answer:`, `The answer is`, `答案：`, `答案是`) and one pair of brackets around all (`(B)`, `[B]`,
`\\boxed{B}`) are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, get_args

from pytest_vtcfaith.metrics.assertions import EDGES, bare, hedged, negated, quantity, unit_fits
from pytest_vtcfaith.metrics.normalise import normalise
from pytest_vtcfaith.metrics.numerals import numbers_in
from pytest_vtcfaith.metrics.tokenise import tokens

AnswerKind = Literal["exact", "choice", "number", "contains", "yes-no"]
KINDS: tuple[AnswerKind, ...] = get_args(AnswerKind)
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SLACK = 1e-9
"""By this share a number may miss its tolerance: 5 % of 1.1 is not a float."""

_CHOICE = re.compile(r"(?:(?:option|choice|选项?)\s*)?[(\[]?([a-z])(?:[)\]]?[.:：、]?)", re.IGNORECASE)
_EDGE_PUNCTUATION = re.compile(r"^[^\w]+|[^\w%]+$")
_YES, _NO = ("yes", "是", "对", "有"), ("no", "不", "否", "没有", "没", "不是")


@dataclass(frozen=True, slots=True)
class AnswerKey:
    """What a right answer is.

    - `kind`: one of `KINDS`. `answers`: the accepted ones, at least one; a letter for `choice`, `yes` or `no`
      for `yes-no`.
    - `options`: the texts of a choice in the order of their letters; for `contains` and `exact` what else could have
      been answered: a reply that names another option too is wrong.
    - `units`: for `number`, the unit words that a reply may have though the answers lack them (`assertions.units_of`).
    - `tolerance`: by what share of the right number a number may differ (ChartQA: 0.05).

    Raises ValueError for anything else.
    """

    kind: AnswerKind
    answers: tuple[str, ...]
    options: tuple[str, ...] = ()
    tolerance: float = 0.0
    units: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"answer kind {self.kind!r} is unknown: choose one of {', '.join(KINDS)}")
        if not self.answers or not all(answer.strip() for answer in self.answers):
            raise ValueError(f"answers {self.answers!r} must have at least one text, none of them blank")
        if not 0 <= self.tolerance < 1 or (self.tolerance and self.kind != "number"):
            raise ValueError(f"tolerance {self.tolerance!r} must lie in [0, 1), and be 0 for kind {self.kind!r}")
        for answer in self.answers:
            if problem := self._fault(answer):
                raise ValueError(f"answer {answer!r} {problem}")

    def _fault(self, answer: str) -> str:
        if self.kind == "number" and (len(found := numbers_in(normalise(answer))) != 1 or found[0] is None):
            return "must state one number: write it with digits"
        if self.kind == "yes-no" and answer not in ("yes", "no"):
            return "must be yes or no"
        if self.kind == "choice":
            if not 2 <= len(self.options) <= len(LETTERS):
                return f"has {len(self.options)} options: give 2 to {len(LETTERS)}"
            if answer not in tuple(LETTERS[: len(self.options)]):
                return f"must be a letter from A to {LETTERS[len(self.options) - 1]}"
        return ""


def is_right(key: AnswerKey, reply: str, *, lang: str = "en") -> bool:
    """Whether a reply is the answer.

    - `exact`: equal to an accepted answer.
    - `choice`: the letter (`B`, `(B)`, `[B]`, `B.`, `Option B`), the letter with its own option's text, or that text
      alone. Several letters, a letter with another option's text, or with anything else behind it, are wrong.
    - `number`: the reply is one number (`numerals.numbers_in`) within the tolerance, with at most one unit and one
      frame (`assertions.quantity`): "It is 120 kg." Numbers in other prose, with a negation, a hedge, a comparison or
      a multiplier ("120 thousand", "120²") are wrong. A unit word must be the answer's own or one of `units`; a sign
      of currency or percent may also stand where the answer has no unit; `25%` is 25, not 0.25.
    - `contains`: the answer's words stand in the reply as whole words, next to each other, no other option does, and
      the rest of the reply neither negates nor hedges anything.
    - `yes-no`: the reply begins with the right word, the other one does not occur in it, nothing is hedged, and nothing
      negated behind a yes.

    `lang`: one of `scripts.LANGUAGES`; Chinese is compared without spaces and cut into characters. Source: definitions
    §6, answer matching by task kind.
    """
    given = _plain(reply, lang)
    if not given:
        return False
    if key.kind == "choice":
        return _chosen(key.options, given, lang) in key.answers
    if key.kind == "number":
        return any(_same_number(_plain(answer, lang), given, key) for answer in key.answers)
    if key.kind == "yes-no":
        return _yes_or_no(given, lang) in key.answers
    right = [_plain(answer, lang) for answer in key.answers]
    if key.kind == "exact":
        return given in right
    others = [text for option in key.options if (text := _plain(option, lang)) not in right]
    return any(_says(answer, given, lang) for answer in right) and not any(
        _rest(other, given, lang) is not None for other in others
    )


def _plain(text: str, lang: str) -> str:
    """A text as it is compared."""
    return bare(normalise(text, lang=lang)).casefold()


def _chosen(options: Sequence[str], given: str, lang: str) -> str | None:
    """The letter of the option that a reply is; None where it is none, or several."""
    texts = [_plain(option, lang) for option in options]
    if texts.count(given) == 1:
        return LETTERS[texts.index(given)]
    match = _CHOICE.match(given)
    if match is None or (letter := match[1].upper()) not in LETTERS[: len(options)]:
        return None
    rest = given[match.end() :].strip(EDGES)
    if not rest or (rest == texts[LETTERS.index(letter)] and not given[match.end(1) : match.end(1) + 1].isalnum()):
        return letter
    return None


def _same_number(answer: str, given: str, key: AnswerKey) -> bool:
    (wanted,) = numbers_in(answer)
    stated, own = quantity(given), quantity(answer)
    if stated is None or wanted is None or not unit_fits(stated.unit, own.unit if own is not None else "", key.units):
        return False
    numbers = numbers_in(stated.value)
    if len(numbers) != 1 or numbers[0] is None:
        return False
    slack = Decimal(str(key.tolerance + (SLACK if key.tolerance else 0.0)))
    return abs(numbers[0] - wanted) <= abs(wanted) * slack


def _yes_or_no(given: str, lang: str) -> str | None:
    words = [_EDGE_PUNCTUATION.sub("", word) for word in given.split()]
    if not words:
        return None
    if lang in ("zh", "mixed") and not words[0].isascii():
        negative = any(given.startswith(word) for word in _NO)
        return "no" if negative else ("yes" if given.startswith(_YES) else None)
    if words[0] not in ("yes", "no"):
        return None
    doubtful = hedged(given) or (words[0] == "yes" and negated(given))
    return words[0] if ({"yes", "no"} - {words[0]}).isdisjoint(words) and not doubtful else None


def _says(answer: str, given: str, lang: str) -> bool:
    """Whether a reply has an answer's words and says nothing else that takes them back."""
    rest = _rest(answer, given, lang)
    return rest is not None and not negated(rest) and not hedged(rest)


def _rest(answer: str, given: str, lang: str) -> str | None:
    """A reply without an answer that stands in it; None where it does not."""
    wanted = _words(answer, lang)
    found = [(token, _EDGE_PUNCTUATION.sub("", token)) for token in tokens(given, lang)]
    words = [word for _, word in found]
    rest: list[str] = []
    place, stands = 0, False
    while place < len(words):
        if words[place : place + len(wanted)] == wanted:
            stands = True
            rest += [token.replace(word, "", 1) for token, word in found[place : place + len(wanted)]]
            place += len(wanted)
        else:
            rest.append(found[place][0])
            place += 1
    return " ".join(rest) if stands else None


def _words(text: str, lang: str) -> list[str]:
    """Words without the punctuation at their edges; what is punctuation only is none."""
    return [word for token in tokens(text, lang) if (word := _EDGE_PUNCTUATION.sub("", token))]
