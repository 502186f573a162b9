"""The thresholds file: what a tier, and what a case, must reach (definitions §8)."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from rapidfuzz import process

from pytest_vtcfaith.suites import load_suite, suite_names
from pytest_vtcfaith.suites.tiers import means

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from pytest_vtcfaith.suites.base import Suite

SLACK = 1e-9
"""Comparisons treat equality as passing and forgive this much of floating point (definitions §8)."""

Number = Annotated[float, Field(allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Margin = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]


class ThresholdsError(ValueError):
    """The thresholds file says something that cannot be meant; the message names file, table, field and mend."""


class _Rule(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    where: str = Field(min_length=1)
    metric: str = Field(min_length=1)
    min: Number | None = None
    max: Number | None = None

    def matches(self, tier: str, *, finer: bool = False) -> bool:
        """Whether the rule speaks about the tier, as `suites.tiers.means` says."""
        return means(self.where, tier, finer=finer)


class GateRule(_Rule):
    """`[[gate]]`: bounds one metric of every tier that `where` selects.

    `min` and `max` bound the value; `max_regression` the loss from the baseline, in the metric's own unit;
    `min_coverage` the share of applicable cases that must have been measured; `confidence` is that of the interval.
    With `equivalence` a change for the better counts like one for the worse: the gate passes when both ends of the
    interval are within `max_regression` (TOST). `interval` is how it is made: by default `bca` for a value and
    `percentile` for a loss. Without `holm` a regression gate takes no part in the correction over the run's gates.
    """

    max_regression: Margin | None = None
    min_coverage: Share = 1.0
    confidence: Annotated[float, Field(gt=0.5, lt=1.0, allow_inf_nan=False)] = 0.95
    equivalence: bool = False
    interval: Literal["percentile", "bca"] | None = None
    holm: bool = True


class FloorRule(_Rule):
    """`[[floor]]`: what one case must reach; `case_tolerance` bounds its loss from its own baseline."""

    case_tolerance: Margin | None = None


class SuiteRule(BaseModel):
    """`[suite.NAME]`: bounds the share of a suite's cases that may be declared inapplicable."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    max_inapplicable: Share = 0.0


class Thresholds(BaseModel):
    """A whole thresholds file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    gate: tuple[GateRule, ...] = ()
    floor: tuple[FloorRule, ...] = ()
    suite: Mapping[str, SuiteRule] = Field(default_factory=dict)

    def gates(self, tier: str, *, finer: bool = False) -> list[tuple[int, GateRule]]:
        """The gates that speak about the tier, with their number in the file."""
        return [(n, rule) for n, rule in enumerate(self.gate) if rule.matches(tier, finer=finer)]

    def floors(self, tier: str, parts: Sequence[str] = ()) -> list[FloorRule]:
        """The floors that speak about a case of the tier, or of one of its finer `parts`."""
        return [
            rule for rule in self.floor if rule.matches(tier) or any(rule.matches(part, finer=True) for part in parts)
        ]

    def covers_failures(self, tier: str, *, finer: bool = False) -> bool:
        """Whether a `failure_rate` gate decides about failed cases of the tier."""
        return any(rule.metric == "failure_rate" and rule.max is not None for _, rule in self.gates(tier, finer=finer))


def load_thresholds(path: Path) -> Thresholds:
    """Reads and checks a thresholds file.

    Raises ThresholdsError for anything that cannot be meant: a file that is missing or not TOML in UTF-8; an unknown
    key, suite or metric; a number given as text; NaN, infinity, a bound outside the metric's range, min over max; a
    gate that bounds nothing or selects no tier; a regression of a metric without better direction; no gate at all.
    """
    try:
        data = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        raise ThresholdsError(f"{path}: no such thresholds file; name one with --vtc-thresholds") from None
    except UnicodeDecodeError as problem:
        raise ThresholdsError(f"{path}: byte {problem.start} is not UTF-8; save the file as UTF-8") from problem
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        raise ThresholdsError(f"{path}: is not TOML: {problem}; correct it there") from problem
    except (OSError, ValueError) as problem:
        raise ThresholdsError(f"{path}: cannot be read: {problem}") from problem
    try:
        thresholds = Thresholds.model_validate(data)
    except ValidationError as problem:
        raise ThresholdsError("\n".join(f"{path}: {_explain(error, data)}" for error in problem.errors())) from problem
    for number, gate in enumerate(thresholds.gate):
        _check_gate(f"{path}: {_table('gate', number, gate.where)}", gate)
    for number, floor in enumerate(thresholds.floor):
        _check_floor(f"{path}: {_table('floor', number, floor.where)}", floor)
    for name in thresholds.suite:
        if name not in suite_names():
            raise ThresholdsError(
                f"{path}: [suite.{_key(name)}]: unknown suite {name!r}; {nearest(name, suite_names())}"
            )
    if not thresholds.gate:
        raise ThresholdsError(f"{path}: no [[gate]] in the file: such a run would pass whatever is measured; add one")
    return thresholds


_TABLES: Mapping[str, type[BaseModel]] = {"gate": GateRule, "floor": FloorRule, "suite": SuiteRule}


def _table(kind: str, number: int, where: object) -> str:
    return f"[[{kind}]] number {number + 1} (where = {where!r})"


def _explain(error: ErrorDetails, data: Mapping[str, Any]) -> str:
    """One problem that pydantic found, as table, field, value and mend."""
    kind, *inner = error["loc"]
    if not inner:
        if error["type"] == "extra_forbidden":
            return f"{kind!r}: unknown table; {nearest(str(kind), _TABLES)}"
        return f"{kind}: write {f'[[{kind}]]' if kind != 'suite' else '[suite.NAME]'} tables"
    if isinstance(inner[0], int):
        rule = data[str(kind)][inner[0]]
        place = _table(str(kind), inner[0], rule.get("where") if isinstance(rule, Mapping) else None)
    else:
        place = f"[{kind}.{_key(inner[0])}]"
    if len(inner) == 1:
        return f"{place}: must be a table, not {error['input']!r}; write one"
    field = str(inner[1])
    if error["type"] == "missing":
        return f"{place}: {field} is missing; add it"
    given = f"{place}: {_key(field)} = {error['input']!r}"
    if error["type"] == "extra_forbidden":
        return f"{given}: unknown key; {nearest(field, _TABLES[str(kind)].model_fields)}"
    return f"{given}: {error['msg'].replace('Input should', 'should')}; correct it"


def _key(name: object) -> str:
    text = str(name)
    return text if text.isidentifier() else repr(text)


def _check_gate(place: str, rule: GateRule) -> None:
    if rule.metric == "A" and rule.max_regression is not None:
        raise ThresholdsError(
            f"{place}: A is the best of several models and has no baseline; bound A_M with max_regression"
        )
    if rule.max_regression is None and (rule.equivalence or not rule.holm):
        field = "equivalence = true" if rule.equivalence else "holm = false"
        raise ThresholdsError(f"{place}: {field} speaks about max_regression, which is missing; add it")
    for suite in _suites_of(place, rule):
        metric = suite.metrics.get(rule.metric)
        if metric is None:
            raise ThresholdsError(f"{place}: {_unknown_metric(rule, 'a tier', suite.name, suite.metrics)}")
        _check_bounds(place, rule, metric.low, metric.high)
        better = metric.better or int(rule.equivalence)
        _check_loss(place, rule, "max_regression", rule.max_regression, better, metric.high - metric.low)


def _check_floor(place: str, rule: FloorRule) -> None:
    for suite in _suites_of(place, rule):
        better = suite.case_metrics.get(rule.metric)
        if better is None:
            raise ThresholdsError(f"{place}: {_unknown_metric(rule, 'a case', suite.name, suite.case_metrics)}")
        high = 1.0 if rule.metric.endswith(_SHARES) else math.inf
        _check_bounds(place, rule, 0.0, high)
        _check_loss(place, rule, "case_tolerance", rule.case_tolerance, better, high)


_SHARES = ("_accuracy", "_rate", "_precision", "_recall", "_f1")
"""Endings of the names of a case's metrics that lie between 0 and 1."""


def _suites_of(place: str, rule: _Rule) -> list[Suite]:
    """The suites that have a tier which `where` may select."""
    literal = re.split(r"[*?\[]", rule.where, maxsplit=1)[0]
    found = [n for n in suite_names() if f"{n}/".startswith(literal) or literal.startswith(f"{n}/")]
    if not found:
        name = rule.where.partition("/")[0]
        raise ThresholdsError(f"{place}: where: unknown suite {name!r}; {nearest(name, suite_names())}")
    if literal == rule.where and "/" not in literal.rstrip("/"):
        raise ThresholdsError(f"{place}: where selects no tier; write '{found[0]}/*' for all tiers of the suite")
    return [load_suite(name) for name in found]


def _unknown_metric(rule: _Rule, whose: str, suite: str, known: Iterable[str]) -> str:
    selected = f"{whose} of {suite}, which where selects"
    return f"metric = {rule.metric!r} is no metric of {selected}; {nearest(rule.metric, known)}"


def _check_bounds(place: str, rule: _Rule, low: float, high: float) -> None:
    for field, bound in (("min", rule.min), ("max", rule.max)):
        if bound is not None and not low <= bound <= high:
            raise ThresholdsError(
                f"{place}: {field} = {bound!r} is outside what {rule.metric} can be; give {low:g} to {high:g}"
            )
    if rule.min is not None and rule.max is not None and rule.min > rule.max:
        raise ThresholdsError(f"{place}: min = {rule.min!r} is over max = {rule.max!r}; exchange or correct them")


def _check_loss(place: str, rule: _Rule, field: str, loss: float | None, better: int, most: float) -> None:
    if loss is None:
        if rule.min is None and rule.max is None:
            raise ThresholdsError(f"{place}: bounds nothing; give min, max or {field}")
        return
    if better == 0:
        mend = f"remove {field}" + (
            ", or bound both directions: equivalence = true" if isinstance(rule, GateRule) else ""
        )
        raise ThresholdsError(f"{place}: {rule.metric} has no better direction, so it cannot get worse; {mend}")
    if not loss <= most:
        raise ThresholdsError(f"{place}: {field} = {loss!r} is more than {rule.metric} can lose; give 0 to {most:g}")


def nearest(name: str, known: Iterable[str]) -> str:
    """`did you mean …? known: …` with the nearest match first."""
    ordered = [found for found, _, _ in process.extract(name, sorted(known), limit=None)]
    return f"did you mean {ordered[0]!r}? known: {', '.join(ordered)}" if ordered else "none is known"
