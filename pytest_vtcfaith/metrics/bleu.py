"""BLEU-4 of one text against one reference (definitions §5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import exp, log

from pytest_vtcfaith.metrics.columns import Column, check_column
from pytest_vtcfaith.metrics.tokenise import tokens

_ORDERS = 4


def bleu(reference: str, hypothesis: str, *, lang: str, column: Column = "audited") -> float:
    """BLEU-4 with add-one smoothing and brevity penalty, in [0, 1].

    - `audited`: tokens by language; 0 without a common token; orders 1 to min(4, tokens of either text); the precision
      of order 1 is m/t, of the others (m+1)/(t+1); identical texts give 1.
    - `published`: tokens stand between white space whatever the language; orders 1 to 4, each (m+1)/(t+1), so that an
      order of which the hypothesis has no n-gram counts as 1, and texts that share nothing do not give 0. The
      benchmark's public code puts 1e-9 for such an order instead.

    Two texts without tokens give 1, one without 0. `lang`: as for `tokens`. Raises ValueError for an unknown language
    or column. Source: VDE Bench F.2.2, Eq. 17; definitions §5.
    """
    check_column(column)
    if column == "published":
        ref, hyp = reference.split(), hypothesis.split()
    else:
        ref, hyp = tokens(reference, lang), tokens(hypothesis, lang)
    if not ref or not hyp:
        return 1.0 if ref == hyp else 0.0
    orders = _ORDERS if column == "published" else min(_ORDERS, len(ref), len(hyp))
    total = 0.0
    for order in range(1, orders + 1):
        matched, count = _matches(ref, hyp, order), max(0, len(hyp) - order + 1)
        smooth = 1 if column == "published" or order > 1 else 0
        if matched + smooth == 0:
            return 0.0
        total += log((matched + smooth) / (count + smooth))
    penalty = 0.0 if len(hyp) > len(ref) else 1 - len(ref) / len(hyp)
    return exp(total / orders + penalty)


def _matches(ref: Sequence[str], hyp: Sequence[str], order: int) -> int:
    """How many n-grams of the hypothesis the reference has, each as often as it has it."""
    return sum((_ngrams(ref, order) & _ngrams(hyp, order)).values())


def _ngrams(words: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(words[start:] for start in range(order)), strict=False))
