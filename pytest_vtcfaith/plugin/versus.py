"""Two runs or models side by side, paired by document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.suites.tiers import means

if TYPE_CHECKING:
    from pytest_vtcfaith.plugin.merging import Merged
    from pytest_vtcfaith.suites.base import Suite
    from pytest_vtcfaith.suites.case import CaseScore

CONFIDENCE = 0.95


def compare_runs(
    a: Merged,
    b: Merged,
    model_a: str,
    model_b: str,
    *,
    tiers: Sequence[str] = (),
    metrics: Sequence[str] = (),
    tolerance: float = 0.0,
) -> list[dict[str, Any]]:
    """A row for each tier and metric: what is lost from A to B on the cases that both measured.

    `model_a`, `model_b` are the models' slugs in their runs; `tiers` are patterns, none for all tiers of A; `metrics`
    none for the suite's first one and those with a gate. A row has `tier`, `metric`, the values `a` and `b`, `loss`
    (positive when B is worse) with `low` and `high`, its 95 % bootstrap interval over `documents`; `cases` compared;
    `worse` and `better`, the cases that changed by more than `tolerance` or between failure and transcript; `only_a`
    and `only_b`, how many cases one of the two alone measured.
    """
    return [row for suite in a.suites for row in _suite_rows(a, b, suite, model_a, model_b, tiers, metrics, tolerance)]


def _suite_rows(
    a: Merged,
    b: Merged,
    name: str,
    model_a: str,
    model_b: str,
    tiers: Sequence[str],
    metrics: Sequence[str],
    tolerance: float,
) -> Iterator[dict[str, Any]]:
    suite = a.suite(name)
    before, now = _measured(a, name, model_a), _measured(b, name, model_b)
    common = before.keys() & now.keys()
    for tier in a.tiers(name):
        finer = tier in a.selection.finer_tiers
        if tiers and not any(means(pattern, tier, finer=finer) for pattern in tiers):
            continue
        counts = {
            f"only_{side}": sum(tier in s.case.tiers for case, s in scores.items() if case not in common)
            for side, scores in (("a", before), ("b", now))
        }
        wanted = metrics or dict.fromkeys((suite.primary, *(rule.metric for rule in a.gate_rules(tier))))
        both = [[scores[case] for case in sorted(common)] for scores in (before, now)]
        for metric in wanted:
            if metric in suite.metrics and metric != "A":
                row = _row(suite, tier, metric, *both, seed=a.options.seed, tolerance=tolerance)
                if row is not None:
                    yield {"tier": tier, "metric": metric, **row, **counts}


def _measured(run: Merged, suite: str, model: str) -> dict[str, CaseScore]:
    return {
        case: score for (of, by, case), score in run.scores.items() if of == suite and by == model and score.measured
    }


def _row(
    suite: Suite,
    tier: str,
    name: str,
    before: Sequence[CaseScore],
    now: Sequence[CaseScore],
    *,
    seed: int,
    tolerance: float,
) -> dict[str, Any] | None:
    from pytest_vtcfaith.gating.flips import case_metric, find_flips
    from pytest_vtcfaith.gating.statistics import paired_loss, seed_of
    from pytest_vtcfaith.suites.base import usable, value

    metric = suite.metrics[name]
    old, new = (suite.summarise(tier, scores).columns for scores in (before, now))
    kept = usable(metric, old).keys() & usable(metric, new).keys()
    if not kept:
        return None
    old, new = ({document: columns[document] for document in sorted(kept)} for columns in (old, new))
    loss = paired_loss(metric, new, old, confidence=CONFIDENCE, margin=0.0, seed=seed_of(seed))
    shown = case_metric(name, suite.case_metrics)
    direction = metric.better if shown is None else suite.case_metrics[shown]
    flips = find_flips(_cases(tier, before), _cases(tier, now), shown, direction, tolerance or 1e-9)
    return {
        "a": value(metric, old),
        "b": value(metric, new),
        "loss": None if loss is None else loss.value,
        "low": None if loss is None else loss.low,
        "high": None if loss is None else loss.high,
        "documents": len(kept),
        "cases": len(flips.worse) + len(flips.better) + flips.same,
        "worse": [asdict(flip) for flip in flips.worse],
        "better": [asdict(flip) for flip in flips.better],
    }


def _cases(tier: str, scores: Sequence[CaseScore]) -> dict[str, Mapping[str, Any]]:
    return {s.case.id: {**s.metrics, "outcome": s.outcome} for s in scores if tier in s.case.tiers}
