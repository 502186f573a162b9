"""The metrics of an editing tier as formulas over sums: means over its cases (definitions §5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from pytest_vtcfaith.suites.base import FAILURE_METRICS, TierMetric, failure_columns, ratio
from pytest_vtcfaith.suites.case import CaseScore
from pytest_vtcfaith.suites.editing_scores import CEILINGS, PROPERTIES, SCOPES, TEXT_METRICS

SECOND = (
    "edit_fidelity",
    "text_correctness",
    *(f"{name}_{scope}" for scope in SCOPES for name in TEXT_METRICS),
)
"""What is also taken with the second engine of `--vtc-ocr`, as `…_second`: two properties, and the ten combinations of
metric and scope of VDE Bench G.1."""
SECOND_CEILINGS = tuple(f"ceiling_{name}" for name in SECOND if name in CEILINGS)
COUNT = "#"
"""Ends the name of the column that counts the cases in which a metric is defined."""
_LOWEST = {"ssim": -1.0, "visual_fidelity": -1.0, "preservation_outside": -1.0, "edit_fidelity": -1.0, "clip": -1.0}
_UNBOUNDED = ("psnr", "lpips")


def _mean(name: str) -> Any:
    return lambda sums: ratio(sums[name], sums[name + COUNT])


def _localization_to_ceiling(sums: Mapping[str, Any]) -> Any:
    return ratio(sums["localization"], sums["ceiling_localization"])


def _tier(name: str, better: int = +1) -> TierMetric:
    plain = name.removeprefix("ceiling_").removesuffix("_second").split("_local")[0].split("_global")[0]
    return TierMetric(name, better, _mean(name), _LOWEST.get(plain, 0.0), inf if name.startswith(_UNBOUNDED) else 1.0)


def scope_metrics(scope: str) -> tuple[TierMetric, ...]:
    """The metrics of one scope, named with it; "" for the names in a tier of that scope."""
    end = f"_{scope}" if scope else ""
    return (
        *(_tier(f"{name}{end}{column}") for name in TEXT_METRICS for column in ("", "_published")),
        _tier(f"spurious{end}", -1),
        _tier(f"tables_not_scored{end}", 0),
        _tier(f"psnr{end}"),
        _tier(f"psnr{end}_published"),
        _tier(f"ssim{end}"),
        _tier(f"identical{end}", 0),
        _tier(f"lpips{end}", -1),
        _tier(f"clip{end}"),
    )


METRICS: Mapping[str, TierMetric] = {
    m.name: m
    for m in (
        _tier("edit_fidelity"),
        *map(_tier, PROPERTIES),
        TierMetric("localization_to_ceiling", +1, _localization_to_ceiling, 0.0, inf),
        *(metric for scope in (*SCOPES, "") for metric in scope_metrics(scope)),
        *(_tier(f"ceiling_{name}", 0) for name in CEILINGS),
        *(_tier(f"{name}_second") for name in SECOND),
        *(_tier(f"{name}_second", 0) for name in SECOND_CEILINGS),
        _tier("resized", 0),
        *FAILURE_METRICS,
    )
}


def columns_of(scores: Sequence[CaseScore], scope: str) -> dict[str, dict[str, float]]:
    """The sums by document of the applicable ones of `scores`; in a tier of a `scope` its metrics under short names
    too.
    """
    columns: dict[str, dict[str, float]] = {}
    for score in scores:
        if score.inapplicable:
            continue
        row = columns.setdefault(score.case.document, {})
        found = failure_columns(score)
        if score.measured:
            metrics = dict(score.metrics)
            if scope:
                metrics |= {_short(name, scope): value for name, value in metrics.items() if f"_{scope}" in name}
            for name, value in metrics.items():
                if name in METRICS:
                    found[name] = 0.0 if value is None else float(value)
                    found[name + COUNT] = float(value is not None)
        for name, value in found.items():
            row[name] = row.get(name, 0.0) + value
    return columns


def _short(name: str, scope: str) -> str:
    return name.replace(f"_{scope}", "")
