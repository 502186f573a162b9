"""The table of comparisons: a line for every gate that has a baseline, with what it could see."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from made_views import verdict, view

from pytest_vtcfaith.gating.regression import Regression
from pytest_vtcfaith.gating.statistics import Loss
from pytest_vtcfaith.gating.thresholds import GateRule
from pytest_vtcfaith.report.regressions import SUSPICIOUS, changes, suspicions
from pytest_vtcfaith.report.summary import write_summary
from pytest_vtcfaith.report.terminal import show_summary


def compared(documents: int = 28, **fields: Any) -> Regression:
    rule = GateRule(where="rewriting/*", metric="rewrite_rate", max_regression=0.02, **fields)
    loss = Loss(0.004, -0.002, 0.01, p=0.99, documents=documents, changed=3, spread=0.003, worst=0.04)
    return Regression.of(loss, rule, None)


class Terminal:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def write_sep(self, sep: str, title: str) -> None:
        self.lines.append(title)

    def write_line(self, line: str, **markup: bool) -> None:
        self.lines.append(line)


def test_a_line_says_what_the_gate_can_see() -> None:
    (line,) = changes([verdict(), verdict(regression=compared())])
    loss, low, high = re.fullmatch(r"(\S+) \((\S+) to (\S+)\)", line.loss).groups()
    assert (loss, line.allowed, line.verdict) == ("+0.0040", "0.02", "pass")
    assert float(low) <= 0.004 <= float(high)
    assert 0.02 < float(line.sees) < 0.1
    assert 0.01 < float(line.quiet_at) < 0.1
    here, _, needed = line.documents.partition(" of ")
    assert here == "28"
    assert int(needed) > 1


@pytest.mark.parametrize("word", ["fail", "inconclusive", "not_measured"])
def test_whatever_does_not_pass_is_loud(word: str) -> None:
    (line,) = changes([verdict(word, regression=compared(equivalence=True))])
    assert line.verdict == word.replace("_", " ").upper()
    assert line.allowed == "±0.02"


def test_one_document_sees_nothing() -> None:
    (line,) = changes([verdict(regression=compared(1))])
    assert (line.sees, line.quiet_at, line.documents) == ("–", "–", "1")


def test_terminal_and_summary_show_it(tmp_path: Path) -> None:
    shown, terminal = view(verdict(regression=compared())), Terminal()
    show_summary(terminal, shown)
    head = terminal.lines.index("against the baseline:") + 1
    assert terminal.lines[head].split("  ")[0] == "tier"
    assert terminal.lines[head + 1].split()[:4] == ["rewriting/en/visual", "rewrite_rate", "+0.0040", "(-0.0020"]
    write_summary(tmp_path / "summary.md", shown)
    text = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert "| tier | model | metric | loss | allowed | sees from | quiet at | documents | verdict |" in text
    assert "Against the baseline:" in text


def test_without_a_baseline_there_is_no_table() -> None:
    terminal = Terminal()
    show_summary(terminal, view(verdict()))
    assert "against the baseline:" not in terminal.lines


def improved(**fields: Any) -> Regression:
    rule = GateRule(where="rewriting/*", metric="rewrite_rate", max_regression=0.02, **fields)
    loss = Loss(-0.4, -0.5, -0.3, p=1.0, documents=28, changed=28, spread=0.05, worst=0.04)
    return Regression.of(loss, rule, None)


def test_a_suspicious_improvement_is_in_the_table_and_in_a_line_of_its_own() -> None:
    found = verdict(regression=improved(), baseline=0.45, value=0.05)
    assert [line.verdict for line in changes([found])] == [SUSPICIOUS]
    (line,) = suspicions([found, verdict(regression=compared())])
    assert line.startswith("m-en-visual-rewrite_rate: rewrite_rate 0.4500 → 0.0500 is surely better by more than")
    assert "are model, text and scoring the same" in line
    for other in (verdict("not_measured", regression=improved()), verdict(regression=compared(equivalence=True))):
        assert suspicions([other]) == []
        assert SUSPICIOUS not in [change.verdict for change in changes([other])]


def blind(most: float) -> Regression:
    """Four documents, one of which failed: neither a loss within 0 to 1 nor a margin there helps."""
    rule = GateRule(where="rewriting/*", metric="word_accuracy", max_regression=0.02)
    loss = Loss(0.25, -0.1, 0.8, p=0.2, documents=4, changed=1, spread=0.3, worst=1.0)
    return Regression.of(loss, rule, None, most)


def test_no_number_is_beyond_what_the_metric_can_lose() -> None:
    (line,) = changes([verdict("inconclusive", regression=blind(1.0))])
    seeing = blind(1.0).documents_seeing
    assert seeing is not None
    assert seeing > 4
    assert (line.sees, line.quiet_at) == (f"nothing ({seeing} would)", "no margin")
    (line,) = changes([verdict("inconclusive", regression=blind(float("inf")))])
    assert float(line.sees) > 1
    assert float(line.quiet_at) > 1
