"""Runs made for the tests of the HTML report: cases of the rewriting suite, whatever a model may have said to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from made_views import view

from pytest_vtcfaith.models.spec import ModelSpec
from pytest_vtcfaith.report.html import Answer, HtmlRun, TierFound
from pytest_vtcfaith.suites import load_suite
from pytest_vtcfaith.suites.base import Request
from pytest_vtcfaith.suites.case import Case, CaseScore
from pytest_vtcfaith.suites.instruments import NO_INSTRUMENTS

TIER = "rewriting/en/visual"
ORIGINAL = "the old harbour master counted seven grey boats"
PRINTED = "the old hafbcur master counted sewen grey boats"
SPEC = ModelSpec("m", lambda: None, None)


def case(name: str = "doc-1-visual", text: str = PRINTED, **fields: Any) -> Case:
    params = {"condition": "visual", "original": ORIGINAL, "prompt": "plain"}
    given = {"tier": TIER, "document": "doc-1", "lang": "en", "file": Path("cases.jsonl"), "line": 7, "params": params}
    return Case(id=name, suite="rewriting", reference=text, **(given | fields))


def answer(of: Case, text: str | None, outcome: str = "complete", **row: Any) -> Answer:
    """What the model said to a case, scored by the suite."""
    metrics: Mapping[str, Any] = {}
    if outcome == "complete" and text is not None:
        from pytest_vtcfaith.engine.transcript import Transcript
        from pytest_vtcfaith.metrics.outcomes import Reply

        suite = load_suite(of.suite)
        said = Transcript(Reply(text), outcome, 0.5, False)
        metrics = suite.score(of, said, suite.request(of, SPEC), NO_INSTRUMENTS)
    found = {"case": of.id, "outcome": outcome, "metrics": metrics, "transcript": text, "seconds": 0.5, "cached": False}
    return Answer(f"m-{of.id}", "m", of, found | row)


def html_run(answers: Sequence[Answer], folder: Path, **fields: Any) -> HtmlRun:
    suite = load_suite("rewriting")
    scores = [CaseScore(a.case, "m", a.outcome, a.metrics) for a in answers if a.outcome != "inapplicable"]
    from pytest_vtcfaith.suites.base import value

    tiers = []
    for tier in sorted({a.case.tier for a in answers}):
        found = suite.summarise(tier, scores)
        numbers = {name: value(metric, found.columns) for name, metric in suite.metrics.items()}
        defined = {name: number for name, number in numbers.items() if number is not None}
        columns = dict.fromkeys(defined, found.columns)
        counts = found.expected, found.measured, 0, found.failures
        tiers.append(TierFound("rewriting", tier, "m", *counts, defined, columns))

    def request(of: Answer) -> Request:
        return suite.request(of.case, SPEC)

    given = {"view": view(), "tiers": tiers, "suites": {"rewriting": suite}, "about": {}, "request": request}
    return HtmlRun(answers=answers, source=folder, **(given | fields))
