"""Why a drawn page scored as it did: what differs, or which step is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.metrics import normalise
from pytest_vtcfaith.suites.base import Explanation
from pytest_vtcfaith.suites.readback import Compared
from pytest_vtcfaith.suites.reasoning_scores import Marked, mark, read_page
from pytest_vtcfaith.texts.tasks.prompts import question_text

if TYPE_CHECKING:
    from PIL import Image

    from pytest_vtcfaith.models.page_reading import Reader
    from pytest_vtcfaith.models.protocols import Judge
    from pytest_vtcfaith.suites.case import Case


def explain_passage(case: Case, reader: Reader, image: Image.Image, metrics: Mapping[str, Any]) -> Explanation:
    """The word differences of a passage that was not drawn as it is."""
    from pytest_vtcfaith.report.worddiff import hunks

    text = read_page(reader, image).text
    lines, _ = hunks(
        normalise(case.reference, "verbatim", case.lang), normalise(text, "verbatim", case.lang), case.lang
    )
    verdict = f"{metrics.get('word_edits')} word edits on {metrics.get('reference_words')} words"
    return Explanation(verdict, tuple(lines[:6]), pictures=(("drawn", lambda: image),))


def explain_solution(case: Case, reader: Reader, judge: Judge | None, image: Image.Image) -> Explanation:
    """Question, expected and given answer, and the first step that is not valid with the judge's reason."""
    marked = mark(case.params, read_page(reader, image).text, judge)
    return Explanation(_verdict(marked), _lines(case.params, marked), pictures=(("drawn", lambda: image),))


def compared_solution(row: Mapping[str, Any], text: str, *, marked_here: bool) -> list[Compared]:
    """The steps of a page beside those of the task's own solution, by their number, then the answer: a step is right by
    what it says, not by being that of the same number.

    Not `marked_here` is what a judge model has marked, whose verdicts are not kept.
    """
    marked = mark(row, text, None)
    ours = [step["text"] for step in row.get("steps", ())]
    theirs, found = marked.solution.steps, []
    for number in range(max(len(ours), len(theirs))):
        expected, read = (steps[number] if number < len(steps) else "" for steps in (ours, theirs))
        verdict, reason = "not written", ""
        if number < len(theirs):
            one = marked.verdicts[number]
            verdict = "valid" if one.valid else "wrong" if one.decided else "not decided"
            verdict, reason = (verdict, one.reason) if marked_here else ("not marked here", "")
        found.append(Compared(f"step {number + 1}", expected, read, verdict, reason))
    given = ", ".join(marked.solution.answers)
    verdict = "right" if marked.answer else "wrong" if given else "not written"
    if not marked_here and verdict == "wrong":  # the judge may have taken a free answer for right
        verdict = "not marked here"
    return [*found, Compared("answer", row["answer"]["text"], given, verdict)]


def _verdict(marked: Marked) -> str:
    answer = "right answer" if marked.answer else ("wrong answer" if marked.solution.answers else "no answer")
    if not marked.verdicts:
        return f"{answer}, no steps"
    valid = sum(verdict.valid for verdict in marked.verdicts)
    return f"{answer}, {valid} of {len(marked.verdicts)} steps valid"


def _lines(row: Mapping[str, Any], marked: Marked) -> tuple[str, ...]:
    from pytest_vtcfaith.report.worddiff import quoted

    question = " ".join(question_text(row).split())
    if len(question) > 200:
        question = "… " + question[-200:]
    lines = [f"question {quoted(question, 210)}"]
    given = ", ".join(quoted(answer) for answer in marked.solution.answers) or "none"
    lines.append(f"answer expected {quoted(row['answer']['text'])}  given {given}")
    failed = [number for number, verdict in enumerate(marked.verdicts) if not verdict.valid]
    for number in failed[:2]:
        verdict = marked.verdicts[number]
        kind = "wrong" if verdict.decided else "not decided"
        reason = f": {quoted(verdict.reason)}" if verdict.reason else ""
        lines.append(f"step {number + 1} {quoted(marked.solution.steps[number], 160)}  +{kind}+{reason}")
    if len(failed) > 2:
        lines.append(f"… and {len(failed) - 2} more steps that are not valid")
    return tuple(lines)
