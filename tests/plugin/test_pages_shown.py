"""Pages of cases that were not measured, and pages that cannot be drawn: what a run shows of them."""

from __future__ import annotations

import base64
import json

import pytest
from smallbench import THRESHOLDS
from test_plugin_reports import FLOOR, REWRITTEN

MODEL = "replay-answers-jsonl-66cbe5cf"
READS_PIXELS = """
def pytest_configure(config):
    from pytest_vtcfaith.models import register_model
    register_model("blind", languages=None)(Blind)

class Blind:
    def transcribe(self, images, prompt):
        return ["nothing of the page"] * len(images)
"""


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_pytest_html_shows_the_page_of_what_was_not_measured(bench, workers: str) -> None:
    pytest.importorskip("pytest_html")
    model = bench.replay(leave_out=[REWRITTEN])
    found = bench.run(model, workers, "--html=own.html", "--self-contained-html", fresh=True)
    assert found.status == 1
    assert found.results[REWRITTEN]["outcome"] == "infrastructure_error"
    page = (found.folder / "pages" / f"{MODEL}-{REWRITTEN}.png").read_bytes()
    own = (bench.path / "own.html").read_text(encoding="utf-8")
    assert own.count(base64.b64encode(page).decode("ascii")) == 1
    assert own.count("data:image/png;base64,") == 1


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_allure_has_the_page_of_what_was_not_measured(bench, workers: str) -> None:
    pytest.importorskip("allure")
    model = bench.replay(leave_out=[REWRITTEN])
    found = bench.run(model, workers, "--alluredir=allure", fresh=True)
    assert found.status == 1
    results = [json.loads(p.read_text(encoding="utf-8")) for p in (bench.path / "allure").glob("*-result.json")]
    (attached,) = filter(None, (r.get("attachments") for r in results))
    assert [a["name"] for a in attached if a["type"] == "image/png"] == [f"{MODEL}-{REWRITTEN}"]


def test_where_nobody_takes_pictures_none_are_drawn_of_what_was_not_measured(bench) -> None:
    found = bench.run(bench.replay(leave_out=[row["case"] for row in bench.rows]))
    assert found.status == 1
    assert not list((found.folder / "pages").glob("*.png"))


@pytest.fixture
def undrawable(bench):
    """One document of four has words that its font does not have; where it is replayed one page is read as the
    original."""
    bench.thresholds(THRESHOLDS + FLOOR)
    rows = [dict(row) for row in bench.rows]
    (bad,) = (row for row in rows if row["case"] == REWRITTEN)
    for row in rows:
        if row["document"] == bad["document"]:
            row |= {name: f"{row[name]} \uc0ac\ub791 \U0001f600" for name in ("text", "original")}
    bench.manifest(rows)
    bench.model = bench.replay(change={REWRITTEN: bad["original"]})
    return bench


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_replay_of_a_page_that_cannot_be_drawn_says_why_it_failed(undrawable, monkeypatch, workers: str) -> None:
    job = undrawable.path / "job.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(job))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    found = undrawable.run(undrawable.model, workers)
    assert found.status == 1
    assert found.results[REWRITTEN]["outcome"] == "complete"
    verdict = "rewrite_rate 1 > 0.25: 2 of 2 perturbed words rewritten to the original"
    assert verdict in found.text
    assert "  the page cannot be drawn: NotoSerif cannot draw " in found.text
    (annotation,) = (line for line in found.text.split("\n") if line.startswith("::error") and f"{REWRITTEN}]" in line)
    assert annotation.endswith(f"::{verdict}")
    for file in (job, found.folder / "summary.md"):
        text = file.read_text(encoding="utf-8")
        assert "2 of 2 perturbed words rewritten to the original" in text
        assert "MissingGlyphs" not in text
    details = (found.folder / "vtc-html" / "data" / "detail-0.js").read_text(encoding="utf-8")
    (shown,) = (
        row
        for line in details.split("\n")
        if line
        for row in json.loads(f"[{line[len('vtc.take(') : -2]}]")[1:]
        if row["ask"].endswith(REWRITTEN)
    )
    assert shown["message"].startswith(verdict)
    assert shown["undrawn"].startswith("the page cannot be drawn: NotoSerif")


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_model_that_must_see_such_a_page_is_not_measured_there(undrawable, workers: str) -> None:
    (undrawable.path / "conftest.py").write_text(READS_PIXELS, encoding="utf-8")
    found = undrawable.run("--vtc-model=blind", workers)
    assert found.status == 1
    bad = found.results[REWRITTEN]
    assert (bad["outcome"], bad["metrics"]) == ("infrastructure_error", {})
    assert bad["reason"].startswith("MissingGlyphs: NotoSerif cannot draw ")
    assert found.verdicts["en-scramble-rewrite_rate"] == "not_measured"
    assert "not measured: MissingGlyphs: NotoSerif cannot draw" in found.text
