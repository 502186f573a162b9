"""A written solution taken apart: its numbered steps and its final answer, as an OCR engine read them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_STEP = re.compile(r"\b[s5]tep\s*\W?([0-9lIoO]{1,2})\s*[:;.,)\]–—-]", re.IGNORECASE)
_STEP_INSIDE = re.compile(r"\b[s5]tep\s*\W?([0-9lIoO]{1,2})\s*[:;]", re.IGNORECASE)
_NUMBER = re.compile(r"\(?([0-9]{1,2})\s*[.):]\s+(?=\S)")
_ANSWER = re.compile(
    r"\b(?:(?:so|thus|hence|therefore),?\s+)?(?:the\s+)?(?:final\s+|correct\s+|right\s+)*"
    r"an[s5]w[e3]r\s*(?:is\b\s*[:;]?|[:;.=–—-])\s*",
    re.IGNORECASE,
)
_LEAD = re.compile(r"^\W*")
_DIGITS = str.maketrans("lIoO", "1100")


@dataclass(frozen=True, slots=True)
class Solution:
    """The `steps` in the order of the page, without their numbers, and every final `answer` that is written."""

    steps: tuple[str, ...]
    answers: tuple[str, ...]


def extract_solution(text: str) -> Solution:
    """The numbered steps and the final answers of a text that was read from a picture.

    `text`: lines as the reader gives them; a step may go on over several. A step begins with "Step 1:" or, where no
    line begins so, with "1."; the answer with "Answer:" or "The answer is". OCR's own slips in these words ("5tep l:",
    "Answ3r;") are understood, in the rest nothing is repaired. What stands before the first step is no step. Source:
    definitions §7.
    """
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    marker = _STEP if any(_STEP.match(_LEAD.sub("", line)) for line in lines) else _NUMBER
    steps: list[str] = []
    answers: list[str] = []
    for line in lines:
        for kind, part in _parts(line, marker, len(steps)):
            if kind == "step":
                steps.append(part)
            elif kind == "answer":
                answers.append(part)
            elif answers:
                if not answers[-1]:
                    answers[-1] = part
            elif steps:
                steps[-1] = f"{steps[-1]} {part}".strip()
    return Solution(tuple(steps), tuple(answer.rstrip(" .") for answer in answers if answer))


def _parts(line: str, marker: re.Pattern[str], count: int) -> list[tuple[str, str]]:
    """A line cut where a step or the answer begins; a step inside of a line must have the next number."""
    cuts: list[tuple[int, int, str]] = []
    lead = _LEAD.match(line)
    begin = lead.end() if lead else 0
    first = marker.match(line, begin) or marker.match(line)
    if first:
        cuts.append((0, first.end(), "step"))
        count += 1
    if marker is _STEP:
        for found in _STEP_INSIDE.finditer(line, first.end() if first else 1):
            if int(found[1].translate(_DIGITS)) == count + 1:
                cuts.append((found.start(), found.end(), "step"))
                count += 1
    for found in _ANSWER.finditer(line):
        if not line[: found.start()].strip(" *_#>-–—•") or re.search(r"[.;!]\s*\W*$", line[: found.start()]):
            cuts.append((found.start(), found.end(), "answer"))
    cuts.sort()
    if not cuts:
        return [("text", line)]
    parts = [("text", line[: cuts[0][0]].strip())] if line[: cuts[0][0]].strip(" *_#>-–—•") else []
    ends = [cut[0] for cut in cuts[1:]] + [len(line)]
    return parts + [(kind, line[after:end].strip(" *_")) for (_, after, kind), end in zip(cuts, ends, strict=True)]


def process_score(valid: Sequence[bool]) -> float:
    """S_p: the share of the steps that are valid, 0 without steps. Source: definitions §7; Reasoning Fidelity, 2."""
    return sum(valid) / len(valid) if valid else 0.0


def reading_agreement(first: str, second: str) -> tuple[float, int]:
    """`ccr_ocr` and `acr_ocr`: how legible a page is by the agreement of two OCR engines.

    `ccr_ocr` is 1 less the edit distance of both readings over the longer one, blanks aside; `acr_ocr` is 1 where they
    are equal. Both are 0 where neither engine reads anything: there are no clear characters. Source: definitions §7, in
    place of the judge model of Reasoning Fidelity, Table 3.
    """
    from rapidfuzz.distance import Levenshtein

    from pytest_vtcfaith.metrics.normalise import normalise

    texts = ["".join(normalise(text).split()) for text in (first, second)]
    longest = max(map(len, texts))
    if not longest:
        return 0.0, 0
    return 1 - Levenshtein.distance(*texts) / longest, int(texts[0] == texts[1])
