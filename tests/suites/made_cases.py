"""Cases, models and scores made for the tests of the suites."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_vtcfaith.engine.transcript import Transcript
from pytest_vtcfaith.metrics import Reply
from pytest_vtcfaith.models.spec import ModelSpec
from pytest_vtcfaith.suites import load_suite
from pytest_vtcfaith.suites.base import Request
from pytest_vtcfaith.suites.case import Case, CaseScore
from pytest_vtcfaith.suites.prompts import prompt

REWRITING, PRESERVATION = load_suite("rewriting"), load_suite("preservation")


def rewriting_case(
    document: str = "d1",
    condition: str = "visual",
    *,
    lang: str = "en",
    original: str = "the old market opens",
    page: str | None = None,
    asked: str = "plain",
) -> Case:
    tier = f"rewriting/{lang}/{condition}" + ("" if asked == "plain" else f"/{asked}")
    return Case(
        id=f"{document}-{condition}",
        suite="rewriting",
        tier=tier,
        document=document,
        lang=lang,
        reference=original if page is None else page,
        file=Path("cases.jsonl"),
        line=2,
        params={"condition": condition, "original": original, "prompt": asked},
    )


def preservation_case(
    document: str = "d1", source: str = "uniform", *, ratio: float = 5.0, text: str = "pier seven", n_text: int = 300
) -> Case:
    return Case(
        id=f"{document}-{source}-glyph-{ratio:g}x",
        suite="preservation",
        tier=f"preservation/glyph/{ratio:g}x/{source}",
        document=document,
        lang="en",
        reference=text,
        file=Path("cases.jsonl"),
        line=3,
        params={"source": source, "layout": "glyph", "ratio": ratio, "n_text": n_text, "budget_text": n_text},
    )


def spec(**fields: Any) -> ModelSpec:
    return ModelSpec(**({"name": "m", "load": object, "languages": None} | fields))


def answer(text: str | None, outcome: str = "complete", **fields: Any) -> Transcript:
    return Transcript(Reply(text, **fields), outcome, 0.0, False)


def no_page() -> Any:
    raise AssertionError("no page is needed here")


def score_of(case: Case, text: str, outcome: str = "complete") -> CaseScore:
    """The score of a rewriting case that was answered with `text`."""
    request = Request(no_page, prompt("plain", case.lang))
    return CaseScore(case, "m", outcome, REWRITING.score(case, answer(text, outcome), request))


def bare_score(
    case: Case, outcome: str = "complete", metrics: Mapping[str, Any] | None = None, reason: str = ""
) -> CaseScore:
    return CaseScore(case, "m", outcome, metrics or {}, reason)
