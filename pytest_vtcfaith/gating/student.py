"""Normal quantiles widened for few documents (Student's t by Wallace's approximation)."""

from __future__ import annotations

import math
from statistics import NormalDist

NORMAL = NormalDist()


def student_quantile(z: float, freedom: int) -> float:
    """The quantile of Student's t with `freedom` >= 1 degrees of freedom where the normal one is `z`.

    Wallace, "Bounds on normal approximations to Student's and the chi-square distributions" (1959), solved for t; from
    5 degrees of freedom on it is within 1.5 % up to z = 3, with fewer it is too wide.
    """
    scaled = z * (8 * freedom + 3) / (8 * freedom + 1)
    return math.copysign(math.sqrt(freedom * math.expm1(min(700.0, scaled * scaled / freedom))), z)


def student_score(t: float, freedom: int) -> float:
    """The normal score of a value of Student's t: the inverse of `student_quantile`."""
    scaled = math.sqrt(freedom * math.log1p(t * t / freedom)) * (8 * freedom + 1) / (8 * freedom + 3)
    return math.copysign(scaled, t)


def widened(z: float, documents: int) -> float:
    """How many bootstrap standard deviations a bound lies away so that it holds for few documents, >= 2.

    The bootstrap's deviation is √((n−1)/n) of the unbiased one and knows nothing of its own error (Hesterberg, "What
    teachers should know about the bootstrap", 2015: the expanded percentile interval).
    """
    return student_quantile(z, documents - 1) * math.sqrt(documents / (documents - 1))


def narrowed(deviations: float, documents: int) -> float:
    """The inverse of `widened`: the normal score of a distance in bootstrap standard deviations."""
    return student_score(deviations * math.sqrt((documents - 1) / documents), documents - 1)
