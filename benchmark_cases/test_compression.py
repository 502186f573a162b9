"""Compression (VTC-Bench): which questions are still answered when a picture costs fewer visual tokens?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_vtcfaith.plugin.casecheck import CaseResult
    from pytest_vtcfaith.plugin.gates import Gate
    from pytest_vtcfaith.suites import Case

pytestmark = pytest.mark.vtc(suite="compression")


def test_case(vtc_case: Case, vtc_score: CaseResult) -> None:
    """One question about a picture, at full size or reduced."""
    vtc_score.check()


def test_gate(vtc_gate: Gate, vtc_baseline: Any) -> None:
    """One assertion of thresholds.toml about one tier."""
    vtc_gate.check(vtc_baseline)
