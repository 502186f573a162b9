"""What was read in a picture, part by part, beside what should stand there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vtcfaith.engine.transcript import Transcript
from pytest_vtcfaith.metrics import Reply
from pytest_vtcfaith.suites import load_suite
from pytest_vtcfaith.suites.instruments import NO_INSTRUMENTS
from pytest_vtcfaith.suites.readback import JUDGED, ReadsPictures
from pytest_vtcfaith.texts.tasks.prompts import solution_text, written

REASONING, EDITING = load_suite("reasoning"), load_suite("editing")
TASK = next(case for case in REASONING.cases() if case.params["kind"] == "facts")


def parts(text: str, **more: str) -> list[tuple[str, str, str]]:
    assert isinstance(REASONING, ReadsPictures)
    return [(p.label, p.read, p.verdict) for p in REASONING.compared(TASK, {"text": text, **more})]


def test_the_own_solution_is_valid_step_by_step() -> None:
    steps = [step["text"] for step in TASK.params["steps"]]
    found = parts(solution_text(TASK.params))
    assert found[:-1] == [(f"step {n}", step, "valid") for n, step in enumerate(steps, 1)]
    assert found[-1] == ("answer", TASK.params["answer"]["text"], "right")
    assert all(one.verdict in JUDGED for one in REASONING.compared(TASK, {"text": "Step 1: no"}))


def test_steps_that_are_wrong_missing_or_more_than_expected_are_told_apart() -> None:
    steps = tuple(step["text"] for step in TASK.params["steps"])
    wrong = steps[0].replace("a bird", "a fish").replace("an eagle is", "an eagle is")
    more = parts(written((wrong, *steps[1:], "So it is."), "A"))
    assert (more[0][2], more[-1][2]) == ("wrong", "wrong")
    assert len(more) == len(steps) + 2
    few = parts(written(steps[:1], TASK.params["answer"]["text"]))
    assert [verdict for *_, verdict in few] == ["valid", *["not written"] * (len(steps) - 1), "right"]
    assert {verdict for *_, verdict in parts("")} == {"not written"}


def test_what_a_judge_model_marked_is_not_marked_again() -> None:
    found = parts(solution_text(TASK.params), judge="model")
    assert {verdict for *_, verdict in found[:-1]} == {"not marked here"}
    assert found[-1][2] == "right"


def test_a_passage_and_an_edit_are_compared_word_by_word() -> None:
    passage = next(case for case in REASONING.cases() if case.params["kind"] == "rendering")
    (part,) = REASONING.compared(passage, {"text": "x"})
    assert (part.expected, part.read, part.verdict) == (passage.reference, "x", "")
    read = {"region_expected": "a", "region": "b", "outside_expected": "a\nc", "outside": "b\nc"}
    region, page = EDITING.compared(EDITING.cases()[0], read)
    assert (region.expected, region.read, region.verdict, region.by_line) == ("a", "b", "", True)
    assert (page.expected, page.read, page.verdict, page.by_line) == ("a\nc", "b\nc", "", True)


@pytest.mark.parametrize("suite", [REASONING, EDITING])
def test_nothing_is_read_of_a_reply_without_a_picture(suite) -> None:
    failed = Transcript(Reply("no"), "refusal", 0.0, False)
    for transcript in (failed, replace(failed, outcome="complete")):
        assert suite.read_back(suite.cases()[0], transcript, NO_INSTRUMENTS) == {}


def test_suites_that_read_no_picture_are_no_such_suites() -> None:
    assert not any(isinstance(load_suite(name), ReadsPictures) for name in ("rewriting", "preservation", "compression"))
