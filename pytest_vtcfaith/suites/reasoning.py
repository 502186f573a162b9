"""Reasoning (Reasoning Fidelity): is what an illustrator writes into a picture right, step by step? (definitions §7)"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.engine.pictures import picture_of
from pytest_vtcfaith.models.judges.questions import looks_at_pictures
from pytest_vtcfaith.models.protocols import Prompt
from pytest_vtcfaith.suites.base import Explanation, Request, TierSummary, count_tier, failure_columns
from pytest_vtcfaith.suites.bundled import manifests
from pytest_vtcfaith.suites.case import Case, CaseScore
from pytest_vtcfaith.suites.explain import describe_text
from pytest_vtcfaith.suites.instruments import NO_INSTRUMENTS, Instruments
from pytest_vtcfaith.suites.readback import Compared
from pytest_vtcfaith.suites.reasoning_explain import compared_solution, explain_passage, explain_solution
from pytest_vtcfaith.suites.reasoning_metrics import METRICS, remarks
from pytest_vtcfaith.suites.reasoning_scores import (
    failed_score,
    for_reading,
    legibility,
    read_page,
    score_passage,
    score_solution,
)
from pytest_vtcfaith.texts.tasks.prompts import drawing_prompt, solution_text
from pytest_vtcfaith.texts.tasks.rows import SCHEMA

if TYPE_CHECKING:
    from pytest_vtcfaith.engine.transcript import Transcript
    from pytest_vtcfaith.models.registry import ModelSpec

GATE = "reasoning/rendering/64"
"""The tier that a model must pass before it is given tasks (Reasoning Fidelity, 1.; definitions §7)."""


class Reasoning:
    """The suite of drawn solutions: a rendering gate, then facts, long context and mathematics of five levels."""

    name = "reasoning"
    task = "draw"
    primary = "process_score"
    metrics = METRICS
    converges = False
    case_metrics: Mapping[str, int] = {"answer_score": 1, "process_score": 1, "cer": -1, "wer": -1}

    def cases(self, folder: Path | None = None, *, prompts: Sequence[str] = ("plain",)) -> list[Case]:
        """One case for every row; tasks are asked in one way only."""
        found = [
            Case(
                id=row["case"],
                suite=self.name,
                tier=_tier(row),
                document=row["document"],
                lang=row["lang"],
                reference=row["text"] if row["kind"] == "rendering" else solution_text(row),
                file=manifest.path,
                line=line,
                params=row,
            )
            for manifest in manifests(folder, SCHEMA)
            for line, row in manifest.rows
        ]
        return sorted(found, key=lambda case: case.id)

    def inapplicable(self, case: Case, spec: ModelSpec) -> str:
        """A language the model does not declare."""
        if spec.languages is not None and case.lang not in spec.languages:
            return f"{spec.name} does not declare that it writes {case.lang!r}"
        return ""

    def prerequisites(self, case: Case, cases: Sequence[Case]) -> Sequence[Case]:
        """Of a task, the passages of 64 words: only who can draw them is asked to reason in pictures."""
        return [] if case.params["kind"] == "rendering" else [other for other in cases if other.tier == GATE]

    def request(self, case: Case, spec: ModelSpec) -> Request:
        """The drawing prompt; there is no page."""
        return Request(lambda: (), Prompt(drawing_prompt(case.params), case.lang))

    def score(
        self, case: Case, transcript: Transcript, request: Request, instruments: Instruments = NO_INSTRUMENTS
    ) -> dict[str, float | int | None]:
        """CER, WER and confidence of a passage; S_a and S_p of a task, also by the second engine; legibility; and
        `read_scale`, the share of its sides at which the page was read.
        """
        if transcript.outcome == "infrastructure_error":
            return {}
        row, judge, second = case.params, instruments.judge(), instruments.second()
        image = picture_of(transcript.reply)
        if transcript.outcome != "complete" or image is None:
            return failed_score(row, second=second is not None, looks=looks_at_pictures(judge))
        reader = instruments.reader()
        image, scale = for_reading(image)
        if row["kind"] == "rendering":
            own = score_passage(row, reader, second, image)
        else:
            own = score_solution(row, reader, second, judge, image)
        return own | legibility(reader, second, judge, image) | {"read_scale": scale}

    def summarise(self, tier: str, scores: Sequence[CaseScore]) -> TierSummary:
        """Sums by document, with S_a, S_p and the undecided steps as remarks."""
        columns: dict[str, dict[str, float]] = {}
        for score in scores:
            if score.case.tier != tier or score.inapplicable:
                continue
            sums = columns.setdefault(score.case.document, {})
            for name, value in _columns(score).items():
                sums[name] = sums.get(name, 0.0) + value
        return TierSummary(columns=columns, remarks=remarks(columns), **count_tier(tier, scores))

    def needs(self, tier: str, metric: str, tiers: Collection[str]) -> frozenset[str]:
        """Only the tier itself."""
        return frozenset({tier})

    def explain(
        self,
        case: Case,
        transcript: Transcript,
        metrics: Mapping[str, Any],
        request: Request,
        instruments: Instruments = NO_INSTRUMENTS,
    ) -> Explanation:
        """Of a passage what differs; of a task the question, the answers, and the first step that is not valid."""
        image = picture_of(transcript.reply)
        if transcript.outcome != "complete" or image is None:
            return Explanation(f"{transcript.outcome}: {describe_text(transcript.text)}")
        image, _ = for_reading(image)
        if case.params["kind"] == "rendering":
            return explain_passage(case, instruments.reader(), image, metrics)
        return explain_solution(case, instruments.reader(), instruments.judge(), image)

    def read_back(self, case: Case, transcript: Transcript, instruments: Instruments) -> dict[str, str]:
        """The `text` of the page; `judge` where a model marks its steps."""
        image = picture_of(transcript.reply)
        if transcript.outcome != "complete" or image is None:
            return {}
        judged = {} if instruments.judge() is None else {"judge": "model"}
        return {"text": read_page(instruments.reader(), for_reading(image)[0]).text, **judged}

    def compared(self, case: Case, read: Mapping[str, str]) -> Sequence[Compared]:
        """The passage, or steps and answer of a solution; what a judge model said of them is not known here."""
        if case.params["kind"] == "rendering":
            return [Compared("passage", case.reference, read["text"])]
        return compared_solution(case.params, read["text"], marked_here="judge" not in read)


def _tier(row: Mapping[str, Any]) -> str:
    if row["kind"] == "rendering":
        return f"reasoning/rendering/{row['words']}"
    return f"reasoning/{row['kind']}" + (f"/level-{row['level']}" if row.get("level") else "")


_TASK = ("answer_score", "process_score", "steps", "undecided_steps")
_PASSAGE = ("char_edits", "reference_chars", "word_edits", "reference_words")


def _columns(score: CaseScore) -> dict[str, float]:
    """What the tier's metrics take in of one case; what was not measured has no column."""
    row, found = failure_columns(score), score.metrics
    if not score.measured:
        return row
    if "answer_score" in found:
        row |= {"tasks": 1.0} | {name: float(found[name] or 0) for name in _TASK}
        if (other := found.get("answer_score_second")) is not None:
            row |= {"second": 1.0, "answer_score_second": float(other)}
            row["process_score_second"] = float(found["process_score_second"] or 0)
        if (best := found.get("ceiling_answer")) is not None:
            row |= {
                "ceilings": 1.0,
                "ceiling_answer": float(best),
                "ceiling_process": float(found["ceiling_process"] or 0),
            }
            row |= {"below_answer": row["answer_score"], "below_process": row["process_score"]}
    else:
        row |= {name: float(found[name] or 0) for name in _PASSAGE}
        if (edits := found.get("char_edits_second")) is not None:
            row |= {"char_edits_second": float(edits), "reference_chars_second": row["reference_chars"]}
        if (confidence := found.get("confidence")) is not None:
            row |= {"confident": 1.0, "confidence": float(confidence)}
    for names, count in ((("ccr", "acr"), "looked_at"), (("ccr_ocr", "acr_ocr"), "read_twice")):
        if found.get(names[0]) is not None:
            row |= {count: 1.0} | {name: float(found[name] or 0) for name in names}
    return row


SUITE = Reasoning()
