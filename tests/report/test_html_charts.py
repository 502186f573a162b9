"""The charts are the curves of the papers, from the numbers of the tiers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_html import html_run
from made_views import verdict, view

from pytest_vtcfaith.gating.judge import GateSubject, judge_threshold
from pytest_vtcfaith.gating.thresholds import GateRule
from pytest_vtcfaith.published import load_table, published_value
from pytest_vtcfaith.report.html import HtmlRun, TierFound
from pytest_vtcfaith.report.html.charts import charts_of
from pytest_vtcfaith.report.html.published import PROBED
from pytest_vtcfaith.suites import load_suite
from pytest_vtcfaith.suites.base import value
from pytest_vtcfaith.suites.case import Case, CaseScore


def tier(name: str, model: str = "m", **metrics: float) -> TierFound:
    """A tier of four documents; one of the editing suite with the sums that its metrics are computed from."""
    sums = {"d": {key: value for m, v in metrics.items() for key, value in ((m, 4 * v), (f"{m}#", 4.0))}}
    columns = dict.fromkeys(metrics, sums) if name.startswith("editing/") else {}
    return TierFound(name.partition("/")[0], name, model, 4, 4, 0, {}, metrics, columns)


def run_of(*tiers: TierFound, **fields: Any) -> HtmlRun:
    known = ("preservation", "rewriting", "editing")
    suites = {t.suite: load_suite(t.suite) for t in tiers if t.suite in known}
    return html_run([], Path(), tiers=tiers, suites=suites, **fields)


def points(chart: dict[str, Any], name: str) -> dict[str, float]:
    (series,) = (series for series in chart["series"] if series["name"] == name)
    return {chart["x"][point["x"]]: point["y"] for point in series["points"]}


def names(chart: dict[str, Any]) -> list[str]:
    return [series["name"] for series in chart["series"]]


def test_accuracy_over_ratio_by_source_and_layout_beside_the_published_systems() -> None:
    tiers = [
        tier(f"preservation/{layout}/{ratio}x/{source}", word_accuracy=value)
        for layout, ratio, source, value in (
            ("fox", "12.5", "zerosense", 0.25),
            ("fox", "5", "zerosense", 0.75),
            ("fox", "5", "natural", 0.9),
            ("glyph", "5", "natural", 0.95),
        )
    ]
    matched = tier("preservation/fox/5x/natural-at-zerosense", word_accuracy=0.5)
    bucket = tier("preservation/fox/5x/zerosense/200-400", word_accuracy=0.5)
    fox, glyph = charts_of(run_of(*tiers, matched, bucket))
    assert fox["x"] == ["5×", "12.5×"]
    assert points(fox, "zerosense") == {"5×": 0.75, "12.5×": 0.25}
    assert points(fox, "natural") == {"5×": 0.9}
    assert points(glyph, "natural") == {"5×": 0.95}
    grey = points(fox, "DeepSeek-OCR, zerosense")
    for ratio in fox["x"]:
        printed = published_value("zerosense", "A4", "DeepSeek-OCR · ZeroSense", "FOX layout", ratio)
        assert printed is not None
        assert grey[ratio] == float(printed) / 100
    assert {s["name"] for s in fox["series"] if not s.get("published")} == {"zerosense", "natural"}


@pytest.mark.parametrize(
    ("layout", "printed", "controls"),
    [
        ("fox", "FOX layout", {"FOX text": "FOX"}),
        ("omni", "Omni layout", {"OmniDocBench text": "Omni"}),
        ("glyph", "Glyph rendering", {"FOX text": "FOX", "OmniDocBench text": "Omni"}),
    ],
)
def test_published_natural_texts_stand_by_their_name_on_their_layout(
    layout: str, printed: str, controls: dict[str, str]
) -> None:
    (chart,) = charts_of(run_of(tier(f"preservation/{layout}/5x/natural", word_accuracy=0.9)))
    grey = [s["name"] for s in chart["series"] if s.get("published") and s["name"].startswith("DeepSeek-OCR, ")]
    assert set(grey) == {f"DeepSeek-OCR, {name}" for name in ("zerosense", *controls)}
    for name, column in controls.items():
        value = published_value("zerosense", "A4", f"DeepSeek-OCR · {column}", printed, "5×")
        assert value is not None
        assert points(chart, f"DeepSeek-OCR, {name}") == {"5×": float(value) / 100}


def test_limits_and_intervals_of_gates_stand_at_their_place() -> None:
    tiers = [tier(f"rewriting/en/{kind}", rewrite_rate=rate) for kind, rate in (("scramble", 0.0), ("visual", 0.1))]
    gate = verdict("fail", tier="rewriting/en/visual", value=0.1, low=0.06, high=0.15, max=0.05)
    chart = charts_of(run_of(*tiers, view=view(gate)))[0]
    assert chart["limits"] == [{"x": 1, "y": 0.05, "side": "max", "series": "m"}]
    first, second = chart["series"][0]["points"]
    assert (second["low"], second["high"], second["bad"]) == (0.06, 0.15, True)
    assert "low" not in first


def test_rewriting_draws_rates_added_errors_and_lengths() -> None:
    tiers = [
        tier("rewriting/en/original", wer=0.01),
        tier(
            "rewriting/en/visual", delta_wer=1.5, rewrite_rate=0.1, **{"rewrite_rate@4": 0.2, "rewrite_rate@10+": 0.0}
        ),
        tier("rewriting/ko/visual", delta_wer=2.5, rewrite_rate=0.3),
    ]
    rates, english, korean, lengths = charts_of(run_of(*tiers))
    assert points(rates, "m") == {"en visual": 0.1, "ko visual": 0.3}
    assert points(english, "m") == {"visual": 1.5}
    assert points(korean, "m") == {"visual": 2.5}
    assert lengths["title"].endswith(", en")
    assert points(lengths, "visual") == {"4": 0.2, "10+": 0.0}


@pytest.mark.parametrize(
    ("lang", "number", "rate"), [("en", "2", "WER"), ("zh", "3", "CER"), ("ko", "4", "WER")], ids=["en", "zh", "ko"]
)
def test_added_errors_stand_beside_the_published_systems_of_the_language(lang: str, number: str, rate: str) -> None:
    kinds = ("random", "visual")
    (chart,) = charts_of(run_of(*(tier(f"rewriting/{lang}/{kind}", delta_wer=0.5) for kind in kinds)))
    assert names(chart)[0] == "m"
    assert names(chart)[1:] == [row.keys["model"] for row in load_table("faithc4", number).rows]
    assert all(series["published"] for series in chart["series"][1:])
    assert f"Table {number}" in chart["note"]
    for kind in kinds:
        printed = published_value("faithc4", number, f"Δ{rate} · {kind.capitalize()}", "Gemma4-E2B")
        assert points(chart, "Gemma4-E2B")[kind] == float(printed or 0)


def test_a_perturbation_has_one_place_in_every_language() -> None:
    found = [("en", "scramble"), ("en", "visual"), ("en", "random"), ("zh", "visual"), ("zh", "random")]
    english, chinese = charts_of(run_of(*(tier(f"rewriting/{lang}/{kind}", delta_wer=0.5) for lang, kind in found)))
    assert english["x"][:2] == chinese["x"] == ["random", "visual"]


def test_prompts_that_forbid_correction_stand_beside_the_published_ones() -> None:
    tiers = [tier(f"rewriting/en/visual{asked}", delta_wer=1.0) for asked in ("", "/no_correct")]
    (chart,) = charts_of(run_of(*tiers))
    assert names(chart)[:2] == ["m", "no_correct"]
    assert points(chart, "Qwen3-VL-4B, no_correct") == {"visual": 1.33}
    assert not [name for name in names(chart) if "think" in name or "baseline" in name]


def test_shares_and_rates_of_rewritten_words_beside_the_published_ones() -> None:
    tiers = [
        tier(f"rewriting/en/{kind}", rewrite_share=0.5, rewrite_rate=0.1, **{"rewrite_rate@8-9": 0.0})
        for kind in ("visual", "scramble")
    ]
    rates, shares, lengths = charts_of(run_of(*tiers))
    assert points(rates, PROBED) == {"en visual": 0.06, "en scramble": 0.049}
    assert points(shares, "m") == {"visual": 0.5, "scramble": 0.5}
    assert points(shares, "Gemini-2.5-Flash") == {"scramble": 0.6455}
    assert points(lengths, PROBED) == {"4": 0.076, "5": 0.083, "6": 0.1, "7": 0.032, "8-9": 0.0, "10+": 0.0}


def test_limits_of_rows_belong_to_their_row() -> None:
    gate = verdict("fail", tier="rewriting/en/visual", metric="delta_wer", value=3.0, max=2.0)
    tiers = [tier("rewriting/en/visual", delta_wer=3.0), tier("rewriting/en/visual/no_correct", delta_wer=1.0)]
    (chart,) = charts_of(run_of(*tiers, view=view(gate)))
    assert chart["limits"] == [{"x": 0, "y": 2.0, "side": "max", "series": "m"}]


def test_several_models_are_told_apart() -> None:
    tiers = [tier("rewriting/en/visual", model=model, rewrite_rate=rate) for model, rate in (("a", 0.1), ("b", 0.2))]
    chart = charts_of(run_of(*tiers, view=view(models=["a", "b"])))[0]
    assert [(s["name"], s["points"][0]["y"]) for s in chart["series"]] == [
        *(("a", 0.1), ("b", 0.2)),
        (PROBED, 0.06),
    ]


def test_editing_draws_properties_by_operation_beside_the_published_editors() -> None:
    numbers = {"text_correctness": 0.5, "localization": 0.25, "cdm_global_published": 0.9}
    tiers = [
        tier("editing/text/modify/en", **numbers),
        tier("editing/text/modify/zh", **{**numbers, "text_correctness": 1.0}),
        tier("editing/table/structure/en", **numbers),
        tier("editing/local/text/modify/en", **{**numbers, "text_correctness": 0.0}),
    ]
    properties, text = charts_of(run_of(*tiers))
    assert points(properties, "modify") == {"text correctness": 0.75, "localization": 0.25}
    assert points(text, "m") == pytest.approx({"modify": 0.9, "structure": 0.9})
    assert points(text, "Qwen") == {"modify": 0.850, "structure": 0.925}


def test_limits_stand_at_the_series_that_they_bind() -> None:
    gates = [
        verdict(
            "fail",
            tier="editing/text/modify/en",
            metric="localization",
            value=0.2,
            min=0.9,
            max=None,
            low=0.1,
            high=0.3,
        ),
        verdict("pass", tier="editing/text/modify/zh", metric="localization", value=0.4, min=0.8, max=None),
        verdict(
            "pass", tier="editing/text/add/en", metric="localization", value=0.7, min=0.6, max=None, low=0.6, high=0.8
        ),
        verdict("fail", tier="editing/text/add/en", metric="cdm_global_published", value=0.7, min=0.75, max=None),
    ]
    tiers = [
        tier("editing/text/modify/en", localization=0.2),
        tier("editing/text/modify/zh", localization=0.4),
        tier("editing/text/add/en", localization=0.7, cdm_global_published=0.7),
    ]
    shown = view(*gates)
    properties, text = charts_of(run_of(*tiers, view=shown))
    place = properties["x"].index("localization")
    assert [(limit["series"], limit["x"], limit["y"]) for limit in properties["limits"]] == [
        ("modify", place, 0.9),
        ("modify", place, 0.8),
        ("add", place, 0.6),
    ]
    (mean,), (single,) = (series["points"] for series in properties["series"])
    assert (mean["y"], mean["bad"]) == (pytest.approx(0.3), True)
    assert mean["failed"] == [["text modify en", "fail", 0.2, "at least 0.9"]]
    assert "failed" not in single
    assert (single["low"], single["high"], single.get("bad")) == (0.6, 0.8, None)
    assert text["limits"] == [{"x": 0, "y": 0.75, "side": "min", "series": "m"}]
    assert (text["kind"], names(text)[:2]) == ("rows", ["m", load_table("vde", "7").columns[0]])


def test_a_limit_of_one_group_is_not_one_of_the_other() -> None:
    gate = verdict("fail", tier="compression/full", metric="accuracy_difficult", value=0.2, min=0.5, max=None)
    own = tier("compression/full", accuracy=0.5, accuracy_difficult=0.2, accuracy_simple=0.75)
    chart = charts_of(run_of(own, view=view(gate)))[0]
    assert [limit["series"] for limit in chart["limits"]] == ["A, difficult"]


def test_group_a_stands_against_group_b_by_how_much_is_left() -> None:
    tiers = [
        tier("compression/downsample/2x", accuracy=0.5, accuracy_difficult=0.25, accuracy_simple=0.75),
        tier("compression/downsample/2x/count", accuracy=0.1),
        tier("compression/full", accuracy=1.0),
    ]
    chart, half = charts_of(run_of(*tiers))
    assert chart["x"] == ["full", "downsample 2x"]
    assert points(chart, "A, difficult") == {"downsample 2x": 0.25}
    assert points(chart, "B, simple") == {"downsample 2x": 0.75}
    assert points(chart, "all questions") == {"full": 1.0, "downsample 2x": 0.5}
    assert names(half)[0] == "reduced pictures"
    assert points(half, "reduced pictures") == {"A, difficult": 0.25, "B, simple": 0.75}
    assert points(half, "FastV, ChartQA") == pytest.approx({"A, difficult": 164 / 469, "B, simple": 1226 / 1570})
    assert len(names(half)) == 9


@pytest.mark.parametrize(
    ("kept", "fraction"), [(0.25, "1/4"), (0.1111, "1/9"), (0.0101, "1/100"), (0.2, ""), (1.0, "")]
)
def test_a_method_stands_beside_those_that_keep_as_much(kept: float, fraction: str) -> None:
    own = tier("compression/full", kept_tokens=kept, accuracy=0.5, accuracy_difficult=0.25, accuracy_simple=0.75)
    _, *beside = charts_of(run_of(own))
    assert [chart["title"] for chart in beside] == (
        [f"Groups A and B at {fraction} of the visual tokens"] * bool(fraction)
    )
    for chart in beside:
        assert names(chart)[0] == "m"
        assert len(names(chart)) == 9


def test_answers_stand_against_steps_beside_the_published_illustrators() -> None:
    tiers = [
        tier("reasoning/facts", answer_score=0.5, process_score=0.25),
        tier("reasoning/mathematics/level-1", answer_score=0.75, process_score=0.5),
    ]
    facts, mathematics = charts_of(run_of(*tiers))
    assert points(facts, "m") == {"S_a, answers": 0.5, "S_p, steps": 0.25}
    assert points(facts, "Gemini") == {"S_p, steps": 0.319}
    assert "levels" not in facts["note"]
    assert points(mathematics, "level 1") == {"S_a, answers": 0.75, "S_p, steps": 0.5}
    assert points(mathematics, "Gemini") == {"S_a, answers": 0.761, "S_p, steps": 0.419}
    assert points(mathematics, "GPT-5.2, as text") == {"S_a, answers": 0.934, "S_p, steps": 0.969}
    assert "of all levels" in mathematics["note"]


def test_an_unknown_suite_has_its_first_metric_by_tier() -> None:
    tiers = [TierFound("other", f"other/{n}", "m", 4, 4, 0, {}, {"rewrite_rate": n / 10}) for n in range(3)]
    (chart,) = charts_of(html_run([], Path(), tiers=tiers, suites={"other": load_suite("rewriting")}))
    assert points(chart, "m") == {"0": 0.0, "1": 0.1, "2": 0.2}


def test_nothing_to_draw_is_no_chart() -> None:
    assert charts_of(run_of(tier("rewriting/en/visual"))) == []


def scored(tier_name: str, number: int, documents: int, **metrics: float) -> list[CaseScore]:
    """Scores of editing cases of one tier, all different."""
    return [
        CaseScore(
            Case(f"{tier_name}-{n}", "editing", tier_name, f"doc-{n % documents}", "en", "", Path("x.jsonl"), n),
            "m",
            "complete",
            {name: value * ((7 * n) % 5) / 4 for name, value in metrics.items()},
        )
        for n in range(number)
    ]


def found_of(tier_name: str, scores: list[CaseScore]) -> TierFound:
    suite = load_suite("editing")
    summary = suite.summarise(tier_name, scores)
    known = {name: value(metric, summary.columns) for name, metric in suite.metrics.items()}
    numbers = {name: number for name, number in known.items() if number is not None}
    columns = dict.fromkeys(numbers, summary.columns)
    return TierFound("editing", tier_name, "m", len(scores), len(scores), 0, {}, numbers, columns)


def test_a_point_of_several_tiers_has_the_interval_that_a_gate_of_them_together_has() -> None:
    names_of = ("editing/text/modify/en", "editing/text/modify/zh", "editing/text/modify/ko")
    scores = {name: scored(name, 11 + 3 * n, 6, localization=0.9 - n / 5) for n, name in enumerate(names_of)}
    tiers = [found_of(name, own) for name, own in scores.items()]
    properties, *_ = charts_of(run_of(*tiers, about={"seed": 7}))
    ((point,),) = (s["points"] for s in properties["series"])
    together = [replace(s, case=replace(s.case, tier=names_of[0])) for own in scores.values() for s in own]
    suite = load_suite("editing")
    summary = suite.summarise(names_of[0], together)
    rule = GateRule(where="editing/*", metric="localization", min=0.0)
    gate = judge_threshold(GateSubject("g", "m", summary), suite.metrics["localization"], rule, seed=7)
    assert gate.low is not None
    assert gate.low < gate.value < gate.high  # type: ignore[operator]
    assert (point["y"], point["low"], point["high"]) == pytest.approx((gate.value, gate.low, gate.high), abs=1e-12)
    assert point["n"] == len(together)


def test_a_point_without_a_gate_has_the_interval_that_one_would_give_it() -> None:
    name = "editing/text/modify/en"
    own = found_of(name, scored(name, 12, 5, localization=0.9))
    suite = load_suite("editing")
    rule = GateRule(where="editing/*", metric="localization", min=0.0)
    summary = suite.summarise(name, scored(name, 12, 5, localization=0.9))
    gate = judge_threshold(GateSubject("g", "m", summary), suite.metrics["localization"], rule, seed=3)
    for gates in ((), (gate,)):
        properties, *_ = charts_of(run_of(own, view=view(*gates), about={"seed": 3}))
        ((point,),) = (s["points"] for s in properties["series"])
        assert (point["low"], point["high"]) == (gate.low, gate.high)
