"""BLEU-4 (`metrics/bleu.py`), against sacrebleu where both are defined alike."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.metrics import bleu

WORDS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=12)
FOUR_OR_MORE = st.lists(st.sampled_from("abcd"), min_size=4, max_size=12)


@pytest.mark.parametrize(
    ("reference", "hypothesis", "lang", "value"),
    [
        ("Total due", "Total due", "en", 1.0),
        ("合计金额壹佰元整", "合计金额壹佰元整", "zh", 1.0),
        ("합계 금액", "합계 금액", "ko", 1.0),
        ("yes", "no", "en", 0.0),
        ("", "", "en", 1.0),
        ("a", "", "en", 0.0),
        ("", "a", "en", 0.0),
        ("a b", "b a", "en", math.sqrt(1 * 1 / 2)),  # 2/2 and (0+1)/(1+1)
        ("a b c", "a", "en", math.exp(1 - 3)),  # order 1 only, and the penalty
        ("a", "a b", "en", 0.5),
        ("甲乙", "甲丙", "zh", math.sqrt(1 / 2 * 1 / 2)),
    ],
)
def test_audited(reference: str, hypothesis: str, lang: str, value: float) -> None:
    assert bleu(reference, hypothesis, lang=lang) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("reference", "hypothesis", "value"),
    [
        ("a b c d", "a b c d", 1.0),
        ("yes", "no", (1 / 2) ** (1 / 4)),  # nothing in common, and yet
        ("合计金额", "合计全额", (1 / 2) ** (1 / 4)),  # one token, whatever the language
        ("a b c d e", "a b c d", math.exp(1 - 5 / 4)),
        ("a b c d", "b a d c", (1 * (1 / 4) * (1 / 3) * (1 / 2)) ** (1 / 4)),
        ("", " ", 1.0),
        ("", "a", 0.0),
    ],
)
def test_published(reference: str, hypothesis: str, value: float) -> None:
    assert bleu(reference, hypothesis, lang="zh", column="published") == pytest.approx(value, abs=1e-12)


@given(WORDS, WORDS)
def test_range_and_identity(reference: list[str], hypothesis: list[str]) -> None:
    ref, hyp = " ".join(reference), " ".join(hypothesis)
    for column in ("audited", "published"):
        assert 0 <= bleu(ref, hyp, lang="en", column=column) <= 1
        assert bleu(ref, ref, lang="en", column=column) == pytest.approx(1.0, abs=1e-12)


@given(FOUR_OR_MORE, FOUR_OR_MORE)
def test_equals_sacrebleu_where_defined_alike(reference: list[str], hypothesis: list[str]) -> None:
    """Its `add-k` leaves order 1 alone as ours does; where a text has under four tokens it goes on to order 4."""
    sacrebleu = pytest.importorskip("sacrebleu", reason="needs sacrebleu")
    ref, hyp = " ".join(reference), " ".join(hypothesis)
    theirs = sacrebleu.sentence_bleu(hyp, [ref], smooth_method="add-k", smooth_value=1, tokenize="none")
    assert bleu(ref, hyp, lang="en") == pytest.approx(theirs.score / 100, abs=1e-9)


def test_unknown() -> None:
    with pytest.raises(ValueError, match="column 'best' is unknown: choose one of audited, published"):
        bleu("a", "a", lang="en", column="best")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="lang 'fr' is unknown"):
        bleu("a", "a", lang="fr")
