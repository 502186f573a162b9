"""The thresholds file: what a tier, and what a case, must reach (definitions §8)."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from rapidfuzz import process

from pytest_vtcfaith.suites import load_suite, suite_names

SLACK = 1e-9
"""Comparisons treat equality as passing and forgive this much of floating point (definitions §8)."""

Number = Annotated[float, Field(allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Margin = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]


class ThresholdsError(ValueError):
    """The thresholds file says something that cannot be meant; the message names file, table, field and mend."""


class _Rule(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=False)

    where: str = Field(min_length=1)
    metric: str = Field(min_length=1)
    min: Number | None = None
    max: Number | None = None

    def matches(self, tier: str) -> bool:
        """Whether the rule speaks about the tier; `*` in `where` stands for any characters, slashes too."""
        return fnmatchcase(tier, self.where)


class GateRule(_Rule):
    """`[[gate]]`: bounds one metric of every tier that `where` selects.

    `min` and `max` bound the value; `max_regression` the loss from the baseline, in the metric's own unit;
    `min_coverage` the share of applicable cases that must have been measured; `confidence` is that of the interval.
    """

    max_regression: Margin | None = None
    min_coverage: Share = 1.0
    confidence: Annotated[float, Field(gt=0.5, lt=1.0, allow_inf_nan=False)] = 0.95


class FloorRule(_Rule):
    """`[[floor]]`: what one case must reach; `case_tolerance` bounds its loss from its own baseline."""

    case_tolerance: Margin | None = None


class SuiteRule(BaseModel):
    """`[suite.NAME]`: bounds the share of a suite's cases that may be declared inapplicable."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_inapplicable: Share = 0.0


class Thresholds(BaseModel):
    """A whole thresholds file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    gate: tuple[GateRule, ...] = ()
    floor: tuple[FloorRule, ...] = ()
    suite: Mapping[str, SuiteRule] = Field(default_factory=dict)

    def gates(self, tier: str) -> list[tuple[int, GateRule]]:
        """The gates that speak about the tier, with their number in the file."""
        return [(n, rule) for n, rule in enumerate(self.gate) if rule.matches(tier)]

    def floors(self, tier: str) -> list[FloorRule]:
        """The floors that speak about the tier."""
        return [rule for rule in self.floor if rule.matches(tier)]

    def covers_failures(self, tier: str) -> bool:
        """Whether a `failure_rate` gate decides about failed cases of the tier."""
        return any(rule.metric == "failure_rate" and rule.max is not None for _, rule in self.gates(tier))


def load_thresholds(path: Path) -> Thresholds:
    """Reads and checks a thresholds file.

    Raises ThresholdsError for anything that cannot be meant: an unknown key, suite or metric, NaN, a bound outside the
    metric's range, min over max, a gate that bounds nothing, a regression of a metric without better direction.
    """
    try:
        data = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        raise ThresholdsError(f"{path}: no such thresholds file; name one with --vtc-thresholds") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as problem:
        raise ThresholdsError(f"{path}: cannot be read as TOML: {problem}") from problem
    try:
        thresholds = Thresholds.model_validate(data)
    except ValidationError as problem:
        raise ThresholdsError(_invalid(path, data, problem)) from problem
    for kind, rules in (("gate", thresholds.gate), ("floor", thresholds.floor)):
        for number, rule in enumerate(rules, 1):
            _check(f"{path}: [[{kind}]] number {number} (where = {rule.where!r})", rule)
    for name in thresholds.suite:
        if name not in suite_names():
            raise ThresholdsError(f"{path}: [suite.{name}]: unknown suite; known: {', '.join(suite_names())}")
    if not thresholds.gate:
        raise ThresholdsError(f"{path}: no [[gate]] in the file: such a run would pass whatever is measured")
    return thresholds


def _invalid(path: Path, data: Mapping[str, Any], problem: ValidationError) -> str:
    lines = []
    for error in problem.errors():
        where = [str(part + 1) if isinstance(part, int) else str(part) for part in error["loc"]]
        shown = "" if error["type"] in ("missing", "extra_forbidden") else f" (value {error['input']!r})"
        lines.append(f"{path}: {' '.join(where)}: {error['msg']}{shown}")
    return "\n".join(lines)


def _check(place: str, rule: GateRule | FloorRule) -> None:
    is_gate = isinstance(rule, GateRule)
    suite_name = rule.where.partition("/")[0]
    suites = [name for name in suite_names() if fnmatchcase(name, suite_name)]
    if not suites:
        raise ThresholdsError(f"{place}: unknown suite {suite_name!r}; {nearest(suite_name, suite_names())}")
    for name in suites:
        suite = load_suite(name)
        known: Iterable[str] = suite.metrics if is_gate else suite.case_metrics
        if rule.metric not in known:
            kind = "metric of a tier" if is_gate else "metric of a case"
            raise ThresholdsError(f"{place}: metric: {rule.metric!r} is no {kind} of {name}; {nearest(rule.metric, known)}")
        if is_gate:
            low, high = suite.metrics[rule.metric].low, suite.metrics[rule.metric].high
            better = suite.metrics[rule.metric].better
        else:
            low, high, better = 0.0, math.inf, suite.case_metrics[rule.metric]
            if rule.metric.endswith(("_accuracy", "_rate", "_precision", "_recall", "_f1")):
                high = 1.0
        for field in ("min", "max"):
            bound = getattr(rule, field)
            if bound is not None and not low <= bound <= high:
                raise ThresholdsError(f"{place}: {field} = {bound!r} is outside what {rule.metric} can be, {low:g} to {high:g}")
        loss = rule.max_regression if isinstance(rule, GateRule) else rule.case_tolerance
        if loss is not None and better == 0:
            raise ThresholdsError(f"{place}: {rule.metric} has no better direction, so it cannot get worse; remove the bound")
    if rule.min is not None and rule.max is not None and rule.min > rule.max:
        raise ThresholdsError(f"{place}: min = {rule.min!r} is over max = {rule.max!r}")
    if rule.min is None and rule.max is None and loss is None:
        raise ThresholdsError(f"{place}: bounds nothing; give min, max or {'max_regression' if is_gate else 'case_tolerance'}")


def nearest(name: str, known: Iterable[str]) -> str:
    """`did you mean …? known: …` with the nearest match first."""
    ordered = [found for found, _, _ in process.extract(name, sorted(known), limit=None)]
    return f"did you mean {ordered[0]!r}? known: {', '.join(ordered)}" if ordered else "none is known"
