"""The charts of the overview as plain data: the curves that the papers draw, for the suites that have them.

A gate that none of them shows stands on a chart of its suite and metric (`unshown`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_vtcfaith.report.html.points import Chart, add, add_mean, bounds, grouped, named, new_chart, short, words
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
from pytest_vtcfaith.report.html.unshown import unshown

if TYPE_CHECKING:
    from pytest_vtcfaith.report.html.run import HtmlRun, TierFound

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
        made += unshown(run, suite, made)
        shown = [c for c in made if any(s["points"] and not s.get("published") for s in c["series"])]
        found += [part for chart in shown for part in _parts(chart)]
    for chart in found:
        chart.pop("gates", None)
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
    chart = new_chart(f"{words(metric)} by tier", "bar", [short(name) for name in names], metric)
    for tier in tiers:
        if tier.tier in places:
            add(run, chart, tier, tier.model, places[tier.tier], metric)
    return [chart]


def _accuracy(run: HtmlRun, tiers: Sequence[TierFound]) -> list[Chart]:
    """Preservation: word accuracy, and what gates bound, by compression ratio and layout, a line for each source."""
    found = []
    parts = {tier.tier: tier.tier.split("/") for tier in tiers}
    whole = [t for t in tiers if len(parts[t.tier]) == 4 and "-at-" not in parts[t.tier][3]]
    for layout in dict.fromkeys(parts[t.tier][1] for t in whole):
        own = [t for t in whole if parts[t.tier][1] == layout]
        ratios = sorted({parts[t.tier][2] for t in own}, key=lambda text: float(text.removesuffix("x") or 0))
        bounded = [m for tier in own for m in tier.metrics if bounds(run, tier, m)]
        for metric in dict.fromkeys(["word_accuracy", *bounded]):
            title = f"{words(metric).capitalize()} by compression ratio, {layout} layout"
            places = [f"{ratio.removesuffix('x')}×" for ratio in ratios]
            chart = new_chart(title, "line", places, metric, "Text tokens of the page ÷ visual tokens.")
            for tier in own:
                name = named(run, tier, parts[tier.tier][3])
                add(run, chart, tier, name, ratios.index(parts[tier.tier][2]), metric)
            if metric == "word_accuracy" and (grey := accuracy_by_ratio(layout, ratios)):
                chart["series"] += grey
                chart["note"] += " Grey: ZeroSense, Table A4."
            found.append(chart)
    return found


def _delta(run: HtmlRun, tiers: Sequence[TierFound]) -> list[Chart]:
    """Rewriting: the error rate that a perturbation adds, a chart for each language."""
    found = []
    for lang, own in _by_language(tiers, "delta_wer").items():
        conditions = _conditions(own)
        rate, number = {"zh": ("character", "3"), "ko": ("word", "4")}.get(lang, ("word", "2"))
        chart = new_chart(
            f"Errors added by a perturbation, {lang} (ΔWER)",
            "rows",
            conditions,
            "delta_wer",
            f"Points of the {rate} error rate above unperturbed pages. Grey: FaithC4, Table {number}, its own pages.",
        )
        for tier in own:
            _, _, condition, *asked = tier.tier.split("/")
            add(run, chart, tier, named(run, tier, " ".join(asked)), conditions.index(condition), "delta_wer")
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
    chart = new_chart(
        "Misread perturbed words that became the original, en",
        "rows",
        conditions,
        "rewrite_share",
        "Share of the perturbed words not read verbatim, which may be few. Grey: FaithC4, Table 5, scramble only.",
    )
    for tier in own:
        _, _, condition, *asked = tier.tier.split("/")
        add(run, chart, tier, named(run, tier, " ".join(asked)), conditions.index(condition), "rewrite_share")
    chart["series"] += rewrite_shares(conditions.index("scramble"))
    return [chart]


def _conditions(tiers: Sequence[TierFound]) -> list[str]:
    """Perturbations of the tiers; scramble last, so that in Chinese, which has none, the others keep their shapes."""
    return sorted({tier.tier.split("/")[2] for tier in tiers}, key=lambda name: (name == "scramble", name))


def _by_language(tiers: Sequence[TierFound], metric: str) -> dict[str, list[TierFound]]:
    return grouped([t for t in tiers if metric in t.metrics and t.tier.split("/")[2:3] != ["original"]], 1)


def _rates(run: HtmlRun, tiers: Sequence[TierFound]) -> list[Chart]:
    """Rewriting: the share of perturbed words that came back as the original, the suite's main number."""
    own = [t for t in tiers if "rewrite_rate" in t.metrics]
    names = list(dict.fromkeys("/".join(t.tier.split("/")[1:3]) for t in own))
    chart = new_chart(
        "Perturbed words rewritten to the original",
        "bar",
        [name.replace("/", " ") for name in names],
        "rewrite_rate",
        "Share of all perturbed words of the tier. Grey: FaithC4, Table 8, a model asked for single highlighted words.",
    )
    for tier in own:
        _, lang, condition, *asked = tier.tier.split("/")
        add(run, chart, tier, named(run, tier, " ".join(asked)), names.index(f"{lang}/{condition}"), "rewrite_rate")
    chart["series"] += probed_rates(names)
    return [chart]


def _lengths(run: HtmlRun, tiers: Sequence[TierFound]) -> list[Chart]:
    """Rewriting: the rewrite rate by the length of the perturbed word, a chart for each language."""
    head = "rewrite_rate@"
    names = [name for name in run.suites["rewriting"].metrics if name.startswith(head)]
    lengths = [name.removeprefix(head) for name in names]
    found = []
    for lang, own in grouped([t for t in tiers if any(name in t.metrics for name in names)], 1).items():
        note = "Characters of the original word; share of the perturbed words of that length."
        if lang == "en":
            note += " Grey: FaithC4, Table 10, scrambled words asked for one by one."
        chart = new_chart(f"Rewritten words by length, {lang}", "line", lengths, "rewrite_rate", note)
        for tier in own:
            label = named(run, tier, " ".join(tier.tier.split("/")[2:]))
            for place, name in enumerate(names):
                add(run, chart, tier, label, place, name)
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
        chart = new_chart(
            "Properties of an edit by operation" + (f", {model}" if len(run.view.models) > 1 else ""),
            "bar",
            [words(name) for name in names],
            "edit_fidelity",
            "Mean of all cases of an operation, 1 is perfect. A limit is that of each tier: a mean is marked where one "
            "of its tiers did not pass; its tip and the numbers below name them.",
        )
        for operation, group in grouped(own, 2).items():
            for place, name in enumerate(names):
                add_mean(run, chart, group, operation, place, name)
        found.append(chart)
    operations = list(grouped([t for t in tiers if cdm in t.metrics], 2))
    title = "Text of the whole page after the edit (CDM as published)"
    chart = new_chart(title, "rows", operations, cdm, "Grey: VDE Bench, Table 7.")
    for model in dict.fromkeys(t.model for t in tiers):
        for operation, group in grouped([t for t in tiers if t.model == model], 2).items():
            if operation in operations:
                add_mean(run, chart, group, model, operations.index(operation), cdm)
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
    chart = new_chart("Accuracy of group A against group B", "bar", [short(name) for name in names], "accuracy", note)
    for metric, label in shown.items():
        for tier in whole:
            add(run, chart, tier, named(run, tier, label), names.index(tier.tier), metric)
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
            charts[factor] = new_chart(
                f"Groups A and B at 1/{factor**2} of the visual tokens",
                "rows",
                list(both.values()),
                "accuracy",
                "Of what is right at full size. Grey: VTC-Bench, Qwen2-VL-7B with compression methods, other tasks.",
            )
        label = "reduced pictures" if tier.tier != "compression/full" else ""
        for place, metric in enumerate(both):
            add(run, charts[factor], tier, named(run, tier, label), place, metric)
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
    for kind, own in grouped([t for t in tiers if any(name in t.metrics for name in both)], 1).items():
        chart = new_chart(
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
                add(run, chart, tier, named(run, tier, label), place, metric)
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
