"""How well the OCR reads the untouched references: no editor can be expected to score higher."""

from __future__ import annotations

from pytest_vtcfaith.plugin.benchmark import Benchmark
from pytest_vtcfaith.plugin.ledger import Ledger

CEILING = "ceiling_"


def ceiling_lines(run: Benchmark, ledger: Ledger) -> list[str]:
    """A line for each suite with a ceiling of its primary metric, and one for each engine: mean over the cases of this
    run, each once whatever the number of models, and the tier with the lowest mean.
    """
    found: list[str] = []
    for name in run.suites:
        suite = run.suite(name)
        for end, whose in (("", "the OCR's"), ("_second", "the second OCR's")):
            metric = f"{CEILING}{suite.primary}{end}"
            if metric not in suite.metrics:
                continue
            cases: dict[str, tuple[str, float]] = {}
            for key in sorted(ledger.fresh):
                score = ledger.fresh[key]
                value = score.metrics.get(metric) if score.case.suite == name else None
                if value is not None:
                    cases[score.case.id] = score.case.tier, float(value)
            tiers: dict[str, list[float]] = {}
            for tier, value in cases.values():
                tiers.setdefault(tier, []).append(value)
            if cases:
                mean = sum(value for _, value in cases.values()) / len(cases)
                lowest, tier = min((sum(values) / len(values), tier) for tier, values in tiers.items())
                found.append(f"{name}: {whose} ceiling of {suite.primary} is {mean:.3f}, lowest {lowest:.3f} in {tier}")
    return found
