"""The metrics of a reasoning tier as formulas over sums (definitions §7)."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

from pytest_vtcfaith.suites.base import FAILURE_METRICS, Columns, TierMetric, ratio, totals

RENDERING, TASKS = "reasoning/rendering", ("reasoning/facts", "reasoning/long-context", "reasoning/mathematics")


def _rate(above: str, below: str) -> Any:
    return lambda sums: ratio(sums[above], sums[below])


def _gap(score: str) -> Any:
    """Ceiling less score, over the tasks that have a ceiling."""
    return lambda sums: ratio(sums[f"ceiling_{score}"] - sums[f"below_{score}"], sums["ceilings"])


METRICS: Mapping[str, TierMetric] = {
    m.name: m
    for m in (
        TierMetric("answer_score", +1, _rate("answer_score", "tasks")),
        TierMetric("process_score", +1, _rate("process_score", "tasks")),
        TierMetric(
            "answer_process_gap",
            -1,
            lambda sums: ratio(sums["answer_score"] - sums["process_score"], sums["tasks"]),
            -1.0,
        ),
        TierMetric("gap_answer", -1, _gap("answer"), -1.0),
        TierMetric("gap_process", -1, _gap("process"), -1.0),
        TierMetric("answer_score_second", +1, _rate("answer_score_second", "second")),
        TierMetric("process_score_second", +1, _rate("process_score_second", "second")),
        TierMetric("undecided_rate", 0, _rate("undecided_steps", "steps")),
        TierMetric("cer", -1, _rate("char_edits", "reference_chars"), high=inf),
        TierMetric("wer", -1, _rate("word_edits", "reference_words"), high=inf),
        TierMetric("cer_second", -1, _rate("char_edits_second", "reference_chars_second"), high=inf),
        TierMetric("confidence", +1, _rate("confidence", "confident")),
        TierMetric("ccr", +1, _rate("ccr", "looked_at")),
        TierMetric("acr", +1, _rate("acr", "looked_at")),
        TierMetric("ccr_ocr", +1, _rate("ccr_ocr", "read_twice")),
        TierMetric("acr_ocr", +1, _rate("acr_ocr", "read_twice")),
        *FAILURE_METRICS[:2],
    )
}
"""S_a, S_p, their difference, what both lack to the text-only ceiling, the same read by the second engine, the share of
steps that the judge could not decide; CER, WER and the reader's confidence on the rendering gate; legibility.
"""


def remarks(columns: Columns) -> dict[str, str]:
    """What a failing gate of S_p or of the gap also says: S_a, S_p, and how many steps were not decided and so count as
    not valid; empty where no task was measured."""
    rows = {document: row for document, row in columns.items() if "tasks" in row}
    if not rows:
        return {}
    sums = totals(rows)
    said = (
        f"S_a {sums['answer_score'] / sums['tasks']:.4f}, S_p {sums['process_score'] / sums['tasks']:.4f}; "
        f"{sums['undecided_steps']:.0f} of {sums['steps']:.0f} steps were undecided, or the judge's reply unparsable, "
        "and count as not valid"
    )
    return dict.fromkeys(("process_score", "answer_process_gap"), said)
