"""What the value of a point in a chart is a share or a mean of, and how many of it there are: the n of the metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_vtcfaith.report.html.intervals import merged
from pytest_vtcfaith.suites.base import totals

if TYPE_CHECKING:
    from pytest_vtcfaith.report.html.run import HtmlRun, TierFound

CASES = "cases"
_COUNTED: Mapping[str, tuple[str, Sequence[str]]] = {
    "rewrite_rate": ("perturbed words", ("perturbed",)),
    "rewrite_share": ("misread words", ("perturbed", "verbatim")),
    "delta_wer": ("words", ("reference_words",)),
    "answer_score": ("tasks", ("tasks",)),
    "process_score": ("tasks", ("tasks",)),
    "accuracy": ("questions", ("cases",)),
    "accuracy_difficult": ("questions", ("cases@difficult",)),
    "accuracy_simple": ("questions", ("cases@simple",)),
}
"""By metric: its unit and the column that counts it, less the one behind it."""


def counted(run: HtmlRun, tiers: Sequence[TierFound], metric: str) -> tuple[float, str]:
    """How many of what a metric's value over all cases of `tiers` rests on: words, tasks or questions as the metric
    divides by, over the documents that it takes in; measured cases for a metric that is a mean over cases.
    """
    found = run.metric(tiers[0].suite, metric)
    tables = [tier.columns[metric] for tier in tiers if metric in tier.columns]
    if found is not None and tables:
        sums = totals(merged(found, tables))
        unit, columns = _counted(metric)
        if columns and sums.keys() >= set(columns):
            of = "characters" if unit == "words" and all(t.tier.split("/")[1] == "zh" for t in tiers) else unit
            return sums[columns[0]] - sum(sums[name] for name in columns[1:]), of
    return sum(tier.measured for tier in tiers), CASES


def _counted(metric: str) -> tuple[str, Sequence[str]]:
    plain, _, bucket = metric.partition("@")
    unit, columns = _COUNTED.get(plain, ("edits", (f"{metric}#",)))
    return unit, [f"{name}@{bucket}" for name in columns] if bucket else columns
