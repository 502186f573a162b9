"""A tier against its baseline: in a session through its own syrupy snapshot, of merged results directly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_vtcfaith.gating.baselines import MISSING, BaselineError, baseline_path, read_baseline, tier_snapshot
from pytest_vtcfaith.gating.flips import case_metric, describe_flips, find_flips
from pytest_vtcfaith.gating.judge import GateSubject, Verdict, judge_regression, judge_threshold
from pytest_vtcfaith.gating.noisefloor import Noise, measure_noise
from pytest_vtcfaith.gating.provenance import describe_changes
from pytest_vtcfaith.plugin.benchmark import AskedTwice, Benchmark
from pytest_vtcfaith.plugin.gates import GateSpec
from pytest_vtcfaith.plugin.records import expected_fields, record_of
from pytest_vtcfaith.plugin.run import Ask, Run

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

    from pytest_vtcfaith.suites.base import TierMetric
    from pytest_vtcfaith.suites.case import CaseScore


def compare(
    spec: GateSpec,
    run: Benchmark,
    subject: GateSubject,
    scores: Sequence[CaseScore],
    snapshot: SnapshotAssertion | None,
    settled: Verdict | None = None,
) -> Verdict:
    """The verdict of a regression or baseline gate; writes the baseline when the run is accepted.

    Without a `snapshot` nothing is written. `settled` is a regression gate's verdict among the others of the run; by
    itself it is judged without.
    """
    metric = run.suite(spec.suite).metrics[spec.rule.metric]
    updating = snapshot is not None and bool(snapshot.update_snapshots)
    measured, enough = measure(spec, run, subject, whole=updating)
    if not enough:
        return measured  # nothing may be accepted or compared that was not measured
    if updating and subject.not_run:
        kept = f"{subject.not_run} cases of the tier did not run now, and only what ran is accepted"
        return replace(measured, verdict="not_measured", message=f"not accepted: {kept}")
    path = baseline_path(run.baselines_folder, spec.model, spec.tier)
    before: Mapping[str, Any] | None = None
    if not updating:
        try:
            before = read_baseline(path, expect=expected_fields(run, spec.suite, spec.tier, spec.model))
        except BaselineError as wrong:
            message = f"{wrong}{_other_cases(spec, run, path)}"
            return replace(measured, verdict="not_measured", message=message)
        if before is None:
            return replace(measured, verdict="not_applicable", message=MISSING)
    found: list[Verdict] = []

    def agrees(new: Mapping[str, Any], old: Mapping[str, Any]) -> bool:
        if spec.kind == "baseline":
            found.append(replace(measured, verdict="pass", baseline=old["metrics"].get(metric.name)))
        else:
            found.append(settled or _regression(spec, run, subject, metric, new, old))
        return found[-1].verdict == "pass"

    record = record_of(run, spec.suite, spec.tier, spec.model, subject.summary.columns, scores)
    if snapshot is None:
        assert before is not None
        agrees(record, before)
        return found[-1]
    bound = tier_snapshot(snapshot, path, agrees)
    same = bound == record
    if found:
        return found[-1]
    if same:
        return replace(measured, verdict="pass", message="accepted as the baseline", baseline=measured.value)
    problem = bound.executions[0].exception
    return replace(measured, verdict="not_measured", message=f"{path}: the baseline could not be written: {problem!r}")


def _other_cases(spec: GateSpec, run: Benchmark, path: Path) -> str:
    """How the cases of a baseline differ from those of the run; "" where it cannot be read, or they do not."""
    try:
        record = read_baseline(path)
    except BaselineError:
        return ""
    if record is None or record.get("cases_sha256") == run.cases_hash(spec.suite, spec.tier):
        return ""
    now = {case.id for case in run.selection.everything[spec.suite] if spec.tier in case.tiers}
    added, gone = len(now - record["cases"].keys()), len(record["cases"].keys() - now)
    return f"; {added} cases are new, {gone} are gone, {len(now) - added} have the same name"


def measure(spec: GateSpec, run: Benchmark, subject: GateSubject, *, whole: bool) -> tuple[Verdict, bool]:
    """The value a gate speaks about, and whether enough was measured to compare it; to accept it: the `whole` tier."""
    metric = run.suite(spec.suite).metrics[spec.rule.metric]
    bare = {"min": None, "max": None} | ({"min_coverage": 1.0} if whole else {})
    measured = judge_threshold(subject, metric, spec.rule.model_copy(update=bare), seed=run.options.seed)
    everything = subject.summary.measured == subject.summary.expected + subject.lost > 0
    undefined = measured.verdict == "not_measured" and everything
    return measured, measured.verdict == "pass" or (undefined and spec.kind == "baseline")


def _regression(
    spec: GateSpec,
    run: Benchmark,
    subject: GateSubject,
    metric: TierMetric,
    new: Mapping[str, Any],
    old: Mapping[str, Any],
) -> Verdict:
    """The regression judge's verdict; where it is no pass, the cases that flipped, and what else has changed."""
    verdict = judge_regression(
        subject, metric, spec.rule, old["documents"], seed=run.options.seed, noise=_noise(spec, run, metric, old)
    )
    if verdict.verdict == "pass":
        return verdict
    known = run.suite(spec.suite).case_metrics
    name = case_metric(metric.name, known)
    flips = find_flips(old["cases"], new["cases"], name, metric.better if name is None else known[name])
    changed = describe_changes(old.get("provenance", {}), new["provenance"])
    parts = (verdict.message, describe_flips(flips), f"  {changed}" if changed else "")
    return replace(verdict, message="\n".join(part for part in parts if part))


def _noise(spec: GateSpec, run: Benchmark, metric: TierMetric, old: Mapping[str, Any]) -> Noise | None:
    """The model's noise in this run, else that kept with the baseline; None where it was never measured."""
    twice = run.asked_twice.get((spec.model, spec.tier))
    if twice is None and "noise" in old:
        twice = AskedTwice(old["noise"]["first"], old["noise"]["again"])
    return None if twice is None else measure_noise(metric, twice.first, twice.again)


def case_baseline(run: Run, ask: Ask) -> Mapping[str, Any] | None:
    """What the baseline holds of one case; None without a baseline, or in a limited run. Raises BaselineError."""
    if run.options.limit is not None:
        return None
    read = run.config.stash.setdefault(_READ, {})
    for tier in ask.case.tiers:  # that of a finer tier only where the pooled one was not accepted
        place = ask.slug, tier
        if place not in read:
            path = baseline_path(run.baselines_folder, *place)
            try:
                read[place] = read_baseline(path, expect=expected_fields(run, ask.case.suite, tier, ask.slug))
            except BaselineError as problem:
                read[place] = problem
        found = read[place]
        if isinstance(found, BaselineError):
            raise found
        if found is not None:
            entry: Mapping[str, Any] | None = found["cases"].get(ask.case.id)
            return entry
    return None


_READ = pytest.StashKey[dict[tuple[str, str], Mapping[str, Any] | BaselineError | None]]()
