"""What a step says beside its checked claims: numbers and answers that nothing of the step has checked.

"45 + 33 = 78, so there are 80 books." has a right equation and a wrong conclusion. A conclusion is passed over only
where it repeats the result of an equation of its step.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Set
from fractions import Fraction
from typing import Any

_WRITTEN_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million dozen"
)
_WRITTEN = frozenset(_WRITTEN_NUMBERS.split())
_COUNTS = "answer count total there has have left result making makes totalling namely equals"
_COUNTING = frozenset(_COUNTS.split())
_COMPARED = re.compile(r"\b(?:less|more|fewer|greater|larger|smaller|bigger|higher|lower)\b(?:\s+\w+){0,2}?\s+than\b")
_PROPERTY = frozenset(["odd", "even", "prime", "divisible"])
_ANSWER = re.compile(r"\b(?:answer|choice|solution|result)\b(?:\s+\w+){0,2}?\s+(?:is|must|are)\b")
_CHOICE = re.compile(r"\b(?:answer|choice|choose|pick|select|solution)\b.*\b([A-Z])\b")
_LABEL = re.compile(r"\W*step\s+\d+\W*")


def chooses_right(clause: str, options: Mapping[str, Any]) -> bool:
    """Whether a clause says of one option alone that it is the answer, and it is right ("the answer is D")."""
    chosen = _CHOICE.search(clause)
    letters = re.findall(r"\b[A-Z]\b", clause)
    return chosen is not None and len(letters) == 1 and options.get(chosen[1], {}).get("right") is True


def unchecked(
    clause: str, words: Collection[str], results: Set[Fraction], numbers: Set[Fraction], options: Mapping[str, Any]
) -> bool:
    """Whether a clause concludes something that no claim of its step has checked.

    `clause`: its text without equations; `words`: those in which no fact was found; `results`: of the step's equations;
    `numbers`: those of `words`; `options`: of the task's record. A number that is no result, a written number beside
    a word of counting, a comparison in words, and an answer that is none of the results and no right option are not
    checked.
    """
    said = clause.lower()
    if _LABEL.fullmatch(said):
        return False
    if not numbers <= results or _COMPARED.search(said) or not _PROPERTY.isdisjoint(words):
        return True
    written = not _WRITTEN.isdisjoint(words)
    if written and (_WRITTEN.issuperset(words) or not _COUNTING.isdisjoint(words)):
        return True
    chosen = _CHOICE.search(clause)
    if chosen is not None and chosen[1] in options:
        return not chooses_right(clause, options)
    return _ANSWER.search(said) is not None and not numbers and "|" not in clause
