"""Which tiers a pattern means: pooled ones as it reads, finer ones only with as many parts as they have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.suites.tiers import means

POOLED = "preservation/glyph/10x/zerosense"
FINER = f"{POOLED}/600-800"


@pytest.mark.parametrize(
    ("pattern", "pooled", "finer"),
    [
        ("preservation/*", True, False),
        ("*", True, False),
        ("preservation/*/10x/*", True, False),
        ("preservation/glyph/*/zerosense", True, False),
        ("preservation/glyph/10x/zerosense*", True, False),
        (FINER, False, True),
        ("preservation/*/*/*/*", False, True),
        ("preservation/glyph/*/zerosense/600-800", False, True),
        ("preservation/glyph/*/zerosense/200-400", False, False),
        ("preservation/*/600-800", False, False),
        ("preservation/*/*/*/*/*", False, False),
        ("rewriting/*", False, False),
    ],
)
def test_patterns(pattern: str, pooled: bool, finer: bool) -> None:
    assert means(pattern, POOLED, finer=False) is pooled
    assert means(pattern, FINER, finer=True) is finer


part = st.text("ab-", min_size=1, max_size=4)


@given(st.lists(part, min_size=2, max_size=5), st.lists(st.sampled_from(["*", "a*", "?"]), min_size=1, max_size=6))
def test_a_pattern_without_slashes_in_its_stars_means_both_kinds_alike(parts: list[str], pattern: list[str]) -> None:
    """The oracle: part by part."""
    from fnmatch import fnmatchcase

    alike = len(parts) == len(pattern) and all(map(fnmatchcase, parts, pattern))
    assert means("/".join(pattern), "/".join(parts), finer=True) is alike
