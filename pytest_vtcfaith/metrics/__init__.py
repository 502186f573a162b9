"""Metrics as pure functions: no input or output, no pytest, no torch."""

from pytest_vtcfaith.metrics.align import Alignment, Edit, align, edit_counts
from pytest_vtcfaith.metrics.bleu import bleu
from pytest_vtcfaith.metrics.blocks import match_blocks
from pytest_vtcfaith.metrics.boxes import iou
from pytest_vtcfaith.metrics.normalise import PROFILES, Profile, comparable, normalise
from pytest_vtcfaith.metrics.outcomes import FAILURES, OUTCOMES, Reply, outcome
from pytest_vtcfaith.metrics.pictures import psnr, ssim
from pytest_vtcfaith.metrics.rates import text_scores
from pytest_vtcfaith.metrics.rewrites import (
    Rewrites,
    WordRewrite,
    classify_rewrites,
    process_rewrites,
    rewrites,
    unperturbed_errors,
)
from pytest_vtcfaith.metrics.teds import teds
from pytest_vtcfaith.metrics.textsim import cdm, textsim
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
    "bleu",
    "cdm",
    "classify_rewrites",
    "comparable",
    "edit_counts",
    "iou",
    "match_blocks",
    "normalise",
    "outcome",
    "process_rewrites",
    "psnr",
    "rewrites",
    "ssim",
    "teds",
    "text_scores",
    "textsim",
    "tokens",
    "unperturbed_errors",
]
