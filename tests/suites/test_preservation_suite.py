"""The preservation suite: pages at a budget, means in which failed cases score 0, and the gaps to natural text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_cases import PRESERVATION, answer, bare_score, preservation_case, spec

from pytest_vtcfaith.metrics.outcomes import FAILURES
from pytest_vtcfaith.pages import visual_tokens
from pytest_vtcfaith.suites.base import Inapplicable, value
from pytest_vtcfaith.suites.case import CaseScore
from pytest_vtcfaith.suites.preservation_metrics import token_bucket

TEXT = "Low tide at the old pier is seven minutes past nine today"  # 12 words
TIER = "preservation/glyph/5x/uniform"


def scored(
    document: str,
    accuracy: float,
    source: str = "uniform",
    *,
    pixels: float = 100.0,
    outcome: str = "complete",
    n_text: int = 300,
    ratio: float = 5.0,
) -> CaseScore:
    metrics = {
        "word_accuracy": accuracy,
        "char_accuracy": accuracy,
        "word_f1": accuracy,
        "pixels_per_character": pixels,
        "compression_ratio": 5.1,
        "n_text": n_text,
    }
    return bare_score(preservation_case(document, source, ratio=ratio, n_text=n_text), outcome, metrics)


def tier_value(metric: str, scores: list[CaseScore], tier: str = TIER) -> float | None:
    return value(PRESERVATION.metrics[metric], PRESERVATION.summarise(tier, scores).columns)


# --- requests ---


def test_a_page_costs_the_tokens_of_its_ratio() -> None:
    case = preservation_case(text=TEXT, ratio=5, n_text=300)
    request = PRESERVATION.request(case, spec())
    page = request.page
    assert visual_tokens("nominal", page.width, page.height) == page.visual_tokens
    assert 57 <= (page.visual_tokens or 0) <= 60
    assert request.budget_tokens is None  # nothing counts the tokens of an engine without visual tokens
    qwen = PRESERVATION.request(preservation_case(n_text=315), spec(visual_tokens="qwen2.5-vl"))
    assert qwen.page.visual_tokens == 63
    assert qwen.budget_tokens == visual_tokens("qwen2.5-vl", qwen.page.width, qwen.page.height)
    assert "page" not in vars(PRESERVATION.request(case, spec()))


def test_a_matched_natural_page_has_the_size_of_its_partner() -> None:
    partner = preservation_case(text="x" * 60, n_text=400)
    matched = preservation_case(source="natural-at-uniform", text=TEXT, n_text=250)
    matched.params["budget_text"] = 400  # type: ignore[index]
    pages = [PRESERVATION.request(case, spec()).page for case in (partner, matched)]
    assert (pages[0].width, pages[0].height) == (pages[1].width, pages[1].height)


@pytest.mark.parametrize(("family", "ratio"), [("gemma3", 10.0), ("deepseek-ocr-large", 5.0), ("qwen3-vl", 20.0)])
def test_a_ratio_out_of_reach_is_inapplicable(family: str, ratio: float) -> None:
    with pytest.raises(Inapplicable, match=family):
        PRESERVATION.request(preservation_case(ratio=ratio), spec(visual_tokens=family))


def test_a_language_the_model_does_not_declare() -> None:
    assert "'en'" in PRESERVATION.inapplicable(preservation_case(), spec(languages=frozenset({"zh"})))
    assert PRESERVATION.inapplicable(preservation_case(), spec(languages=frozenset({"en"}))) == ""


# --- scores ---


def test_a_complete_case() -> None:
    case = preservation_case(text=TEXT)
    request = PRESERVATION.request(case, spec())
    found = PRESERVATION.score(case, answer(TEXT.replace("seven", "eleven")), request)
    assert found["word_accuracy"] == pytest.approx(11 / 12)
    assert found["wer"] == pytest.approx(1 / 12)
    assert (found["word_edits"], found["reference_words"]) == (1, 12)
    assert (found["reference_chars"], found["hypothesis_chars"]) == (len(TEXT), len(TEXT) + 1)
    assert tier_value("length_ratio", [bare_score(case, metrics=found)]) == pytest.approx(1 + 1 / len(TEXT))
    assert found["visual_tokens"] == request.page.visual_tokens
    assert found["compression_ratio"] == pytest.approx(300 / request.page.visual_tokens)  # type: ignore[operator]
    assert found["pixels_per_character"] == pytest.approx(request.page.width * request.page.height / len(TEXT))
    assert all(type(v) in (int, float) for v in found.values())


@pytest.mark.parametrize("outcome", FAILURES)
def test_a_failed_case_scores_0_and_keeps_its_page(outcome: str) -> None:
    case = preservation_case(text=TEXT)
    found = PRESERVATION.score(case, answer(TEXT, outcome), PRESERVATION.request(case, spec()))
    assert {found[k] for k in ("word_accuracy", "word_precision", "word_recall", "word_f1", "char_accuracy")} == {0.0}
    assert "wer" not in found
    assert found["pixels_per_character"]


def test_an_infrastructure_error_scores_nothing() -> None:
    case = preservation_case(text=TEXT)
    assert PRESERVATION.score(case, answer(None, "infrastructure_error"), PRESERVATION.request(case, spec())) == {}


# --- tiers ---


def test_a_failed_case_counts_0_in_the_mean_and_in_the_failure_rate() -> None:
    scores = [scored("a", 0.9), scored("b", 0.0, outcome="truncated"), scored("c", 0.6)]
    for metric in ("word_accuracy", "A_M", "A", "char_accuracy", "word_f1"):
        assert tier_value(metric, scores) == pytest.approx(0.5)
    assert tier_value("failure_rate", scores) == pytest.approx(1 / 3)
    assert tier_value("compression_ratio", scores) == pytest.approx(5.1)


def test_what_was_not_measured_is_in_no_mean() -> None:
    scores = [
        scored("a", 0.9),
        bare_score(preservation_case("b"), "infrastructure_error", reason="time-out"),
        bare_score(preservation_case("c"), "", reason="out of reach"),
        scored("d", 0.0, outcome="empty"),
    ]
    assert tier_value("word_accuracy", scores) == pytest.approx(0.45)
    assert tier_value("failure_rate", scores) == pytest.approx(1 / 3)
    summary = PRESERVATION.summarise(TIER, scores)
    assert (summary.expected, summary.measured, summary.inapplicable) == (3, 2, 1)


def test_other_tiers_do_not_count() -> None:
    scores = [scored("a", 0.9), scored("a", 0.1, ratio=10), scored("b", 0.2, "natural")]
    assert tier_value("word_accuracy", scores) == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("n_text", "bucket"),
    [
        (199, None),
        (200, "200-400"),
        (399, "200-400"),
        (400, "400-600"),
        (999, "800-1000"),
        (1000, "800-1000"),
        (1001, None),
    ],
)
def test_length_buckets(n_text: int, bucket: str | None) -> None:
    assert token_bucket(n_text) == bucket


def test_accuracy_by_length() -> None:
    scores = [
        scored("a", 0.9, n_text=250),
        scored("b", 0.7, n_text=350),
        scored("c", 0.2, n_text=700),
        scored("d", 0.5, n_text=50),
    ]
    assert tier_value("word_accuracy@200-400", scores) == pytest.approx(0.8)
    assert tier_value("word_accuracy@600-800", scores) == pytest.approx(0.2)
    assert tier_value("word_accuracy@800-1000", scores) is None


# --- gaps ---


def test_the_prior_gap_compares_pages_of_equal_letters() -> None:
    scores = [
        scored("a", 0.5, pixels=100.0),
        scored("a", 0.9, "natural-at-uniform", pixels=102.0),
        scored("b", 0.7, pixels=100.0),
        scored("b", 0.8, "natural-at-uniform", pixels=98.0),
        scored("c", 0.1, pixels=100.0),
        scored("c", 1.0, "natural-at-uniform", pixels=102.1),  # letters too large
        scored("d", 0.1, pixels=100.0),  # no partner
    ]
    assert tier_value("prior_gap", scores) == pytest.approx(((0.9 - 0.5) + (0.8 - 0.7)) / 2)
    assert tier_value("word_accuracy", scores) == pytest.approx((0.5 + 0.7 + 0.1 + 0.1) / 4)
    assert tier_value("gap_at_ratio", scores) is None


def test_the_gap_at_a_ratio_forgives_other_letters() -> None:
    scores = [scored("a", 0.5, pixels=100.0), scored("a", 0.9, "natural", pixels=140.0)]
    assert tier_value("gap_at_ratio", scores) == pytest.approx(0.4)
    assert tier_value("prior_gap", scores) is None


def test_failed_pages_are_in_the_gap_and_lost_ones_are_not() -> None:
    scores = [
        scored("a", 0.0, outcome="repetition"),
        scored("a", 0.9, "natural-at-uniform"),
        scored("b", 0.8),
        scored("b", 0.0, "natural-at-uniform", outcome="empty"),
        bare_score(preservation_case("c"), "infrastructure_error"),
        scored("c", 0.9, "natural-at-uniform"),
        scored("d", 0.8),
        bare_score(preservation_case("d", "natural-at-uniform"), "infrastructure_error"),
    ]
    assert tier_value("prior_gap", scores) == pytest.approx((0.9 - 0.8) / 2)


def test_natural_tiers_have_no_gap() -> None:
    scores = [scored("a", 0.5, "natural"), scored("a", 0.9, "natural-at-natural")]
    assert tier_value("prior_gap", scores, "preservation/glyph/5x/natural") is None


@pytest.mark.parametrize(
    ("source", "metric", "other"),
    [
        ("uniform", "prior_gap", "natural-at-uniform"),
        ("uniform", "gap_at_ratio", "natural"),
        ("uniform-ko", "prior_gap", "natural-at-uniform-ko"),
        ("uniform-ko", "gap_at_ratio", "natural-ko"),
        ("naturalised", "gap_at_ratio", "natural"),
        ("uniform", "word_accuracy", None),
        ("uniform", "failure_rate", None),
        ("natural", "prior_gap", None),
        ("natural-zh", "gap_at_ratio", None),
        ("natural-at-uniform", "prior_gap", None),
    ],
)
def test_needs(source: str, metric: str, other: str | None) -> None:
    head = "preservation/glyph/7.5x"
    expected = {f"{head}/{source}"} | ({f"{head}/{other}"} if other else set())
    assert PRESERVATION.needs(f"{head}/{source}", metric, ()) == expected


def test_a_tier_without_scores() -> None:
    summary = PRESERVATION.summarise(TIER, [])
    assert (summary.expected, dict(summary.columns)) == (0, {})


share = st.floats(0, 1)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(
            share,
            share,
            st.floats(90, 110),
            st.integers(1, 1200),
            st.sampled_from(["complete", "empty", "infrastructure_error", ""]),
        ),
        max_size=6,
    )
)
def test_pooled_values_never_leave_their_range(rows: list[tuple[float, float, float, int, str]]) -> None:
    scores = []
    for i, (own, natural, pixels, n_text, outcome) in enumerate(rows):
        right = own if outcome == "complete" else 0.0
        scores.append(scored(f"d{i}", right, outcome=outcome, pixels=pixels, n_text=n_text))
        scores.append(scored(f"d{i}", natural, "natural-at-uniform", pixels=100.0))
        scores.append(scored(f"d{i}", natural, "natural", pixels=100.0))
    for name, metric in PRESERVATION.metrics.items():
        found = tier_value(name, scores)
        assert found is None or metric.low <= found <= metric.high, name


# --- what is shown ---


def test_the_first_differences_are_shown() -> None:
    case = preservation_case(text=TEXT)
    request = PRESERVATION.request(case, spec())
    transcript = answer(TEXT.replace("seven", "eleven"))
    found = PRESERVATION.explain(case, transcript, PRESERVATION.score(case, transcript, request), request)
    assert found.verdict == "1 word edits on 12 words"
    assert found.lines == ("word 8: old pier is -seven- +eleven+ minutes past nine",)
    assert request.page.words[found.word or 0].text == "seven"
    many = answer(" ".join(w if i % 2 else w + "x" for i, w in enumerate((TEXT + " " + TEXT).split())))
    long = preservation_case(text=TEXT + " " + TEXT)
    request = PRESERVATION.request(long, spec())
    found = PRESERVATION.explain(long, many, PRESERVATION.score(long, many, request), request)
    assert len(found.lines) == 7
    assert found.lines[-1] == "… and 6 more places"


def test_a_failure_is_named() -> None:
    case = preservation_case(text=TEXT)
    found = PRESERVATION.explain(case, answer("", "empty"), {}, PRESERVATION.request(case, spec()))
    assert (found.verdict, found.lines, found.word) == ("empty: 0 characters", (), None)
