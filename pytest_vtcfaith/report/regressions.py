"""The comparisons with the baseline as a table: what was lost, what is allowed, and what such a gate can see at all."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_vtcfaith.gating.judge import Verdict


@dataclass(frozen=True, slots=True)
class Change:
    """One line of the table, a regression gate; the fields are texts, named as the columns are.

    `sees` is the smallest loss that the gate could have called a failure with 80 % power, `quiet_at` the margin at
    which at most 5 % of runs without any change are red, `documents` how many there are and how many make `allowed`
    that margin (`28 of 486`).
    """

    tier: str
    model: str
    metric: str
    loss: str
    allowed: str
    sees: str
    quiet_at: str
    documents: str
    verdict: str


HEAD = Change("tier", "model", "metric", "loss", "allowed", "sees from", "quiet at", "documents", "verdict")


def changes(verdicts: Iterable[Verdict]) -> list[Change]:
    """A line for every gate that was compared with a baseline, in the order given."""
    found = []
    for verdict in verdicts:
        compared = verdict.regression
        if compared is None:
            continue
        needed = compared.documents_needed
        found.append(
            Change(
                tier=verdict.tier,
                model=verdict.model,
                metric=verdict.metric,
                loss=f"{compared.loss:+.4f}",
                allowed=f"{'±' if compared.equivalence else ''}{compared.margin:g}",
                sees="–" if compared.detectable is None else f"{compared.detectable:.4f}",
                quiet_at="–" if compared.quiet_margin is None else f"{_up(compared.quiet_margin):.4f}",
                documents=str(compared.documents) + ("" if needed is None else f" of {needed}"),
                verdict="pass" if verdict.verdict == "pass" else verdict.verdict.replace("_", " ").upper(),
            )
        )
    return found


def _up(margin: float) -> float:
    return math.ceil(margin * 1e4) / 1e4
