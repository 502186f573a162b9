"""Reasoning (Reasoning Fidelity): is what an illustrator writes into a picture right, step by step?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_vtcfaith.plugin.casecheck import CaseResult
    from pytest_vtcfaith.plugin.gates import Gate
    from pytest_vtcfaith.suites import Case

pytestmark = pytest.mark.vtc(suite="reasoning")


def test_case(vtc_case: Case, vtc_score: CaseResult) -> None:
    """One passage or task that was drawn."""
    vtc_score.check()


def test_gate(vtc_gate: Gate, vtc_baseline: Any) -> None:
    """One assertion of thresholds.toml about one tier."""
    vtc_gate.check(vtc_baseline)
