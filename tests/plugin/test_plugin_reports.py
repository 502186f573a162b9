"""What a run leaves for people and machines: terminal, results.jsonl, gates.json, summary.md, JUnit, annotations."""

from __future__ import annotations

import hashlib
import json
import re

import pytest
from smallbench import THRESHOLDS

MODEL = "replay-answers-jsonl-66cbe5cf"
FLOOR = """
[[floor]]
where = "rewriting/*"
metric = "rewrite_rate"
max = 0.25
"""
REWRITTEN = "doc-0001-scramble"


@pytest.fixture
def rewritten(bench):
    """One scramble page of four is rewritten: its floor is violated, and the gate."""
    bench.thresholds(THRESHOLDS + FLOOR)
    (row,) = (row for row in bench.rows if row["case"] == REWRITTEN)
    bench.model = bench.replay(change={REWRITTEN: row["original"]})
    return bench


def test_the_table_has_tier_n_value_threshold_verdict(rewritten) -> None:
    found = rewritten.run(rewritten.model)
    table = found.text.partition("= vtcfaith rewriting =")[2].split("\n")
    assert table[1].split() == ["tier", "n", "metric", "value", "threshold", "verdict"]
    rows = {line.split()[0]: line.split() for line in table[2:6]}
    _, n, metric, value, _, bound, verdict = rows["rewriting/en/scramble"]
    assert (n, metric, float(value), float(bound), verdict) == ("4/4", "rewrite_rate", 0.25, 0.1, "FAIL")
    assert rows["rewriting/en/random"][-3:] == ["pass", "(2", "gates)"]


def test_results_have_the_fields_of_the_design(rewritten) -> None:
    found = rewritten.run(rewritten.model)
    rows = found.results
    assert len(rows) == 12
    row = rows[REWRITTEN]
    fields = {
        "case",
        "suite",
        "tier",
        "model",
        "document",
        "lang",
        "outcome",
        "metrics",
        "reference_sha256",
        "transcript",
    }
    assert set(row) >= fields
    page = next(r for r in rewritten.rows if r["case"] == REWRITTEN)
    assert row["reference_sha256"] == hashlib.sha256(page["text"].encode("utf-8")).hexdigest()
    assert row["transcript"] == page["original"]
    assert (row["suite"], row["tier"], row["document"], row["lang"]) == (
        "rewriting",
        "rewriting/en/scramble",
        "doc-0001",
        "en",
    )
    assert row["outcome"] == "complete"
    assert row["metrics"]["rewritten"] == 2
    lines = (found.folder / "results.jsonl").read_bytes()
    assert lines.isascii()
    assert not (found.folder / "parts").exists()


def test_gates_have_the_fields_of_the_design(rewritten) -> None:
    found = rewritten.run(rewritten.model)
    numbers = {"value", "low", "high", "min", "max", "baseline", "measured", "expected", "inapplicable"}
    for row in found.gates.values():
        assert set(row) >= {"gate", "tier", "model", "metric", "verdict"} | numbers
    row = found.gates["en-scramble-rewrite_rate"]
    assert {name: row[name] for name in ("tier", "model", "metric", "value", "max", "min", "verdict")} == {
        "tier": "rewriting/en/scramble",
        "model": MODEL,
        "metric": "rewrite_rate",
        "value": 0.25,
        "max": 0.1,
        "min": None,
        "verdict": "fail",
    }
    assert (row["measured"], row["expected"], row["inapplicable"], row["baseline"]) == (4, 4, 0, None)
    assert row["low"] <= 0.25 <= row["high"]


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_rewritten_page_reads_in_twelve_lines(rewritten, workers: str) -> None:
    found = rewritten.run(rewritten.model, workers)
    head = f" test_case[{MODEL}-{REWRITTEN}] "
    lines = found.text.partition(head)[2].partition("\n___")[0].split("\n")[1:]
    lines = [line for line in lines if line and not line.startswith("[gw")]
    assert len(lines) <= 12, lines
    page = next(r for r in rewritten.rows if r["case"] == REWRITTEN)
    original, printed = page["original"].split()[2], page["text"].split()[2]
    assert lines[0] == "rewrite_rate 1 > 0.25: 2 of 2 perturbed words rewritten to the original"
    assert any(original in line and printed in line for line in lines)
    (crop,) = (line.split()[-1] for line in lines if "crop:" in line)
    assert (rewritten.path / crop).is_file()
    assert (rewritten.path / crop.replace("-word.png", ".png")).is_file()
    assert any(f"case: data/rewriting-en.jsonl:{2 + rewritten.rows.index(page)}" in line for line in lines)


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_words_stand_out_on_a_terminal_only(rewritten, workers: str) -> None:
    plain = rewritten.run(rewritten.model, workers, "--color=no")
    assert "\x1b" not in plain.text
    shown = rewritten.run(rewritten.model, workers, "--color=yes", "--junitxml=junit.xml").text
    page = next(r for r in rewritten.rows if r["case"] == REWRITTEN)
    (line,) = (
        line
        for line in shown.split("\n")
        if "word 3:" in line and page["original"].split()[2] in line and "original" in line
    )
    assert "\x1b[" in line
    bare = re.sub(r"\x1b\[[0-9;]*m", "", line)
    assert bare in plain.text
    for file in ("junit.xml", "out/summary.md", "out/results.jsonl"):
        assert b"\x1b" not in (rewritten.path / file).read_bytes()
        assert b"#x1B" not in (rewritten.path / file).read_bytes()


def test_the_summary_names_gates_and_failures(rewritten) -> None:
    found = rewritten.run(rewritten.model)
    text = (found.folder / "summary.md").read_text(encoding="utf-8")
    assert "**Red**: 1 of 10 gates did not pass, 1 of 12 cases failed." in text
    assert "| rewriting/en/scramble |" in text
    assert f"test_case[{MODEL}-{REWRITTEN}]" in text
    assert "rewrite\\_rate 1 &gt; 0.25" in text


def test_a_green_summary(bench) -> None:
    found = bench.run(bench.replay())
    assert "**Green**" in (found.folder / "summary.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_annotations_stand_beside_the_manifest_line(rewritten, workers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    silent = rewritten.run(rewritten.model, workers)
    assert "::error" not in silent.text
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    found = rewritten.run(rewritten.model, workers)
    lines = [line for line in found.text.split("\n") if line.startswith("::error ")]
    number = 2 + next(n for n, row in enumerate(rewritten.rows) if row["case"] == REWRITTEN)
    assert any(line.startswith(f"::error file=data/rewriting-en.jsonl,line={number},") for line in lines), lines
    assert any(
        line.startswith("::error file=thresholds.toml,line=") and "rewrite_rate = 0.25" in line for line in lines
    )
    assert len(lines) == 2


def test_a_failing_test_of_the_users_own_says_why(rewritten) -> None:
    rewritten.module(
        "def test_accurate(vtc_case, vtc_score):\n    assert vtc_score['word_accuracy'] > 2, 'not accurate\\nat all'\n"
    )
    found = rewritten.run(rewritten.model, "-k", "test_accurate and doc-0000-original")
    assert found.status == 1
    text = (found.folder / "summary.md").read_text(encoding="utf-8")
    assert "AssertionError: not accurate" in text
    assert "def test_accurate" not in text


def test_a_report_folder_in_the_cache_by_default(bench) -> None:
    given = [a for a in bench.arguments(bench.replay()) if not a.startswith("--vtc-report")]
    found = bench.run(*given, plain=True)
    assert found.status == 0
    assert re.search(r"vtcfaith: results in .*\.pytest_cache/d/vtcfaith/report", found.text)
    without = bench.run(*given, "-p", "no:cacheprovider", "-n2", plain=True)
    (folder,) = re.findall(r"vtcfaith: results in (\S+)", without.text)
    assert len(json.loads((bench.path / folder / "gates.json").read_text(encoding="utf-8"))) == 10


def test_an_older_report_is_replaced(bench) -> None:
    bench.run(bench.replay("original"))
    found = bench.run(bench.replay(), "-k", "test_case and scramble")
    assert found.gates == {}
    assert len(found.results) == 4
