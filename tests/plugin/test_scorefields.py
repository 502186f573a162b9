"""What a score holds is what the suites give: every field of a real score is known, and every one is checked."""

from __future__ import annotations

import pytest

from pytest_vtcfaith.engine.transcript import Transcript
from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.pages import render
from pytest_vtcfaith.plugin.scorefields import score_fields, wrong_score
from pytest_vtcfaith.suites import load_suite
from pytest_vtcfaith.suites.base import Request
from pytest_vtcfaith.suites.case import Case
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
