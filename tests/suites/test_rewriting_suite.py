"""The rewriting suite: scores, pooling over the intersection of documents, deltas, and what is shown."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_cases import REWRITING, answer, bare_score, no_page, rewriting_case, score_of, spec

from pytest_vtcfaith.metrics.outcomes import FAILURES
from pytest_vtcfaith.suites.base import Request, value
from pytest_vtcfaith.suites.case import CaseScore
from pytest_vtcfaith.suites.prompts import prompt
from pytest_vtcfaith.suites.rewriting_metrics import LENGTHS, length_bucket

ORIGINAL = "the children waved at the fishing boat"  # 7 words, 38 characters
PAGE = "the chidlren waved at the fihsing boat"
REQUEST = Request(no_page, prompt("plain", "en"))


def tier_value(tier: str, metric: str, scores: list[CaseScore]) -> float | None:
    return value(REWRITING.metrics[metric], REWRITING.summarise(tier, scores).columns)


def visual(document: str = "d1"):  # type: ignore[no-untyped-def]
    return rewriting_case(document, "visual", original=ORIGINAL, page=PAGE)


def plain(document: str = "d1"):  # type: ignore[no-untyped-def]
    return rewriting_case(document, "original", original=ORIGINAL)


# --- what cannot be asked ---


def test_languages_and_prompts_a_model_does_not_declare() -> None:
    korean = rewriting_case(lang="ko")
    assert (
        REWRITING.inapplicable(korean, spec(languages=frozenset({"en", "zh"})))
        == "m does not declare that it reads 'ko'"
    )
    assert REWRITING.inapplicable(korean, spec(languages=frozenset({"ko"}))) == ""
    assert REWRITING.inapplicable(korean, spec(languages=None)) == ""
    asked = rewriting_case(asked="no_correct")
    assert REWRITING.inapplicable(asked, spec(prompts=True)) == ""
    assert "takes no prompt" in REWRITING.inapplicable(asked, spec(prompts=False))


@pytest.mark.parametrize("condition", ["plain", "no_correct", "no_correct+think"])
def test_a_request_has_the_page_and_the_prompt(condition: str) -> None:
    case = rewriting_case(original=ORIGINAL, page=PAGE, asked=condition)
    request = REWRITING.request(case, spec())
    assert request.prompt == prompt(condition, "en")
    assert request.budget_tokens is None
    assert "page" not in vars(request)  # laid out only when read
    assert request.page.text == PAGE
    assert request.page.layout == "faithc4"
    assert request.page is request.page


# --- scores ---


def test_a_repaired_page() -> None:
    found = REWRITING.score(visual(), answer(ORIGINAL), REQUEST)
    assert {
        k: found[k] for k in ("perturbed", "rewritten", "verbatim", "close", "moderate", "missing", "wrong", "leaked")
    } == {
        "perturbed": 2,
        "rewritten": 2,
        "verbatim": 0,
        "close": 0,
        "moderate": 0,
        "missing": 0,
        "wrong": 0,
        "leaked": 0,
    }
    assert (found["rewrite_rate"], found["verbatim_rate"]) == (1.0, 0.0)
    assert found["wer"] == pytest.approx(2 / 7)
    assert (found["other_errors"], found["other_words"]) == (0, 5)
    assert (found["perturbed@8-9"], found["rewritten@8-9"]) == (1, 1)  # children
    assert (found["perturbed@7"], found["rewritten@7"]) == (1, 1)  # fishing


def test_a_faithful_page() -> None:
    found = REWRITING.score(visual(), answer(PAGE), REQUEST)
    assert (found["rewrite_rate"], found["verbatim_rate"], found["wer"]) == (0.0, 1.0, 0.0)
    assert "rewritten@7" not in found


def test_the_original_condition_has_no_perturbed_words() -> None:
    found = REWRITING.score(plain(), answer(ORIGINAL), REQUEST)
    assert found["word_accuracy"] == 1.0
    assert "perturbed" not in found
    assert "rewrite_rate" not in found


@pytest.mark.parametrize("outcome", FAILURES)
def test_a_failed_case_scores_0(outcome: str) -> None:
    assert REWRITING.score(visual(), answer("", outcome), REQUEST) == {"word_accuracy": 0.0, "char_accuracy": 0.0}


def test_an_infrastructure_error_scores_nothing() -> None:
    assert REWRITING.score(visual(), answer(None, "infrastructure_error", error="x"), REQUEST) == {}


def test_a_score_holds_plain_numbers_only() -> None:
    for text in ("", ORIGINAL, PAGE, "x" * 1000, "bad \ud83d"):
        for case in (visual(), plain()):
            found = REWRITING.score(case, answer(text), REQUEST)
            assert all(type(v) in (int, float, type(None)) for v in found.values())


def test_chinese_words_have_no_length_buckets() -> None:
    case = rewriting_case(lang="zh", original="灯塔看守人每天早晨检查设备", page="灯搭看守人每天早晨检查设备")
    found = REWRITING.score(case, answer(case.reference), REQUEST)
    assert found["perturbed"] == 1
    assert not any("@" in name for name in found)
    assert tier_value("rewriting/zh/visual", "rewrite_rate@4", [score_of(case, case.reference)]) is None


@pytest.mark.parametrize(
    ("length", "bucket"),
    [(1, "4"), (3, "4"), (4, "4"), (5, "5"), (7, "7"), (8, "8-9"), (9, "8-9"), (10, "10+"), (99, "10+")],
)
def test_lengths(length: int, bucket: str) -> None:
    assert length_bucket(length) == bucket
    assert bucket in LENGTHS


# --- tiers: by hand ---

TIER = "rewriting/en/visual"


def two_documents() -> list[CaseScore]:
    """d1: both perturbed words rewritten, one other word wrong. d2: both kept. Originals: one word wrong in d1."""
    return [
        score_of(visual("d1"), "the children waved at the fishing coat"),
        score_of(plain("d1"), "the children saved at the fishing boat"),
        score_of(visual("d2"), PAGE),
        score_of(plain("d2"), ORIGINAL),
    ]


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("rewrite_rate", 2 / 4),
        ("rewrite_share", 2 / 2),
        ("verbatim_rate", 2 / 4),
        ("wrong_rate", 0.0),
        ("wer", 3 / 14),
        ("word_accuracy", 11 / 14),
        ("delta_wer", 100 * (3 / 14 - 1 / 14)),
        # characters: chidlren→children 2, fihsing→fishing 2, boat→coat 1 = 5 against waved→saved 1, on 76
        ("delta_cer", 100 * (5 / 76 - 1 / 76)),
        ("delta_eds", -100 * (5 / 76 - 1 / 76)),
        # errors on unperturbed words 1 of 10, on all words of the originals 1 of 14
        ("error_amplification", (1.5 / 11) / (1.5 / 15)),
        ("failure_rate", 0.0),
        ("rewrite_rate@7", 1 / 2),
        ("rewrite_rate@8-9", 1 / 2),
        ("rewrite_rate@4", None),
    ],
)
def test_pooled_by_hand(metric: str, expected: float | None) -> None:
    found = tier_value(TIER, metric, two_documents())
    assert found == (None if expected is None else pytest.approx(expected))


def test_the_rewrite_share_is_0_when_all_are_verbatim() -> None:
    scores = [score_of(visual(), PAGE), score_of(plain(), ORIGINAL)]
    assert tier_value(TIER, "rewrite_share", scores) == 0.0


def test_the_original_tier_has_deltas_of_0_and_no_rewrites() -> None:
    scores = two_documents()
    assert tier_value("rewriting/en/original", "delta_wer", scores) == 0.0
    assert tier_value("rewriting/en/original", "rewrite_rate", scores) is None


def test_pooling_weighs_documents_by_their_words() -> None:
    short = rewriting_case("d3", "visual", original="harbour", page="hrabour")
    scores = [
        score_of(visual("d1"), PAGE),
        score_of(plain("d1"), ORIGINAL),
        score_of(short, "harbour"),
        score_of(rewriting_case("d3", "original", original="harbour"), "harbour"),
    ]
    assert tier_value(TIER, "rewrite_rate", scores) == pytest.approx(1 / 3)
    assert tier_value(TIER, "wer", scores) == pytest.approx(1 / 8)


# --- the intersection of documents ---


def failing(condition: str, outcome: str) -> list[CaseScore]:
    """Two documents like `two_documents`, with d1 failed under one condition."""
    scores = two_documents()
    return [
        bare_score(s.case, outcome, {"word_accuracy": 0.0, "char_accuracy": 0.0})
        if s.case.id == f"d1-{condition}"
        else s
        for s in scores
    ]


@pytest.mark.parametrize("condition", ["visual", "original"])
@pytest.mark.parametrize("outcome", ["truncated", "infrastructure_error", ""])
def test_only_documents_complete_in_every_condition_count(condition: str, outcome: str) -> None:
    scores = failing(condition, outcome)
    for tier in (TIER, "rewriting/en/original"):
        assert tier_value(tier, "word_accuracy", scores) == 1.0  # d2 alone
    assert tier_value(TIER, "rewrite_rate", scores) == 0.0


def test_no_document_in_every_condition_is_undefined() -> None:
    scores = [score_of(visual("d1"), PAGE), score_of(plain("d2"), ORIGINAL)]
    for metric in ("rewrite_rate", "delta_wer", "word_accuracy", "error_amplification"):
        assert tier_value(TIER, metric, scores) is None
    assert tier_value(TIER, "failure_rate", scores) == 0.0


def test_other_languages_and_prompts_do_not_thin_out_a_tier() -> None:
    scores = two_documents()
    before = REWRITING.summarise(TIER, scores).columns
    korean = rewriting_case("d1", "random", lang="ko", original="바다 등대 이야기", page="바다 둥대 이야기")
    asked = rewriting_case("d1", "visual", original=ORIGINAL, page=PAGE, asked="no_correct")
    more = [bare_score(korean, "truncated"), bare_score(asked, "refused")]
    assert REWRITING.summarise(TIER, [*scores, *more]).columns == before
    assert tier_value("rewriting/en/visual/no_correct", "failure_rate", [*scores, *more]) == 1.0


def test_the_failure_rate_is_over_all_applicable_cases() -> None:
    scores = [
        bare_score(visual("d1"), "truncated"),
        score_of(visual("d2"), PAGE),
        bare_score(visual("d3"), "infrastructure_error", reason="time-out"),
        bare_score(visual("d4"), "", reason="does not read"),
    ]
    assert tier_value(TIER, "failure_rate", scores) == pytest.approx(1 / 3)
    summary = REWRITING.summarise(TIER, scores)
    assert (summary.expected, summary.measured, summary.inapplicable) == (3, 2, 1)
    assert summary.failures == {"truncated": 1}


def test_blank_and_looping_replies_are_counted_apart() -> None:
    outcomes = ["empty", "empty", "repetition", "truncated", "complete"]
    scores = [score_of(visual(f"d{n}"), PAGE, outcome) for n, outcome in enumerate(outcomes)]
    found = [tier_value(TIER, name, scores) for name in ("blank_rate", "loop_rate", "failure_rate")]
    assert found == pytest.approx([2 / 5, 1 / 5, 4 / 5])


@pytest.mark.parametrize(("text", "expected"), [(PAGE, 1.0), (PAGE[:12], 12 / 38), (f"{PAGE} {PAGE}", 77 / 38)])
def test_the_length_ratio_sees_text_that_lacks_and_text_that_was_added(text: str, expected: float) -> None:
    assert tier_value(TIER, "length_ratio", [score_of(visual(), text)]) == pytest.approx(expected)


def test_a_tier_without_scores() -> None:
    summary = REWRITING.summarise(TIER, [])
    assert (summary.expected, summary.measured, dict(summary.columns)) == (0, 0, {})


def test_the_order_of_scores_is_irrelevant() -> None:
    scores = two_documents()
    assert REWRITING.summarise(TIER, scores[::-1]).columns == REWRITING.summarise(TIER, scores).columns


WORDS = ("harbour", "market", "lantern", "quiet", "seven", "the", "children", "waved", "boat", "of")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_pooled_values_never_leave_their_range(data: st.DataObject) -> None:
    scores = []
    for i in range(data.draw(st.integers(1, 4))):
        words = data.draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6))
        page = [w[::-1] if data.draw(st.booleans()) else w for w in words]
        for condition, shown in (("original", words), ("visual", page)):
            case = rewriting_case(f"d{i}", condition, original=" ".join(words), page=" ".join(shown))
            reply = data.draw(st.lists(st.sampled_from([*words, *page, "other", "h@rbour"]), max_size=9))
            outcome = data.draw(st.sampled_from(["complete"] * 5 + ["truncated", "infrastructure_error", ""]))
            scores.append(score_of(case, " ".join(reply), outcome) if outcome else bare_score(case, ""))
    for tier in (TIER, "rewriting/en/original"):
        summary = REWRITING.summarise(tier, scores)
        for name, metric in REWRITING.metrics.items():
            found = value(metric, summary.columns)
            if found is not None:
                assert metric.low <= found <= metric.high, name
                assert math.isfinite(found)
        shares = [
            value(REWRITING.metrics[f"{k}_rate"], summary.columns)
            for k in ("verbatim", "rewrite", "close", "moderate", "missing", "wrong")
        ]
        if shares[0] is not None:
            assert sum(s for s in shares if s is not None) == pytest.approx(1.0)


# --- what a metric needs ---


def test_needs() -> None:
    tiers = [f"rewriting/{lang}/{c}" for lang in ("en", "ko") for c in ("original", "visual", "random")]
    tiers.append("rewriting/en/visual/no_correct")
    english = set(tiers[:3])
    for metric in ("failure_rate", "blank_rate", "loop_rate"):
        assert REWRITING.needs(TIER, metric, tiers) == {TIER}
    assert REWRITING.needs(TIER, "rewrite_rate", tiers) == english
    assert REWRITING.needs(TIER, "rewrite_rate", [TIER]) == {TIER}
    for metric in ("delta_wer", "delta_cer", "delta_eds", "error_amplification"):
        assert REWRITING.needs(TIER, metric, [TIER]) == {TIER, "rewriting/en/original"}
    asked = "rewriting/en/visual/no_correct"
    assert REWRITING.needs(asked, "rewrite_rate", tiers) == {asked}
    assert REWRITING.needs(asked, "delta_wer", tiers) == {asked, "rewriting/en/original/no_correct"}


# --- what is shown ---


def explained(text: str, outcome: str = "complete", page: str = PAGE, original: str = ORIGINAL, lang: str = "en"):  # type: ignore[no-untyped-def]
    case = rewriting_case(original=original, page=page, lang=lang)
    request = REWRITING.request(case, spec())
    transcript = answer(text, outcome)
    return REWRITING.explain(case, transcript, REWRITING.score(case, transcript, request), request)


def test_rewritten_words_come_first() -> None:
    found = explained("the cxxxlren waved at the fishing boat")
    assert found.verdict == "1 of 2 perturbed words rewritten to the original"
    assert found.lines[0] == "word 6: original 'fishing'  page 'fihsing'  model 'fishing'  +REWRITTEN+"
    assert found.lines[1].startswith("word 2: original 'children'  page 'chidlren'  model 'cxxxlren'  +")
    assert "-fihsing- +fishing+" in found.lines[-1]
    assert found.word == 5


def test_words_that_were_not_kept_and_other_errors() -> None:
    assert explained("the chidlren waved at the fixxxxx boat").verdict == "1 of 2 perturbed words not kept"
    other = explained(PAGE.replace("waved", "saved"))
    assert other.verdict == "1 word edits on 7 words"
    assert other.lines == ("word 3: the chidlren -waved- +saved+ at the fihsing",)
    assert other.word == 2
    assert explained("the chidlren waved at the boat").lines[0].endswith("model ''  +missing+")


def test_many_rewritten_words_stay_short() -> None:
    original = " ".join(f"harbour{'abcdefgh'[i]} lies" for i in range(8))
    found = explained(original, original=original, page=original.replace("harbour", "hrabour"))
    assert found.verdict == "8 of 8 perturbed words rewritten to the original"
    assert "… and 5 more perturbed words" in found.lines
    assert len(found.lines) <= 7


@pytest.mark.parametrize("outcome", FAILURES)
def test_a_failure_is_named_with_the_head_of_its_text(outcome: str) -> None:
    case = visual()
    found = REWRITING.explain(case, answer("sorry\x1b[31m " * 9, outcome), {}, Request(no_page, prompt("plain", "en")))
    assert found.verdict.startswith(f"{outcome}: 99 characters, begins 'sorry\\x1b[31m sorry")
    assert found.lines == ()
    assert found.word is None


def test_a_runaway_word_is_cut() -> None:
    found = explained("the chidlren waved at the " + "fishingboat" * 100_000)
    assert all(len(line) < 400 for line in found.lines)
