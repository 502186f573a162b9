"""Validation by other models: is a sequence improbable to them too? (ZeroSense Eq. 10)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_vtcfaith.texts.errors import TextsError, show

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pytest_vtcfaith.models.protocols import LanguageModel

STATISTICS = ("mean", "max", "all")


@dataclass(frozen=True, slots=True)
class Statistics:
    """The probabilities of a sequence's words under one model: mean, greatest, and the share of words under τ2.

    `step` (from 1) is where the greatest stands.
    """

    mean: float
    max: float
    below: float
    step: int

    def passes(self, statistic: str, tau2: float) -> bool:
        """Whether the sequence is improbable enough for this model.

        `mean`: the mean is under τ2 (Eq. 10). `max`: the greatest is. `all`: the share of words under τ2 is 1, which
        is the same verdict as `max`, told as a share.
        """
        if statistic == "mean":
            return self.mean < tau2
        return self.max < tau2 if statistic == "max" else self.below == 1.0


def check_statistic(statistic: str) -> None:
    """Raises TextsError unless the statistic is `mean`, `max` or `all`."""
    if statistic not in STATISTICS:
        raise TextsError(f"statistic {show(statistic)} is unknown: choose one of {', '.join(STATISTICS)}")


def statistics(probabilities: Sequence[float], tau2: float) -> Statistics:
    """The statistics of at least one probability, none of them NaN."""
    greatest = max(probabilities)
    below = sum(probability < tau2 for probability in probabilities)
    return Statistics(
        mean=math.fsum(probabilities) / len(probabilities),
        max=greatest,
        below=below / len(probabilities),
        step=probabilities.index(greatest) + 1,
    )


def validate(validator: LanguageModel, tokens: NDArray[np.int64], tau2: float) -> list[Statistics]:
    """The statistics of each sequence under one model, one teacher-forcing pass a sequence.

    `tokens` (sequences, n) are this model's own. Raises TextsError naming model, step and τ2 for a NaN.
    """
    import numpy as np

    found = []
    for row in tokens:
        probabilities = validator.given_probabilities(row[None])[0]
        if np.isnan(probabilities).any():
            step = int(np.flatnonzero(np.isnan(probabilities))[0]) + 1
            raise TextsError(
                f"model {validator.name!r}, step {step} of {len(row)}, τ2 = {tau2:g}: the probability is NaN: "
                "use dtype float32, or mend the weights"
            )
        found.append(statistics(probabilities.tolist(), tau2))
    return found
