"""The n of a point is of what its metric divides by."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_html import PRINTED, answer, case, html_run
from made_views import view

from pytest_vtcfaith.report.html import TierFound
from pytest_vtcfaith.report.html.charts import MOST, charts_of
from pytest_vtcfaith.report.html.counted import counted
from pytest_vtcfaith.suites import load_suite


@pytest.mark.parametrize(
    ("metric", "number"),
    [
        ("rewrite_rate", (6, "perturbed words")),  # hafbcur and sewen, in three documents
        ("rewrite_rate@5", (3, "perturbed words")),
        ("rewrite_rate@7", (3, "perturbed words")),
        ("rewrite_share", (2, "misread words")),
        ("wer", (3, "cases")),
    ],
)
def test_words_of_rewriting(metric: str, number: tuple[float, str]) -> None:
    read = [PRINTED.replace("hafbcur", "harbour"), PRINTED, PRINTED.replace("sewen", "xyz")]
    run = html_run([answer(case(f"d{n}", document=f"d{n}"), text) for n, text in enumerate(read)], Path())
    assert counted(run, run.tiers, metric) == number


@pytest.mark.parametrize(("lang", "unit"), [("en", "words"), ("zh", "characters")])
def test_added_errors_are_by_words_or_characters(lang: str, unit: str) -> None:
    row = {"word_edits": 1.0, "reference_words": 8.0, "original_word_edits": 0.0, "original_reference_words": 8.0}
    columns = {"delta_wer": {"a": row, "b": row, "without the original": {"word_edits": 1.0, "reference_words": 99.0}}}
    tier = TierFound("rewriting", f"rewriting/{lang}/visual", "m", 3, 3, 0, {}, {"delta_wer": 12.5}, columns)
    assert counted(html_run([], Path(), tiers=[tier]), [tier], "delta_wer") == (16, unit)


def test_questions_tasks_and_edits() -> None:
    for suite, metric, columns, number in (
        ("compression", "accuracy_difficult", {"right@difficult": 1, "cases@difficult": 4}, (8, "questions")),
        ("reasoning", "process_score", {"process_score": 1, "tasks": 3}, (6, "tasks")),
        ("editing", "edit_fidelity", {"edit_fidelity": 1, "edit_fidelity#": 2}, (4, "edits")),
    ):
        table = {metric: {"a": columns, "b": columns}}
        tier = TierFound(suite, f"{suite}/x", "m", 9, 9, 0, {}, {metric: 0.5}, table)
        run = html_run([], Path(), tiers=[tier], suites={suite: load_suite(suite)})
        assert counted(run, [tier], metric) == number


@pytest.mark.parametrize("models", [1, 6, 7, 30])
def test_no_chart_has_more_series_than_can_be_told_apart_and_none_is_lost(models: int) -> None:
    metrics = {"rewrite_rate": 0.5, "rewrite_rate@4": 0.5}
    names = [f"m{n}" for n in range(models)]
    kinds = ("random", "visual", "scramble")
    tiers = [
        TierFound("rewriting", f"rewriting/en/{kind}", m, 4, 4, 0, {}, metrics, {}) for m in names for kind in kinds
    ]
    run = html_run([], Path(), tiers=tiers, view=view(models=names))
    charts = [chart for chart in charts_of(run) if chart["kind"] in MOST]
    for kind, number in (("line", 3 * models), ("bar", models)):
        own = [[s["name"] for s in c["series"] if not s.get("published")] for c in charts if c["kind"] == kind]
        assert max(map(len, own)) <= {"line": 12, "bar": 6}[kind]
        assert sum(map(len, own)) == len({name for part in own for name in part}) == number
    assert all(any(s.get("published") for s in chart["series"]) for chart in charts)
    assert len({chart["title"] for chart in charts}) == len(charts)
