"""The regression gates of a run, judged together: what one of them may say depends on all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_vtcfaith.gating.family import settle
from pytest_vtcfaith.plugin.compare import compare
from pytest_vtcfaith.plugin.gates import Gate, gate_specs

if TYPE_CHECKING:
    from pytest_vtcfaith.gating.judge import Verdict
    from pytest_vtcfaith.plugin.benchmark import Benchmark
    from pytest_vtcfaith.plugin.ledger import Ledger


def settled_regressions(run: Benchmark, ledger: Ledger) -> dict[str, Verdict]:
    """Gate → final verdict, of every selected regression gate; one that lacks cases nobody selected takes no part."""
    alone: list[Verdict] = []
    for spec in gate_specs(run):
        if spec.kind != "regression" or spec.id not in ledger.gates:
            continue
        try:
            subject, scores = Gate(spec, run, ledger, {}).subject(spec.model)
        except pytest.skip.Exception:
            continue
        alone.append(compare(spec, run, subject, scores, None))
    return {verdict.gate: verdict for verdict in settle(alone)}
