"""Metrics as pure functions: no input or output, no pytest, no torch."""

from pytest_vtcfaith.metrics.align import Alignment, Edit, align, edit_counts
from pytest_vtcfaith.metrics.normalise import PROFILES, Profile, comparable, normalise
from pytest_vtcfaith.metrics.outcomes import FAILURES, OUTCOMES, Reply, outcome
from pytest_vtcfaith.metrics.rates import text_scores
from pytest_vtcfaith.metrics.rewrites import (
    Rewrites,
    WordRewrite,
    classify_rewrites,
    process_rewrites,
    rewrites,
    unperturbed_errors,
)
from pytest_vtcfaith.metrics.tokenise import tokens

__all__ = [
    "FAILURES",
    "OUTCOMES",
    "PROFILES",
    "Alignment",
    "Edit",
    "Profile",
    "Reply",
    "Rewrites",
    "WordRewrite",
    "align",
    "classify_rewrites",
    "comparable",
    "edit_counts",
    "normalise",
    "outcome",
    "process_rewrites",
    "rewrites",
    "text_scores",
    "tokens",
    "unperturbed_errors",
]
