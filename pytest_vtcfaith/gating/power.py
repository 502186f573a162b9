"""What a regression gate can see, and the margin and the documents that keep it quiet while nothing changes."""

from __future__ import annotations

import math
from collections.abc import Callable

from pytest_vtcfaith.gating.student import NORMAL, widened

POWER = 0.8
RED = 0.05
"""Most runs without any change that may have a gate that does not pass."""

UNSEEN = 3.0
"""What was seen in none of n documents may still happen in 3/n of them (the rule of three, 95 %)."""


def level(confidence: float) -> float:
    """The error on either side of a two-sided interval."""
    return (1.0 - confidence) / 2.0


def detectable_loss(
    margin: float, spread: float, worst: float, documents: int, *, confidence: float, gates: int
) -> float:
    """The smallest loss that a gate calls a failure with 80 % power, alone among `gates` under Holm's correction.

    Arguments as of `quiet_margin`; one document more than was seen is taken to fail wholly or to recover meanwhile.
    Infinite for one document, which shows nothing about others. It is meant for a loss that all documents share: one
    made of documents that fail wholly is often not a sure failure, but hardly ever a pass (docs/statistics.md has the
    figures).
    """
    if documents < 2:
        return math.inf
    away = widened(NORMAL.inv_cdf(1.0 - level(confidence) / gates), documents)
    power = widened(NORMAL.inv_cdf(POWER), documents)
    return margin + (away + power) * _planned(spread, worst, documents, 1.0)


def quiet_margin(spread: float, worst: float, documents: int, *, confidence: float, gates: int) -> float:
    """The smallest margin at which at most 5 % of runs without any change have a gate that does not pass.

    `spread` is the bootstrap spread of the loss over `documents` documents, `worst` the loss of one document that fails
    wholly, `gates` the number of regression gates of the run (an equivalence gate counts twice). Besides the spread
    that was seen, `UNSEEN` further documents are taken to change wholly: failures are too rare to be in every
    comparison.
    """
    if documents < 2:
        return math.inf
    return _away(documents, confidence, gates) * _planned(spread, worst, documents, UNSEEN)


def documents_needed(
    margin: float, spread: float, worst: float, documents: int, *, confidence: float, gates: int
) -> int | None:
    """The smallest number of documents that make `margin` the quiet one, if they vary like these.

    Arguments as of `quiet_margin`. None where no number does (a margin of 0), or one document is all there is to judge
    by.
    """
    if documents < 2 or margin <= 0:
        return None
    deviation = spread * math.sqrt(documents)
    return _fewest(
        lambda count: (
            quiet_margin(deviation / math.sqrt(count), worst, count, confidence=confidence, gates=gates) <= margin
        )
    )


def documents_seeing(
    most: float, margin: float, spread: float, worst: float, documents: int, *, confidence: float, gates: int
) -> int | None:
    """The smallest number of documents whose `detectable_loss` is one of at most `most`, if they vary like these.

    Other arguments as of `detectable_loss`. None where no number is, or one document is all there is to judge by.
    """
    if documents < 2:
        return None
    deviation = spread * math.sqrt(documents)
    return _fewest(
        lambda count: (
            detectable_loss(margin, deviation / math.sqrt(count), worst, count, confidence=confidence, gates=gates)
            <= most
        )
    )


def _fewest(enough: Callable[[int], bool]) -> int | None:
    """The smallest number of documents, from 2, that is enough, where every larger one is too; None for none."""
    if enough(2):
        return 2
    most = 2
    while not enough(most):
        most *= 2
        if most > _ENDLESS:
            return None
    least = most // 2
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (least, middle) if enough(middle) else (middle, most)
    return most


_ENDLESS = 10**9


def _planned(spread: float, worst: float, documents: int, unseen: float) -> float:
    """The spread of other comparisons of as many documents, in which `unseen` more of them fail wholly or recover."""
    return math.sqrt(spread**2 + unseen * (worst / documents) ** 2)


def _away(documents: int, confidence: float, gates: int) -> float:
    """From no loss to the margin in bootstrap spreads: half for the interval, half so that all gates hold at once."""
    bound = NORMAL.inv_cdf(1.0 - level(confidence))
    return widened(bound, documents) + widened(NORMAL.inv_cdf(1.0 - RED / gates), documents)
