"""Draws that come out alike on every machine: from floats of a seeded generator, by nothing else of `random`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Draw = Callable[[], float]
"""A source of floats in [0, 1)."""

_T = TypeVar("_T")


def below(draw: Draw, bound: int) -> int:
    """A whole number from 0 to `bound` - 1."""
    return int(draw() * bound)


def shuffled(items: Iterable[_T], draw: Draw) -> list[_T]:
    """The items in a random order."""
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        other = below(draw, last + 1)
        order[last], order[other] = order[other], order[last]
    return order
