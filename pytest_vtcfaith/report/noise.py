"""noise.json: how much a model's results change when the same pages are asked again, in other batches."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_vtcfaith.metrics.normalise import normalise
from pytest_vtcfaith.report.results import write_atomic
from pytest_vtcfaith.suites.base import Columns, Suite, value
from pytest_vtcfaith.suites.case import Case, CaseScore

DIGITS = 10


@dataclass(frozen=True, slots=True)
class Answered:
    """What was found for one case: its score and the transcript, "" where there is none."""

    score: CaseScore
    text: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """A case that was chosen to be asked twice; None where no answer was booked."""

    case: Case
    first: Answered | None
    again: Answered | None

    @property
    def state(self) -> str:
        """`twice`, or why there are not two answers: `inapplicable`, `not_measured` (the first time), `unanswered` (the
        second time).
        """
        if self.first is not None and self.first.score.inapplicable:
            return "inapplicable"
        if self.first is None or not self.first.score.measured:
            return "not_measured"
        return "twice" if self.again is not None and self.again.score.measured else "unanswered"

    @property
    def differs(self) -> bool:
        """Whether the two transcripts, normalised verbatim (definitions §2), or the two outcomes differ."""
        if self.first is None or self.again is None:
            return False
        texts = (normalise(answered.text, "verbatim", self.case.lang) for answered in (self.first, self.again))
        return len(set(texts)) > 1 or self.outcome_differs

    @property
    def outcome_differs(self) -> bool:
        """Whether the two outcomes differ."""
        return (
            self.first is not None and self.again is not None and self.first.score.outcome != self.again.score.outcome
        )


def tier_noise(suite: Suite, tier: str, pairs: Sequence[Pair], scores: Iterable[CaseScore]) -> dict[str, Any]:
    """One tier with one model.

    `pairs` are all chosen cases of the suite with that model, of every tier; `scores` the suite's first scores with it.
    Gives the counts of the tier's own pairs by `Pair.state`; how many `differ`, and `outcomes_differ`; the ids of those
    that differ; for each case metric the number of cases that have it both times, how many differ, and mean and
    largest absolute difference; for each metric of the tier its value on the documents asked twice, from the first
    answers and from the second ones, and their absolute difference (None where it is undefined one of the times).
    """
    own = [pair for pair in pairs if pair.case.tier == tier]
    twice = [pair for pair in own if pair.state == "twice"]
    differing = [pair for pair in twice if pair.differs]
    return {
        "tier": tier,
        **counts(own),
        "differing": sorted(pair.case.id for pair in differing),
        "case_metrics": _case_metrics(suite, twice),
        "primary": suite.primary,
        **_tier_metrics(suite, tier, [pair for pair in pairs if pair.state == "twice"], scores),
    }


def counts(pairs: Iterable[Pair]) -> dict[str, int]:
    """How many pairs were chosen, asked twice, or are lacking an answer, by why; how many differ."""
    pairs = list(pairs)
    states = Counter(pair.state for pair in pairs)
    twice = [pair for pair in pairs if pair.state == "twice"]
    return {
        "chosen": len(pairs),
        **{state: states[state] for state in ("twice", "unanswered", "not_measured", "inapplicable")},
        "differ": sum(pair.differs for pair in twice),
        "outcomes_differ": sum(pair.outcome_differs for pair in twice),
    }


def _case_metrics(suite: Suite, twice: Iterable[Pair]) -> dict[str, dict[str, float | int]]:
    changes: dict[str, list[float]] = {}
    for pair in twice:
        for name in suite.case_metrics:
            found = [None if a is None else a.score.metrics.get(name) for a in (pair.first, pair.again)]
            if found[0] is not None and found[1] is not None:
                changes.setdefault(name, []).append(round(abs(found[1] - found[0]), DIGITS))
    return {
        name: {
            "cases": len(found),
            "differ": sum(change > 0 for change in found),
            "mean": round(sum(found) / len(found), DIGITS),
            "max": max(found),
        }
        for name, found in changes.items()
    }


def _tier_metrics(suite: Suite, tier: str, twice: Sequence[Pair], scores: Iterable[CaseScore]) -> dict[str, Any]:
    found: dict[str, Mapping[str, float | None]] = {}
    before, after = columns_twice(suite, tier, twice, scores)
    documents = {pair.case.document for pair in twice if pair.case.tier == tier}
    if documents:
        for name, metric in suite.metrics.items():
            old, new = value(metric, before), value(metric, after)
            if old is None and new is None:
                continue
            change = None if old is None or new is None else round(abs(new - old), DIGITS)
            found[name] = {"first": _rounded(old), "again": _rounded(new), "difference": change}
    return {"documents": len(documents), "metrics": found}


def columns_twice(
    suite: Suite, tier: str, twice: Sequence[Pair], scores: Iterable[CaseScore]
) -> tuple[Columns, Columns]:
    """A tier's columns on its documents that were asked twice, from the first answers and from the second ones.

    `twice` are all pairs of the suite with two answers, of every tier, `scores` the suite's first scores. Every second
    answer takes the place of the first, also in the tiers that a metric compares with.
    """
    documents = {pair.case.document for pair in twice if tier in pair.case.tiers}
    if not documents:
        return {}, {}
    first = [score for score in scores if score.case.document in documents]
    replaced = {pair.case.id: pair.again.score for pair in twice if pair.again is not None}
    again = [replaced.get(score.case.id, score) for score in first]
    return suite.summarise(tier, first).columns, suite.summarise(tier, again).columns


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, DIGITS)


def describe_noise(model: Mapping[str, Any], tiers: Iterable[Mapping[str, Any]]) -> str:
    """One line on a model's row of noise.json and its tiers' rows."""
    name = f"noise of {model['model']}"
    if model["by_construction"]:
        return f"{name}: 0 by construction, its answers are read from a file"
    sizes = (
        f" (batches of {model['batch_size'] or 'unknown size'}, then {model['batch_size_again']})"
        if model["batch_size_again"]
        else ""
    )
    said = [
        f"{name}: {model['twice']} of {model['chosen']} cases were asked twice{sizes}, {model['differ']} "
        f"{model['replies']} differ, {model['outcomes_differ']} outcomes"
    ]
    if changed := _largest_change(tiers):
        said.append(changed)
    for state, text in (
        ("unanswered", "got no second answer"),
        ("not_measured", "were not measured the first time"),
        ("inapplicable", "are inapplicable"),
    ):
        if model[state]:
            cause = model["reason"].partition("\n")[0]
            reason = f" ({cause})" if state == "unanswered" and cause else ""
            said.append(f"{model[state]} {text}{reason}")
    return "; ".join(said)


def _largest_change(tiers: Iterable[Mapping[str, Any]]) -> str:
    """The largest change of a primary metric; where none changes, how many others do, and the largest of them."""
    found = [
        (name == row["primary"], name, row["tier"], numbers["difference"])
        for row in tiers
        for name, numbers in row["metrics"].items()
    ]
    if not found:
        return ""
    moved = [change for change in found if change[3] is None or change[3] > 0]
    if not moved:
        return "no tier's value changes"
    # what is defined only one of the two times has changed more than any number tells
    primary, name, tier, change = max(moved, key=lambda c: (c[0], c[3] is None, c[3] or 0.0, c[1], c[2]))
    shown = f"{name} is undefined one of the times ({tier})" if change is None else f"{name} {_few(change)} ({tier})"
    if primary:
        return f"largest change of a tier: {shown}"
    values = "1 other value does" if len(moved) == 1 else f"{len(moved)} other values do"
    metrics = ", ".join(sorted({name for primary, name, *_ in found if primary}))
    return f"no tier's {metrics or 'primary metric'} changes, {values}, most: {shown}"


def _few(change: float) -> str:
    """Four decimals, or what is left of a smaller number: a change is never shown as none."""
    return f"{change:.4f}" if change >= 0.00005 else f"{change:.1e}"


def write_noise(
    folder: Path, number: int, seed: int, models: Iterable[Mapping[str, Any]], tiers: Iterable[Mapping[str, Any]]
) -> Path:
    """Writes noise.json: cases asked for, seed, a row for each model, and one for each tier and model."""
    path = folder / "noise.json"
    content = {"cases": number, "seed": seed, "models": list(models), "tiers": list(tiers)}
    write_atomic(path, [json.dumps(content, indent=1, sort_keys=True, allow_nan=False) + "\n"])
    return path
