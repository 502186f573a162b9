"""Bootstrap over documents: draws, percentile and BCa bounds, p-values. Everything is an array, nothing a loop.

The first axis of an array is always that of the draws (or of the documents left out); further axes, if any, are
independent tiers, so that a simulation judges thousands of tiers by the very code that judges one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from pytest_vtcfaith.gating.student import NORMAL, narrowed, widened

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

DRAWS = 2000
RESOLVED = 10
"""So many draws beyond a bound say how probable that is; of fewer, the tail is not known from the draws."""

TIE = 1e-12
"""Draws this near to each other are equal."""

Method = Literal["percentile", "bca"]


@lru_cache(maxsize=4)
def weights(size: int, seed: int) -> Array:
    """How often each of `size` documents is drawn, a row for each draw; tiers of as many documents share them."""
    import numpy as np

    random = np.random.default_rng(seed)
    found = np.empty((DRAWS, size))
    for start in range(0, DRAWS, _ROWS):
        rows = min(_ROWS, DRAWS - start)
        drawn = random.integers(size, size=(rows, size))
        # how often each document is drawn: what multinomial() gives, several times faster
        cells = (drawn + size * np.arange(rows)[:, None]).ravel()
        found[start : start + rows] = np.bincount(cells, minlength=rows * size).reshape(rows, size)
    return found


_ROWS = 50
"""Draws made at a time: so many of some thousand documents fit into a processor's cache."""


def left_out(table: Array) -> Array:
    """The sums of a table (documents × columns …) without one document, a row for each (the jackknife)."""
    rest: Array = table.sum(axis=0) - table
    return rest


def bounds(
    draws: Array, point: Any, jackknife: Array, *, confidence: float, documents: int, method: Method
) -> tuple[Any, Any]:
    """Lower and upper end of the interval with `confidence` (0.5–1, two-sided) of a value.

    `draws` are its bootstrap values, `point` the value itself, `jackknife` its values without one document each,
    `documents` >= 2 their number. Ends are percentiles of the draws, widened for few documents; those of `bca` are
    moved by bias and acceleration (Efron, "Better bootstrap confidence intervals", 1987; acceleration by the
    jackknife, Efron and Tibshirani, "An introduction to the bootstrap", 1993, §14.3).
    """
    import numpy as np

    ordered = np.sort(draws, axis=0)
    z = widened(NORMAL.inv_cdf((1.0 + confidence) / 2.0), documents)
    if method == "percentile":
        shape = np.shape(point)
        return tuple(_quantile(ordered, np.full(shape, NORMAL.cdf(side * z))) for side in (-1, 1))
    bias, speed = _bias(draws, point), _acceleration(jackknife)
    found = []
    for side in (-1, 1):
        moved = bias + side * z
        squeezed = 1.0 - speed * moved
        score = np.where(squeezed > 0, bias + moved / np.where(squeezed > 0, squeezed, 1.0), side * np.inf)
        found.append(_quantile(ordered, _cdf(score)))
    return found[0], found[1]


def tail(draws: Array, point: Any, jackknife: Array, bound: Any, *, documents: int, method: Method) -> Any:
    """p-value of “the value is at most `bound`”: the level at which the lower end of its interval is `bound`.

    Where fewer than `RESOLVED` draws are at most `bound`: the Student tail of its distance in bootstrap standard
    deviations, at most what `RESOLVED` draws would give. With Holm's correction probabilities matter that no number of
    draws resolves.
    """
    import numpy as np

    within = (draws <= bound).mean(axis=0)
    spread = draws.std(axis=0)
    bias, speed = (_bias(draws, point), _acceleration(jackknife)) if method == "bca" else (0.0 * spread, 0.0 * spread)
    share = np.clip(within, RESOLVED / DRAWS, 1.0 - 0.5 / DRAWS)
    moved = np.asarray(_inverse(share)) - bias
    score = moved / np.maximum(1.0 + speed * moved, TIE) - bias
    resolved = np.asarray(_p(score, documents))
    apart = np.where(spread > TIE, (bound - point) / np.where(spread > TIE, spread, 1.0), -np.inf)
    beyond = np.minimum(resolved, _p(apart, documents))
    found = np.where(within * DRAWS >= RESOLVED, resolved, beyond)
    return np.where(spread > TIE, found, np.where(point <= bound, 1.0, 0.0))


def _quantile(ordered: Array, level: Any) -> Any:
    """Quantiles of sorted draws, one level for each tier, interpolated linearly."""
    import numpy as np

    place = np.asarray(level)[None] * (len(ordered) - 1)
    below = np.floor(place).astype(int)
    above = np.minimum(below + 1, len(ordered) - 1)
    low, high = np.take_along_axis(ordered, below, axis=0), np.take_along_axis(ordered, above, axis=0)
    return (low + (high - low) * (place - below))[0]


def _bias(draws: Array, point: Any) -> Any:
    """BCa's z₀; draws equal to the value count half on either side."""
    import numpy as np

    apart = draws - point
    equal = np.abs(apart) <= TIE
    share = ((apart < 0) & ~equal).mean(axis=0) + equal.mean(axis=0) / 2.0
    return _inverse(np.clip(share, 0.5 / len(draws), 1.0 - 0.5 / len(draws)))


def _acceleration(jackknife: Array) -> Any:
    """BCa's a; 0 where all values are equal or one is undefined."""
    import numpy as np

    apart = jackknife.mean(axis=0) - jackknife
    squares = (apart**2).sum(axis=0)
    known = np.isfinite(squares) & (squares > TIE**2)
    return np.where(known, (apart**3).sum(axis=0) / (6.0 * np.where(known, squares, 1.0) ** 1.5), 0.0)


def _cdf(scores: Any) -> Any:
    import numpy as np

    return np.vectorize(NORMAL.cdf, otypes=[float])(scores)


def _inverse(shares: Any) -> Any:
    import numpy as np

    return np.vectorize(NORMAL.inv_cdf, otypes=[float])(shares)


def _p(deviations: Any, documents: int) -> Any:
    import numpy as np

    return np.vectorize(lambda d: NORMAL.cdf(narrowed(d, documents)), otypes=[float])(deviations)
