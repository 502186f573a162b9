"""A chart as plain data, and how its points are made from the tiers of a run and their gates.

A chart is `{title, note, kind, x, y, series, limits, gates}`: `kind` is `line`, `bar` or `rows` (a row for each series,
with a mark for each place), `x` the labels of the places on the axis, `y` the name of the metric, `series` lists of
points `{x, y, low, high, n, of}` (x: place; n of what) under a `name`, and `limits` what gates ask for: `{x, y, side,
series}`, side `min` or `max`, of the series of that name at place x, and of no other; `gates` names those that its
points are judged by.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.gating.statistics import Interval
from pytest_vtcfaith.report.html.counted import counted
from pytest_vtcfaith.report.html.intervals import interval_of
from pytest_vtcfaith.report.view import BAD

if TYPE_CHECKING:
    from pytest_vtcfaith.gating.judge import Verdict
    from pytest_vtcfaith.report.html.run import HtmlRun, TierFound

Chart = dict[str, Any]


def new_chart(title: str, kind: str, x: Sequence[str], y: str, note: str = "") -> Chart:
    """A chart without points."""
    return {"title": title, "note": note, "kind": kind, "x": list(x), "y": y, "series": [], "limits": [], "gates": []}


def add(run: HtmlRun, chart: Chart, tier: TierFound, series: str, place: int, metric: str) -> None:
    """A point with the interval that a gate gave it, else one as gates give them, and what gates ask for there."""
    if metric not in tier.metrics:
        return
    n, of = counted(run, [tier], metric)
    point: dict[str, Any] = {"x": place, "y": tier.metrics[metric], "n": n, "of": of}
    gates = _gates(run, tier, metric)
    judged = [Interval(gate.low, gate.high) for gate in gates if gate.regression is None and gate.low is not None]
    span = judged[-1] if judged else interval_of(run, [tier], metric)[1]
    _point(chart, series, point, span, gates)


def _point(chart: Chart, series: str, point: dict[str, Any], span: Interval, gates: Sequence[Verdict]) -> None:
    if span.low is not None:
        point |= {"low": span.low, "high": span.high}
    if any(gate.verdict in BAD for gate in gates):
        point["bad"] = True
    chart["gates"] += [gate.gate for gate in gates]
    for gate in gates:
        for side in ("min", "max"):
            if (limit := getattr(gate, side)) is not None:
                _limit(chart, series, point["x"], side, limit)
    _series(chart, series)["points"].append(point)


def _limit(chart: Chart, series: str, place: int, side: str, limit: float) -> None:
    known = {"x": place, "y": limit, "side": side, "series": series}
    if known not in chart["limits"]:
        chart["limits"].append(known)


def add_mean(run: HtmlRun, chart: Chart, tiers: Sequence[TierFound], series: str, place: int, metric: str) -> None:
    """The value over all cases of several tiers, with its interval and every limit that one of them has: bad where a
    gate of one of them did not pass, which is then named in `failed`.
    """
    own = [t for t in tiers if metric in t.metrics and t.measured]
    if len(own) == 1:
        add(run, chart, own[0], series, place, metric)
        return
    value, span = interval_of(run, own, metric)
    if value is None:
        return
    n, of = counted(run, own, metric)
    gates = [gate for tier in own for gate in _gates(run, tier, metric)]
    failed = [[short(gate.tier), gate.verdict, gate.value, _asked(gate)] for gate in gates if gate.verdict in BAD]
    point = {"x": place, "y": value, "n": n, "of": of, **({"failed": failed} if failed else {})}
    _point(chart, series, point, span, gates)


def _asked(gate: Verdict) -> str:
    """What a gate asks for: its limits, or how much less than the baseline it allows."""
    if gate.regression is not None:
        return f"loss at most {gate.regression.margin:g}"
    sides = (("at least", gate.min), ("at most", gate.max))
    return ", ".join(f"{side} {limit:g}" for side, limit in sides if limit is not None)


def _series(chart: Chart, name: str) -> dict[str, Any]:
    for series in chart["series"]:
        if series["name"] == name:
            found: dict[str, Any] = series
            return found
    chart["series"].append({"name": name, "points": []})
    return chart["series"][-1]  # type: ignore[no-any-return]


def bounds(run: HtmlRun, tier: TierFound, metric: str) -> bool:
    """Whether a gate bounds the value of the metric in the tier."""
    return any(gate.min is not None or gate.max is not None for gate in _gates(run, tier, metric))


def _gates(run: HtmlRun, tier: TierFound, metric: str) -> Sequence[Verdict]:
    return run.gates.get((tier.model, tier.tier, metric), ())


def grouped(tiers: Sequence[TierFound], part: int) -> dict[str, list[TierFound]]:
    """The tiers by the part of their name with that number; without those that have fewer."""
    found: dict[str, list[TierFound]] = {}
    for tier in tiers:
        parts = tier.tier.split("/")
        if len(parts) > part:
            found.setdefault(parts[part], []).append(tier)
    return found


def named(run: HtmlRun, tier: TierFound, label: str) -> str:
    """What a series is called: the model where there are several, and what sets it apart."""
    names = [tier.model] if len(run.view.models) > 1 or not label else []
    return ", ".join([*names, *([label] if label else [])])


def short(tier: str) -> str:
    """The name of a tier without its suite, for people."""
    return tier.partition("/")[2].replace("/", " ") or tier


def words(metric: str) -> str:
    """The name of a metric, for people."""
    return metric.replace("_", " ")
