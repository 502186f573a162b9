"""What replayed answers must come to: originals, references, silence, gaps, and text that breaks tools."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET

import pytest
from smallbench import ROOT, document_text

MODEL = "replay-answers-jsonl-66cbe5cf"


def test_originals_are_rewritten_everywhere(bench) -> None:
    found = bench.run(bench.replay("original"))
    assert found.status == 1
    for condition in ("scramble", "random"):
        gate = found.gates[f"en-{condition}-rewrite_rate"]
        assert (gate["value"], gate["verdict"], gate["max"]) == (1.0, "fail", 0.1)
    assert found.verdicts["en-original-word_accuracy"] == "pass"
    for row in found.results.values():
        if not row["case"].endswith("original"):
            assert row["metrics"]["rewritten"] == row["metrics"]["perturbed"] == 2


def test_references_are_not_rewritten(bench) -> None:
    found = bench.run(bench.replay("text"))
    assert found.status == 0, found.text
    for condition in ("scramble", "random"):
        gate = found.gates[f"en-{condition}-rewrite_rate"]
        assert (gate["value"], gate["verdict"]) == (0.0, "pass")


def test_silence_fails_by_failure_rate(bench) -> None:
    found = bench.run(bench.replay(lambda row: ""), "-rx")
    assert found.status == 1
    for condition in ("original", "scramble", "random"):
        gate = found.gates[f"en-{condition}-failure_rate"]
        assert (gate["value"], gate["verdict"], gate["measured"], gate["expected"]) == (1.0, "fail", 4, 4)
    assert found.verdicts["en-scramble-rewrite_rate"] == "not_measured"
    assert {row["outcome"] for row in found.results.values()} == {"empty"}
    assert found.text.count("XFAIL") == 12
    assert "the failure_rate gate decides" in found.text
    assert f"12 rewriting cases of {MODEL} failed: empty" in found.text


def test_silence_without_a_failure_gate_fails_each_case(bench) -> None:
    bench.thresholds("[[gate]]\nwhere = 'rewriting/*/scramble'\nmetric = 'rewrite_rate'\nmax = 1.0\n")
    found = bench.run(bench.replay(change={"doc-0001-scramble": "", "doc-0001-random": ""}))
    assert found.status == 1
    assert found.text.count("no failure_rate gate covers rewriting/en/scramble") >= 1
    assert found.text.count("FAILED cases/test_rewriting.py::test_case") == 2


def test_no_lines_is_not_measured(bench) -> None:
    found = bench.run(bench.replay(leave_out=[row["case"] for row in bench.rows]))
    assert found.status == 1
    assert {v for g, v in found.verdicts.items() if g != "rewriting-inapplicable"} == {"not_measured"}
    assert "no line for case doc-0000-original in answers.jsonl" in found.text
    assert {row["outcome"] for row in found.results.values()} == {"infrastructure_error"}
    assert all(row["metrics"] == {} for row in found.results.values())


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_one_case_missing_fails_by_coverage(bench, workers: str) -> None:
    found = bench.run(bench.replay(leave_out=["doc-0002-random"]), workers)
    assert found.status == 1
    gate = found.gates["en-random-failure_rate"]
    assert (gate["verdict"], gate["measured"], gate["expected"]) == ("not_measured", 3, 4)
    assert "coverage 0.75" in gate["message"]
    assert "no line for case doc-0002-random" in gate["message"]
    assert found.verdicts["en-scramble-failure_rate"] == "pass"


def test_a_lower_min_coverage_forgives_it(bench) -> None:
    bench.thresholds("[[gate]]\nwhere = 'rewriting/*'\nmetric = 'failure_rate'\nmax = 0.2\nmin_coverage = 0.75\n")
    found = bench.run(bench.replay(leave_out=["doc-0002-random"]))
    assert found.status == 1  # the case itself is not measured
    assert found.verdicts["en-random-failure_rate"] == "pass"


HOSTILE = {
    "control characters": "harbour\x00 no\x0btice\x1f\x7f\x85\u2028 \ufffe\uffff mariners \x0c",
    "escapes of a terminal": "\x1b[31mharbour\x1b]0;owned\x07 \x1b[2J notice\u202e mariners",
    "half a surrogate pair": "harbour \ud83d notice \udc00 mariners",
    "markup": "]]></failure><script>alert(1)</script> ::error file=x::y & <b>",
    "two megabytes": "harbour notice mariners " * 90_000,
    "one long line": "A" * 2_000_000,
}


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_hostile_transcripts_survive_everywhere(bench, workers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    bench.thresholds(
        "[[gate]]\nwhere = 'rewriting/*'\nmetric = 'rewrite_rate'\nmax = 1.0\n"
        "[[floor]]\nwhere = 'rewriting/*'\nmetric = 'cer'\nmax = 0.0\n"
    )
    texts = [row["text"] for row in bench.rows]
    change = {
        row["case"]: hostile + " " + text
        for row, text, hostile in zip(bench.rows, texts, list(HOSTILE.values()) * 2, strict=True)
    }
    found = bench.run(bench.replay(change=change), workers, "--junitxml=junit.xml", "-rA", "--color=yes")
    assert found.status == 1, found.text[-3000:]
    assert "INTERNALERROR" not in found.text
    assert len(found.results) == 12
    for case, text in change.items():
        assert found.results[case]["transcript"] == text
    root = ET.fromstring((bench.path / "junit.xml").read_bytes())
    assert root[0].get("tests") == "19"
    assert max(len(node.text or "") for node in root.iter()) < 80_000
    assert max(len(value) for node in root.iter() for value in node.attrib.values()) < 80_000
    shown = re.sub(r"\x1b\[[0-9;]*m", "", found.text)
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x85\u2028\u202e\ufffe\ud800-\udfff]", shown)
    assert not re.search(r"^::error file=x", shown, re.MULTILINE)
    assert len(shown) < 2_000_000
    summary = (found.folder / "summary.md").read_text(encoding="utf-8")
    assert "<script>" not in summary
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f]", summary)
    json.loads((found.folder / "gates.json").read_text(encoding="utf-8"))


def test_several_models_and_the_best_of_them(bench) -> None:
    """Preservation: A_M of each model gates that model, A(R) is the best of all (definitions §3, Eq. 7)."""
    from pytest_vtcfaith.texts.manifest import write_manifest

    (bench.path / "cases" / "test_preservation.py").write_bytes(
        (ROOT / "benchmark_cases" / "test_preservation.py").read_bytes()
    )
    rows = [
        {"document": f"doc-{n}", "lang": "en", "source": "natural", "text": document_text(n), "n_text": 100}
        for n in range(2)
    ]
    header = {"schema": "vtcfaith/preservation", "version": 1, "seed": None, "generator": "tests", "licence": "CC0-1.0"}
    header |= {"layouts": ["glyph"], "ratios": [2.5], "tokenizer": "none"}
    (bench.path / "data" / "rewriting-en.jsonl").unlink()
    write_manifest(bench.path / "data" / "preservation-en.jsonl", header, rows)
    bench.thresholds(
        "[[gate]]\nwhere = 'preservation/*'\nmetric = 'A'\nmin = 0.9\n"
        "[[gate]]\nwhere = 'preservation/*'\nmetric = 'word_accuracy'\nmin = 0.9\n"
    )
    bench.rows = [{"case": f"{r['document']}-natural-glyph-2.5x", "text": r["text"]} for r in rows]
    good = bench.replay("text", name="good")
    bad = bench.replay(
        lambda row: " ".join(["wrong", *row["text"].split()[: len(row["text"].split()) // 2]]), name="bad"
    )
    found = bench.run(good, bad)
    assert found.status == 1, found.text
    gates = {row["gate"]: row for row in json.loads((found.folder / "gates.json").read_text(encoding="utf-8"))}
    best = gates["all-glyph-2.5x-natural-A"]
    assert (best["model"], best["value"], best["verdict"]) == ("all", 1.0, "pass")
    assert "A of 2 models, best: replay-good-jsonl" in best["message"]
    own = {row["model"].split("-")[1]: row for row in gates.values() if row["metric"] == "word_accuracy" and row["min"]}
    assert (own["good"]["value"], own["good"]["verdict"]) == (1.0, "pass")
    assert 0.4 < own["bad"]["value"] < 0.55
    assert own["bad"]["verdict"] == "fail"
    assert len(gates) == 1 + 2 * 3
    lines = (found.folder / "results.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    assert len(lines) == 4
    empty = bench.replay(leave_out=[row["case"] for row in bench.rows], name="none")
    third = bench.run(good, empty)
    rows = json.loads((third.folder / "gates.json").read_text(encoding="utf-8"))
    assert next(row for row in rows if row["model"] == "all")["verdict"] == "not_measured"


def test_a_delta_without_all_originals_is_not_measured(bench) -> None:
    bench.thresholds("[[gate]]\nwhere = 'rewriting/*/scramble'\nmetric = 'delta_wer'\nmax = 100\n")
    found = bench.run(bench.replay(leave_out=["doc-0002-original"]))
    gate = found.gates["en-scramble-delta_wer"]
    assert (gate["verdict"], gate["measured"], gate["expected"]) == ("not_measured", 4, 4)
    assert "coverage 0.8750 < 1" in gate["message"]
    assert "no line for case doc-0002-original" in gate["message"]
