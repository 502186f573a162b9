"""The first page as plain data: whether the run is green, and if not, why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.report.html.case_list import Listed, ask_of
from pytest_vtcfaith.report.html.charts import charts_of
from pytest_vtcfaith.report.regressions import changes
from pytest_vtcfaith.report.view import BAD, accepted, concise, headline

if TYPE_CHECKING:
    from pytest_vtcfaith.gating.judge import Verdict
    from pytest_vtcfaith.report.html.run import Answer, HtmlRun, TierFound

FAILURES = 200
"""Failed tests that the first page names; the list of cases has all."""
RELEVANT = 3
"""Cases that stand beside a gate that did not pass, worst first."""
SENTENCE = 160
"""Characters of what is said of such a case."""


def overview(run: HtmlRun, cases: Sequence[Listed], told: Mapping[str, tuple[str, Sequence[Any]]]) -> dict[str, Any]:
    """Everything the first page shows; `told` has what is said of a case and its words that differ, by its parameter
    id."""
    view = run.view
    verdicts = [v for of_suite in view.verdicts.values() for v in of_suite]
    word, said = headline(view)
    known = {case.answer.ask: place for place, case in enumerate(cases)}  # the worst first
    failures = sorted(view.failures, key=lambda failure: known.get(ask_of(failure, known) or "", -1))
    verdicts.sort(key=lambda v: (v.verdict not in BAD, v.metric not in view.primary.values()))  # stable: as judged
    return {
        "word": word,
        "said": said,
        "models": list(view.models),
        "limit": view.limit,
        "shard": view.shard,
        "problems": list(view.problems),
        "notes": list(view.notes),
        "failures": [
            {"test": f.test, "message": concise(f.message), "ask": ask_of(f, known)}
            for f in failures[:FAILURES]
            if not any(f"[{v.gate}]" in f.test for v in verdicts)
        ],
        "gates": [_gate(run, verdict, cases, told) for verdict in sorted(verdicts, key=lambda v: v.verdict not in BAD)],
        "tiers": _tiers(run),
        "baseline": _baseline(verdicts),
        "charts": charts_of(run),
        "states": dict(Counter(case.state for case in cases)),
        "outcomes": dict(Counter(case.answer.outcome for case in cases)),
        "about": _about(run.about),
    }


def _gate(
    run: HtmlRun, verdict: Verdict, cases: Sequence[Listed], told: Mapping[str, tuple[str, Sequence[Any]]]
) -> dict[str, Any]:
    metric = run.metric(verdict.tier.partition("/")[0], verdict.metric)
    fields = ("gate", "tier", "model", "metric", "value", "min", "max", "baseline", "verdict", "measured", "expected")
    row: dict[str, Any] = {name: getattr(verdict, name) for name in fields}
    row["suite"] = verdict.tier.partition("/")[0]
    row["accepted"] = accepted(verdict, run.view)
    row["better"] = 0 if metric is None else metric.better
    if verdict.regression is None:
        row |= {"low": verdict.low, "high": verdict.high}
    if verdict.verdict in BAD:
        row["message"] = verdict.message
        worst = (c for c in cases if c.state in ("failed", "not measured", "in a red tier", "expected failure"))
        own = [c.answer for c in worst if verdict.tier in c.answer.case.tiers and c.answer.model == verdict.model]
        row["worst"] = [_worst(of, *told.get(of.ask, ("", ()))) for of in own[:RELEVANT]]
        row["lost"] = len(own)
    return row


def _worst(of: Answer, said: str, misread: Sequence[Any]) -> list[Any]:
    return [of.ask, misread, of.case.lang, said if len(said) <= SENTENCE else f"{said[:SENTENCE].rstrip()} …"]


def _tiers(run: HtmlRun) -> list[dict[str, Any]]:
    """A row for each tier and model: those with a gate that did not pass first."""
    verdicts: dict[tuple[str, str], list[Verdict]] = {}
    for of_suite in run.view.verdicts.values():
        for verdict in of_suite:
            verdicts.setdefault((verdict.model, verdict.tier), []).append(verdict)
    rows = [_tier(run, tier, verdicts.get((tier.model, tier.tier), [])) for tier in run.tiers]
    return sorted(rows, key=lambda row: (row["bad"] == 0, row["suite"]))


def _tier(run: HtmlRun, tier: TierFound, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    bad = [v for v in verdicts if v.verdict in BAD]
    primary = run.view.primary.get(tier.suite) or (run.suites[tier.suite].primary if tier.suite in run.suites else "")
    shown = bad[0].metric if bad else _shown(tier, primary, [v.metric for v in verdicts if v.verdict == "pass"])
    gate = next((v for v in [*bad, *verdicts] if v.metric == shown and v.regression is None), None)
    words = Counter(v.verdict for v in verdicts)
    return {
        "suite": tier.suite,
        "tier": tier.tier,
        "model": tier.model,
        "expected": tier.expected,
        "measured": tier.measured,
        "inapplicable": tier.inapplicable,
        "failures": dict(tier.failures),
        "metric": shown,
        "value": tier.metrics.get(shown),
        "min": None if gate is None else gate.min,
        "max": None if gate is None else gate.max,
        "bad": len(bad),
        "passed": words["pass"],
        "gates": len(verdicts),
        "verdict": bad[0].verdict if bad else "pass" if words["pass"] else "not_applicable" if verdicts else "",
    }


def _shown(tier: TierFound, primary: str, judged: Sequence[str]) -> str:
    """The metric of a tier that passed: one that a gate judged, where there is one, and of those the primary one."""
    wanted = [metric for metric in judged if metric in tier.metrics] or list(judged) or list(tier.metrics)
    return primary if primary in wanted else next(iter(wanted), "")


def _baseline(verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    """What was lost from the baseline: the loss with its interval, and what is allowed."""
    compared = [v for v in verdicts if v.regression is not None]
    found = []
    for verdict, change in zip(compared, changes(compared), strict=True):
        regression = verdict.regression
        assert regression is not None
        found.append(
            {
                "tier": verdict.tier,
                "model": verdict.model,
                "metric": verdict.metric,
                "was": verdict.baseline,
                "now": verdict.value,
                "loss": regression.loss,
                "low": verdict.low,
                "high": verdict.high,
                "margin": regression.margin,
                "two_sided": regression.equivalence,
                "documents": regression.documents,
                "sees": change.sees,
                "verdict": verdict.verdict,
                "said": change.verdict,
            }
        )
    return sorted(found, key=lambda row: row["verdict"] not in BAD)


def _about(about: Mapping[str, Any]) -> dict[str, Any]:
    """What the run was made with, as far as somebody who reads the report needs it."""
    return {
        "profile": about.get("profile"),
        "seed": about.get("seed"),
        "versions": dict(about.get("versions") or {}),
        "models": [
            {
                name: model.get(name)
                for name in ("model", "name", "adapter", "revision", "preset", "visual_tokens", "devices", "versions")
            }
            for model in about.get("models") or ()
        ],
    }
