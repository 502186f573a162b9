"""The charts of the overview as plain data: the curves that the papers draw, for the suites that have them.

A chart is `{title, note, kind, x, y, series, limits}`: `kind` is `line`, `bar` or `rows` (a row for each series, with a
mark for each place), `x` the labels of the places on the axis, `y` the name of the metric, `series` lists of points
`{x, y, low, high, n, of}` (x: place; n of what) under a `name`, and `limits` what gates ask for: `{x, y, side,
series}`, side `min` or `max`, of the series of that name at place x, and of no other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.gating.statistics import Interval
from pytest_vtcfaith.report.html.counted import counted
from pytest_vtcfaith.report.html.intervals import interval_of
from pytest_vtcfaith.report.html.published import (
    accuracy_by_ratio,
    added_errors,
    answers_and_steps,
    compressed_groups,
    edits_by_operation,
    probed_lengths,
    probed_rates,
    rewrite_shares,
)

if TYPE_CHECKING:
    from pytest_vtcfaith.gating.judge import Verdict
    from pytest_vtcfaith.report.html.run import HtmlRun, TierFound

Chart = dict[str, Any]
PLACES = 24
"""Most places of a chart that was not made for its suite."""
MOST = {"line": 12, "bar": 6}
"""Most series of a chart of a kind that can be told apart without colour; more stand in further charts."""
NEAR_RATIO = 0.05
"""By this share the tokens that a method kept may differ from 1 ÷ r²: they are rounded for each picture."""


def charts_of(run: HtmlRun) -> list[Chart]:
    """All charts that the run has data for, by suite."""
    found: list[Chart] = []
    for suite in sorted({tier.suite for tier in run.tiers}):
        own = [tier for tier in run.tiers if tier.suite == suite]
        made = [chart for draw in _DRAWN.get(suite, (_primary,)) for chart in draw(run, own)]
        shown = [{**chart, "suite": suite} for chart in made if any(s["points"] for s in chart["series"])]
        found += [part for chart in shown for part in _parts(chart)]
    return found


def _parts(chart: Chart) -> list[Chart]:
    """A chart with more series than can be told apart in charts beside one another, the published systems in each."""
    own = [s for s in chart["series"] if not s.get("published")]
    grey = [s for s in chart["series"] if s.get("published")]
    most = MOST.get(chart["kind"], len(own))
    if len(own) <= most:
        return [chart]
    number = -(-len(own) // most)
    size = -(-len(own) // number)
    parts = [own[start : start + size] for start in range(0, len(own), size)]
    return [
        {
            **chart,
            "title": f"{chart['title']} ({place} of {len(parts)})",
            "series": part + grey,
            "limits": [limit for limit in chart["limits"] if limit["series"] in {s["name"] for s in part}],
        }
        for place, part in enumerate(parts, 1)
    ]


def _primary(run: HtmlRun, tiers: Sequence[TierFound]) -> list[Chart]:
    """For a suite without charts of its own: its first metric, a bar for each tier."""
    metric = run.suites[tiers[0].suite].primary if tiers and tiers[0].suite in run.suites else ""
    names = list(dict.fromkeys(t.tier for t in tiers if metric in t.metrics))[:PLACES]
    places = {name: n for n, name in enumerate(names)}
    chart = _chart(f"{_words(metric)} by tier", "bar", [_short(name) for name in names], metric)
    for tier in tiers:
        if tier.tier in places:
            _add(run, chart, tier, tier.model, places[tier.tier], metric)
    return [chart]


def _accuracy(run: HtmlRun, tiers: Sequence[TierFound]) -> list[Chart]:
    """Preservation: word accuracy over the compression ratio, a chart for each layout, a line for each source."""
    found = []
    parts = {tier.tier: tier.tier.split("/") for tier in tiers}
    whole = [t for t in tiers if len(parts[t.tier]) == 4 and "-at-" not in parts[t.tier][3]]
    for layout in dict.fromkeys(parts[t.tier][1] for t in whole):
        own = [t for t in whole if parts[t.tier][1] == layout]
        ratios = sorted({parts[t.tier][2] for t in own}, key=lambda text: float(text.removesuffix("x") or 0))
        chart = _chart(
            f"Word accuracy by compression ratio, {layout} layout",
            "line",
            [f"{ratio.removesuffix('x')}×" for ratio in ratios],
            "word_accuracy",
            "Text tokens of the page ÷ visual tokens. Grey: ZeroSense, Table A4.",
        )
        for tier in own:
            name = _named(run, tier, parts[tier.tier][3])
            _add(run, chart, tier, name, ratios.index(parts[tier.tier][2]), "word_accuracy")
        chart["series"] += accuracy_by_ratio(layout, ratios)
        found.append(chart)
    return found


def _delta(run: HtmlRun, tiers: Sequence[TierFound]) -> list[Chart]:
    """Rewriting: the error rate that a perturbation adds, a chart for each language."""
    found = []
    for lang, own in _by_language(tiers, "delta_wer").items():
        conditions = _conditions(own)
        rate, number = {"zh": ("character", "3"), "ko": ("word", "4")}.get(lang, ("word", "2"))
        chart = _chart(
            f"Errors added by a perturbation, {lang} (ΔWER)",
            "rows",
            conditions,
            "delta_wer",
            f"Points of the {rate} error rate above unperturbed pages. Grey: FaithC4, Table {number}, its own pages.",
        )
        for tier in own:
            _, _, condition, *asked = tier.tier.split("/")
            _add(run, chart, tier, _named(run, tier, " ".join(asked)), conditions.index(condition), "delta_wer")
        prompts = [tier.tier.split("/")[3] for tier in own if tier.tier.count("/") == 3]
        chart["series"] += added_errors(lang, conditions, prompts)
        found.append(chart)
    return found


def _shares(run: HtmlRun, tiers: Sequence[TierFound]) -> list[Chart]:
    """Rewriting: of the English words that were not read as printed, the share that came back as the original."""
    own = _by_language(tiers, "rewrite_share").get("en", [])
    conditions = _conditions(own)
    if "scramble" not in conditions:
        return []
    chart = _chart(
        "Misread perturbed words that became the original, en",
        "rows",
        conditions,
        "rewrite_share",
        "Share of the perturbed words not read verbatim, which may be few. Grey: FaithC4, Table 5, scramble only.",
    )
    for tier in own:
        _, _, condition, *asked = tier.tier.split("/")
        _add(run, chart, tier, _named(run, tier, " ".join(asked)), conditions.index(condition), "rewrite_share")
    chart["series"] += rewrite_shares(conditions.index("scramble"))
    return [chart]


def _conditions(tiers: Sequence[TierFound]) -> list[str]:
    """Perturbations of the tiers; scramble last, so that in Chinese, which has none, the others keep their shapes."""
    return sorted({tier.tier.split("/")[2] for tier in tiers}, key=lambda name: (name == "scramble", name))


def _by_language(tiers: Sequence[TierFound], metric: str) -> dict[str, list[TierFound]]:
    return _grouped([t for t in tiers if metric in t.metrics and t.tier.split("/")[2:3] != ["original"]], 1)


def _rates(run: HtmlRun, tiers: Sequence[TierFound]) -> list[Chart]:
    """Rewriting: the share of perturbed words that came back as the original, the suite's main number."""
    own = [t for t in tiers if "rewrite_rate" in t.metrics]
    names = list(dict.fromkeys("/".join(t.tier.split("/")[1:3]) for t in own))
    chart = _chart(
        "Perturbed words rewritten to the original",
        "bar",
        [name.replace("/", " ") for name in names],
        "rewrite_rate",
        "Share of all perturbed words of the tier. Grey: FaithC4, Table 8, a model asked for single highlighted words.",
    )
    for tier in own:
        _, lang, condition, *asked = tier.tier.split("/")
        _add(run, chart, tier, _named(run, tier, " ".join(asked)), names.index(f"{lang}/{condition}"), "rewrite_rate")
    chart["series"] += probed_rates(names)
    return [chart]


def _lengths(run: HtmlRun, tiers: Sequence[TierFound]) -> list[Chart]:
    """Rewriting: the rewrite rate by the length of the perturbed word, a chart for each language."""
    head = "rewrite_rate@"
    names = [name for name in run.suites["rewriting"].metrics if name.startswith(head)]
    lengths = [name.removeprefix(head) for name in names]
    found = []
    for lang, own in _grouped([t for t in tiers if any(name in t.metrics for name in names)], 1).items():
        note = "Characters of the original word; share of the perturbed words of that length."
        if lang == "en":
            note += " Grey: FaithC4, Table 10, scrambled words asked for one by one."
        chart = _chart(f"Rewritten words by length, {lang}", "line", lengths, "rewrite_rate", note)
        for tier in own:
            label = _named(run, tier, " ".join(tier.tier.split("/")[2:]))
            for place, name in enumerate(names):
                _add(run, chart, tier, label, place, name)
        if lang == "en":
            chart["series"] += probed_lengths(lengths)
        found.append(chart)
    return found


def _properties(run: HtmlRun, tiers: Sequence[TierFound]) -> list[Chart]:
    """Editing: the properties of an edit by operation, and the text score of the page beside the published editors."""
    names = ("text_correctness", "visual_fidelity", "preservation_outside", "localization", "completeness")
    cdm = "cdm_global_published"
    tiers = [t for t in tiers if t.tier.count("/") == 3]  # the finer ones hold the same cases again
    found = []
    for model in dict.fromkeys(t.model for t in tiers):
        own = [t for t in tiers if t.model == model and any(name in t.metrics for name in names)]
        chart = _chart(
            "Properties of an edit by operation" + (f", {model}" if len(run.view.models) > 1 else ""),
            "bar",
            [_words(name) for name in names],
            "edit_fidelity",
            "Mean of all cases of an operation; a limit is that of each tier. 1 is perfect.",
        )
        for operation, group in _grouped(own, 2).items():
            for place, name in enumerate(names):
                _mean(run, chart, group, operation, place, name)
        found.append(chart)
    operations = list(_grouped([t for t in tiers if cdm in t.metrics], 2))
    title = "Text of the whole page after the edit (CDM as published)"
    chart = _chart(title, "rows", operations, cdm, "Grey: VDE Bench, Table 7.")
    for model in dict.fromkeys(t.model for t in tiers):
        for operation, group in _grouped([t for t in tiers if t.model == model], 2).items():
            if operation in operations:
                _mean(run, chart, group, model, operations.index(operation), cdm)
    if chart["series"]:
        chart["series"] += edits_by_operation("cdm", operations)
    return [*found, chart]


def _groups(run: HtmlRun, tiers: Sequence[TierFound]) -> list[Chart]:
    """Compression difficulty: accuracy of group A (difficult) against group B (simple), by how much is left."""
    shown = {"accuracy_difficult": "A, difficult", "accuracy_simple": "B, simple", "accuracy": "all questions"}
    whole = [t for t in tiers if not any(t.tier.startswith(f"{other.tier}/") for other in tiers)]
    names = list(dict.fromkeys(t.tier for t in whole))
    names.sort(key=lambda name: not name.endswith("/full"))
    note = "Groups of the manifest: A was answered at full size only, B when reduced too."
    chart = _chart("Accuracy of group A against group B", "bar", [_short(name) for name in names], "accuracy", note)
    for metric, label in shown.items():
        for tier in whole:
            _add(run, chart, tier, _named(run, tier, label), names.index(tier.tier), metric)
    return [chart]


def _methods(run: HtmlRun, tiers: Sequence[TierFound]) -> list[Chart]:
    """Compression difficulty: groups A and B beside the published methods, a chart for each share of the tokens."""
    both = {"accuracy_difficult": "A, difficult", "accuracy_simple": "B, simple"}
    charts: dict[int, Chart] = {}
    for tier in tiers:
        factor = _factor(tier)
        if not factor or not any(name in tier.metrics for name in both):
            continue
        if factor not in charts:
            charts[factor] = _chart(
                f"Groups A and B at 1/{factor**2} of the visual tokens",
                "rows",
                list(both.values()),
                "accuracy",
                "Of what is right at full size. Grey: VTC-Bench, Qwen2-VL-7B with compression methods, other tasks.",
            )
        label = "reduced pictures" if tier.tier != "compression/full" else ""
        for place, metric in enumerate(both):
            _add(run, charts[factor], tier, _named(run, tier, label), place, metric)
    for factor, chart in charts.items():
        chart["series"] += compressed_groups(factor)
    return [charts[factor] for factor in sorted(charts)]


def _factor(tier: TierFound) -> int:
    """By which r the pictures of a tier were reduced, or whose share 1 ÷ r² a method kept; 0 for neither."""
    name = tier.tier.partition("/downsample/")[2]
    if name and "/" not in name:
        return int(name.removesuffix("x"))
    kept = tier.metrics.get("kept_tokens", 1.0)
    nearest = round(kept**-0.5) if kept > 0 else 1
    fits = tier.tier == "compression/full" and nearest > 1 and abs(kept * nearest**2 - 1) < NEAR_RATIO
    return nearest if fits else 0


def _answer_and_process(run: HtmlRun, tiers: Sequence[TierFound]) -> list[Chart]:
    """Reasoning: the score of the answers S_a against that of the steps S_p, a chart for each kind of task."""
    both = {"answer_score": "S_a, answers", "process_score": "S_p, steps"}
    found = []
    for kind, own in _grouped([t for t in tiers if any(name in t.metrics for name in both)], 1).items():
        chart = _chart(
            f"Answers (S_a) against steps (S_p), {kind.replace('-', ' ')}",
            "rows",
            list(both.values()),
            "process_score",
            "Grey: Reasoning Fidelity, Table 1, its own tasks"
            + (" of all levels" if any(t.tier.count("/") > 1 for t in own) else "")
            + ", steps judged by a language model.",
        )
        for tier in own:
            label = " ".join(tier.tier.split("/")[2:]).replace("-", " ")
            for place, metric in enumerate(both):
                _add(run, chart, tier, _named(run, tier, label), place, metric)
        chart["series"] += answers_and_steps(kind)
        found.append(chart)
    return found


_DRAWN: Mapping[str, tuple[Callable[[HtmlRun, Sequence[TierFound]], list[Chart]], ...]] = {
    "preservation": (_accuracy,),
    "rewriting": (_rates, _delta, _shares, _lengths),
    "editing": (_properties,),
    "compression": (_groups, _methods),
    "reasoning": (_answer_and_process,),
}


def _chart(title: str, kind: str, x: Sequence[str], y: str, note: str = "") -> Chart:
    return {"title": title, "note": note, "kind": kind, "x": list(x), "y": y, "series": [], "limits": []}


def _add(run: HtmlRun, chart: Chart, tier: TierFound, series: str, place: int, metric: str) -> None:
    """A point with the interval that a gate gave it, else one as gates give them, and what gates ask for there."""
    if metric not in tier.metrics:
        return
    n, of = counted(run, [tier], metric)
    point: dict[str, Any] = {"x": place, "y": tier.metrics[metric], "n": n, "of": of, "tier": tier.tier}
    gates = _gates(run, tier, metric)
    judged = [Interval(gate.low, gate.high) for gate in gates if gate.regression is None and gate.low is not None]
    span = judged[-1] if judged else interval_of(run, [tier], metric)[1]
    _point(chart, series, point, span, gates)


def _point(chart: Chart, series: str, point: dict[str, Any], span: Interval, gates: Sequence[Verdict]) -> None:
    if span.low is not None:
        point |= {"low": span.low, "high": span.high}
    if any(gate.verdict in ("fail", "inconclusive") for gate in gates):
        point["bad"] = True
    for gate in gates:
        for side in ("min", "max"):
            if (limit := getattr(gate, side)) is not None:
                _limit(chart, series, point["x"], side, limit)
    _series(chart, series)["points"].append(point)


def _limit(chart: Chart, series: str, place: int, side: str, limit: float) -> None:
    known = {"x": place, "y": limit, "side": side, "series": series}
    if known not in chart["limits"]:
        chart["limits"].append(known)


def _mean(run: HtmlRun, chart: Chart, tiers: Sequence[TierFound], series: str, place: int, metric: str) -> None:
    """The value over all cases of several tiers, with its interval: bad where a gate of one of them did not pass, and
    with every limit that one of them has.
    """
    own = [t for t in tiers if metric in t.metrics and t.measured]
    if len(own) == 1:
        _add(run, chart, own[0], series, place, metric)
        return
    value, span = interval_of(run, own, metric)
    if value is None:
        return
    n, of = counted(run, own, metric)
    point = {"x": place, "y": value, "n": n, "of": of}
    _point(chart, series, point, span, [gate for tier in own for gate in _gates(run, tier, metric)])


def _series(chart: Chart, name: str) -> dict[str, Any]:
    for series in chart["series"]:
        if series["name"] == name:
            found: dict[str, Any] = series
            return found
    chart["series"].append({"name": name, "points": []})
    return chart["series"][-1]  # type: ignore[no-any-return]


def _gates(run: HtmlRun, tier: TierFound, metric: str) -> Sequence[Verdict]:
    return run.gates.get((tier.model, tier.tier, metric), ())


def _grouped(tiers: Sequence[TierFound], part: int) -> dict[str, list[TierFound]]:
    found: dict[str, list[TierFound]] = {}
    for tier in tiers:
        parts = tier.tier.split("/")
        if len(parts) > part:
            found.setdefault(parts[part], []).append(tier)
    return found


def _named(run: HtmlRun, tier: TierFound, label: str) -> str:
    """What a series is called: the model where there are several, and what sets it apart."""
    names = [tier.model] if len(run.view.models) > 1 or not label else []
    return ", ".join([*names, *([label] if label else [])])


def _short(tier: str) -> str:
    return tier.partition("/")[2].replace("/", " ") or tier


def _words(metric: str) -> str:
    return metric.replace("_", " ")
