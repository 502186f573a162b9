"""Whether the answer to a question is right: strict matching by kind of answer (definitions §6).

A reply is right when it *is* the answer, never because the answer occurs somewhere in it. Rules common to all kinds:
text is compared by the profile `verbatim`, case and the ends' quotation marks, asterisks and full stops do not count,
and one lead-in (`Answer:`, `The answer is`, `答案：`, `答案是`) and one pair of brackets around all (`(B)`, `[B]`,
`\\boxed{B}`) are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

from pytest_vtcfaith.metrics.assertions import EDGES, bare, hedged, negated, number_of, quantity, unit_fits
from pytest_vtcfaith.metrics.normalise import normalise
from pytest_vtcfaith.metrics.numerals import numbers_in
from pytest_vtcfaith.metrics.scripts import HAN, SPACELESS

AnswerKind = Literal["exact", "choice", "number", "contains", "yes-no"]
KINDS: tuple[AnswerKind, ...] = get_args(AnswerKind)
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SLACK = 1e-9
"""By this share a number may miss its tolerance: 5 % of 1.1 is not a float."""

_CHOICE = re.compile(
    r"(?:(?:it\s+is|it['’]s)\s+|(?:(?:the\s+)?(?:correct\s+|right\s+|best\s+)?(?:option|choice)|我?选择?项?|我?选)"
    r"(?:\s*(?:is\s+|is\s*:|:|是))?\s*)?"
    r"[(\[]?(?P<letter>[a-z])(?![a-z0-9'’])[)\]]?(?:\s*[.:,、)\]]|\s[-–—](?=\s)|[–—])?\s*"
    r"(?P<rest>.*?)(?:\s*(?:is\s+(?:the\s+)?(?:correct|right)(?:\s+(?:one|answer|option|choice))?|选?项?是?正确的?))?",
    re.IGNORECASE | re.DOTALL,
)
_POINTS = r"\"'“”‘’„«»`()\[\]{}《》「」【】,;:!?*…。、"
_EDGE_PUNCTUATION = re.compile(rf"^(?:[{_POINTS}]|\.(?!\d))+|[{_POINTS}.]+$")
_RUN = re.compile(rf"(?:[^\s{_POINTS}.{HAN}]|(?<=\d)[.,](?=\d))+|\S")
_NO_IN_ENGLISH = re.compile(r"no(?:$|[,;!]|\s?[(]|[.:](?!\s*\d)|\s?[-–—](?=\s))")
_CLAUSE_ENDS = re.compile(r"[\s,.;:!。、…]+")
_CHINESE_SAID = {
    **dict.fromkeys(("是", "是的", "对", "对的", "對", "有", "有的", "正确", "没错", "存在"), "yes"),
    **dict.fromkeys(
        ("不", "不是", "不是的", "否", "没", "没有", "沒有", "无", "不对", "不對", "不正确", "不存在"), "no"
    ),
}


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
    - `choice`: the letter (`B`, `(B)`, `[B]`, `B.`, `Option B`, `It's B`, `Option B is correct`), the letter with its
      own option's text, or that text alone (`chosen`). Several letters, a letter with another option's text, or with
      anything else behind it, are wrong.
    - `number`: the reply is one number (`numerals.numbers_in`) within the tolerance, with at most one unit and one
      frame (`assertions.quantity`): "It is 120 kg."; `84/2` is 42, `25%` is 25, not 0.25. Numbers in other prose, with
      a negation, a hedge, a comparison or a multiplier ("120 thousand", "120²") are wrong. A unit word must be the
      answer's own or one of `units`; a sign of currency or percent, or `个`, may stand where the answer has no unit.
    - `contains`: the answer's words stand in the reply as whole words with their signs (`-5` is not `5`), next to each
      other, no other option does, and the rest of the reply neither negates nor hedges anything.
    - `yes-no`: the reply begins with the right word, the other one does not occur in it, nothing is hedged, and nothing
      negated behind a yes. A `no` ends the reply or has punctuation behind it ("No idea" says nothing); in Chinese
      the whole first clause is one of a closed set.

    `lang`: one of `scripts.LANGUAGES`; Chinese is compared without spaces and cut into characters. Source: definitions
    §6, answer matching by task kind.
    """
    given = _plain(reply, lang)
    if not given:
        return False
    if key.kind == "choice":
        return chosen(dict(zip(LETTERS, key.options, strict=False)), reply, lang) in key.answers
    if key.kind == "number":
        return any(_same_number(_plain(answer, lang), given, key) for answer in key.answers)
    if key.kind == "yes-no":
        return _yes_or_no(given, lang) in key.answers
    right = [_plain(answer, lang) for answer in key.answers]
    if key.kind == "exact":
        return given in right
    others = [text for option in key.options if (text := _plain(option, lang)) not in right]
    return _says(right, others, given, lang)


def _plain(text: str, lang: str) -> str:
    """A text as it is compared."""
    text = normalise(text, lang=lang).casefold()
    return bare(text) or text


def chosen(options: Mapping[str, str], reply: str, lang: str = "en") -> str | None:
    """The letter of the option that a reply is; None where it is none, or several.

    - `options`: their texts by their letters (capitals). A lone letter is a letter, though it be an option's text too.
    - `lang`: one of `scripts.LANGUAGES`.
    """
    given = _plain(reply, lang)
    texts = {letter: _plain(option, lang) for letter, option in options.items()}
    if given.upper() in options:
        return given.upper()
    if len(same := [letter for letter, text in texts.items() if text == given]) == 1:
        return same[0]
    match = _CHOICE.fullmatch(given)
    if match is None or (letter := match["letter"].upper()) not in options:
        return None
    rest = match["rest"].strip(EDGES)
    return letter if rest == "" or texts[letter] in (rest, bare(rest)) else None


def _same_number(answer: str, given: str, key: AnswerKey) -> bool:
    (wanted,) = numbers_in(answer)
    stated, own = quantity(given), quantity(answer)
    if stated is None or wanted is None or not unit_fits(stated.unit, own.unit if own is not None else "", key.units):
        return False
    number = number_of(stated)
    slack = Fraction(str(key.tolerance + (SLACK if key.tolerance else 0.0)))
    return number is not None and abs(number - Fraction(wanted)) <= abs(Fraction(wanted)) * slack


def _yes_or_no(given: str, lang: str) -> str | None:
    if lang in SPACELESS and not given[0].isascii():
        first, *others = [clause for clause in _CLAUSE_ENDS.split(given) if clause] or [""]
        said = _CHINESE_SAID.get(first)
        behind = " ".join(other for other in others if other not in _CHINESE_SAID)
        taken_back = any(_CHINESE_SAID.get(other, said) != said for other in others)
        doubtful = hedged(behind) or (said == "yes" and negated(behind))
        return None if taken_back or doubtful else said
    words = [_EDGE_PUNCTUATION.sub("", word) for word in given.split()]
    if words[0] not in ("yes", "no") or (words[0] == "no" and _NO_IN_ENGLISH.match(given) is None):
        return None
    doubtful = hedged(given) or (words[0] == "yes" and negated(given))
    return words[0] if ({"yes", "no"} - {words[0]}).isdisjoint(words) and not doubtful else None


def _says(right: Sequence[str], others: Sequence[str], given: str, lang: str) -> bool:
    """Whether a reply has the words of a right answer, no other's, and says nothing else that takes them back.

    Where several begin at one place the longest is meant: `Orange` is not in `Orange red`.
    """
    phrases = [(words, text in right) for text in (*right, *others) if (words := _words(text, lang))]
    phrases.sort(key=lambda phrase: -len(phrase[0]))
    parts = _parts(given, lang)
    words = [_word(part) for part in parts]
    rest: list[str] = []
    place, stands = 0, False
    while place < len(words):
        phrase, is_answer = next((p for p in phrases if words[place : place + len(p[0])] == p[0]), ((), False))
        if phrase and not is_answer:
            return False
        if phrase:
            stands = True
            rest += [parts[at].replace(words[at], "", 1) for at in range(place, place + len(phrase))]
        else:
            rest.append(parts[place])
        place += max(1, len(phrase))
    said = " ".join(rest)
    return stands and not negated(said) and not hedged(said)


def _parts(text: str, lang: str) -> list[str]:
    """What stands between blanks; in Chinese one character, or a run of others with their signs (`-5`, `C++`)."""
    return _RUN.findall(text) if lang in SPACELESS else text.split()


def _word(part: str) -> str:
    """A part without the punctuation at its edges; signs belong to it, and punctuation alone is a word."""
    return _EDGE_PUNCTUATION.sub("", part) or part


def _words(text: str, lang: str) -> list[str]:
    return [_word(part) for part in _parts(text, lang)]
