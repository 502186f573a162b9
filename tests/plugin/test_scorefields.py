"""What a score holds is what the suites give: every field of a real score is known, and every one is checked."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from PIL import Image

from pytest_vtcfaith.engine.pictures import picture_reply
from pytest_vtcfaith.engine.transcript import Transcript
from pytest_vtcfaith.metrics.blocks import Block
from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.models import ModelSpec
from pytest_vtcfaith.pages import render
from pytest_vtcfaith.plugin.scorefields import score_fields, wrong_score
from pytest_vtcfaith.suites import load_suite
from pytest_vtcfaith.suites.base import Request
from pytest_vtcfaith.suites.case import Case
from pytest_vtcfaith.suites.editing_cases import pair_of
from pytest_vtcfaith.suites.instruments import Instruments
from pytest_vtcfaith.suites.prompts import prompt

CASES = [
    next(case for case in load_suite(name).cases() if case.lang == lang and case.params.get("condition", of) == of)
    for name, of, lang in (
        ("preservation", "", "en"),
        *(("rewriting", of, lang) for of in ("original", "scramble", "visual") for lang in ("en", "zh", "ko")),
    )
    if any(c.lang == lang and c.params.get("condition", of) == of for c in load_suite(name).cases())
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
@pytest.mark.parametrize("outcome", ["complete", "empty", "repetition", "refused", "infrastructure_error"])
def test_every_score_of_a_suite_may_be_one(case: Case, outcome: str) -> None:
    request = Request(lambda: (render("One line of text.", layout="faithc4", lang="en"),), prompt("plain", case.lang))
    for text in (case.reference, case.reference[:40], str(case.params.get("original", "x")), ""):
        transcript = Transcript(Reply(text), outcome, 0.1, False)
        metrics = load_suite(case.suite).score(case, transcript, request)
        assert wrong_score(case, outcome, metrics) == ""
        fields = score_fields(case, outcome)
        assert fields is not None
        assert metrics.keys() <= fields.names
        for name in metrics.keys() - fields.optional:
            assert f"lacks {name!r}" in wrong_score(case, outcome, {k: v for k, v in metrics.items() if k != name})
        for name in fields.names & metrics.keys():
            assert wrong_score(case, outcome, {**metrics, name: -1}).startswith(f"{name} is -1")
    assert wrong_score(case, outcome, {"no_metric": 1.0})


class Blind:
    """An engine that reads nothing."""

    def read(self, images: Sequence[Image.Image]) -> list[list[Block]]:
        return [[] for _ in images]


class Some(Blind):
    """An engine that reads the same on every picture."""

    def read(self, images: Sequence[Image.Image]) -> list[list[Block]]:
        html = "<table><tr><td>a</td><td>b</td></tr></table>"
        return [[Block((5, 5, 60, 20), "one word"), Block((5, 40, 60, 90), "a b", html)] for _ in images]


ONE, TWO = Instruments(reader=Some), Instruments(reader=Some, second=Blind)


@pytest.mark.parametrize("instruments", [ONE, TWO], ids=["one", "two"])
@pytest.mark.parametrize("edit", ["reference", "source", "blank"])
def test_every_score_of_an_edit_may_be_one(instruments: Instruments, edit: str) -> None:
    suite = load_suite("editing")
    case = next(case for case in suite.cases() if case.id == "en-form-shelf")
    pair = pair_of(case)
    picture = Image.new("RGB", (200, 150), "white") if edit == "blank" else getattr(pair, edit)
    request = suite.request(case, ModelSpec("m", load=object, languages=None))
    metrics = suite.score(case, Transcript(picture_reply(picture), "complete", 0.1, False), request, instruments)
    assert wrong_score(case, "complete", metrics) == ""
    fields = score_fields(case, "complete")
    assert fields is not None
    assert fields.names - fields.optional <= metrics.keys() <= fields.names
    assert (fields.optional <= metrics.keys()) == (instruments is TWO)
    for name in metrics.keys() - fields.optional:
        assert f"lacks {name!r}" in wrong_score(case, "complete", {k: v for k, v in metrics.items() if k != name})
    for name in metrics:
        assert wrong_score(case, "complete", {**metrics, name: -2}).startswith(f"{name} is -2")
        assert wrong_score(case, "complete", {**metrics, name: float("inf")})
    assert wrong_score(case, "complete", {**metrics, "edit_fidelity": -0.5}) == ""
    assert "no share" in wrong_score(case, "complete", {**metrics, "text_correctness": 1.5})
    assert "no count" in wrong_score(case, "complete", {**metrics, "resized": 0.5})
    assert wrong_score(case, "complete", {**metrics, "no_metric": 1.0})


@pytest.mark.parametrize("outcome", ["empty", "refused"])
def test_a_failed_edit_scores_nothing(outcome: str) -> None:
    suite = load_suite("editing")
    case = suite.cases()[0]
    request = suite.request(case, ModelSpec("m", load=object, languages=None))
    metrics = suite.score(case, Transcript(Reply(None), outcome, 0.1, False), request, ONE)
    assert wrong_score(case, outcome, metrics) == ""
    for name in metrics:
        assert f"lacks {name!r}" in wrong_score(case, outcome, {k: v for k, v in metrics.items() if k != name})
        assert f"{name} is 0.5, which a failed case cannot be" in wrong_score(case, outcome, {**metrics, name: 0.5})
    assert wrong_score(case, outcome, {**metrics, "resized": 0})
    assert wrong_score(case, "infrastructure_error", {}) == ""
    assert wrong_score(case, "infrastructure_error", metrics)
