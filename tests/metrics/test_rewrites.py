from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vtcfaith.metrics import classify_rewrites, normalise, process_rewrites, rewrites, tokens, unperturbed_errors
from pytest_vtcfaith.metrics.perturbed import core, perturbed_words

KINDS = ("verbatim", "rewritten", "close", "moderate", "missing", "wrong")
MARKET = ("go to the market today please", "go to the makret today please")
HARBOUR = "海边的小镇每天早晨都有渔船出港"
HARBOUR_1 = "梅迈旳少镇每天早晨都有渔船出港"
HARBOUR_2 = "梅迈旳少慎母夭旱晨都有渔船出港"


@pytest.mark.parametrize(
    ("original", "page", "hypothesis", "kinds"),
    [
        (*MARKET, MARKET[1], "verbatim"),
        (*MARKET, MARKET[0], "rewritten"),
        (*MARKET, "go to market the today please", "rewritten"),  # moved left past one neighbour
        (*MARKET, "go to the today market please", "rewritten"),  # and right
        (*MARKET, "go to makret the today please", "verbatim"),
        (*MARKET, "market go to the today please", "missing"),  # moved past several
        (*MARKET, "go to themarket today please", "rewritten"),  # glued to a neighbour
        (*MARKET, "go to the markettoday please", "rewritten"),
        (*MARKET, "go to themakret today please", "moderate"),  # glued counts for the original form alone
        (*MARKET, "go to the supermarket today please", "wrong"),  # a substring is not the word
        (*MARKET, "go to the mar ket today please", "rewritten"),  # split
        (*MARKET, "go to the mak-\nret today please", "verbatim"),
        (*MARKET, "go to the ma kr et today please", "verbatim"),
        (*MARKET, "go to the “market”, today please", "rewritten"),  # other edge punctuation
        (*MARKET, "go to the **makret** today please", "verbatim"),
        (*MARKET, "go to the Makret today please", "close"),  # case counts
        (*MARKET, "go to the makrt today please", "close"),
        (*MARKET, "go to the makxyz today please", "moderate"),
        (*MARKET, "go to the umbrella today please", "wrong"),
        (*MARKET, "go to the today please", "missing"),
        (*MARKET, "go to the — today please", "missing"),  # punctuation is no candidate
        (*MARKET, "", "missing"),
        (*MARKET, "nothing of it", "wrong"),
        ("hope", "hpoe", "hope", "rewritten"),
        ("hope", "hpoe", "", "missing"),
        ("we saw old boats near shore", "we saw old botas near shore", "we saw old botasnear shore", "moderate"),
        ("we saw old boats near shore", "we saw old botas near shore", "we saw old boatsnear shore", "rewritten"),
        (
            "the word hope and hope again",
            "the word hpoe and hpoe again",
            "the word hope and again",
            "rewritten missing",
        ),
        ("hope hope hope", "hpoe hpoe hpoe", "hope hpoe hope", "rewritten verbatim rewritten"),
        ("one word two", "noe wrod two", "one word two", "rewritten rewritten"),
        ("one word two", "noe wrod two", "word one two", "rewritten rewritten"),
        ("one word two", "noe wrod two", "wrod two", "missing verbatim"),
        ("a (hope), b", "a (hpoe), b", "a hope b", "rewritten"),
        ("the same text", "the same text", "another text", ""),
    ],
)
def test_english(original: str, page: str, hypothesis: str, kinds: str) -> None:
    assert [word.kind for word in rewrites(original, page, hypothesis, lang="en")] == kinds.split()


@pytest.mark.parametrize(
    ("hypothesis", "kind"),
    [
        ("아침에 바둣갸를, 걸었다", "verbatim"),
        ("아침에 바닷가를 걸었다", "rewritten"),
        ("아침에바닷가를, 걸었다", "rewritten"),
        ("아침에 바닷 가를, 걸었다", "rewritten"),
        ("아침에 바두갸를, 걸었다", "close"),
        ("아침에 산길따라서, 걸었다", "wrong"),
        ("아침에 걸었다", "missing"),
    ],
)
def test_korean(hypothesis: str, kind: str) -> None:
    found = rewrites("아침에 바닷가를, 걸었다", "아침에 바둣갸를, 걸었다", hypothesis, lang="ko")
    assert [(word.kind, word.original, word.page, word.length) for word in found] == [(kind, "바닷가를", "바둣갸를", 4)]


@pytest.mark.parametrize(
    ("page", "hypothesis", "kinds"),
    [
        (HARBOUR_1, HARBOUR, "rewritten"),
        (HARBOUR_1, HARBOUR_1, "verbatim"),
        (HARBOUR_1, "梅迈旳少 镇每天早晨都有\n渔船出港。", "verbatim"),
        (HARBOUR_2, HARBOUR, "rewritten rewritten"),
        (HARBOUR_2, HARBOUR_1, "verbatim rewritten"),
        (HARBOUR_1, "梅边旳少镇每天早晨都有渔船出港", "close"),
        (HARBOUR_1, "镇每天早晨都有渔船出港", "missing"),
        (HARBOUR_1, "四五六七镇每天早晨都有渔船出港", "wrong"),
        (HARBOUR_2, "", "missing missing"),
    ],
)
def test_chinese_windows(page: str, hypothesis: str, kinds: str) -> None:
    assert [word.kind for word in rewrites(HARBOUR, page, hypothesis, lang="zh")] == kinds.split()


@pytest.mark.parametrize(
    ("original", "page", "expect"),
    [
        ("海边小镇，每天早晨", "海边小镇，母夭旱震", [(5, "每天早晨", "母夭旱震")]),
        ("海边的小镇，每天早晨", "海边的小慎，母天早晨", [(4, "镇", "慎"), (6, "每天早晨", "母天早晨")]),
        ("看iPhone很好用吗", "看iPhnoe很好甩吗", [(1, "iPhone", "iPhnoe"), (2, "很好用吗", "很好甩吗")]),
        ("海边的小镇，好", "海边的小镇。好", []),
        ("海边的小镇每天", "海边小镇每天", [(0, "海边的小", "海边小")]),
    ],
)
def test_places_of_chinese(original: str, page: str, expect: list[tuple[int, str, str]]) -> None:
    found = perturbed_words(tokens(original, "zh"), tokens(page, "zh"), "zh")
    assert [(unit.start, unit.original, unit.page) for unit in found] == expect


@pytest.mark.parametrize(
    ("original", "page", "expect"),
    [
        ("the old form was lost", "the old from was lost", [(2, "form", "from")]),
        ("“Form,” he said", "“From,” he said", [(0, "Form", "From")]),
        ("a, b", "a. b", []),
        ("the old form was lost", "the from was lost", [(1, "old", "from")]),
        ("the form was lost", "the old from was lost", [(1, "form", "old")]),
    ],
)
def test_places_of_english(original: str, page: str, expect: list[tuple[int, str, str]]) -> None:
    found = perturbed_words(original.split(), page.split(), "en")
    assert [(unit.start, unit.original, unit.page) for unit in found] == expect


@pytest.mark.parametrize(
    ("lang", "original", "page", "hypothesis", "leaked"),
    [
        (
            "en",
            "the lantern shines over harbour",
            "the lnaetrn shines over harbour",
            "the harbour shines over harbour",
            1,
        ),
        ("en", "the lantern shines over “harbour”", "the lnaetrn shines over “harbour”", "the harbour shines over", 1),
        ("en", "the lantern shines over you", "the lnaetrn shines over you", "the you shines over you", 0),
        (
            "en",
            "the lantern shines over harbour",
            "the lnaetrn shines over harbour",
            "the harbours shines over harbour",
            0,
        ),
        ("zh", HARBOUR, HARBOUR_1, "渔船出港镇每天早晨都有渔船出港", 1),
        ("zh", HARBOUR, HARBOUR_1, "四五六七镇每天早晨都有渔船出港", 0),
    ],
)
def test_leaks(lang: str, original: str, page: str, hypothesis: str, leaked: int) -> None:
    counts = classify_rewrites(original, page, hypothesis, lang=lang)
    assert (counts["wrong"], counts["leaked"]) == (1, leaked)


def test_one_word_in_full() -> None:
    (word,) = rewrites("go to the (market) today", "go to the (makret) today", "go to market the today", lang="en")
    assert (word.index, word.original, word.page, word.length) == (3, "market", "makret", 6)
    assert (word.kind, word.read, word.leaked, word.hypothesis_index) == ("rewritten", "market", False, 2)
    (word,) = rewrites("hope", "hpoe", "", lang="en")
    assert (word.read, word.hypothesis_index) == (None, None)


def test_errors_on_other_words() -> None:
    original, page = "the children waved at the fishing boat", "the chidlren waved at the fihsing boat"
    assert unperturbed_errors(original, page, "the children waved the fishing goat", lang="en") == (2, 5)
    assert unperturbed_errors(original, original, "the children waved the fishing goat", lang="en") == (2, 7)
    assert unperturbed_errors(HARBOUR, HARBOUR_1, "海边的小镇每天早晨都有鱼船出港", lang="zh") == (1, 11)


def test_a_profile_that_drops_punctuation() -> None:
    original, page = "the well-known ship", "the wlel-nkown ship"
    assert classify_rewrites(original, page, "the wellknown ship", lang="en")["rewritten"] == 0
    assert classify_rewrites(original, page, "the wellknown ship", lang="en", profile="published")["rewritten"] == 1


def test_a_runaway_transcript_is_classified() -> None:
    page = " ".join(f"q{n}draw" for n in range(40))
    original = page.replace("draw", "ward")
    counts = classify_rewrites(original, page, page + " and so on" * 20_000, lang="en")
    assert (counts["perturbed"], counts["verbatim"]) == (40, 40)
    assert classify_rewrites(original, page, "and so on " * 20_000, lang="en")["wrong"] == 40


some = st.lists(st.sampled_from(["hope", "hpoe", "form,", "from", "the", "of", "a-"]), max_size=8).map(" ".join)
han = st.text(st.sampled_from("海梅边迈的旳，a"), max_size=10)


@settings(deadline=None)
@given(st.one_of(st.tuples(st.just("en"), some, some, some), st.tuples(st.just("zh"), han, han, han)))
def test_every_word_gets_one_class_and_no_occurrence_serves_two(row: tuple[str, str, str, str]) -> None:
    lang, original, page, hypothesis = row
    found = process_rewrites(original, page, hypothesis, lang=lang)
    counts = classify_rewrites(original, page, hypothesis, lang=lang)
    assert counts["perturbed"] == len(found.words) == sum(counts[kind] for kind in KINDS)
    assert all(word.kind in KINDS and (word.read is None) == (word.kind == "missing") for word in found.words)
    assert all(word.kind == "wrong" for word in found.words if word.leaked)
    taken = [word.hypothesis_index for word in found.words if word.hypothesis_index is not None]
    assert len(taken) == len(set(taken))
    assert 0 <= found.unperturbed_errors <= found.unperturbed_words <= len(tokens(normalise(page, lang=lang), lang))


@settings(deadline=None)
@given(st.one_of(st.tuples(st.just("en"), some, some), st.tuples(st.just("zh"), han, han)))
def test_a_faithful_transcript_is_all_verbatim(row: tuple[str, str, str]) -> None:
    lang, original, page = row
    counts = classify_rewrites(original, page, page, lang=lang)
    assert counts["perturbed"] == counts["verbatim"]
    assert unperturbed_errors(original, page, page, lang=lang)[0] == 0


@pytest.mark.parametrize(
    ("token", "expect"), [("“well-known,”", "well-known"), ("—", ""), ("$5+", "5"), ("e\u0301.", "e\u0301")]
)
def test_core(token: str, expect: str) -> None:
    assert core(token) == expect
