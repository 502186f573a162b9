"""The proportions of Table 1."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.texts import TextsError
from pytest_vtcfaith.texts.zerosense.lengths import TABLE_1, counts_of_table, split


@pytest.mark.parametrize(
    ("count", "lengths", "counts"),
    [
        (12_324, (300, 500, 700, 900), {300: 4493, 500: 3625, 700: 2733, 900: 1473}),
        (120, (300, 500, 700, 900), {300: 44, 500: 35, 700: 27, 900: 14}),
        (12, (300, 500, 700, 900), {300: 4, 500: 4, 700: 3, 900: 1}),
        (1, (900, 300), {300: 1}),
        (3, (700, 300, 300), {300: 2, 700: 1}),
        (5, (900,), {900: 5}),
    ],
)
def test_counts(count: int, lengths: tuple[int, ...], counts: dict[int, int]) -> None:
    assert counts_of_table(count, lengths) == counts


@given(st.integers(0, 50_000), st.dictionaries(st.integers(1, 2000), st.integers(1, 5000), min_size=1, max_size=6))
def test_a_split_is_whole_and_within_one_of_the_quota(count: int, weights: dict[int, int]) -> None:
    shares = split(count, weights)
    assert sum(shares.values()) == count
    for length, weight in weights.items():
        assert abs(shares[length] - count * weight / sum(weights.values())) < 1


def test_the_table_adds_up_to_the_published_total() -> None:
    assert sum(TABLE_1.values()) == 12_324


def test_a_length_outside_the_table() -> None:
    with pytest.raises(TextsError, match=r"length 400 is not in Table 1 \(300, 500, 700, 900\): .* --count-at 400=N"):
        counts_of_table(10, [300, 400])
