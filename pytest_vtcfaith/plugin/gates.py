"""Gates: what is asserted about tiers once every case has reported."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest

from pytest_vtcfaith.plugin.benchmark import Benchmark

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

    from pytest_vtcfaith.gating.judge import GateSubject, Verdict
    from pytest_vtcfaith.gating.thresholds import GateRule
    from pytest_vtcfaith.plugin.ledger import Ledger
    from pytest_vtcfaith.suites.case import CaseScore

ALL = "all"
"""The model of a gate that speaks about a renderer: A(R) = max over the models run (definitions §3)."""


@dataclass(frozen=True, slots=True)
class GateSpec:
    """One gate: `kind` is threshold, regression, baseline (no regression rule speaks of the tier), or inapplicable.

    A finer tier has the gates that the thresholds file names for it, and no others.
    """

    id: str
    kind: str
    suite: str
    tier: str
    model: str
    rule: GateRule


def gate_specs(run: Benchmark) -> list[GateSpec]:
    """Every gate of the chosen tiers and models, in the order of suites, models, tiers and the thresholds file."""
    found: list[GateSpec] = []
    taken: dict[str, int] = {}
    for spec in _all_specs(run):
        count = taken[spec.id] = taken.get(spec.id, 0) + 1
        found.append(spec if count == 1 else replace(spec, id=f"{spec.id}-{count}"))
    return found


def _all_specs(run: Benchmark) -> Iterator[GateSpec]:
    from pytest_vtcfaith.gating.thresholds import GateRule, SuiteRule

    for suite in run.suites:
        tiers = run.tiers(suite)
        for tier in tiers:
            for rule in run.gate_rules(tier):
                if rule.metric == "A" and run.suite(suite).needs(tier, "A", tiers) <= set(tiers):
                    yield GateSpec(f"{ALL}-{_slug(tier)}-A", "threshold", suite, tier, ALL, rule)
        for model in run.models_of(suite):
            for tier in tiers:
                yield from _tier_specs(run, suite, tier, tiers, model)
            if tiers:
                bound = run.thresholds.suite.get(suite, SuiteRule()).max_inapplicable
                rule = GateRule(where=f"{suite}/*", metric="inapplicable", max=bound)
                yield GateSpec(f"{model}-{suite}-inapplicable", "inapplicable", suite, suite, model, rule)


def _tier_specs(run: Benchmark, suite: str, tier: str, tiers: Sequence[str], model: str) -> Iterator[GateSpec]:
    from pytest_vtcfaith.gating.thresholds import GateRule

    compared = False
    for rule in run.gate_rules(tier):
        if rule.metric == "A" or not run.suite(suite).needs(tier, rule.metric, tiers) <= set(tiers):
            continue
        if rule.min is not None or rule.max is not None:
            yield GateSpec(f"{model}-{_slug(tier)}-{rule.metric}", "threshold", suite, tier, model, rule)
        if rule.max_regression is not None and run.options.limit is None:
            compared = True
            yield GateSpec(f"{model}-{_slug(tier)}-{rule.metric}-regression", "regression", suite, tier, model, rule)
    if not compared and run.options.limit is None and tier not in run.selection.finer_tiers:
        rule = GateRule(where=tier, metric=run.suite(suite).primary)
        yield GateSpec(f"{model}-{_slug(tier)}-baseline", "baseline", suite, tier, model, rule)


def _slug(tier: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", tier.partition("/")[2])


class Gate:
    """A gate as a test sees it. Lazy: a verdict reached in the fixture would be an error of setup, not a failure."""

    def __init__(self, spec: GateSpec, run: Benchmark, ledger: Ledger, verdicts: dict[str, Verdict]) -> None:
        self.spec = spec
        self._run = run
        self._ledger = ledger
        self._verdicts = verdicts

    def check(self, baseline: SnapshotAssertion) -> None:
        """Judges, books the verdict, and fails or skips the test unless the gate passes."""
        if self._run.options.shard is not None:
            pytest.skip(f"shard {self._run.options.shard}: judged by `vtcfaith gate`, which merges the shards")
        verdict = self.judge(baseline)
        self._verdicts[self.spec.id] = verdict
        inconclusive = self._run.options.inconclusive
        if verdict.verdict == "not_applicable":
            pytest.skip(f"{verdict.tier}: {verdict.message}")
        if verdict.verdict == "inconclusive" and inconclusive == "warn":
            import warnings

            warnings.warn(f"{verdict.gate}: inconclusive: {verdict.message}", stacklevel=1)
        if message := failure_message(verdict, inconclusive):
            pytest.fail(message, pytrace=False)

    def judge(self, baseline: SnapshotAssertion | None) -> Verdict:
        """The verdict; skips the test when cases that it needs were not selected and no earlier run has them.

        `baseline` is the session's snapshot; without one nothing is accepted.
        """
        spec = self.spec
        if spec.kind == "inapplicable":
            return self._inapplicable()
        if spec.model == ALL:
            return self._best_model()
        subject, scores = self.subject(spec.model)
        if spec.kind == "threshold":
            return self._threshold(subject, scores)
        from pytest_vtcfaith.plugin.compare import compare

        settled = None
        if spec.kind == "regression" and not self._run.update:
            settled = self._settled()
        return compare(spec, self._run, subject, scores, baseline, settled)

    def _threshold(self, subject: GateSubject, scores: Sequence[CaseScore]) -> Verdict:
        """The verdict of one model; one that fails names the worst cases, where cases have the metric too."""
        from pytest_vtcfaith.gating.judge import judge_threshold
        from pytest_vtcfaith.gating.worst import worst_cases

        suite, rule = self._run.suite(self.spec.suite), self.spec.rule
        verdict = judge_threshold(subject, suite.metrics[rule.metric], rule, seed=self._run.options.seed)
        named = verdict.verdict == "fail" and rule.metric in suite.case_metrics
        worst = worst_cases(self.spec.tier, scores, rule) if named else ""
        return replace(verdict, message=f"{verdict.message}; worst cases: {worst}") if worst else verdict

    def _settled(self) -> Verdict | None:
        from pytest_vtcfaith.plugin.family import settled_regressions

        if self._ledger.settled is None:
            self._ledger.settled = settled_regressions(self._run, self._ledger)
        return self._ledger.settled.get(self.spec.id)

    def subject(self, model: str) -> tuple[GateSubject, Sequence[CaseScore]]:
        """What the gate speaks about, of one model; skips the test as `judge` does."""
        from pytest_vtcfaith.gating.judge import GateSubject

        pool = self._ledger.pool(model, self.spec.tier, needed_tiers(self._run, self.spec))
        if pool.unselected:
            pytest.skip(
                f"{self.spec.tier}: {len(pool.unselected)} of {pool.total} cases were not selected and no earlier run "
                f"of {model} has them, first {pool.unselected[0].id}"
            )
        if pool.stored:
            self._ledger.used_stored.add((model, self.spec.tier))
        subject = GateSubject(
            self.spec.id,
            model,
            pool.summary,
            pool.lost,
            bool(pool.stored),
            pool.not_run,
            pool.others,
            pool.others_measured,
            pool.others_reason,
        )
        return subject, pool.scores

    def _best_model(self) -> Verdict:
        """A(R): the largest of the models' means. Nothing is said while a model that can do the tier lacks cases."""
        found = [self._threshold(*self.subject(model)) for model in self._run.models_of(self.spec.suite)]
        several = len(found) > 1
        whose = f"A of {len(found)} models" if several else "A of the only model of the run"
        lacking = next((v for v in found if v.verdict == "not_measured"), None)
        if lacking is not None:
            return replace(lacking, model=ALL, message=f"{whose}: {lacking.model}: {lacking.message}")
        able = [v for v in found if v.value is not None]
        if not able:
            return replace(found[0], model=ALL, message=f"{whose}: {found[0].model}: {found[0].message}")
        best = max(able, key=lambda v: v.value or 0.0)
        said = [f"{whose}, best: {best.model}" if several else f"{whose}, {best.model}"]
        if best.inapplicable:
            said.append(f"which can do {best.expected} of {best.expected + best.inapplicable} cases")
        if len(able) < len(found):
            said.append(f"{len(found) - len(able)} cannot do the tier")
        return replace(best, model=ALL, message=": ".join(part for part in (", ".join(said), best.message) if part))

    def _inapplicable(self) -> Verdict:
        from pytest_vtcfaith.gating.judge import Verdict
        from pytest_vtcfaith.gating.thresholds import SLACK

        spec, bound = self.spec, float(self.spec.rule.max or 0.0)
        cases = self._run.cases(spec.suite)
        _, unselected = self._ledger.missing(spec.model, cases)
        if unselected:
            pytest.skip(f"{spec.suite}: {len(unselected)} of {len(cases)} cases were not selected")
        scores, stored = self._ledger.scores(spec.model, cases)
        count = sum(s.inapplicable for s in scores)
        share = count / len(cases)
        reasons: dict[str, int] = {}
        for s in scores:
            if s.inapplicable:
                reasons[s.reason] = reasons.get(s.reason, 0) + 1
        listed = "; ".join(f"{reason} ({n}×)" for reason, n in sorted(reasons.items(), key=lambda item: -item[1])[:3])
        passed = share <= bound + SLACK and count < len(cases)
        text = f"{count} of {len(cases)} cases are inapplicable ({share:.4f}, allowed {bound:g})"
        return Verdict(
            gate=spec.id,
            tier=spec.tier,
            model=spec.model,
            metric="inapplicable",
            value=share,
            max=bound,
            verdict="pass" if passed else "fail",
            measured=sum(s.measured for s in scores),
            expected=len(cases) - count,
            inapplicable=count,
            message=f"{text}: {listed}" if listed else text,
            stored=bool(stored),
        )


def failure_message(verdict: Verdict, inconclusive: str) -> str:
    """What a gate's test fails with, "" when it does not; `inconclusive` is what `--vtc-inconclusive` asks for."""
    if verdict.verdict in ("pass", "not_applicable") or (verdict.verdict == "inconclusive" and inconclusive != "fail"):
        return ""
    return f"{verdict.verdict.replace('_', ' ')}: {verdict.tier} ({verdict.model}): {verdict.message}"


def needed_tiers(run: Benchmark, spec: GateSpec) -> frozenset[str]:
    """The tiers that a gate takes scores from.

    All gates that read or write a tier's baseline take the same ones, so that each would write the same file.
    """
    suite, tiers = run.suite(spec.suite), run.tiers(spec.suite)
    metrics = {spec.rule.metric}
    if spec.kind != "threshold":
        compared = {rule.metric for rule in run.gate_rules(spec.tier) if rule.max_regression is not None}
        metrics |= {m for m in (suite.primary, *compared) if suite.needs(spec.tier, m, tiers) <= set(tiers)}
    return frozenset().union(*(suite.needs(spec.tier, metric, tiers) for metric in metrics))
