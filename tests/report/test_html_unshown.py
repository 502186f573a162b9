"""Every value that a gate bounds stands on a chart with its limit, whatever suite and metric it is of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from made_html import html_run
from made_views import verdict, view

from pytest_vtcfaith.gating.judge import Verdict
from pytest_vtcfaith.gating.thresholds import load_thresholds
from pytest_vtcfaith.report.html import TierFound
from pytest_vtcfaith.report.html.charts import charts_of
from pytest_vtcfaith.report.html.overview import overview
from pytest_vtcfaith.report.html.unshown import ROWS
from pytest_vtcfaith.suites import load_suite, suite_names

THRESHOLDS = Path(__file__).resolve().parents[2] / "benchmark_cases" / "thresholds.toml"
TIERS = {
    "rewriting": ("en/original", "en/visual", "en/scramble", "zh/random", "ko/visual/no_correct"),
    "preservation": (
        *("glyph/5x/natural", "glyph/10x/uniform", "glyph/10x/zerosense", "glyph/10x/natural-at-zerosense"),
        *("fox/5x/natural", "fox/17.5x/zerosense", "omni/5x/natural", "omni/10x/zerosense", "template/5x/natural"),
    ),
    "editing": ("text/delete/en", "text/delete/zh", "table/structure/en", "global/table/structure/en"),
    "compression": ("full", "downsample/2x", "downsample/2x/count"),
    "reasoning": ("rendering/64", "rendering/128", "facts", "long-context", "mathematics/level-1"),
}


def drawn(tiers: Sequence[str], gates: Sequence[Verdict], **fields: Any) -> list[dict[str, Any]]:
    """The charts of tiers with the values that their gates speak about."""
    found = []
    for name in tiers:
        metrics = {gate.metric: gate.value for gate in gates if gate.tier == name and gate.value is not None}
        sums = {"d": {key: v for m, n in metrics.items() for key, v in ((m, 4 * n), (f"{m}#", 4.0))}}
        columns = dict.fromkeys(metrics, sums) if name.startswith("editing/") else {}
        found.append(TierFound(name.partition("/")[0], name, "m", 4, 4, 0, {}, metrics, columns))
    suites = {"suites": {tier.suite: load_suite(tier.suite) for tier in found if tier.suite in suite_names()}} | fields
    return charts_of(html_run([], Path(), tiers=found, view=view(*gates), **suites))


@pytest.mark.parametrize("suite", sorted(TIERS))
def test_every_bound_of_the_bundled_thresholds_is_drawn(suite: str) -> None:
    rules = load_thresholds(THRESHOLDS)
    gates: list[Verdict] = []
    for name in (f"{suite}/{tier}" for tier in TIERS[suite]):
        for _, rule in rules.gates(name):
            if (rule.min, rule.max) != (None, None):
                limit = 0.01 * (len(gates) + 1)  # known again by its limit
                gates.append(verdict(gate=f"{name}-{rule.metric}", tier=name, metric=rule.metric, value=0.5, max=limit))
    charts = drawn([f"{suite}/{tier}" for tier in TIERS[suite]], gates)
    limits = {limit["y"] for chart in charts for limit in chart["limits"]}
    assert [(gate.tier, gate.metric) for gate in gates if gate.max not in limits] == []
    assert gates


@pytest.mark.parametrize("layout", ["omni", "fox", "template-mine"])
def test_what_a_layout_is_gated_by_is_drawn_over_the_ratio(layout: str) -> None:
    names = [f"preservation/{layout}/{ratio}x/natural" for ratio in ("5", "10")]
    gates = [
        verdict("fail", gate=f"g{n}", tier=name, metric="word_f1", value=0.5 + n / 10, min=0.9, max=None)
        for n, name in enumerate(names)
    ]
    (chart,) = drawn(names, gates)
    assert (chart["title"], chart["kind"]) == (f"Word f1 by compression ratio, {layout} layout", "line")
    (series,) = chart["series"]  # no published one: those are word accuracies
    assert [(p["y"], p["bad"]) for p in series["points"]] == [(0.5, True), (0.6, True)]
    assert [(limit["x"], limit["y"], limit["side"]) for limit in chart["limits"]] == [(0, 0.9, "min"), (1, 0.9, "min")]
    assert "ZeroSense" not in chart["note"]


def test_tiers_and_metrics_of_a_suite_of_ones_own() -> None:
    gate = verdict("fail", tier="mine/pages/a4", metric="my_score", value=0.4, low=0.3, high=0.5, min=0.6, max=None)
    (chart,) = drawn(["mine/pages/a4"], [gate], suites={})
    assert (chart["title"], chart["y"]) == ("Gates on my score, mine", "my_score")
    (series,) = chart["series"]
    (point,) = series["points"]
    assert (series["name"], point["y"], point["low"], point["high"], point["bad"]) == ("pages a4", 0.4, 0.3, 0.5, True)
    assert chart["limits"] == [{"x": 0, "y": 0.6, "side": "min", "series": "pages a4"}]


def test_those_that_did_not_pass_stand_first_and_the_rest_is_counted() -> None:
    names = [f"mine/{n}" for n in range(ROWS + 9)]
    words = ["pass"] * (ROWS + 7) + ["fail", "inconclusive"]
    gates = [verdict(word, gate=name, tier=name, metric="my_score") for word, name in zip(words, names, strict=True)]
    (chart,) = drawn(names, gates, suites={})
    rows = [series["name"] for series in chart["series"]]
    assert rows == [str(ROWS + 7), str(ROWS + 8), *map(str, range(ROWS - 2))]
    assert chart["note"].endswith("9 more are in the list of tiers: all of them passed.")
    failing = [verdict("fail", gate=name, tier=name, metric="my_score") for name in names]
    (chart,) = drawn(names, failing, suites={})
    assert chart["note"].endswith("9 more are in the list of tiers: 9 of them did not pass.")


def test_a_gate_on_a_whole_suite_is_drawn_and_a_loss_is_not() -> None:
    whole = verdict("fail", tier="mine", metric="inapplicable", value=0.8, max=0.5)
    unmeasured = verdict("not_measured", gate="g", tier="mine/a", metric="my_score", value=None)
    (chart,) = drawn(["mine/a"], [whole, unmeasured], suites={})
    assert (chart["title"], chart["series"][0]["name"]) == ("Gates on inapplicable, mine", "mine")
    assert drawn(["mine/a"], [verdict(gate="g", tier="mine/a", metric="my_score", max=None)], suites={}) == []


@pytest.mark.parametrize(
    ("gates", "shown", "bound"),
    [
        (("teds",), "teds", 0.8),
        (("teds", "edit_fidelity"), "edit_fidelity", 0.8),
        ((), "edit_fidelity", None),
    ],
)
def test_a_tier_that_passed_shows_a_metric_that_was_judged(
    gates: Sequence[str], shown: str, bound: float | None
) -> None:
    name = "editing/global/table/delete/en"
    tier = TierFound("editing", name, "m", 4, 4, 0, {}, {"edit_fidelity": 0.9, "teds": 0.9})
    judged = [verdict(tier=name, metric=metric, value=0.9, min=0.8, max=None) for metric in gates]
    suites = {"editing": load_suite("editing")}
    (row,) = overview(html_run([], Path(), tiers=[tier], view=view(*judged), suites=suites), [], {})["tiers"]
    assert (row["metric"], row["value"], row["min"]) == (shown, 0.9, bound)
