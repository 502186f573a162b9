"""Likeness of two texts by their characters: CDM and TextSim (definitions §5)."""

from __future__ import annotations

from difflib import SequenceMatcher

from rapidfuzz.distance import Levenshtein

from pytest_vtcfaith.metrics.columns import Column, check_column


def cdm(reference: str, hypothesis: str) -> float:
    """Character Distance Metric: 1 − Levenshtein distance ÷ length of the longer text, in [0, 1]; 1 for two empty ones.

    Over code points, of the texts as they are given. Source: VDE Bench F.2.1, Eq. 16.
    """
    return Levenshtein.normalized_similarity(reference, hypothesis)


def textsim(reference: str, hypothesis: str, *, column: Column = "audited") -> float:
    """Twice the characters that difflib matches ÷ characters of both texts, in [0, 1]; 1 for two empty ones.

    The order of the two counts, so the reference comes first. `column`: `published` leaves difflib's autojunk on, which
    drops what is frequent in a text of 200 characters or more; `audited` turns it off. Raises ValueError for another
    column. Source: VDE Bench F.2.4, Eq. 19.
    """
    check_column(column)
    return SequenceMatcher(None, reference, hypothesis, autojunk=column == "published").ratio()
