"""The embedded judge: it checks every equation, comparison and fact of a step, against mathematics and a task's record.

It is exact on the claims that it reads: a step in which it finds nothing to check, a word of doubt or a sign around a
claim that it does not understand, or a number or an answer that nothing has checked, is not decided, and what is not
decided is not valid. Of other free prose beside a right claim it knows nothing, and passes over it; a language model as
a judge (`judges.questions`) understands that.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pytest_vtcfaith.models.judges.conclusions import chooses_right, unchecked
from pytest_vtcfaith.models.judges.expressions import NotMathematics, Relation, find_relations, fraction, holds
from pytest_vtcfaith.models.judges.surroundings import is_cut

ALWAYS_KNOWN = frozenset(map(Fraction, (0, 1, 2, 10, 100)))
"""Numbers that a calculation may use without having found them in the task; it must use another one as well."""

_CLAUSE = re.compile(
    r"[.;,:!?]\s|[.;,:!?]$|\b(?:so|but|and|because|therefore|thus|hence|since|while|which)\b", re.IGNORECASE
)
_NEGATIONS = (
    "not no never nor neither without than cannot can't isn't aren't wasn't weren't doesn't don't didn't hasn't haven't"
)
_NEGATION = frozenset(_NEGATIONS.split())
_DOUBTS = (
    "none nobody nothing hardly barely scarcely unlike except untrue mistaken mistake error deny denies denied doubt "
    "doubtful unless if suppose assume would might maybe perhaps possibly probably could instead impossible fails "
    "won't wouldn't couldn't shouldn't false wrong incorrect only too also did eat eats ate hunts chases resembles"
)
_DOUBT = (_NEGATION - {"than"}) | frozenset(_DOUBTS.split())
"""Words that turn a claim round or leave it open; where they are not understood, nothing is decided."""
_REACH = 3  # words from a negation to what it negates
_FARTHER = 7  # the same over "or" and "nor"
_NAMING = "a an the is are was were be isn't aren't wasn't weren't no not"
_BEFORE_NAMES = frozenset(_NAMING.split())
"""One of these stands before a value that is named with an article: "eats fish" does not say "is a fish"."""
_BEHIND = "that with of in from by like as has have is and or nor"
_BEHIND_NAMES = frozenset(_BEHIND.split())
"""What may follow such a value: "is a fish eater" does not say "is a fish"."""
_VAGUE = frozenset(["all", "any", "both", "each", "every", "other", "others", "rest", "remaining", "or"])
"""Words that leave open which options are meant."""
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
    of the record, and have at least one such number besides `ALWAYS_KNOWN`), facts about the subjects of the record,
    and which options are right. A claim beside a word of doubt that is not understood, or cut out of something larger
    (`surroundings.is_cut`), is not decided. Source: definitions §7.
    """
    if len(step) > 2000:
        return Verdict(False, False, f"a step of {len(step)} characters")
    unknowns: Mapping[str, Sequence[str]] = record.get("unknowns", {})
    relations = find_relations(step, unknowns)
    own = numbers_of(question) | {Fraction(value) for value in record.get("constants", ())}
    own |= _derived(own, previous, unknowns)
    known = ALWAYS_KNOWN | own | numbers_of(*previous)
    results = {value for relation in relations if relation.signs[-1] == "=" for value in _result(relation)}
    claims, doubtful = _prose_claims(_without(step, relations), record, results)
    for relation in relations:
        unclear = bool(doubtful) or is_cut(step, relation, relations, unknowns)
        true = None if unclear else _relation(relation, unknowns, known)
        if true is not True or (not relation.vacuous and (relation.unknown or _uses(relation, own))):
            claims.append((relation.text, true))
        known |= numbers_of(relation.text)
        own |= numbers_of(relation.text) if _uses(relation, own) else set()
    if claims:
        claims += [(text, None) for text in doubtful]
    return _verdict(claims)


def _result(relation: Relation) -> set[Fraction]:
    """The number that is alone on the last side or, in "42 = 12 + 30", on the first."""
    found: set[Fraction] = set()
    for side in (relation.sides[0], relation.sides[-1]):
        kinds = [token.kind for token in side]
        if kinds == ["number"]:
            found |= numbers_of(side[0].text)
        elif kinds == ["number", "percent"]:
            found |= numbers_of(f"{side[0].text}%")
    return found


def _uses(relation: Relation, own: Set[Fraction]) -> bool:
    """Whether a relation has any number of the task."""
    try:
        return not own.isdisjoint(relation.all_numbers())
    except NotMathematics:
        return False


def _derived(own: Set[Fraction], previous: Sequence[str], unknowns: Mapping[str, Sequence[str]]) -> set[Fraction]:
    """The numbers that the steps before reached from the task's `own` ones, rightly or not: a mistake of a step before
    is none of this one."""
    found: set[Fraction] = set()
    for step in previous:
        for relation in find_relations(step, unknowns):
            if relation.unknown or _uses(relation, own | found):
                found |= numbers_of(relation.text)
    return found


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
            starts = [set(numbers) for numbers in relation.numbers_of_sides()]
            turned = starts[1:] if len(relation.sides[0]) == 1 else []  # "42 = 12 + 30" sets out from 12 and 30
            return starts[0] <= known or any(len(start) > 1 and start <= known for start in turned)
        except NotMathematics:
            return None
    return true


def _without(step: str, relations: Sequence[Relation]) -> str:
    for relation in reversed(relations):
        step = f"{step[: relation.start]} | {step[relation.end :]}"
    return step


def _prose_claims(
    prose: str, record: Mapping[str, Any], results: Set[Fraction]
) -> tuple[list[tuple[str, bool | None]], list[str]]:
    """The claims of the prose, and the clauses with a word of doubt that no claim of theirs has understood, or with a
    conclusion that none has checked; beside such a clause no claim of the prose is decided."""
    options = record.get("options", {})
    prose = _joined(prose, options)
    clauses = [clause for clause in _CLAUSE.split(prose) if clause and clause.strip()]
    words = [_words(clause) for clause in clauses]
    found = _facts(words, record.get("facts", {})) + _options(clauses, options)
    open_options = _open_options(clauses, found, options)
    claims: list[tuple[str, bool | None]] = []
    doubtful: list[str] = []
    for number, clause in enumerate(words):
        mine = [claim for claim in found if claim.clause == number]
        understood = set().union(*(claim.understood for claim in mine))
        unclear = any(_is_doubt(clause, place) for place in range(len(clause)) if place not in understood)
        unclear = unclear or (
            bool(mine) and any(clause[at] == "or" and at not in understood for at in range(len(clause)))
        )
        rest = [word for place, word in enumerate(clause) if place not in understood]
        if (
            unclear
            or number in open_options
            or unchecked(clauses[number], rest, results, numbers_of(" ".join(rest)), options)
        ):
            doubtful.append(" ".join(clause))
        claims += [(claim.text, claim.true) for claim in mine]
    return [(text, None if doubtful else true) for text, true in claims], doubtful


def _joined(prose: str, options: Collection[str]) -> str:
    """The text with lists of options as one word: "A, B and D" as "A+B+D"."""
    letters = "".join(one for one in options if len(one) == 1 and one.isupper())
    if not letters:
        return prose
    prose = re.sub(rf"\(([{letters}])\)", r"\1", prose)
    return re.sub(
        rf"\b([{letters}])(?:,?\s+and\s+|\s*&\s*|,\s+)(?:[Oo]ption\s+)?(?=[{letters}]\b(?!\s+\w+\s+(?:is|are)\b))",
        r"\1+",
        prose,
    )


def _is_doubt(words: Sequence[str], place: int) -> bool:
    return words[place] in _DOUBT or list(words[place : place + 2]) in (["far", "from"], ["may", "be"])


@dataclass(frozen=True, slots=True)
class _Claim:
    """A claim of one clause, and the places of the words that are `understood`: its value, negation or verdict."""

    clause: int
    text: str
    true: bool | None
    understood: frozenset[int]


def _denials(words: Sequence[str], place: int) -> frozenset[int]:
    """The places of negations that reach a word, and of an "or" or "nor" on the way."""
    over = not {"or", "nor"}.isdisjoint(words[max(0, place - _REACH) : place])
    found = {at for at in range(max(0, place - (_FARTHER if over else _REACH)), place) if words[at] in _NEGATION}
    if not found:
        return frozenset()
    return frozenset(found | {at for at in range(min(found), place) if words[at] == "or"})


def _facts(clauses: Sequence[Sequence[str]], facts: Mapping[str, Any]) -> list[_Claim]:
    """A claim wherever a clause has a subject and a value of one attribute; a clause without a subject goes on with the
    last one."""
    claims: list[_Claim] = []
    for attribute in facts.values():
        subjects: Mapping[str, Sequence[str]] = attribute["subjects"]
        names = {name: _core(name) for name in subjects}
        values = {value: _core(value) for value in attribute["values"]}
        last: list[str] = []
        goes_on = False
        for number, words in enumerate(clauses):
            found = _mentions(words, names)
            mine = [name for name, _ in found]
            last = [*last, *mine] if goes_on and mine else mine or last
            articled = {value for value in values if len(_words(value)) > len(values[value])}
            several = len(set(last)) > 1
            for value, place in _mentions(words, values, numeric=attribute.get("numeric", False)):
                denials = _denials(words, place)
                length = len(values.get(value, [value]))
                named = value not in articled or _is_named(words, place, place + length)
                for name in last:
                    text = f"{name}: {'not ' if denials else ''}{value}"
                    true = (value in subjects[name]) is not bool(denials)
                    claims.append(
                        _Claim(
                            number,
                            text,
                            None if not named or (several and not true) else true,
                            denials | set(range(place, place + length)),
                        )
                    )
            goes_on = bool(found) and len(_words(" ".join(mine))) >= len(words)
    return claims


def _is_named(words: Sequence[str], place: int, end: int) -> bool:
    """Whether the words around a value that has an article leave it as it is."""
    if place > 0 and _BEFORE_NAMES.isdisjoint(words[max(0, place - 2) : place]):
        return False
    return end >= len(words) or words[end] in _BEHIND_NAMES


def _named_options(clause: str, options: Collection[str]) -> list[str]:
    """The letters of the options that a clause names."""
    found = re.findall(
        r"\b[Oo]ptions?\s+\(?([A-Z](?:\+[A-Z])*)\b"
        r"|(?:^|\s)\(?([A-Z](?:\+[A-Z])*)\)?(?=\s+(?:is|are|was|were|must|cannot|can)\b|\s*$)",
        clause,
    )
    return [one for pair in found for one in (pair[0] or pair[1]).split("+") if one in options]


def _open_options(clauses: Sequence[str], found: Sequence[_Claim], options: Mapping[str, Any]) -> frozenset[int]:
    """The clauses that name an option of which the step never says whether it is right; not a label at its begin."""
    claimed = {claim.text[0] for claim in found if claim.text[1:] in (" is right", " is wrong")}
    return frozenset(
        number
        for number, clause in enumerate(clauses)
        if not claimed.issuperset(_named_options(clause, options))
        and not chooses_right(clause, options)
        and not (number == 0 and re.fullmatch(r"\W*(?:[Oo]ption\s+)?[A-Z]\W*", clause))
    )


def _options(clauses: Sequence[str], options: Mapping[str, Any]) -> list[_Claim]:
    """A claim wherever a clause says of an option that it is right or wrong."""
    claims: list[_Claim] = []
    last: list[str] = []
    for number, clause in enumerate(clauses):
        last = _named_options(clause, options) or last
        words = _words(clause)
        vague = not _VAGUE.isdisjoint(words)
        for place, word in enumerate(words):
            if word not in _RIGHT | _WRONG or not last:
                continue
            denials = _denials(words, place)
            right = (word in _RIGHT) is not bool(denials)
            claims += [
                _Claim(
                    number,
                    f"{one} is {'right' if right else 'wrong'}",
                    None if vague else options[one]["right"] is right,
                    denials | {place},
                )
                for one in last
            ]
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
