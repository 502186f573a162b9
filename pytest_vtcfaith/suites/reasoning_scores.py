"""The score of a drawn page: how well a passage was drawn, or how right a solution is (definitions §7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.metrics import text_scores
from pytest_vtcfaith.metrics.assertions import units_of
from pytest_vtcfaith.metrics.final_answers import answer_score
from pytest_vtcfaith.metrics.steps import Solution, extract_solution, process_score, reading_agreement
from pytest_vtcfaith.models.judges.exact import Verdict, judge_solution
from pytest_vtcfaith.models.judges.questions import answer_by_model, judge_by_model, legibility_by_model
from pytest_vtcfaith.texts.tasks.prompts import question_text, solution_text

if TYPE_CHECKING:
    from PIL import Image

    from pytest_vtcfaith.models.page_reading import Reader
    from pytest_vtcfaith.models.protocols import Judge

Row = Mapping[str, Any]
Score = dict[str, float | int | None]

RATES = ("char_edits", "reference_chars", "word_edits", "reference_words", "cer", "wer")
MOST_READ = 2048 * 2048
"""Pixels of a drawn page that are read: a page of more is reduced first, since engines take minutes for it."""
LONGEST_READ = 8192
"""Pixels of a side that are read."""
LEGIBILITY = ("ccr", "acr", "ccr_ocr", "acr_ocr")


@dataclass(frozen=True, slots=True)
class Marked:
    """A solution with its marks: S_a, and the judge's verdict on each step."""

    solution: Solution
    answer: int
    verdicts: tuple[Verdict, ...]

    @property
    def process(self) -> float:
        """S_p."""
        return process_score([verdict.valid for verdict in self.verdicts])


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader read of a page, and how sure it is (None where it does not say)."""

    text: str
    confidence: float | None


def for_reading(image: Image.Image) -> tuple[Image.Image, float]:
    """A drawn page as engines and judges get it, and the share of its sides that it is reduced to (1: as it is).

    It has at most `MOST_READ` pixels, and no side over `LONGEST_READ`.
    """
    from PIL import Image

    width, height = image.size
    scale = min(1.0, (MOST_READ / (width * height)) ** 0.5, LONGEST_READ / max(width, height))
    if scale == 1:
        return image, 1.0
    size = max(1, int(width * scale)), max(1, int(height * scale))
    return image.resize(size, Image.Resampling.LANCZOS), scale


def read_page(reader: Reader, image: Image.Image) -> Reading:
    """The text of a page, block by block from the top."""
    (blocks,) = reader.read([image])
    sure = [(block.score, len(block.text)) for block in blocks if block.score is not None]
    weight = sum(length for _, length in sure)
    confidence = sum(score * length for score, length in sure) / weight if weight else None
    return Reading("\n".join(block.text for block in blocks), confidence)


def mark(row: Row, text: str, judge: Judge | None) -> Marked:
    """Marks the solution in a text: by the judge model, or by the exact judge and the task's record.

    An answer of kind `free` is also put to the judge model when it is not literally right. Raises
    `judges.questions.JudgeFailed` when the judge model gives no reply.
    """
    solution, question = extract_solution(text), question_text(row)
    record = row.get("record", {})
    expected = row["answer"]
    choices = {letter: option["text"] for letter, option in record.get("options", {}).items()}
    right = answer_score(
        expected["kind"],
        expected["text"],
        solution.answers,
        choices=choices or expected.get("choices", ()),
        units=units_of(row["question"]),
    )
    if judge is None:
        verdicts = judge_solution(record, question, solution.steps)
    else:
        verdicts = judge_by_model(judge, question, solution.steps)
        if not right and expected["kind"] == "free" and len(solution.answers) == 1:
            right = int(answer_by_model(judge, question, expected["text"], solution.answers[0]).valid)
    return Marked(solution, right, tuple(verdicts))


def score_passage(row: Row, reader: Reader, second: Reader | None, image: Image.Image) -> Score:
    """The rates of a passage that was to be drawn as it is, the reader's `confidence`, and the edits by the second
    engine (None without one)."""
    reading = read_page(reader, image)
    rates = text_scores(row["text"], reading.text, lang=row["lang"])
    found: dict[str, Any] = {name: rates[name] for name in RATES}
    found["confidence"] = reading.confidence
    other = text_scores(row["text"], read_page(second, image).text, lang=row["lang"]) if second is not None else None
    found["char_edits_second"] = other["char_edits"] if other is not None else None
    return found


def score_solution(row: Row, reader: Reader, second: Reader | None, judge: Judge | None, image: Image.Image) -> Score:
    """`answer_score`, `process_score`, `steps`, `valid_steps`, `undecided_steps`; both scores by the second engine and
    of the text-only ceiling (None where there is none)."""
    marked = mark(row, read_page(reader, image).text, judge)
    found: Score = {
        "answer_score": marked.answer,
        "process_score": marked.process,
        "steps": len(marked.verdicts),
        "valid_steps": sum(verdict.valid for verdict in marked.verdicts),
        "undecided_steps": sum(not verdict.decided for verdict in marked.verdicts),
    }
    other = mark(row, read_page(second, image).text, judge) if second is not None else None
    found["answer_score_second"] = other.answer if other is not None else None
    found["process_score_second"] = other.process if other is not None else None
    return found | ceiling(row, judge)


def ceiling(row: Row, judge: Judge | None) -> Score:
    """`ceiling_answer` and `ceiling_process`: what the task scores as text, with the same judge.

    Where a task brings its steps, they stand in for the text-only `Answerer` of the paper: a solver over the task's own
    record. None for a task without steps.
    """
    if not row.get("steps"):
        return {"ceiling_answer": None, "ceiling_process": None}
    marked = mark(row, solution_text(row), judge)
    return {"ceiling_answer": marked.answer, "ceiling_process": marked.process}


def legibility(reader: Reader, second: Reader | None, judge: Judge | None, image: Image.Image) -> Score:
    """`ccr`, `acr` by a judge model that can look at pictures, `ccr_ocr`, `acr_ocr` by agreement of two OCR engines.

    None for what there is nothing to measure with, and where the judge's reply gives no figure.
    """
    seen = legibility_by_model(judge, image) if judge is not None else None
    found: Score = {"ccr": None, "acr": None, "ccr_ocr": None, "acr_ocr": None}
    if seen is not None:
        found |= {"ccr": seen[0], "acr": seen[1]}
    if second is not None:
        clear, all_clear = reading_agreement(read_page(reader, image).text, read_page(second, image).text)
        found |= {"ccr_ocr": clear, "acr_ocr": all_clear}
    return found


def failed_score(row: Row, *, second: bool, looks: bool) -> Score:
    """The score of a reply without a picture: everything that would have been measured is at its worst.

    `second`: whether there is a second engine; `looks`: whether the judge looks at pictures.
    """
    found: dict[str, Any] = dict.fromkeys((LEGIBILITY[:2] if looks else ()) + (LEGIBILITY[2:] if second else ()), 0)
    if row["kind"] == "rendering":
        rates = text_scores(row["text"], "", lang=row["lang"])
        found |= {name: rates[name] for name in RATES}
        return found | ({"char_edits_second": rates["char_edits"]} if second else {})
    found |= dict.fromkeys(("answer_score", "process_score", "steps", "valid_steps", "undecided_steps"), 0)
    return found | (dict.fromkeys(("answer_score_second", "process_score_second"), 0) if second else {})
