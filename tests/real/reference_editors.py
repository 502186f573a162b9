"""The real RapidOCR ranks the reference editors as it must: an edit of every operation, in all languages.

`editors.py` prints the same for more edits, for docs/validation.md.
"""

from __future__ import annotations

from itertools import pairwise

import pytest
from editors import bundled, mean, scores_of

from pytest_vtcfaith.models.editors import EDITORS
from pytest_vtcfaith.models.page_reading import RememberingReader, reader_named
from pytest_vtcfaith.suites.editing_scores import Score

CASES = ("en-slide-hill", "zh-slide-fifth-line", "mixed-slide-city", "zh-slide-columns")
RANKED = ("perfect", "re-typeset", "blurred", "collateral-damage", "wrong-text")
WORTHLESS = ("no-op", "wrong-place", "deletes-everything")


@pytest.fixture(scope="module")
def scores() -> dict[str, dict[str, Score]]:
    rows = {row["case"]: row for row in bundled()}
    reader = RememberingReader(reader_named("rapidocr"))
    return {case: scores_of(rows[case], reader) for case in CASES}


def test_the_four_operations() -> None:
    rows = {row["case"]: row for row in bundled()}
    assert [rows[case]["operation"] for case in CASES] == ["modify", "add", "delete", "structure"]
    assert {*RANKED, *WORTHLESS} == set(EDITORS)


def test_edit_fidelity_ranks_the_editors(scores: dict[str, dict[str, Score]]) -> None:
    means = [mean([found[name] for found in scores.values()], "edit_fidelity") or 0.0 for name in RANKED]
    assert means[0] > 0.99
    assert all(better > worse for better, worse in pairwise(means)), means


@pytest.mark.parametrize("name", WORTHLESS)
def test_what_does_not_edit_is_worth_nothing(scores: dict[str, dict[str, Score]], name: str) -> None:
    assert [found[name]["edit_fidelity"] for found in scores.values()] == [0.0] * len(CASES)


def test_the_published_column_is_fooled(scores: dict[str, dict[str, Score]]) -> None:
    """By no edit at all, seen on the whole page; and a page without text has no text metric that could be low."""
    for found in scores.values():
        assert (found["no-op"]["cdm_global_published"] or 0) > 0.9
        assert found["deletes-everything"]["cdm_global_published"] is None
        assert found["deletes-everything"]["cdm_global"] == 0.0


def test_the_ceiling_is_the_perfect_editors_score(scores: dict[str, dict[str, Score]]) -> None:
    for found in scores.values():
        assert found["no-op"]["ceiling_edit_fidelity"] == found["perfect"]["edit_fidelity"]
