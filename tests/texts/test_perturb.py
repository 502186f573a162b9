"""Perturbations, checked by a second reading of the definitions."""

from __future__ import annotations

import re
import string
import subprocess
import sys
import unicodedata
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_vtcfaith.metrics.normalise import normalise
from pytest_vtcfaith.metrics.perturbed import perturbed_words
from pytest_vtcfaith.metrics.tokenise import tokens
from pytest_vtcfaith.texts import TextsError, lookalikes, perturb
from pytest_vtcfaith.texts.perturb import eligible_words
from pytest_vtcfaith.texts.scripts import common_han, common_syllables

ENGLISH = (
    'The lighthouse keeper\tof "Torvenhaven" counted 48 lanterns,\n\nthen walked (slowly) home; nobody '
    "else-where knew\u00a0that. Her brother brought bread and butter across the frozen harbour before "
    "midnight arrived at Capstan Row."
)
CHINESE = (
    "白鹭湾港务所决定自2024年3月11日零时起封闭该码头的东侧泊位，预计工期为二十六天。\n"
    "长度在十二米以下的渔船请改停五号码头南侧。"
)
KOREAN = "솔목항 관리사무소에서 이용객 여러분께 알려드립니다. 방충재 27개가 파손되었고, (안전등) 가운데서 꺼졌습니다."
TEXTS = {"en": ENGLISH, "zh": CHINESE, "ko": KOREAN}
KINDS = [
    (kind, lang) for lang in TEXTS for kind in ("scramble", "random", "visual") if (kind, lang) != ("scramble", "zh")
]


def split(text: str) -> list[str]:
    """Words and white space, alternating."""
    return re.split(r"([\t\n \u00a0]+)", text)


def text_at(text: str, places: tuple[int, ...]) -> str:
    return "".join(text[place] for place in places)


def english_core(word: str) -> str:
    core = word.strip(string.punctuation)
    return core if len(core) >= 4 and all(char in string.ascii_letters for char in core) else ""


def changed(text: str, result: str) -> list[tuple[str, str]]:
    """The words that differ, after asserting that the white space does not."""
    before, after = split(text), split(result)
    assert len(before) == len(after)
    assert before[1::2] == after[1::2]
    return [(a, b) for a, b in zip(before, after, strict=True) if a != b]


def test_eligible_english_words() -> None:
    text = '"Torvenhaven," (keeper) well-known don\'t 1234 abc café four x4yz $cash$ Fünf'
    words = [text_at(text, word) for word in eligible_words(text, "en")]
    assert words == ["Torvenhaven", "keeper", "four", "cash"]


def test_eligible_korean_words() -> None:
    words = [text_at(KOREAN, word) for word in eligible_words(KOREAN, "ko")]
    assert words == ["관리사무소에서", "여러분께", "알려드립니다", "파손되었고", "가운데서", "꺼졌습니다"]


def test_chinese_windows_start_afresh_in_each_run_and_go_on_over_white_space() -> None:
    text = "一二三四五六，七八九十a甲乙 丙\n丁戊、己\u200b庚辛壬癸"
    words = [text_at(text, word).replace("\u200b", "") for word in eligible_words(text, "zh")]
    assert words == ["一二三四", "七八九十", "甲乙丙丁", "己庚辛壬"]


def test_eligible_words_are_those_that_the_metrics_find() -> None:
    for seed in range(10):
        for kind, lang in KINDS:
            text = TEXTS[lang]
            page = perturb(text, kind, lang=lang, seed=seed, rate=0.5)
            words = [tokens(normalise(t, "verbatim", lang), lang) for t in (text, page)]
            found = sorted((word.original, word.page) for word in perturbed_words(*words, lang))
            spans = [(text_at(text, word), text_at(page, word)) for word in eligible_words(text, lang)]
            if len(page) == len(text):
                assert found == sorted((a, b) for a, b in spans if a != b)
            else:
                assert len(found) == max(1, round(0.5 * len(spans)))


@pytest.mark.parametrize(("kind", "lang"), KINDS)
@pytest.mark.parametrize("rate", [0.01, 0.08, 0.3, 1.0])
@pytest.mark.parametrize("seed", [0, 1, 2, 2**64 - 1])
def test_the_right_number_of_words_changes(kind: str, lang: str, rate: float, seed: int) -> None:
    text = TEXTS[lang]
    words = eligible_words(text, lang)
    result = perturb(text, kind, lang=lang, rate=rate, seed=seed)
    if lang == "zh":
        assert len(result) == len(text)
        different = [w for w in words if any(text[i] != result[i] for i in w)]
        inside = {i for w in words for i in w}
        assert all(text[i] == result[i] for i in range(len(text)) if i not in inside)
        found = len(different)
    else:
        found = len(changed(text, result))
    wanted = max(1, round(rate * len(words)))
    # rare: a Chinese window without any look-alike, passed over until none is left
    assert found == wanted or (kind == "visual" and rate == 1.0 and 0 < found < wanted)


@given(
    st.text(alphabet="abcdefgAB ,.\n", max_size=200), st.integers(0), st.sampled_from(["scramble", "random", "visual"])
)
def test_english_properties(text: str, seed: int, kind: str) -> None:
    result = perturb(text, kind, lang="en", seed=seed)
    assert result == perturb(text, kind, lang="en", seed=seed)
    eligible = [word for word in split(text)[::2] if english_core(word)]
    pairs = changed(text, result)
    assert len(pairs) <= max(1, round(0.08 * len(eligible)))
    assert eligible or not pairs
    document = {word.strip(string.punctuation).lower() for word in split(text)[::2]}
    forms = []
    for before, after in pairs:
        core = english_core(before)
        start = before.index(core)
        tail = before[start + len(core) :]
        assert after.startswith(before[:start])
        assert after.endswith(tail)
        form = after[start : len(after) - len(tail)]
        forms.append(form.lower())
        assert form.lower() not in document
        assert normalise(before, "verbatim", "en") != normalise(after, "verbatim", "en")
        if kind == "scramble":
            assert Counter(form) == Counter(core)
            assert len(core) == 4 or (form[0], form[-1]) == (core[0], core[-1])
        elif kind == "random":
            assert all(a != b and a.isupper() == b.isupper() for a, b in zip(core, form, strict=True))
        else:
            assert re.fullmatch("".join(f"(?:{'|'.join(lookalikes(char, 'en'))})" for char in core), form)
    assert len(set(forms)) == len(forms)


@given(st.text(alphabet=st.sampled_from([*common_syllables()[::40], " ", "."]), max_size=120), st.integers(0))
def test_korean_random_and_scramble_stay_syllables(text: str, seed: int) -> None:
    for kind in ("random", "scramble"):
        for before, after in changed(text, perturb(text, kind, lang="ko", seed=seed)):
            core, form = before.strip("."), after.strip(".")
            assert len(core) == len(form) >= 4
            if kind == "random":
                assert all(a != b and b in common_syllables() for a, b in zip(core, form, strict=True))
            else:
                assert sorted(core) == sorted(form)


@settings(max_examples=30)
@given(st.text(alphabet=st.sampled_from([*common_han()[::100], "，", " "]), max_size=80), st.integers(0))
def test_chinese_random_replaces_whole_windows(text: str, seed: int) -> None:
    result = perturb(text, "random", lang="zh", seed=seed)
    different = {i for i in range(len(text)) if text[i] != result[i]}
    windows = [set(word) for word in eligible_words(text, "zh")]
    hit = [window for window in windows if window & different]
    assert set().union(*hit) == different
    assert len(hit) == (max(1, round(0.08 * len(windows))) if windows else 0)
    assert all(result[i] in common_han() for i in different)


@pytest.mark.parametrize(("n", "rate", "count"), [(5, 0.5, 2), (7, 0.5, 4), (3, 0.1, 1), (100, 0.08, 8)])
def test_halves_round_to_even_and_at_least_one_is_taken(n: int, rate: float, count: int) -> None:
    text = " ".join("abcdefg"[i % 7] * 2 + "qrstu" + "vwxyzab"[i // 7 % 7] * (2 + i // 49) for i in range(n))
    assert len(changed(text, perturb(text, "random", lang="en", rate=rate, seed=3))) == count


@pytest.mark.parametrize("text", ["", "   \n", "a bc def 1234 é", "…"])
@pytest.mark.parametrize("kind", ["scramble", "random", "visual"])
def test_without_an_eligible_word_nothing_changes(text: str, kind: str) -> None:
    assert perturb(text, kind, lang="en", seed=0) == text


@pytest.mark.parametrize(("kind", "lang"), [(kind, lang) for kind, lang in KINDS if lang != "zh"])
def test_decomposed_texts_are_perturbed_as_composed_ones(kind: str, lang: str) -> None:
    composed = TEXTS[lang] + " café"
    decomposed = unicodedata.normalize("NFD", composed)
    assert decomposed != composed
    assert perturb(decomposed, kind, lang=lang, seed=3) == perturb(composed, kind, lang=lang, seed=3) != composed


@pytest.mark.parametrize("rate", [0.01, 0.25, 0.5, 0.75, 1.0])
def test_visual_rate_is_the_share_of_a_words_characters(rate: float) -> None:
    for seed in range(20):
        # these letters have one-letter look-alikes only
        result = perturb("abcegjpq", "visual", lang="en", seed=seed, visual_rate=rate)
        assert sum(a != b for a, b in zip("abcegjpq", result, strict=True)) == max(1, rate * 8)


def test_characters_without_lookalike_stay_and_a_word_of_them_is_passed_over() -> None:
    lone = next(char for char in common_han() if not lookalikes(char, "zh"))
    for seed in range(20):
        assert perturb(f"{lone}大{lone}{lone}", "visual", lang="zh", seed=seed)[::2] == lone * 2
        assert perturb(lone * 4, "visual", lang="zh", seed=seed) == lone * 4
        assert perturb(f"{lone * 4}，人{lone * 3}", "visual", lang="zh", seed=seed).startswith(f"{lone * 4}，")


@pytest.mark.parametrize("keep_ends", [None, True, False])
@pytest.mark.parametrize("kind", ["scramble", "random", "visual"])
def test_keep_ends(kind: str, keep_ends: bool | None) -> None:
    for word in ("gate", "harbour"):
        results = {perturb(word, kind, lang="en", seed=seed, keep_ends=keep_ends) for seed in range(40)}
        kept = all((form[0], form[-1]) == (word[0], word[-1]) for form in results)
        assert kept is (keep_ends if keep_ends is not None else kind == "scramble" and word == "harbour")


@pytest.mark.parametrize("word", ["abcd", "ABCD"])
def test_never_another_word_of_the_document_whatever_its_case(word: str) -> None:
    others = (
        "ABDC acbd ACDB adbc adcb bacd badc bcad bcda bdac bdca cabd cadb cbad cbda cdab cdba dabc dacb dbac dbca dcab"
    )
    text = f"{word} {others}"
    for seed in range(30):
        result = perturb(text, "scramble", lang="en", seed=seed, rate=1.0)
        assert {word.lower() for word in result.split()} - {word.lower() for word in text.split()} <= {"dcba"}


def test_never_another_part_of_a_chinese_document() -> None:
    lone = next(char for char in common_han() if not lookalikes(char, "zh")) * 3
    *others, last = lookalikes("大", "zh")
    text = f"{lone}大，" + "，".join(f"一{lone}{other}" for other in others)
    found = {perturb(text, "visual", lang="zh", seed=seed, rate=1.0)[:4] for seed in range(20)}
    assert found == {f"{lone}{last}"}


def test_never_the_same_form_twice() -> None:
    for seed in range(20):
        forms = perturb("Abba abba abba abba", "scramble", lang="en", seed=seed, rate=1.0).split()
        assert len({form.lower() for form in forms}) == 4


def test_never_a_word_of_the_lexicon() -> None:
    for seed in range(60):
        assert perturb("abba", "scramble", lang="en", seed=seed, lexicon={"AABB", "bbaa", "abab", "baba"}) == "baab"


def test_a_word_that_allows_no_form_is_passed_over_and_another_taken() -> None:
    for seed in range(20):
        assert perturb("aaaa abbbbba xooox", "scramble", lang="en", seed=seed) == "aaaa abbbbba xooox"
        assert perturb("aaaa abbbbba xoaox", "scramble", lang="en", seed=seed) in (
            "aaaa abbbbba xaoox",
            "aaaa abbbbba xooax",
        )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "original"}, "kind 'original' is unknown: choose one of scramble, random, visual"),
        ({"lang": "zh"}, "'scramble' is not defined for zh"),
        ({"lang": "de"}, "lang 'de' is unknown"),
        ({"rate": 0.0}, r"rate 0.0 must lie in \(0, 1\]"),
        ({"rate": float("nan")}, "rate nan must lie"),
        ({"rate": "x"}, "rate 'x' must lie"),
        ({"rate": True}, "rate True must lie"),
        ({"visual_rate": 1.5}, "visual_rate 1.5 must lie"),
        ({"visual_rate": None}, "visual_rate None must lie"),
        # Python's generator would draw the same for 5 and -5, and anything for None
        ({"seed": -5}, "seed -5 must be a whole number of at least 0"),
        ({"seed": None}, "seed None must be"),
        ({"seed": 1.0}, "seed 1.0 must be"),
    ],
)
def test_wrong_arguments(change: dict[str, object], message: str) -> None:
    arguments: dict[str, object] = {"kind": "scramble", "lang": "en", "seed": 0} | change
    with pytest.raises(TextsError, match=message):
        perturb("some words", **arguments)  # type: ignore[arg-type]


# Pinned: the same on every platform and Python, or bundled manifests could not be rebuilt
GOLDEN = {
    ("scramble", "en"): "Tearovnvehn bterhor mghindit avirred Ctaaspn",
    ("random", "en"): "Dktdmbrtowi pqjobbf rliplhus whddive Gonwshz",
    ("visual", "en"): "Iccucmbouch dcelban rnjohlolil onnjuco Gooziom",
    ("random", "zh"): "刺朴详叙 孔砧隐琅",
    ("visual", "zh"): "衣席有卜 妈夹丙铡",
    ("scramble", "ko"): "파었손되고",
    ("random", "ko"): "문궤솽곶븟",
    ("visual", "ko"): "퍄슨뇌였코",
}


@pytest.mark.parametrize(("kind", "lang"), KINDS)
def test_the_same_seed_gives_the_same_text_everywhere(kind: str, lang: str) -> None:
    words = [tokens(text, lang) for text in (TEXTS[lang], perturb(TEXTS[lang], kind, lang=lang, rate=0.2, seed=7))]
    assert " ".join(word.page for word in perturbed_words(*words, lang)) == GOLDEN[kind, lang]


def test_the_hash_seed_does_not_matter() -> None:
    script = (
        f"from pytest_vtcfaith.texts import perturb; print(ascii(perturb({ENGLISH!r}, 'visual', lang='en', seed=5)))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
