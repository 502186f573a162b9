"""Verdicts and views made for the tests of the reports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pytest_vtcfaith.gating.judge import Verdict
from pytest_vtcfaith.report.view import Failure, RunView

NASTY = "a\x00b\x1b[31m\u202e\ud83d\u2028<img src=x onerror=alert(1)>|`*_[x](http://x)\\ ##[add-mask]\r\n::error::y"


def verdict(word: str = "pass", **fields: Any) -> Verdict:
    return Verdict(
        **(
            {
                "gate": "m-en-visual-rewrite_rate",
                "tier": "rewriting/en/visual",
                "model": "m",
                "metric": "rewrite_rate",
                "value": 0.0125,
                "max": 0.05,
                "verdict": word,
                "measured": 24,
                "expected": 24,
            }
            | fields
        )
    )


def view(*verdicts: Verdict, **fields: Any) -> RunView:
    return RunView(
        **(
            {
                "models": ["m"],
                "limit": None,
                "verdicts": {"rewriting": verdicts} if verdicts else {},
                "failures": [],
                "notes": [],
                "problems": [],
                "folder": Path("report"),
                "thresholds": "benchmark_cases/thresholds.toml",
                "primary": {"rewriting": "rewrite_rate"},
            }
            | fields
        )
    )


def failure(
    test: str = "test_x.py::test_case[m-d1]", file: str = "data/cases.jsonl", line: int = 7, message: str = "it failed"
) -> Failure:
    return Failure(test, file, line, message)
