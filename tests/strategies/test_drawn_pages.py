"""Strategies of pictures: pages show their text, edits change their regions and nothing else."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vtcfaith import strategies
from pytest_vtcfaith.pages.edits.pair import EditPair
from pytest_vtcfaith.pages.page import Page
from pytest_vtcfaith.strategies.pictures import OPERATIONS


@settings(max_examples=10, deadline=None)
@given(st.sampled_from(["en", "zh", "ko"]).flatmap(strategies.pages))
def test_pages_show_their_text(page: Page) -> None:
    assert page.image.size == (page.width, page.height)
    assert "".join(word.text for word in page.words) == page.text.replace(" ", "").replace("\n", "")


@settings(max_examples=8, deadline=None)
@given(st.sampled_from(["en", "zh"]).flatmap(strategies.edits))
def test_an_edit_changes_its_region_only(pair: EditPair) -> None:
    different = (np.asarray(pair.source) != np.asarray(pair.reference)).any(axis=2)
    assert different.any()
    for left, top, right, bottom in pair.regions:
        different[top:bottom, left:right] = False
    assert not different.any()


@pytest.mark.parametrize("region", ["text", "table"])
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_is_asked_is_what_was_done(lang: str, operation: str, region: str) -> None:
    @settings(max_examples=1, deadline=None)
    @given(strategies.edits(lang, operation=operation, region=region))
    def check(pair: EditPair) -> None:
        assert pair.operation == operation
        assert (pair.lang, pair.region_blocks is None) == (lang, False)
        named = re.findall("[‘“](.*?)[’”]", pair.instruction)
        after = "\n".join(block.text for block in pair.blocks)
        if operation == "structure":
            first, second = (after.index(word) for word in named)
            assert second < first
        else:
            new = {"modify": named[-1], "add": named[0], "delete": None}[operation]
            gone = {"modify": named[0], "add": None, "delete": named[0]}[operation]
            assert new is None or new in after
            assert gone is None or gone not in after

    check()


@pytest.mark.parametrize("wrong", [{"lang": "ko"}, {"operation": "move"}, {"region": "page"}])
def test_what_is_unknown_is_said_at_once(wrong: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="is unknown: choose one of"):
        strategies.edits(**wrong)  # type: ignore[arg-type]
