"""The comparisons with the baseline as a table: what was lost, what is allowed, and what such a gate can see at all."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_vtcfaith.gating.judge import Verdict
from pytest_vtcfaith.gating.regression import Regression


@dataclass(frozen=True, slots=True)
class Change:
    """One line of the table, a regression gate; fields are texts, named as the columns are; `loss` has its interval.

    `sees` is the smallest loss that the gate could have called a failure with 80 % power, `quiet_at` the margin at
    which at most 5 % of runs without any change are red, `documents` how many there are and how many make `allowed`
    that margin (`28 of 486`). Where no loss could be seen, or no margin were quiet, `sees` and `quiet_at` say so.
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


SUSPICIOUS = "pass, suspiciously better"
"""The verdict of a gate that passes, and that somebody should look at."""
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
                loss=f"{compared.loss + 0.0:+.4f}{_interval(compared)}",
                allowed=f"{'±' if compared.equivalence else ''}{compared.margin:g}",
                sees=_limit(compared, compared.detectable, _nothing(compared)),
                quiet_at=_limit(compared, compared.quiet_margin and _up(compared.quiet_margin), "no margin"),
                documents=str(compared.documents) + ("" if needed is None else f" of {needed}"),
                verdict=_word(verdict),
            )
        )
    return found


def suspicions(verdicts: Iterable[Verdict]) -> list[str]:
    """A line for every gate that passes because its tier is surely better by more than the margin."""
    return [
        f"{v.gate}: {v.metric} {v.baseline or 0.0:.4f} → {v.value or 0.0:.4f} is surely better by more than the margin "
        f"{v.regression.margin:g}: are model, text and scoring the same as those of the baseline?"
        for v in verdicts
        if v.regression is not None and _suspicious(v)
    ]


def _suspicious(verdict: Verdict) -> bool:
    return verdict.verdict == "pass" and verdict.regression is not None and verdict.regression.improved


def _word(verdict: Verdict) -> str:
    if _suspicious(verdict):
        return SUSPICIOUS
    return "pass" if verdict.verdict == "pass" else verdict.verdict.replace("_", " ").upper()


def _interval(compared: Regression) -> str:
    if compared.low is None or compared.high is None:
        return ""
    return f" ({compared.low + 0.0:+.4f} to {compared.high + 0.0:+.4f})"


def _limit(compared: Regression, number: float | None, none: str) -> str:
    if compared.unknown:
        return "–"
    return none if number is None else f"{number:.4f}"


def _nothing(compared: Regression) -> str:
    return f"nothing ({compared.documents_seeing} would)" if compared.documents_seeing else "nothing"


def _up(margin: float) -> float:
    return math.ceil(margin * 1e4) / 1e4
