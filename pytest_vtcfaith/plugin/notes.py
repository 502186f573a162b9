"""What has to be known beside the tables: inapplicable cases, failures by class, the OCR's ceiling, stored scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pytest_vtcfaith.gating.baselines import MISSING
from pytest_vtcfaith.gating.judge import Verdict
from pytest_vtcfaith.plugin.benchmark import Benchmark
from pytest_vtcfaith.plugin.ceilings import ceiling_lines
from pytest_vtcfaith.plugin.ledger import Ledger
from pytest_vtcfaith.report.regressions import suspicions

SHOWN = 5
"""Reasons that are named one by one."""


def notes(run: Benchmark, ledger: Ledger, verdicts: Sequence[Verdict]) -> list[str]:
    """One line for each thing worth knowing."""
    found: list[str] = []
    scores = [ledger.fresh[key] for key in sorted(ledger.fresh)]
    for kind, chosen in (
        ("are inapplicable to", [s for s in scores if s.inapplicable]),
        ("were not measured with", [s for s in scores if s.outcome == "infrastructure_error"]),
    ):
        # a reason that names its case stands for its kind
        reasons = Counter((s.model, s.reason.replace(s.case.id, "…")) for s in chosen)
        for (model, reason), count in reasons.most_common(SHOWN):
            found.append(f"{count} cases {kind} {model}: {reason}")
        others = len(chosen) - sum(count for _, count in reasons.most_common(SHOWN))
        if others:
            found.append(f"{others} more cases {kind} the models, for {len(reasons) - SHOWN} other reasons")
    failed = Counter((s.model, s.case.suite, s.outcome) for s in scores if s.failed)
    for (model, suite, outcome), count in sorted(failed.items()):
        found.append(f"{count} {suite} cases of {model} failed: {outcome}")
    found += ceiling_lines(run, ledger)
    found += suspicions(verdicts)
    if len(run.options.ocr) > 1:
        from pytest_vtcfaith.plugin.agreement import agreement_lines, agreement_rows

        found += agreement_lines(agreement_rows(run, ledger))
    new = len({(v.model, v.tier) for v in verdicts if v.message == MISSING})
    if new:
        found.append(f"{new} tiers have {MISSING} ({run.baselines_folder})")
    accepted = sum(v.message == "accepted as the baseline" for v in verdicts)
    if accepted:
        found.append(f"{accepted} gates accepted this run as the baseline in {run.baselines_folder}")
    if ledger.used_stored:
        found.append(
            f"{len(ledger.used_stored)} tiers (marked *) take scores of cases that were not selected from earlier runs"
        )
    found += _unfit_groups(run)
    left_out = _left_out(run)
    if left_out:
        found.append(f"{left_out} gates are left out: they compare with tiers that this run did not choose")
    unmatched = _unmatched(run)
    if unmatched:
        found.append(
            f"{len(unmatched)} gates of {run.thresholds_file} speak about no tier of these cases, "
            f"first where = {unmatched[0]!r}"
        )
    return found


def _unmatched(run: Benchmark) -> list[str]:
    """Gates that select nothing at all, whatever was chosen: a slip of the pen, or a file made for more cases."""
    pooled, finer = run.selection.known_tiers, run.selection.finer_tiers
    return [
        rule.where
        for rule in run.thresholds.gate
        if not any(rule.matches(tier) for tier in pooled) and not any(rule.matches(tier, finer=True) for tier in finer)
    ]


def _unfit_groups(run: Benchmark) -> list[str]:
    """Models that are no methods, and that the frozen groups are not of; of a method each case says it."""
    if not run.selection.whole.get("compression"):
        return []
    from pytest_vtcfaith.suites.compression import misfit_of
    from pytest_vtcfaith.suites.compression_groups import groups_beside

    groups = groups_beside(run.selection.whole["compression"][0].file.parent)
    if groups is None:
        return []
    specs = [run.specs[slug] for slug in run.models_of("compression")]
    problems = [(spec.name, misfit_of(groups, spec)) for spec in specs if spec.keep_ratio is None]
    return [f"compression: no groups fit {name}, freeze your own: {problem}" for name, problem in problems if problem]


def _left_out(run: Benchmark) -> int:
    count = 0
    for suite in run.suites:
        tiers, models = run.tiers(suite), len(run.models_of(suite))
        for tier in tiers:
            for rule in run.gate_rules(tier):
                count += models * (not run.suite(suite).needs(tier, rule.metric, tiers) <= set(tiers))
    return count
