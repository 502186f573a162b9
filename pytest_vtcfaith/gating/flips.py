"""Which cases a run got wrong that its baseline got right, and the other way round."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_vtcfaith.gating.thresholds import SLACK

Cases = Mapping[str, Mapping[str, Any]]
"""Case → its outcome and metrics, as `cases` of a baseline."""


@dataclass(frozen=True, slots=True)
class Flip:
    """A case that changed: values of the metric (None where it has none) and outcomes of both runs."""

    case: str
    old: float | None
    new: float | None
    old_outcome: str
    new_outcome: str


@dataclass(frozen=True, slots=True)
class Flips:
    """Cases of both runs by what became of them, failures and largest changes first; `same` counts the others, `gone`
    and `added` those of one run only.
    """

    worse: tuple[Flip, ...]
    better: tuple[Flip, ...]
    same: int
    gone: int
    added: int


def find_flips(before: Cases, now: Cases, metric: str | None, better: int, tolerance: float = SLACK) -> Flips:
    """Cases that got worse and better.

    A case that fails now and did not before got worse whatever its metric, and the other way round; otherwise its
    `metric` decides, with its `better` direction (±1), by more than `tolerance`. Without a metric outcomes alone count.
    """
    worse: list[tuple[float, Flip]] = []
    improved: list[tuple[float, Flip]] = []
    common = sorted(before.keys() & now.keys())
    for case in common:
        old, new = before[case], now[case]
        values = [None if metric is None or row.get(metric) is None else float(row[metric]) for row in (old, new)]
        complete = [row["outcome"] == "complete" for row in (old, new)]
        loss = 0.0 if values[0] is None or values[1] is None else (values[0] - values[1]) * better
        flip = Flip(case, values[0], values[1], str(old["outcome"]), str(new["outcome"]))
        if complete[0] != complete[1]:
            (worse if complete[0] else improved).append((float("inf"), flip))
        elif abs(loss) > tolerance:
            (worse if loss > 0 else improved).append((abs(loss), flip))
    changed = len(worse) + len(improved)
    return Flips(
        _largest_first(worse),
        _largest_first(improved),
        len(common) - changed,
        len(before.keys() - now.keys()),
        len(now.keys() - before.keys()),
    )


def _largest_first(found: Iterable[tuple[float, Flip]]) -> tuple[Flip, ...]:
    return tuple(flip for _, flip in sorted(found, key=lambda row: (-row[0], row[1].case)))


_MADE_OF = {
    "A_M": "word_accuracy",
    "A": "word_accuracy",
    "prior_gap": "word_accuracy",
    "gap_at_ratio": "word_accuracy",
    "eds": "char_accuracy",
    "rewrite_share": "rewrite_rate",
}


def case_metric(metric: str, known: Mapping[str, int]) -> str | None:
    """The metric of one case that stands nearest to a tier's: `A_M` is a mean of `word_accuracy`, `delta_wer` comes of
    `wer`, `rewrite_rate@5` of `rewrite_rate`; None where no metric of `known` does (`failure_rate`: outcomes alone).
    """
    name = metric.partition("@")[0].removeprefix("delta_")
    name = _MADE_OF.get(name, name)
    return name if name in known else None


def describe_flips(flips: Flips, count: int = 5) -> str:
    """Both directions in lines of a message, at most `count` cases of each; "" where nothing changed."""
    everything = len(flips.worse) + len(flips.better) + flips.same
    lines = []
    for word, found in (("worse", flips.worse), ("better", flips.better)):
        if not found:
            continue
        more = f", first {count}" if len(found) > count else ""
        lines.append(f"  {len(found)} of {everything} cases got {word}{more}:")
        for flip in found[:count]:
            ends = (_end(flip.old, flip.old_outcome), _end(flip.new, flip.new_outcome))
            lines.append(f"    {flip.case}: {' → '.join(ends)}")
    return "\n".join(lines)


def _end(value: float | None, outcome: str) -> str:
    if outcome != "complete":
        return outcome
    return "complete" if value is None else f"{value:.4f}"
