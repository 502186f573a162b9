"""The embedded judge: it checks every equation, comparison and fact of a step, against mathematics and a task's record.

It is exact on what it understands and never guesses: a step in which it finds nothing to check is not decided, and what
is not decided is not valid. A language model as a judge (`judges.questions`) understands free prose.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pytest_vtcfaith.models.judges.expressions import NotMathematics, Relation, find_relations, fraction, holds

ALWAYS_KNOWN = frozenset(map(Fraction, (0, 1, 2, 10, 100)))
"""Numbers that a calculation may set out from without having found them in the task."""

_CLAUSE = re.compile(
    r"[.;,:!?]\s|[.;,:!?]$|\b(?:so|but|and|because|therefore|thus|hence|since|while|which)\b", re.IGNORECASE
)
_NEGATION = frozenset(("not", "no", "never", "nor", "neither", "isn't", "doesn't", "hasn't", "without", "than"))
_REACH = 3  # words from a negation to what it negates
_RIGHT = frozenset(("right", "correct", "true"))
_WRONG = frozenset(("wrong", "incorrect", "false"))
_LONG = 5  # letters from which one slip of the OCR is forgiven


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a step is `valid`, whether it could be `decided`, and the `reason`: the first claim that is false."""

    valid: bool
    decided: bool = True
    reason: str = ""


def judge_solution(record: Mapping[str, Any], question: str, steps: Sequence[str]) -> list[Verdict]:
    """A verdict for each step, judged with the question and the steps before it.

    `record`: what is true of the task (`texts.tasks.rows.Record`). Source: definitions §7.
    """
    return [judge_step(record, question, steps[:place], step) for place, step in enumerate(steps)]


def judge_step(record: Mapping[str, Any], question: str, previous: Sequence[str], step: str) -> Verdict:
    """The verdict on one step: valid when it claims something and all that it claims is true.

    Claims are equations and comparisons (they must hold, and set out from numbers of the question, of a step before, or
    of the record), facts about the subjects of the record, and which options are right. Source: definitions §7.
    """
    if len(step) > 2000:
        return Verdict(False, False, f"a step of {len(step)} characters")
    unknowns: Mapping[str, Sequence[str]] = record.get("unknowns", {})
    relations = find_relations(step, unknowns)
    known = ALWAYS_KNOWN | {Fraction(value) for value in record.get("constants", ())}
    known |= numbers_of(question, *previous)
    claims: list[tuple[str, bool | None]] = []
    for relation in relations:
        true = _relation(relation, unknowns, known)
        if not relation.vacuous or true is False:
            claims.append((relation.text, true))
        known |= numbers_of(relation.text)
    prose = _without(step, relations)
    claims += _facts(prose, record.get("facts", {}))
    claims += _options(prose, record.get("options", {}))
    return _verdict(claims)


def numbers_of(*texts: str) -> set[Fraction]:
    """All numbers of some texts; of a number with % also the hundredth part."""
    found: set[Fraction] = set()
    for text in texts:
        for match in re.finditer(r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(%)?", text):
            try:
                value = fraction(match.group().rstrip("%"))
            except NotMathematics:
                continue
            found |= {value, value / 100} if match[1] else {value}
    return found


def _verdict(claims: Sequence[tuple[str, bool | None]]) -> Verdict:
    for text, true in claims:
        if true is False:
            return Verdict(False, True, text)
    unread = [text for text, true in claims if true is None]
    if unread:
        return Verdict(False, False, unread[0])
    return Verdict(True) if claims else Verdict(False, False, "nothing to check")


def _relation(relation: Relation, unknowns: Mapping[str, Sequence[str]], known: Set[Fraction]) -> bool | None:
    true = holds(relation, unknowns)
    if true and not relation.unknown:
        try:
            return set(relation.numbers()) <= known
        except NotMathematics:
            return None
    return true


def _without(step: str, relations: Sequence[Relation]) -> str:
    for relation in reversed(relations):
        step = f"{step[: relation.start]} | {step[relation.end :]}"
    return step


def _facts(prose: str, facts: Mapping[str, Any]) -> list[tuple[str, bool | None]]:
    """A claim wherever a clause has a subject and a value of one attribute; a clause without a subject goes on with the
    last one."""
    claims: list[tuple[str, bool | None]] = []
    clauses = [_words(clause) for clause in _CLAUSE.split(prose)]
    for attribute in facts.values():
        subjects: Mapping[str, Sequence[str]] = attribute["subjects"]
        names = {name: _core(name) for name in subjects}
        values = {value: _core(value) for value in attribute["values"]}
        last: list[str] = []
        for words in clauses:
            last = [name for name, _ in _mentions(words, names)] or last
            for value, place in _mentions(words, values, numeric=attribute.get("numeric", False)):
                denied = bool(_NEGATION & set(words[max(0, place - _REACH) : place]))
                for name in last:
                    text = f"{name}: {'not ' if denied else ''}{value}"
                    claims.append((text, (value in subjects[name]) is not denied))
    return claims


def _options(prose: str, options: Mapping[str, Any]) -> list[tuple[str, bool | None]]:
    """A claim wherever a clause says of an option that it is right or wrong."""
    claims: list[tuple[str, bool | None]] = []
    last: list[str] = []
    for clause in re.split(_CLAUSE, prose):
        found = re.findall(
            r"\b[Oo]ption\s+\(?([A-Z])\b|(?:^|\s)\(?([A-Z])\)?(?=\s+(?:is|must|cannot|can)\b|\s*$)", clause
        )
        last = [one for pair in found if (one := pair[0] or pair[1]) in options] or last
        words = _words(clause)
        for place, word in enumerate(words):
            if word not in _RIGHT | _WRONG:
                continue
            denied = bool(_NEGATION & set(words[max(0, place - _REACH) : place]))
            right = (word in _RIGHT) is not denied
            claims += [(f"{one} is {'right' if right else 'wrong'}", options[one]["right"] is right) for one in last]
    return claims


def _words(text: str) -> list[str]:
    return re.findall(
        r"\d{1,3}(?:,\d{3})+(?!\d)|\d+(?:\.\d+)?|[^\W\d_]+(?:['’][^\W\d_]+)?", text.lower().replace("’", "'")
    )


def _core(name: str) -> list[str]:
    """The words of a name without an article."""
    words = _words(name)
    return words[1:] if len(words) > 1 and words[0] in ("a", "an", "the") else words


def _mentions(
    words: Sequence[str], names: Mapping[str, Sequence[str]], *, numeric: bool = False
) -> list[tuple[str, int]]:
    """The names in a clause and where each stands, the longest where several begin at one place.

    `numeric`: every number is one of the names.
    """
    exact = {tuple(core) for core in names.values()}
    found = []
    place = 0
    while place < len(words):
        fitting = [
            (len(core), name)
            for name, core in names.items()
            if len(core) <= len(words) - place
            and all(_same(word, own, exact) for word, own in zip(words[place:], core, strict=False))
        ]
        if fitting:
            length, name = max(fitting)
            found.append((name, place))
            place += length
            continue
        if numeric and words[place][0].isdigit():
            found.append((words[place].replace(",", ""), place))
        place += 1
    return found


def _same(word: str, own: str, names: set[tuple[str, ...]]) -> bool:
    """Whether a word is meant, with its plural's s and one slip of the OCR in a longer word."""
    if word == own or (len(own) > 2 and word in (f"{own}s", f"{own}'s")):
        return True
    if len(own) < _LONG or own.isdigit() or (word,) in names:
        return False
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.distance(word, own, score_cutoff=1) <= 1
