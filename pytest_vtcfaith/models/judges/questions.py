"""A language model as the judge: what it is asked of each step, and what counts as its verdict.

The protocol is that of Reasoning Fidelity (2.): the question, the steps before, the step itself; one binary verdict.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_vtcfaith.metrics.assertions import hedged, negated
from pytest_vtcfaith.metrics.outcomes import Reply, cut_off
from pytest_vtcfaith.models.judges.exact import Verdict

if TYPE_CHECKING:
    from PIL import Image

    from pytest_vtcfaith.models.protocols import Judge

_STEP = """You check one step of a solution. The text was read from a picture by OCR: pass over slips of letters that \
do not change the meaning.

Question:
{question}

Steps before:
{previous}

Step to check:
{step}

Does this step follow logically and mathematically from the question and the steps before, and is everything in it \
true? Judge this step alone: a mistake in a step before is not a mistake of this one. End your reply with a line that \
holds only the word VALID or the word INVALID."""

_ANSWER = """Question:
{question}

Right answer: {expected}
Answer given: {given}

Do both answers mean the same? End your reply with a line that holds only the word VALID (they do) or INVALID \
(they do not)."""

_LEGIBILITY = """Look at the letters of this picture only, not at what they say. How many of every 100 characters are \
clear and legible, and are all of them? Reply with two lines and nothing else:
CLEAR: a number from 0 to 100
ALL CLEAR: YES or NO"""

_VERDICT = re.compile(
    r"(?:(?:the\s+)?(?:(?:final\s+)?verdict|answer|result|conclusion)\s*(?::|is\s*:?)?)?[\s*_`'\"“‘(\[]*"
    r"(?P<alone>(?:in)?valid)(?P<reason>\s*[:–—]\s.*)?"
    r"|(?:so|thus|hence|therefore)?,?\s*(?:(?:the\s+(?:current\s+|given\s+)?step|this\s+step|step\s+\d+|it|this)\s+is|"
    r"it['’]s)\s+(?P<said>(?:in)?valid)(?P<why>\s+because\s.*)?",
    re.IGNORECASE,
)
"""The forms in which the last line may have a verdict."""
_WORD = re.compile(r"\b(?:in)?valid\b", re.IGNORECASE)
_AGAINST = re.compile(
    r"\b(?:invalid|incorrect|wrong|false)\b|(?:\b(?:not|never|no|cannot|hardly)|n['’]t)\s+(?:\w+\s+){0,3}?"
    r"(?:valid|correct|right|true|follow)\b",
    re.IGNORECASE,
)
"""What a reply cannot say before a last line that says VALID."""
_ENDED = re.compile(r"[.!?)\]\"”]$")
_BOXED = re.compile(r"\$*\\boxed\{(?:\\text\{)?(\w+)\}{1,2}\$*")
_MARKS = " \t*_`'\"#>.:-–—()[]“”‘’«»"
_MARKS_BEHIND = _MARKS + "!"
_SET = r"[ \t\r*_`#>]*"
"""Marks with which a line of a reply may be set off."""


def step_question(question: str, previous: Sequence[str], step: str) -> str:
    """What the judge is asked of one step. Source: definitions §7; Reasoning Fidelity, 2."""
    before = "\n".join(f"Step {number}: {text}" for number, text in enumerate(previous, 1)) or "(none)"
    return _STEP.format(question=question, previous=before, step=f"Step {len(previous) + 1}: {step}")


def answer_question(question: str, expected: str, given: str) -> str:
    """What the judge is asked of a final answer. Source: Reasoning Fidelity, 2."""
    return _ANSWER.format(question=question, expected=expected, given=given)


def parse_verdict(reply: Reply | str) -> bool | None:
    """True for VALID, False for INVALID, None for a reply that says neither clearly.

    The last line that is not blank must be one of a closed set of forms, marks at its ends aside: the word alone, the
    word behind a label ("Verdict: VALID", "The answer is VALID"), or "The step is valid" ("This step", "It", "Step 3";
    "invalid because …" and "INVALID: …" too). The lines before are free, but no other line may be a verdict of its own
    that says otherwise, none may have a word against a VALID ("invalid", "not valid", "incorrect", "wrong"), and the
    line above must not begin a denial or doubt ("The answer is not" above VALID). Everything else is None: empty, cut
    off or refused replies, another language, denials, conditions. What is not clear is not valid, and is counted.
    """
    if isinstance(reply, Reply):
        if reply.error is not None or reply.refusal or cut_off(reply):
            return None
        reply = reply.text or ""
    reply = _BOXED.sub(r"\1", reply)
    lines = [line.lstrip(_MARKS).rstrip(_MARKS_BEHIND) for line in reply.strip().split("\n") if line.strip(_MARKS)]
    ended = [line.strip(" \t*_`") for line in reply.strip().split("\n") if line.strip(_MARKS)]
    if not lines or (len(lines) > 1 and _goes_on(ended[-2])):
        return None
    verdict = _of_line(lines[-1])
    if any(other is not None and other is not verdict for other in map(_of_line, lines[:-1])):
        return None
    if verdict and any(_AGAINST.search(line) for line in lines[:-1]):
        return None
    return verdict


def _goes_on(line: str) -> bool:
    """Whether a line may be the begin of a sentence that turns the next line round."""
    return _ENDED.search(line) is None and (line.endswith(",") or negated(line) or hedged(line))


def _of_line(line: str) -> bool | None:
    """The verdict that a line is, None for one that is none."""
    found = _VERDICT.fullmatch(line)
    if found is None or len(_WORD.findall(line)) > 1:
        return None
    word = (found["alone"] or found["said"]).lower()
    if (found["why"] or found["reason"]) and word == "valid":
        return None
    return word == "valid"


def judge_by_model(judge: Judge, question: str, steps: Sequence[str]) -> list[Verdict]:
    """A verdict of the model on each step; all steps of a solution are asked in one call.

    Raises JudgeFailed when the judge gave no reply to a step: then nothing was measured.
    """
    replies = _ask(judge, [step_question(question, steps[:place], step) for place, step in enumerate(steps)])
    return [_verdict(reply) for reply in replies]


def answer_by_model(judge: Judge, question: str, expected: str, given: str) -> Verdict:
    """The model's verdict on a final answer. Raises JudgeFailed as `judge_by_model`."""
    return _verdict(_ask(judge, [answer_question(question, expected, given)])[0])


class JudgeFailed(RuntimeError):
    """The judge itself gave no reply; the message says why. Nothing was measured of the solution."""


def _ask(judge: Judge, questions: Sequence[str]) -> Sequence[Reply | str]:
    if not questions:
        return []
    return _checked(judge.judge(questions), len(questions))


def _checked(replies: Sequence[Reply | str], count: int) -> Sequence[Reply | str]:
    if len(replies) != count:
        raise JudgeFailed(f"the judge gave {len(replies)} replies to {count} questions")
    for reply in replies:
        if isinstance(reply, Reply) and reply.error is not None:
            raise JudgeFailed(f"the judge gave no reply: {reply.error}")
    return replies


def _verdict(reply: Reply | str) -> Verdict:
    valid = parse_verdict(reply)
    if valid is None:
        return Verdict(False, False, "the judge's reply says neither VALID nor INVALID")
    return Verdict(valid, True, "" if valid else "the judge says INVALID")


def parse_legibility(reply: Reply | str) -> tuple[float, int] | None:
    """`ccr` (0 to 1) and `acr` (0 or 1) of a reply; None unless it gives both, once, and agrees with itself.

    A number between 0 and 1 is None: it may be a share or a number of 100. So is one with a sign ("-5", "<95").
    """
    if isinstance(reply, Reply):
        if reply.error is not None or reply.refusal or cut_off(reply):
            return None
        reply = reply.text or ""
    shares = re.findall(rf"(?im)^{_SET}clear{_SET}[:=]?{_SET}(\d{{1,3}}(?:\.\d+)?)\s*%?{_SET}\.?{_SET}$", reply)
    alls = re.findall(rf"(?im)^{_SET}all clear{_SET}[:=]?{_SET}(yes|no){_SET}[.!]?{_SET}$", reply)
    if len(shares) != 1 or len(alls) != 1 or float(shares[0]) > 100 or 0 < float(shares[0]) < 1:
        return None
    all_clear = alls[0].lower() == "yes"
    if all_clear and float(shares[0]) < 100:
        return None
    return float(shares[0]) / 100, int(all_clear)


def looks_at_pictures(judge: object) -> bool:
    """Whether a judge also answers questions about pictures."""
    return callable(getattr(judge, "answer", None))


def legibility_by_model(judge: Judge, image: Image.Image) -> tuple[float, int] | None:
    """`ccr` and `acr` as the judge sees them (Reasoning Fidelity, Table 3); None for a judge that does not look at
    pictures, and for a reply that says neither clearly. Raises JudgeFailed when it gives no reply."""
    if not looks_at_pictures(judge):
        return None
    replies = judge.answer([image], [_LEGIBILITY])  # type: ignore[attr-defined]
    return parse_legibility(_checked(replies, 1)[0])
