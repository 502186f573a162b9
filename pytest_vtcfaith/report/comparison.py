"""Two sets of scores side by side: what a new baseline changes, and what two runs differ in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pytest_vtcfaith.gating.flips import case_metric, describe_flips, find_flips
from pytest_vtcfaith.gating.provenance import describe_changes
from pytest_vtcfaith.report.worddiff import visible
from pytest_vtcfaith.suites.base import Suite


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows in columns as wide as their widest cell."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return [visible(line.rstrip()) for line in lines]


def number(value: Any) -> str:
    """A metric's value, `–` where there is none."""
    return f"{value:.4f}" if isinstance(value, int | float) else "–"


def baseline_changes(
    suite: Suite, old: Mapping[str, Any] | None, new: Mapping[str, Any], gated: Sequence[str]
) -> list[str]:
    """What accepting changes in a tier: old → new of every metric that changes, cases that flip, and around the model.

    `old` and `new` are records of baselines, None where there is none that can be trusted; of a new one the `gated`
    metrics are shown, and of these the cases that flip.
    """
    before: Mapping[str, Any] = {} if old is None else old["metrics"]
    now = new["metrics"]
    cells = [
        ("", name, number(before.get(name)), "→", number(now.get(name)), _direction(suite, name, before, now))
        for name in suite.metrics
        if name in now or name in before
        if before.get(name) != now.get(name) and (old is not None or name in gated)
    ]
    lines = table(cells) if cells else []
    if old is None:
        return lines
    named = dict.fromkeys(case_metric(name, suite.case_metrics) for name in gated)
    said: set[str] = set()
    for name in named:
        direction = -1 if name is None else suite.case_metrics[name]
        flips = describe_flips(find_flips(old["cases"], new["cases"], name, direction))
        if flips and flips not in said:
            said.add(flips)
            lines += [f"  {name or 'outcome'}:", *(f"  {line}" for line in flips.split("\n"))]
    around = describe_changes(old.get("provenance", {}), new.get("provenance", {}))
    return [*lines, *([f"  {around}"] if around else [])]


def _direction(suite: Suite, name: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    if name not in before:
        return "new"
    if name not in now:
        return "gone"
    better = (now[name] - before[name]) * suite.metrics[name].better
    return "better" if better > 0 else "worse" if better < 0 else ""


def comparison_table(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Rows of `plugin.versus.compare_runs` as lines."""
    head = ("tier", "metric", "A", "B", "loss", "95 % interval", "documents", "worse", "better")
    cells = [
        (
            row["tier"],
            row["metric"],
            number(row["a"]),
            number(row["b"]),
            _signed(row["loss"]),
            "–" if row["low"] is None else f"{row['low']:+.4f} to {row['high']:+.4f}",
            str(row["documents"]),
            str(len(row["worse"])),
            str(len(row["better"])),
        )
        for row in rows
    ]
    return table([head, *cells])


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value + 0.0:+.4f}"
