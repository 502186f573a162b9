"""Charts for the gates that no other chart shows, whatever suite and metric they are of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_vtcfaith.report.html.points import Chart, add, named, new_chart, short, words
from pytest_vtcfaith.report.html.run import TierFound
from pytest_vtcfaith.report.view import BAD

if TYPE_CHECKING:
    from pytest_vtcfaith.gating.judge import Verdict
    from pytest_vtcfaith.report.html.run import HtmlRun

ROWS = 16
"""Most rows of such a chart."""


def unshown(run: HtmlRun, suite: str, charts: Sequence[Chart]) -> list[Chart]:
    """A chart for each metric of a suite with a gate on its value that none of `charts` shows: a row for each tier and
    model, those that did not pass first.
    """
    shown = {gate for chart in charts for gate in chart["gates"]}
    tiers = {(tier.model, tier.tier): tier for tier in run.tiers}
    missing: dict[str, list[tuple[TierFound, Sequence[Verdict]]]] = {}
    for (model, name, metric), gates in run.gates.items():
        bounding = [gate for gate in gates if gate.value is not None and (gate.min, gate.max) != (None, None)]
        if name.split("/")[0] == suite and any(gate.gate not in shown for gate in bounding):
            tier = tiers.get((model, name)) or _of_gate(suite, bounding[0])
            missing.setdefault(metric, []).append((tier, gates))
    found = []
    for metric, rows in missing.items():
        rows.sort(key=lambda row: all(gate.verdict not in BAD for gate in row[1]))
        note = "Value, interval and limit where no other chart has them."
        if len(rows) > ROWS:
            left = sum(any(gate.verdict in BAD for gate in gates) for _, gates in rows[ROWS:])
            rest = f"{left} of them did not pass" if left else "all of them passed"
            note += f" {len(rows) - ROWS} more are in the list of tiers: {rest}."
        chart = new_chart(f"Gates on {words(metric)}, {suite}", "rows", [words(metric)], metric, note)
        for tier, _ in rows[:ROWS]:
            add(run, chart, tier, named(run, tier, short(tier.tier)), 0, metric)
        found.append(chart)
    return found


def _of_gate(suite: str, gate: Verdict) -> TierFound:
    """What a gate speaks about that is no tier, such as a whole suite."""
    known = {} if gate.value is None else {gate.metric: gate.value}
    return TierFound(suite, gate.tier, gate.model, gate.expected, gate.measured, gate.inapplicable, {}, known)
