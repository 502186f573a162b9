from __future__ import annotations

import jiwer
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_vtcfaith.metrics import normalise, text_scores
from pytest_vtcfaith.metrics.scripts import LANGUAGES

texts = st.text(st.sampled_from("ab海边 .,가1"), max_size=15)
words = st.lists(st.sampled_from(["the", "ship", "sails", "at", "noon."]), min_size=1, max_size=12).map(" ".join)


@given(words, words)
def test_rates_agree_with_jiwer(reference: str, hypothesis: str) -> None:
    scores = text_scores(reference, hypothesis, lang="en")
    assert scores["wer"] == pytest.approx(jiwer.wer(reference, hypothesis))
    assert scores["cer"] == pytest.approx(jiwer.cer(reference, hypothesis))


@given(texts, texts, st.sampled_from(LANGUAGES), st.sampled_from(["verbatim", "published"]))
def test_values_lie_where_they_should(reference: str, hypothesis: str, lang: str, profile: str) -> None:
    scores = text_scores(reference, hypothesis, lang=lang, profile=profile)
    assert all(value is None or type(value) in (int, float, str) for value in scores.values())
    for name in ("word_accuracy", "word_precision", "word_recall", "word_f1", "char_accuracy"):
        value = scores[name]
        assert value is None or 0 <= float(value) <= 1
    assert (scores.get("outcome") == "spurious_text") == (scores["wer"] is None) == (scores["cer"] is None)
    assert (scores["wer"] == 0) == (scores["word_edits"] == 0)


@given(texts, st.sampled_from(LANGUAGES))
def test_identical_texts(text: str, lang: str) -> None:
    scores = text_scores(text, text, lang=lang)
    assert [scores[name] for name in ("wer", "cer", "cer_spaceless")] == [0, 0, 0]
    assert [scores[name] for name in ("word_accuracy", "word_recall", "word_f1", "char_accuracy")] == [1, 1, 1, 1]
    assert scores["word_precision"] == (1 if normalise(text, lang=lang) else None)


@given(texts, texts)
def test_pure_chinese_word_errors_are_character_errors(reference: str, hypothesis: str) -> None:
    reference, hypothesis = (t.translate(dict.fromkeys(map(ord, "ab 1"))) for t in (reference, hypothesis))
    assume(reference)
    scores = text_scores(reference, hypothesis, lang="zh")
    assert scores["wer"] == scores["cer"] == scores["cer_spaceless"]


@pytest.mark.parametrize(
    ("reference", "hypothesis", "lang", "expect"),
    [
        ("", "two words", "en", {"wer": None, "cer": None, "cer_spaceless": None, "word_accuracy": None}),
        ("", "two words", "en", {"word_precision": 0, "word_recall": None, "word_f1": 0, "char_accuracy": 0}),
        ("\u200b", " \n", "en", {"wer": 0, "word_accuracy": 1, "char_accuracy": 1}),
        ("one", "", "en", {"wer": 1, "word_f1": 0, "char_accuracy": 0, "word_precision": None, "reference_words": 1}),
        ("할 수 있다", "할수 있다", "ko", {"cer": 1 / 6, "cer_spaceless": 0, "wer": 2 / 3}),
        ("a b a", "a a b", "en", {"word_precision": 1, "word_recall": 1, "word_f1": 1, "word_accuracy": 2 / 3}),
        ("ab", "abcd", "en", {"char_accuracy": 0.5, "char_edits": 2, "reference_chars": 2, "char_longest": 4}),
        ("a b c", "a x c d", "en", {"word_edits": 2, "word_matches": 2, "hypothesis_words": 4}),
        ("a\ud83d", "a\ud83d", "en", {"cer": 0}),
    ],
)
def test_values(reference: str, hypothesis: str, lang: str, expect: dict[str, float | None]) -> None:
    scores = text_scores(reference, hypothesis, lang=lang)
    assert {name: scores[name] for name in expect} == pytest.approx(expect)
    assert ("outcome" in scores) == (reference == "")


def test_profile_that_erases_one_side() -> None:
    assert text_scores("+ +", "+", lang="en", profile="published")["wer"] == 0.5
    assert text_scores("a!", "-", lang="en", profile="published")["cer"] == 1.0
    assert "outcome" not in text_scores("+", "a", lang="en", profile="published")
