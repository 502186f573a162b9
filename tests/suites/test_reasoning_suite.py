"""The reasoning suite, with readers and judges whose every word is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from PIL import Image

from pytest_vtcfaith.engine.pictures import picture_reply
from pytest_vtcfaith.engine.transcript import Transcript
from pytest_vtcfaith.gating.judge import GateSubject, judge_threshold
from pytest_vtcfaith.gating.thresholds import GateRule
from pytest_vtcfaith.metrics.blocks import Block
from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.models.illustrators import ILLUSTRATORS
from pytest_vtcfaith.models.judges.questions import JudgeFailed
from pytest_vtcfaith.models.registry import resolve
from pytest_vtcfaith.pages.images import pixel_key
from pytest_vtcfaith.plugin.scorefields import wrong_score
from pytest_vtcfaith.suites import load_suite, suite_names
from pytest_vtcfaith.suites.base import value
from pytest_vtcfaith.suites.case import Case, CaseScore
from pytest_vtcfaith.suites.instruments import Instruments
from pytest_vtcfaith.suites.reasoning_metrics import remarks
from pytest_vtcfaith.texts.tasks.prompts import drawing_prompt

SUITE = load_suite("reasoning")
CASES = SUITE.cases()
BY_ID = {case.id: case for case in CASES}
TASKS = [case for case in CASES if case.params["kind"] != "rendering"]
FACT, COUNT = BY_ID["facts-month-1"], BY_ID["long-context-garden-counting-1"]
PASSAGE = next(case for case in CASES if case.tier == "reasoning/rendering/64")


class Scripted:
    """A reader of pictures that are drawn here: each has a colour of its own, and its text is looked up."""

    def __init__(self, change: Callable[[str], str] = lambda text: text) -> None:
        self.change = change
        self.texts: dict[str, str] = {}

    def draw(self, text: str) -> Reply:
        number = len(self.texts) + 1
        image = Image.new("RGB", (8, 8), (number % 256, number // 256, 7))
        self.texts[pixel_key(image)] = text
        return picture_reply(image)

    def read(self, images: Sequence[Image.Image]) -> list[list[Block]]:
        found = []
        for image in images:
            lines = self.change(self.texts[pixel_key(image)]).split("\n")
            found.append([Block((0, 9 * n, 99, 9 * n + 8), line, score=0.9) for n, line in enumerate(lines) if line])
        return found


class Agreeing:
    """A judge with one reply to every question, which keeps what it was asked."""

    def __init__(self, reply: Any) -> None:
        self.reply = reply
        self.asked: list[str] = []

    def judge(self, questions: Sequence[str]) -> list[Any]:
        self.asked += questions
        return [self.reply for _ in questions]


class Seeing(Agreeing):
    """One that looks at pictures too."""

    def answer(self, images: Sequence[Image.Image], questions: Sequence[str]) -> list[str]:
        return ["CLEAR: 98\nALL CLEAR: NO" for _ in questions]


def scored(
    case: Case, text: str | None, *, second: Callable[[str], str] | None = None, judge: Any = None, **outcome: Any
) -> tuple[dict[str, Any], Transcript, Instruments]:
    """The score of a case whose picture shows `text`; None for no picture."""
    reader = Scripted()
    reply = Reply(text=None) if text is None else reader.draw(text)
    other = None if second is None else Scripted(second)
    if other is not None:
        other.texts = reader.texts
    instruments = Instruments(lambda: reader, lambda: other, lambda: judge)
    transcript = Transcript(reply, outcome.get("outcome", "empty" if text is None else "complete"), 0.0, False)
    request = SUITE.request(case, resolve("illustrator:right"))
    metrics = SUITE.score(case, transcript, request, instruments)
    assert wrong_score(case, transcript.outcome, metrics) == ""
    return metrics, transcript, instruments


def drawn(case: Case, name: str) -> str:
    return ILLUSTRATORS[name](case.params)


def test_the_suite_is_listed_and_its_cases_stand_in_their_tiers() -> None:
    assert "reasoning" in suite_names()
    assert (SUITE.task, SUITE.primary) == ("draw", "process_score")
    levels = {f"reasoning/mathematics/level-{level}" for level in range(1, 6)}
    passages = {f"reasoning/rendering/{words}" for words in (64, 128, 256, 512)}
    assert {case.tier for case in CASES} == {"reasoning/facts", "reasoning/long-context"} | levels | passages
    assert [case.id for case in CASES] == sorted(BY_ID)


def test_tasks_are_asked_once_passages_of_64_words_can_be_drawn() -> None:
    needed = SUITE.prerequisites(FACT, CASES)
    assert [case.tier for case in needed] == ["reasoning/rendering/64"] * 4
    assert list(SUITE.prerequisites(PASSAGE, CASES)) == []


def test_what_is_asked_is_the_drawing_prompt_without_a_page() -> None:
    request = SUITE.request(FACT, resolve("illustrator:right"))
    assert request.prompt.text == drawing_prompt(FACT.params)
    assert request.pages == ()


@pytest.mark.parametrize("case", TASKS[::7], ids=[case.id for case in TASKS[::7]])
@pytest.mark.parametrize(
    ("name", "answer", "process"),
    [
        ("right", 1, 1.0),
        ("right-answer-wrong-steps", 1, 0.0),
        ("wrong-answer-right-steps", 0, 1.0),
        ("repeats-question", 0, 0.0),
    ],
)
def test_the_reference_illustrators_are_told_apart(case: Case, name: str, answer: int, process: float) -> None:
    metrics, _, _ = scored(case, drawn(case, name))
    assert (metrics["answer_score"], metrics["process_score"]) == (answer, process)
    assert (metrics["ceiling_answer"], metrics["ceiling_process"]) == (1, 1.0)
    assert metrics["undecided_steps"] == 0


def test_a_passage_has_rates_and_confidence() -> None:
    metrics, _, _ = scored(PASSAGE, PASSAGE.reference.replace(" the ", " teh ", 1))
    assert metrics["word_edits"] == 1
    assert metrics["wer"] == pytest.approx(1 / 64)
    assert metrics["confidence"] == pytest.approx(0.9)
    assert metrics["char_edits_second"] is None


def test_the_second_engine_attributes_errors() -> None:
    text = drawn(COUNT, "right")
    metrics, _, _ = scored(COUNT, text, second=lambda read: read.replace("Answer", "Answei").replace("= ", "= 8"))
    assert (metrics["answer_score"], metrics["process_score"]) == (1, 1.0)
    assert metrics["answer_score_second"] == 0
    assert metrics["process_score_second"] < 1
    assert 0.9 < metrics["ccr_ocr"] < 1
    assert metrics["acr_ocr"] == 0
    again, _, _ = scored(COUNT, text, second=lambda read: read)
    assert (again["answer_score_second"], again["ccr_ocr"], again["acr_ocr"]) == (1, 1.0, 1)


@pytest.mark.parametrize(
    ("reply", "process", "undecided"), [("VALID", 1.0, 0), ("INVALID", 0.0, 0), ("Perhaps.", 0.0, 4), ("", 0.0, 4)]
)
def test_a_judge_model_takes_the_place_of_the_exact_judge(reply: str, process: float, undecided: int) -> None:
    judge = Agreeing(reply)
    metrics, _, _ = scored(FACT, drawn(FACT, "right-answer-wrong-steps"), judge=judge)
    assert (metrics["process_score"], metrics["undecided_steps"]) == (process, undecided)
    assert metrics["ceiling_process"] == process  # the same judge judges the ceiling
    assert len(judge.asked) == 8
    assert metrics["ccr"] is None


def test_a_judge_that_sees_says_how_legible_a_picture_is() -> None:
    metrics, _, _ = scored(FACT, drawn(FACT, "right"), judge=Seeing("VALID"))
    assert (metrics["ccr"], metrics["acr"]) == (0.98, 0)


def test_a_judge_that_fails_is_no_score() -> None:
    with pytest.raises(JudgeFailed, match="no connection"):
        scored(FACT, drawn(FACT, "right"), judge=Agreeing(Reply(text=None, error="no connection")))


@pytest.mark.parametrize("outcome", ["empty", "refused"])
def test_no_picture_scores_zero(outcome: str) -> None:
    metrics, transcript, instruments = scored(FACT, None, outcome=outcome, second=lambda text: text)
    assert (metrics["answer_score"], metrics["process_score"], metrics["process_score_second"]) == (0, 0, 0)
    assert (metrics.get("ccr"), metrics["ccr_ocr"]) == (None, 0)
    request = SUITE.request(FACT, resolve("illustrator:right"))
    assert SUITE.explain(FACT, transcript, metrics, request, instruments).verdict.startswith(f"{outcome}: ")
    passage, _, _ = scored(PASSAGE, None, outcome=outcome)
    assert (passage["cer"], passage["wer"]) == (1.0, 1.0)


def test_an_infrastructure_error_measures_nothing() -> None:
    assert scored(FACT, None, outcome="infrastructure_error")[0] == {}


def tier(name: str, cases: Sequence[Case], texts: Sequence[str | None]) -> dict[str, float | None]:
    """The metrics of the tier of some cases, one drawn text each."""
    scores = []
    for case, text in zip(cases, texts, strict=True):
        metrics, transcript, _ = scored(case, text, second=lambda read: read)
        scores.append(CaseScore(case, "m", transcript.outcome, metrics))
    columns = SUITE.summarise(name, scores).columns
    return {metric: value(SUITE.metrics[metric], columns) for metric in SUITE.metrics}


def test_a_tier_names_the_gap_between_answers_and_steps() -> None:
    cases = [case for case in CASES if case.tier == "reasoning/long-context"][:6]  # one document
    texts = [drawn(case, "right-answer-wrong-steps") for case in cases]
    found = tier("reasoning/long-context", cases, texts)
    assert (found["answer_score"], found["process_score"], found["answer_process_gap"]) == (1.0, 0.0, 1.0)
    assert (found["gap_answer"], found["gap_process"]) == (0.0, 1.0)
    assert (found["answer_score_second"], found["ccr_ocr"], found["ccr"]) == (1.0, 1.0, None)
    texts[:3] = [drawn(case, "right") for case in cases[:3]]
    found = tier("reasoning/long-context", cases, [*texts[:5], None])
    assert found["answer_score"] == pytest.approx(5 / 6)
    assert found["process_score"] == pytest.approx(3 / 6)
    assert found["failure_rate"] == pytest.approx(1 / 6)
    assert found["cer"] is None


def test_a_failing_gate_says_both_scores_and_how_many_steps_were_undecided() -> None:
    cases = [case for case in CASES if case.tier == "reasoning/long-context"][:2]
    texts = ["Step 1: I thought about it.\nStep 2: It is false that 12 + 7 = 19.\nAnswer: 1000", "Answer: 1000"]
    scores = [CaseScore(case, "m", "complete", scored(case, text)[0]) for case, text in zip(cases, texts, strict=True)]
    summary = SUITE.summarise("reasoning/long-context", scores)
    for metric, bound in (("process_score", {"min": 0.5}), ("answer_process_gap", {"max": -0.5})):
        rule = GateRule(where="reasoning/*", metric=metric, min_coverage=0, **bound)  # type: ignore[arg-type]
        verdict = judge_threshold(GateSubject("g", "m", summary), SUITE.metrics[metric], rule)
        assert verdict.verdict == "fail"
        assert "S_a 0.0000, S_p 0.0000; 2 of 2 steps were undecided" in verdict.message
    assert remarks({"d": {"reference_chars": 1.0}}) == {}


def test_a_tier_of_passages_pools_edits() -> None:
    cases = [case for case in CASES if case.tier == "reasoning/rendering/64"]
    found = tier("reasoning/rendering/64", cases, [case.reference for case in cases[:3]] + [None])
    lengths = [len(case.reference) for case in cases]
    assert found["cer"] == pytest.approx(lengths[3] / sum(lengths))
    assert found["confidence"] == pytest.approx(0.9)
    assert found["cer_second"] == pytest.approx(lengths[3] / sum(lengths))
    assert found["answer_score"] is None


def test_the_explanation_has_question_answers_and_the_step_that_failed() -> None:
    text = drawn(COUNT, "right").replace("Answer: ", "Answer: 9")
    wrong = text.replace("0 + 1 = 1", "0 + 1 = 2")
    metrics, transcript, instruments = scored(COUNT, wrong)
    shown = SUITE.explain(COUNT, transcript, metrics, SUITE.request(COUNT, resolve("illustrator:right")), instruments)
    assert shown.verdict == "wrong answer, 5 of 6 steps valid"
    assert COUNT.params["question"] in shown.lines[0]
    answer = COUNT.params["answer"]["text"]
    assert shown.lines[1] == f"answer expected '{answer}'  given '9{answer}'"
    assert "+wrong+: '0 + 1 = 2'" in shown.lines[2]
    assert [label for label, _ in shown.pictures] == ["drawn"]
    metrics, transcript, instruments = scored(COUNT, "nothing here")
    shown = SUITE.explain(COUNT, transcript, metrics, SUITE.request(COUNT, resolve("illustrator:right")), instruments)
    assert shown.verdict == "no answer, no steps"
    assert "given none" in shown.lines[1]


def test_the_explanation_of_a_passage_has_its_differences() -> None:
    metrics, transcript, instruments = scored(PASSAGE, PASSAGE.reference.replace(" the ", " teh ", 1))
    request = SUITE.request(PASSAGE, resolve("illustrator:right"))
    shown = SUITE.explain(PASSAGE, transcript, metrics, request, instruments)
    assert shown.verdict == "1 word edits on 64 words"
    assert "-the- +teh+" in shown.lines[0]


@pytest.mark.parametrize(
    ("size", "read"),
    [
        ((2048, 2048), (2048, 2048)),
        ((4096, 4096), (2048, 2048)),
        ((1, 60_000), (1, 8192)),
        ((16_384, 100), (8192, 50)),
    ],
)
def test_a_large_page_is_reduced_before_it_is_read(size: tuple[int, int], read: tuple[int, int]) -> None:
    seen: list[tuple[int, int]] = []

    class Seeing:
        def read(self, images: Sequence[Image.Image]) -> list[list[Block]]:
            seen.extend(image.size for image in images)
            return [[] for _ in images]

    made = Transcript(picture_reply(Image.new("RGB", size, "white")), "complete", 0.0, False)
    request = SUITE.request(PASSAGE, resolve("illustrator:right"))
    instruments = Instruments(reader=Seeing, second=Seeing)
    metrics = SUITE.score(PASSAGE, made, request, instruments)
    SUITE.explain(PASSAGE, made, metrics, request, instruments)
    assert set(seen) == {read}
    assert metrics["read_scale"] == pytest.approx(max(read) / max(size), abs=1e-3)
    assert wrong_score(PASSAGE, "complete", metrics) == ""
