"""A tier against its baseline, through the session's own syrupy snapshot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_vtcfaith.gating.baselines import MISSING, BaselineError, baseline_path, read_baseline, tier_snapshot
from pytest_vtcfaith.gating.judge import GateSubject, Verdict, judge_regression, judge_threshold
from pytest_vtcfaith.plugin.gates import GateSpec, cases_hash, record_of
from pytest_vtcfaith.plugin.run import Ask, Run

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

    from pytest_vtcfaith.suites.case import CaseScore


def expected_fields(run: Run, suite: str, tier: str, model: str) -> dict[str, str]:
    """What a baseline must say to be comparable with this run."""
    return {
        "profile": run.profile,
        "cases_sha256": cases_hash(run, suite, tier),
        "model": run.specs[model].name,
        "tier": tier,
    }


def compare(
    spec: GateSpec, run: Run, subject: GateSubject, scores: Sequence[CaseScore], snapshot: SnapshotAssertion
) -> Verdict:
    """The verdict of a regression or baseline gate; writes the baseline when the run is accepted."""
    metric = run.suite(spec.suite).metrics[spec.rule.metric]
    updating = bool(snapshot.update_snapshots)
    bare = {"min": None, "max": None} | ({"min_coverage": 1.0} if updating else {})  # only whole tiers are accepted
    measured = judge_threshold(subject, metric, spec.rule.model_copy(update=bare), seed=run.options.seed)
    everything = subject.summary.measured == subject.summary.expected + subject.lost > 0
    undefined = measured.verdict == "not_measured" and everything
    if measured.verdict != "pass" and not (undefined and spec.kind == "baseline"):
        return measured  # nothing may be accepted or compared that was not measured
    if updating and subject.not_run:
        kept = f"{subject.not_run} cases of the tier did not run now, and only what ran is accepted"
        return replace(measured, verdict="not_measured", message=f"not accepted: {kept}")
    path = baseline_path(run.baselines_folder, spec.model, spec.tier)
    if not updating:
        try:
            before = read_baseline(path, expect=expected_fields(run, spec.suite, spec.tier, spec.model))
        except BaselineError as wrong:
            return replace(measured, verdict="not_measured", message=str(wrong))
        if before is None:
            return replace(measured, verdict="not_applicable", message=MISSING)
    found: list[Verdict] = []

    def agrees(new: Mapping[str, Any], old: Mapping[str, Any]) -> bool:
        if spec.kind == "baseline":
            found.append(replace(measured, verdict="pass", baseline=old["metrics"].get(metric.name)))
        else:
            found.append(judge_regression(subject, metric, spec.rule, old["documents"], seed=run.options.seed))
        return found[-1].verdict == "pass"

    bound = tier_snapshot(snapshot, path, agrees)
    same = bound == record_of(run, spec, subject, scores)
    if found:
        return found[-1]
    if same:
        return replace(measured, verdict="pass", message="accepted as the baseline", baseline=measured.value)
    problem = bound.executions[0].exception
    return replace(measured, verdict="not_measured", message=f"{path}: the baseline could not be written: {problem!r}")


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
