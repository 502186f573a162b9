"""How many sequences of each length: the proportions of ZeroSense Table 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from pytest_vtcfaith.texts.errors import TextsError

TABLE_1: Mapping[int, int] = {300: 4493, 500: 3625, 700: 2733, 900: 1473}
"""Sequences of the published set by length in words (ZeroSense Table 1)."""


def split(count: int, weights: Mapping[int, int]) -> dict[int, int]:
    """`count` split in the proportions of `weights`, by largest remainder; equal remainders go to the shorter length.

    `count` is at least 0, `weights` are positive.
    """
    total = sum(weights.values())
    quotas = {length: Fraction(count * weight, total) for length, weight in weights.items()}
    shares = {length: int(quota) for length, quota in quotas.items()}
    by_remainder = sorted(quotas, key=lambda length: (shares[length] - quotas[length], length))
    for length in by_remainder[: count - sum(shares.values())]:
        shares[length] += 1
    return shares


def counts_of_table(count: int, lengths: Sequence[int]) -> dict[int, int]:
    """`count` sequences over `lengths` in the proportions of Table 1; none of a length that gets no share.

    Raises TextsError for a length that Table 1 does not have.
    """
    for length in lengths:
        if length not in TABLE_1:
            known = ", ".join(map(str, TABLE_1))
            raise TextsError(f"length {length} is not in Table 1 ({known}): say how many with --count-at {length}=N")
    shares = split(count, {length: TABLE_1[length] for length in sorted(set(lengths))})
    return {length: share for length, share in shares.items() if share}
