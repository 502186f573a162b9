"""What a run leaves for people beside its files: index.html, a job's summary, pictures in the reports of others."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from editbench import CASES, EDITS, PERFECT, add_edits
from smallbench import THRESHOLDS
from test_plugin_reports import FLOOR, REWRITTEN


@pytest.fixture
def rewritten(bench):
    """One scramble page of four is rewritten: its floor is violated, and the gate."""
    bench.thresholds(THRESHOLDS + FLOOR)
    (row,) = (row for row in bench.rows if row["case"] == REWRITTEN)
    bench.model = bench.replay(change={REWRITTEN: row["original"]})
    return bench


def overview(folder: Path) -> dict:
    text = (folder / "vtc-html" / "data" / "overview.js").read_text(encoding="utf-8")
    return json.loads(f"[{text[len('vtc.take(') : -3]}]")[1]


@pytest.mark.parametrize("workers", [["-n0"], ["-n2"]])
def test_a_run_writes_its_report(rewritten, workers) -> None:
    found = rewritten.run(rewritten.model, *workers, fresh=bool(workers != ["-n0"]))
    assert found.status == 1
    assert (found.folder / "index.html").is_file()
    shown = overview(found.folder)
    assert shown["word"] == "red"
    bad = [gate for gate in shown["gates"] if gate["verdict"] == "fail"]
    assert [gate["metric"] for gate in bad] == ["rewrite_rate"]
    assert bad[0]["worst"][0][0].endswith(REWRITTEN)
    assert [word[0] for word in bad[0]["worst"][0][1]] == [1, 1]
    assert shown["failures"][0]["ask"].endswith(REWRITTEN)
    assert shown["states"]["failed"] == 1
    details = (found.folder / "vtc-html" / "data" / "detail-0.js").read_text(encoding="utf-8")
    assert f'["pages/replay-answers-jsonl-66cbe5cf-{REWRITTEN}.png","page",0]' in details


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_an_edit_that_passed_shows_reference_and_difference(bench, workers: str) -> None:
    """What was read in the region stands there where the process that writes the report has read it."""
    add_edits(bench, CASES[2:])
    found = bench.run(*EDITS, PERFECT, workers)
    assert found.status == 0, found.text
    text = (found.folder / "vtc-html" / "data" / "detail-0.js").read_text(encoding="utf-8")
    shown = json.loads(f"[{text.strip()[len('vtc.take(') : -2]}]")[1]
    assert [label for _, label, _ in shown["pictures"]] == ["source", "reference", "output", "difference"]
    for path, *_ in shown["pictures"]:
        assert (found.folder / path).stat().st_size > 0
    assert (shown["said"], shown["message"]) == ("", "")
    region, page = shown["compared"]
    assert (region["label"], region["expected"], region["read"]) == ("edited region", "62 North", "62 North")
    assert page["label"] == "page outside the edited region"
    assert page["expected"] == page["read"] != ""
    assert "62 North" not in page["expected"]
    (row,) = (row for row in found.results.values() if row["suite"] == "editing")
    assert row["read"]["region"] == "62 North"
    assert any(line.startswith("region: expected '62 North'") for line in shown["lines"]) == (workers == "-n0")


@pytest.mark.parametrize("loud", [[], ["-q"], ["-qq"], ["-v"]], ids=["usual", "quiet", "quieter", "loud"])
def test_progress_of_the_report_stands_in_a_line_of_its_own(bench, monkeypatch, loud: list[str]) -> None:
    monkeypatch.setattr("pytest_vtcfaith.report.html.write.QUIET_S", 0.0)
    found = bench.run(bench.replay(), *loud)
    lines = [line for line in found.text.split("\n") if "writing the HTML report" in line]
    assert lines
    assert all(line.startswith("vtcfaith: writing") for line in lines), found.text


def test_a_report_that_cannot_be_written_changes_no_verdict(rewritten, monkeypatch) -> None:
    before = rewritten.run(rewritten.model)
    import pytest_vtcfaith.report.html as html

    def broken(*_: object) -> Path:
        raise RuntimeError("no room\x1b[31m")

    monkeypatch.setattr(html, "write_html", broken)
    found = rewritten.run(rewritten.model)
    assert (found.status, found.verdicts) == (before.status, before.verdicts)
    assert "the HTML report was not written (RuntimeError: no room\\x1b[31m); the verdict stands" in found.text
    assert not (found.folder / "index.html").exists()
    assert (found.folder / "summary.md").is_file()


def test_a_summary_that_cannot_be_written_changes_no_verdict(bench, monkeypatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(bench.path / "none" / "summary"))
    found = bench.run(bench.replay())
    assert found.status == 0
    assert "the job's summary was not written (FileNotFoundError" in found.text
    assert (found.folder / "index.html").is_file()


def test_without_a_folder_of_its_own_no_html_is_written(rewritten) -> None:
    arguments = [a for a in rewritten.arguments(rewritten.model) if not a.startswith("--vtc-report")]
    rewritten.run(*arguments, plain=True)
    assert not list(rewritten.path.rglob("index.html"))


def test_a_job_gets_its_summary(rewritten, monkeypatch) -> None:
    file = rewritten.path / "job.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(file))
    rewritten.run(rewritten.model)
    text = file.read_text(encoding="utf-8")
    assert text.count("## Faithfulness") == 1
    rows = [line for line in text.split("\n") if line.startswith("| ")]
    assert "FAIL" in rows[1]
    assert "rewriting/en/scramble" in rows[1]


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_pytest_html_shows_page_and_word(rewritten, workers) -> None:
    pytest.importorskip("pytest_html")
    found = rewritten.run(rewritten.model, workers, "--html=own.html", "--self-contained-html", fresh=True)
    assert found.status == 1
    page = (found.folder / "pages" / f"replay-answers-jsonl-66cbe5cf-{REWRITTEN}.png").read_bytes()
    own = (rewritten.path / "own.html").read_text(encoding="utf-8")
    assert own.count(base64.b64encode(page).decode("ascii")) == 1
    assert own.count("data:image/png;base64,") == 2


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_allure_has_page_and_word(rewritten, workers) -> None:
    pytest.importorskip("allure")
    found = rewritten.run(rewritten.model, workers, "--alluredir=allure", fresh=True)
    assert found.status == 1
    results = [json.loads(p.read_text(encoding="utf-8")) for p in (rewritten.path / "allure").glob("*-result.json")]
    pictures = ([a for a in r.get("attachments", ()) if a["type"] == "image/png"] for r in results)
    (attached,) = filter(None, pictures)
    assert [a["name"].removeprefix(f"replay-answers-jsonl-66cbe5cf-{REWRITTEN}") for a in attached] == ["", "-word"]
    page = (found.folder / "pages" / f"replay-answers-jsonl-66cbe5cf-{REWRITTEN}.png").read_bytes()
    assert page in [(rewritten.path / "allure" / a["source"]).read_bytes() for a in attached]
