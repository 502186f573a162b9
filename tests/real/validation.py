"""Prints the tables of docs/validation.md from the results of real runs.

    python tests/real/validation.py RESULTS.jsonl…

One results.jsonl per model, of the bundled cases (`pytest --vtc-model=tesseract --vtc-report=DIR`).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pytest_vtcfaith.suites import load_suite
from pytest_vtcfaith.suites.base import value
from pytest_vtcfaith.suites.case import CaseScore
from pytest_vtcfaith.suites.rewriting_metrics import LENGTHS


def scores_of(path: Path) -> dict[str, dict[str, list[CaseScore]]]:
    """Model → suite → scores."""
    cases = {name: {c.id: c for c in load_suite(name).cases()} for name in ("rewriting", "preservation")}
    found: dict[str, dict[str, list[CaseScore]]] = {}
    for line in path.read_bytes().split(b"\n")[:-1]:
        row = json.loads(line)
        outcome = "" if row["outcome"] == "inapplicable" else row["outcome"]
        score = CaseScore(cases[row["suite"]][row["case"]], row["model"], outcome, row["metrics"], row.get("reason", ""))
        found.setdefault(row["model"], {}).setdefault(row["suite"], []).append(score)
    return found


def show(number: float | None, digits: int = 2, factor: float = 1.0) -> str:
    """A cell."""
    return "–" if number is None else f"{factor * number:.{digits}f}"


def rewriting(model: str, scores: list[CaseScore]) -> None:
    """Deltas, classes and word lengths of every perturbed tier."""
    suite = load_suite("rewriting")
    print(f"\n### {model}: rewriting\n")
    print("| tier | documents | words | WER % | ΔWER pp | ΔCER pp | ΔEDS pp | rewritten % | share % | verbatim % | close % "
          "| moderate % | missing % | wrong % | amplification |")
    print("|---|" + "---|" * 14)
    by_length: list[str] = []
    for tier in sorted({s.case.tier for s in scores}):
        summary = suite.summarise(tier, scores)
        if not summary.measured:
            continue
        columns = summary.columns
        m = {name: value(metric, columns) for name, metric in suite.metrics.items()}
        words = int(sum(row.get("perturbed", 0) for row in columns.values()))
        documents = sum("word_edits" in row for row in columns.values())
        print(f"| {tier.partition('/')[2]} | {documents} of {len(columns)} | {words} | {show(m['wer'], 2, 100)} | {show(m['delta_wer'])} | "
              f"{show(m['delta_cer'])} | {show(m['delta_eds'])} | {show(m['rewrite_rate'], 1, 100)} | {show(m['rewrite_share'], 1, 100)} | "
              f"{show(m['verbatim_rate'], 1, 100)} | {show(m['close_rate'], 1, 100)} | {show(m['moderate_rate'], 1, 100)} | "
              f"{show(m['missing_rate'], 1, 100)} | {show(m['wrong_rate'], 1, 100)} | {show(m['error_amplification'])} |")
        if words and "/zh/" not in tier:
            cells = []
            for bucket in LENGTHS:
                n = int(sum(row.get(f"perturbed@{bucket}", 0) for row in columns.values()))
                cells.append(f"{show(m[f'rewrite_rate@{bucket}'], 1, 100)} ({n})")
            by_length.append(f"| {tier.partition('/')[2]} | {' | '.join(cells)} |")
    print(f"\nRewritten %, by length of the word (number of words):\n\n| tier | {' | '.join(LENGTHS)} |\n|---|" + "---|" * len(LENGTHS))
    print("\n".join(by_length))


def preservation(model: str, scores: list[CaseScore]) -> None:
    """Word accuracy by ratio and source."""
    suite = load_suite("preservation")
    tiers = {s.case.tier for s in scores}
    ratios = sorted({t.split("/")[2] for t in tiers}, key=lambda r: float(r[:-1]))
    sources = sorted({t.split("/")[3] for t in tiers})
    print(f"\n### {model}: preservation, word accuracy\n\n| source | {' | '.join(ratios)} |\n|---|" + "---|" * len(ratios))
    for source in sources:
        cells = [show(value(suite.metrics["word_accuracy"], suite.summarise(f"preservation/glyph/{r}/{source}", scores).columns)) for r in ratios]
        print(f"| {source} | {' | '.join(cells)} |")
    for metric in ("word_precision", "word_recall", "prior_gap", "gap_at_ratio", "failure_rate"):
        cells = [show(value(suite.metrics[metric], suite.summarise(f"preservation/glyph/{r}/uniform", scores).columns)) for r in ratios]
        print(f"| uniform: {metric} | {' | '.join(cells)} |")


for name in sys.argv[1:]:
    for model, suites in scores_of(Path(name)).items():
        if "rewriting" in suites:
            rewriting(model, suites["rewriting"])
        if "preservation" in suites:
            preservation(model, suites["preservation"])
