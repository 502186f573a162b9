"""What a baseline keeps of a tier, and what it must say to be compared with a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.plugin.benchmark import Benchmark

if TYPE_CHECKING:
    from pytest_vtcfaith.suites.base import Columns
    from pytest_vtcfaith.suites.case import CaseScore


def expected_fields(run: Benchmark, suite: str, tier: str, model: str) -> dict[str, str]:
    """What a baseline must say to be comparable with this run."""
    fields = {
        "profile": run.profile,
        "cases_sha256": run.cases_hash(suite, tier),
        "model": run.specs[model].name,
        "tier": tier,
    }
    with_ = run.measured_with(suite)
    return {**fields, "instruments": with_} if with_ else fields


def record_of(
    run: Benchmark, suite: str, tier: str, model: str, columns: Columns, scores: Sequence[CaseScore]
) -> dict[str, Any]:
    """The sealed baseline of a tier, from its columns and the scores they were made from."""
    from pytest_vtcfaith.gating.baselines import sealed
    from pytest_vtcfaith.suites.base import value

    measures = run.suite(suite)
    own = sorted((s for s in scores if tier in s.case.tiers), key=lambda s: s.case.id)
    metrics = {name: value(metric, columns) for name, metric in measures.metrics.items()}
    twice = run.asked_twice.get((model, tier))
    record = {
        "suite": suite,
        **expected_fields(run, suite, tier, model),
        "metrics": {k: v for k, v in metrics.items() if v is not None},
        "documents": {d: dict(row) for d, row in sorted(columns.items())},
        "cases": {
            s.case.id: {
                "outcome": s.outcome,
                **{name: s.metrics[name] for name in measures.case_metrics if s.metrics.get(name) is not None},
            }
            for s in own
            if not s.inapplicable
        },
        "provenance": provenance(run, suite, tier, model),
    }
    return sealed(record if twice is None else {**record, "noise": twice.row()})


def provenance(run: Benchmark, suite: str, tier: str, model: str) -> Mapping[str, Any]:
    """What the scores of a tier were made with, and from which manifests."""
    spec, made = run.specs[model], run.provenance(model)
    files = {case.file for case in run.selection.everything[suite] if tier in case.tiers}
    return {
        "revision": spec.revision,
        "adapter": spec.adapter,
        "preset": made.preset,
        "batch_size": made.batch_size,
        "devices": list(made.devices),
        "versions": dict(sorted(made.versions.items())),
        "manifests": {file.name: run.manifests_sha256[file] for file in sorted(files) if file in run.manifests_sha256},
    }
