"""What convergence.json holds: every pooled tier of the suites that ask for it, with every model."""

from __future__ import annotations

from typing import Any

from pytest_vtcfaith.plugin.benchmark import Benchmark
from pytest_vtcfaith.plugin.ledger import Ledger


def convergence_rows(run: Benchmark, ledger: Ledger) -> list[dict[str, Any]]:
    """A row for each tier, model and metric that is a mean over cases; none for a tier that was not measured."""
    found: list[dict[str, Any]] = []
    for name in run.suites:
        suite = run.suite(name)
        if not suite.converges:
            continue
        from pytest_vtcfaith.report.convergence import convergence, nested_order

        means = [metric for metric_name, metric in suite.metrics.items() if metric_name in suite.case_metrics]
        for tier in run.tiers(name):
            if tier in run.selection.finer_tiers:
                continue
            buckets = {case.document: "".join(case.parts) for case in run.selection.by_tier[tier]}
            order = nested_order(buckets, run.options.seed)
            for model in run.models_of(name):
                columns = ledger.pool(model, tier, frozenset({tier})).summary.columns
                for metric in means:
                    row = convergence(metric, columns, order)
                    if row is not None:
                        found.append({"tier": tier, "model": model, "metric": metric.name, **row})
    return found
