"""Whether two OCR engines rank the models alike (`--vtc-ocr` given twice; VDE Bench G.1)."""

from __future__ import annotations

from typing import Any

from pytest_vtcfaith.plugin.benchmark import PICTURED, Benchmark
from pytest_vtcfaith.plugin.ledger import Ledger

END = "_second"
"""Ends the names of what the second engine measured."""


def agreement_rows(run: Benchmark, ledger: Ledger) -> list[dict[str, Any]]:
    """A row for each suite and metric that both engines measured: the models' means over all their cases, by each
    engine, and Spearman's ρ of their ranks (None for fewer than three models).
    """
    from pytest_vtcfaith.metrics.rank_agreement import rank_agreement

    found: list[dict[str, Any]] = []
    for name in run.suites:
        suite = run.suite(name)
        if suite.task not in PICTURED:
            continue
        for metric in (other.removesuffix(END) for other in suite.metrics if other.endswith(END)):
            if suite.metrics[metric + END].better == 0:
                continue
            first, second = (
                {model: _mean(run, ledger, name, model, column) for model in run.models_of(name)}
                for column in (metric, metric + END)
            )
            if any(mean is not None for mean in second.values()):
                ours, theirs = ({m: v for m, v in means.items() if v is not None} for means in (first, second))
                row = {"suite": name, "metric": metric, "first": ours, "second": theirs}
                found.append({**row, "spearman": rank_agreement(first, second)})
    return found


def agreement_lines(rows: list[dict[str, Any]]) -> list[str]:
    """What a report says of it, a line for each suite."""
    lines = []
    for suite in dict.fromkeys(row["suite"] for row in rows):
        own = [row for row in rows if row["suite"] == suite]
        models = max(len(row["second"].keys() & row["first"].keys()) for row in own)
        if models < 3:
            said = f"{models} of the 3 models that ranks take"
        else:
            listed = (
                f"{row['metric']} {'undefined' if row['spearman'] is None else format(row['spearman'], '.3f')}"
                for row in own
            )
            said = f"Spearman's ρ over {models} models: {', '.join(listed)}"
        lines.append(f"{suite}: both OCR engines rank the models: {said}")
    return lines


def _mean(run: Benchmark, ledger: Ledger, suite: str, model: str, metric: str) -> float | None:
    scores, _ = ledger.scores(model, run.cases(suite))
    values = [value for score in scores if (value := score.metrics.get(metric)) is not None]
    return sum(values) / len(values) if values else None
