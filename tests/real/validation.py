"""Prints the tables of docs/validation.md from the results of real runs.

    python tests/real/validation.py RESULTS.jsonl…

The results are of the bundled cases (`pytest --vtc-model=tesseract --vtc-report=DIR`).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from pytest_vtcfaith.suites import load_suite
from pytest_vtcfaith.suites.base import TierSummary, value
from pytest_vtcfaith.suites.case import CaseScore
from pytest_vtcfaith.suites.rewriting_metrics import LENGTHS

PERCENT = (
    "rewrite_rate",
    "rewrite_share",
    "verbatim_rate",
    "close_rate",
    "moderate_rate",
    "missing_rate",
    "wrong_rate",
)
POINTS = ("delta_wer", "delta_cer", "delta_eds", "error_amplification")


def scores_of(path: Path) -> dict[str, dict[str, list[CaseScore]]]:
    """Model → suite → scores."""
    cases = {name: {c.id: c for c in load_suite(name).cases()} for name in ("rewriting", "preservation")}
    found: dict[str, dict[str, list[CaseScore]]] = {}
    for line in path.read_bytes().split(b"\n")[:-1]:
        row = json.loads(line)
        outcome = "" if row["outcome"] == "inapplicable" else row["outcome"]
        case = cases[row["suite"]][row["case"]]
        score = CaseScore(case, row["model"], outcome, row["metrics"], row.get("reason", ""))
        found.setdefault(row["model"], {}).setdefault(row["suite"], []).append(score)
    return found


def show(number: float | None, digits: int = 2, factor: float = 1.0) -> str:
    """A cell."""
    return "–" if number is None else f"{factor * number:.{digits}f}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A Markdown table."""
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def sum_of(summary: TierSummary, name: str) -> int:
    """The sum of a column over all documents."""
    return int(sum(row.get(name, 0) for row in summary.columns.values()))


def rewriting(model: str, scores: list[CaseScore]) -> None:
    """Deltas, classes and word lengths of every tier."""
    suite = load_suite("rewriting")
    rows, by_length = [], []
    for tier in sorted({s.case.tier for s in scores}):
        summary = suite.summarise(tier, scores)
        if not summary.measured:
            continue
        m = {name: value(metric, summary.columns) for name, metric in suite.metrics.items()}
        name = tier.partition("/")[2]
        whole = sum("word_edits" in row for row in summary.columns.values())
        words = sum_of(summary, "perturbed")
        cells = [name, f"{whole} of {len(summary.columns)}", str(words), show(m["wer"], 2, 100)]
        rows.append([*cells, *(show(m[k]) for k in POINTS), *(show(m[k], 1, 100) for k in PERCENT)])
        if words and "zh/" not in name:
            counts = [sum_of(summary, f"perturbed@{b}") for b in LENGTHS]
            rates = [show(m[f"rewrite_rate@{b}"], 1, 100) for b in LENGTHS]
            by_length.append([name, *(f"{rate} ({n})" for rate, n in zip(rates, counts, strict=True))])
    print(f"\n### {model}: rewriting\n")
    table(["tier", "documents", "words", "WER %", *POINTS, *(f"{k} %" for k in PERCENT)], rows)
    print("\nRewritten %, by length of the word (number of words):\n")
    table(["tier", *LENGTHS], by_length)


def preservation(model: str, scores: list[CaseScore]) -> None:
    """Word accuracy by layout, source and ratio, and what else the sources without a text's meaning show."""
    suite = load_suite("preservation")
    tiers = {s.case.tier for s in scores}
    ratios = sorted({t.split("/")[2] for t in tiers}, key=lambda r: float(r[:-1]))
    rows = []
    for layout in sorted({t.split("/")[1] for t in tiers}):
        for source in sorted({t.split("/")[3] for t in tiers if t.split("/")[1] == layout}):
            summaries = [suite.summarise(f"preservation/{layout}/{r}/{source}", scores) for r in ratios]
            names = ["word_accuracy"]
            if not source.startswith("natural"):
                names += ["prior_gap", "gap_at_ratio", "failure_rate"]
            for name in names:
                cells = [show(value(suite.metrics[name], s.columns)) for s in summaries]
                if any(cell != "–" for cell in cells):
                    rows.append([layout, source, name, *cells])
            rows.append([layout, source, "measured", *(str(s.measured) for s in summaries)])
    print(f"\n### {model}: preservation\n")
    table(["layout", "source", "metric", *ratios], rows)


for name in sys.argv[1:]:
    for model, suites in scores_of(Path(name)).items():
        if "rewriting" in suites:
            rewriting(model, suites["rewriting"])
        if "preservation" in suites:
            preservation(model, suites["preservation"])
