"""Controls: what moves, what stays, how much, and always the same for one seed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_vtcfaith.texts import TextsError
from pytest_vtcfaith.texts.controls import (
    CONTROLS,
    control,
    is_control,
    shuffle_p,
    swap_p,
    word_shuffle_k,
    word_swap_k,
)

ROOT = Path(__file__).resolve().parents[2]
LINE = "“The harbour master (Mrs. O'Brien-Katz) refused, twice, to let 14 ships in.”\nShe said: aaa oo, it's x2 or 3rd!"
WITHIN = {"swap": swap_p, "shuffle": shuffle_p}
WORDS = {"word-swap": word_swap_k, "word-shuffle": word_shuffle_k}

texts = st.text(st.sampled_from("abcABC'-.,;“”()19 \n\t\u3000é가나\u0323"), max_size=120)
seeds = st.integers(min_value=0, max_value=2**64)


def space(text: str) -> list[str]:
    return re.findall(r"\s+", text)


def stripped(word: str) -> str:
    """An oracle for the word without its punctuation: what lies between its first and last other character."""
    inked = [place for place, char in enumerate(word) if unicodedata.category(char)[0] not in "PS"]
    return word[inked[0] : inked[-1] + 1] if inked else ""


def eligible(word: str) -> bool:
    return len([char for char in stripped(word) if char.isalpha()]) >= 2


def marked(word: str) -> bool:
    return any(unicodedata.category(char)[0] == "M" for char in word)


def changed(before: str, after: str) -> list[tuple[str, str]]:
    return [(old, new) for old, new in zip(before.split(), after.split(), strict=True) if old != new]


def punctuation(word: str) -> list[tuple[int, str]]:
    return [(place, char) for place, char in enumerate(word) if unicodedata.category(char)[0] in "PS"]


@pytest.mark.parametrize("kind", WITHIN)
@pytest.mark.parametrize(
    ("text", "p", "count"),
    [
        ("budget", 5, 1),
        ("annual budget proposal after brief discussion", 10, 1),
        (" ".join(["budget"] * 30), 5, 2),  # 1.5, halves to even
        (" ".join(["budget"] * 50), 5, 2),  # 2.5
        (" ".join(["budget"] * 19), 10, 2),
        (" ".join(["budget"] * 40), 50, 20),
        (" ".join(["budget"] * 40), 100, 40),
        (" ".join(["budget"] * 40), 0.01, 1),
        ("ab a 12 I -- x2 “I”", 100, 1),  # two or more letters
        ("aa oo mmm budget", 100, 1),  # equal letters cannot change
        ("aa oo mmm budget", 5, 1),  # and are passed over
        ("a 12 34.5 -- (I)", 100, 0),
        ("", 100, 0),
        (LINE, 100, 16),  # all but aaa, oo; x2 and 14 have too few letters
    ],
)
def test_how_many_words_change(kind: str, text: str, p: float, count: int) -> None:
    for seed in range(5):
        assert len(changed(text, WITHIN[kind](text, p, lang="en", seed=seed))) == count


@pytest.mark.parametrize(
    ("word", "forms"),
    [
        ("ab", {"ba"}),
        ("(ab).", {"(ba)."}),
        ("aab", {"aba", "baa"}),
        ("“I'm”", {"“m'I”"}),
        ("a-b", {"b-a"}),
        ("a1b", {"b1a", "1ab", "ab1"}),
        ("e\u0323\u0301b", {"be\u0323\u0301"}),  # NFC: ẹ with an acute that stays on it
        ("가나", {"나가"}),
    ],
)
def test_all_swaps_of_a_word(word: str, forms: set[str]) -> None:
    normal = {unicodedata.normalize("NFC", form) for form in forms}
    assert {swap_p(word, 100, lang="en", seed=seed) for seed in range(60)} == normal


def test_all_shuffles_of_a_word() -> None:
    orders = Counter(shuffle_p("(abc)", 100, lang="en", seed=seed) for seed in range(3000))
    assert set(orders) == {"(acb)", "(bac)", "(bca)", "(cab)", "(cba)"}
    assert all(480 < number < 720 for number in orders.values())  # 600 expected, 22 the standard deviation


def test_every_word_and_every_pair_of_letters_is_as_likely() -> None:
    places: Counter[int] = Counter()
    pairs: Counter[str] = Counter()
    for seed in range(3000):
        words = swap_p("abcd abcd abcd", 5, lang="en", seed=seed).split()
        places.update(place for place, word in enumerate(words) if word != "abcd")
        pairs.update(word for word in words if word != "abcd")
    assert set(pairs) == {"bacd", "cbad", "dbca", "acbd", "adcb", "abdc"}
    assert all(900 < number < 1100 for number in places.values())
    assert all(400 < number < 600 for number in pairs.values())


@given(texts, st.sampled_from([1, 5, 10, 50, 100]), seeds, st.sampled_from(["swap", "shuffle"]))
def test_letters_move_inside_their_words_only(text: str, p: int, seed: int, kind: str) -> None:
    text = unicodedata.normalize("NFC", text)
    result = WITHIN[kind](text, p, lang="en", seed=seed)
    assert space(result) == space(text)
    pairs = changed(text, result)
    for old, new in pairs:
        assert eligible(old)
        assert Counter(old) == Counter(new)
        if not marked(old):
            assert punctuation(old) == punctuation(new)
            different = sum(a != b for a, b in zip(old, new, strict=True))
            assert different == 2 if kind == "swap" else different >= 2
    words = [word for word in text.split() if eligible(word)]
    if not any(map(marked, words)):
        able = [word for word in words if len({char for char in word if char not in "'-.,;“”()"}) > 1]
        assert len(pairs) == min(len(able), max(1, round(p * len(words) / 100)) if words else 0)


@given(texts, st.integers(min_value=2, max_value=12), seeds, st.sampled_from(["word-swap", "word-shuffle"]))
def test_words_move_and_stay_whole(text: str, k: int, seed: int, kind: str) -> None:
    text = unicodedata.normalize("NFC", text)
    result = WORDS[kind](text, k, lang="en", seed=seed)
    assert space(result) == space(text)
    assert Counter(result.split()) == Counter(text.split())
    windows = [text.split()[start : start + k] for start in range(0, len(text.split()), k)]
    could = len(set(text.split())) > 1 if kind == "word-swap" else any(len(set(window)) > 1 for window in windows)
    assert (result != text) is could


@given(st.integers(min_value=0, max_value=60), st.integers(min_value=2, max_value=12), seeds)
def test_no_word_moves_too_far(n: int, k: int, seed: int) -> None:
    text = " ".join(map(str, range(n)))
    swapped = [int(word) for word in word_swap_k(text, k, lang="en", seed=seed).split()]
    assert all(abs(place - word) <= k for place, word in enumerate(swapped))
    assert all(swapped[word] == place for place, word in enumerate(swapped))  # pairs, each moved once
    shuffled = [int(word) for word in word_shuffle_k(text, k, lang="en", seed=seed).split()]
    assert all(place // k == word // k for place, word in enumerate(shuffled))


def test_swapped_words_leave_no_free_pair() -> None:
    for seed in range(50):
        words = word_swap_k(" ".join(map(str, range(100))), 5, lang="en", seed=seed).split()
        unmoved = [place for place, word in enumerate(words) if int(word) == place]
        assert all(second - first > 5 for first, second in pairwise(unmoved))


def test_swaps_reach_every_distance_up_to_k_and_shuffles_every_order() -> None:
    far = {
        abs(place - int(word))
        for seed in range(100)
        for place, word in enumerate(word_swap_k("0 1 2 3 4 5 6 7 8", 3, lang="en", seed=seed).split())
    }
    assert far <= {0, 1, 2, 3}
    assert {1, 2, 3} <= far
    orders = {word_shuffle_k("a b c", 3, lang="en", seed=seed) for seed in range(100)}
    assert orders == {"a c b", "b a c", "b c a", "c a b", "c b a"}


def test_paragraphs_and_spaces_stay() -> None:
    text = "one  two\nthree\tfour \n five"
    for source in CONTROLS:
        assert space(control(text, source, lang="en")) == space(text)


def test_equal_seeds_give_equal_texts_in_every_process() -> None:
    code = (
        "import sys; from pytest_vtcfaith.texts.controls import *; "
        f"made = [control({LINE!r}, source, lang='en', seed=7) for source in CONTROLS]; "
        "sys.stdout.buffer.write(ascii(made).encode())"
    )
    environment = os.environ | {"PYTHONHASHSEED": "5"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=environment, cwd=ROOT)
    assert done.stdout.decode() == ascii([control(LINE, source, lang="en", seed=7) for source in CONTROLS])


@pytest.mark.parametrize("source", CONTROLS)
def test_other_seeds_give_other_texts(source: str) -> None:
    assert len({control(LINE, source, lang="en", seed=seed) for seed in range(20)}) > 5
    assert control(LINE, source, lang="en") == control(LINE, source, lang="en", seed=0)


# Written down, so that another platform or Python, or a change of the draws, shows
@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("swap-50", "hTe keeper's boat letf hte quay at danw."),
        ("shuffle-100", "heT kpeere's tboa letf eht qayu ta nadw."),
        ("word-swap-5", "quay at the dawn. boat The keeper's left"),
        ("word-shuffle-5", "boat The keeper's left the dawn. quay at"),
    ],
)
def test_the_draws_are_the_same_on_every_platform(source: str, expected: str) -> None:
    assert control("The keeper's boat left the quay at dawn.", source, lang="en") == expected


def test_a_name_stands_for_its_function() -> None:
    assert control(LINE, "swap-37", lang="en", seed=3) == swap_p(LINE, 37, lang="en", seed=3)
    assert control(LINE, "shuffle-100", lang="en", seed=3) == shuffle_p(LINE, 100, lang="en", seed=3)
    assert control(LINE, "word-swap-2", lang="en", seed=3) == word_swap_k(LINE, 2, lang="en", seed=3)
    assert control(LINE, "word-shuffle-40", lang="en", seed=3) == word_shuffle_k(LINE, 40, lang="en", seed=3)


def test_the_controls_of_the_paper() -> None:
    assert len(set(CONTROLS)) == 12
    assert {"swap-5", "shuffle-100", "word-swap-10", "word-shuffle-5"} < set(CONTROLS)
    assert all(map(is_control, CONTROLS))


@pytest.mark.parametrize(
    "source",
    [
        "natural",
        "swap",
        "swap-0",
        "swap-05",
        "swap-101",
        "swap-5.5",
        "swap--5",
        "shuffle-",
        "word-swap-1",
        "word-shuffle-0",
        "word-shuffle-" + "9" * 5000,
        "swap-５",
        "swap-5\n",
        "Swap-5",
        "natural-at-swap-5",
        "",
    ],
)
def test_an_unknown_name_is_taught(source: str) -> None:
    assert not is_control(source)
    with pytest.raises(TextsError, match=r"is no control: write swap-P or shuffle-P .* as in swap-10"):
        control("some words", source, lang="en")


@pytest.mark.parametrize("p", [0, -1, 100.1, float("nan"), float("inf"), True, "5", None])
def test_a_wrong_percentage(p: object) -> None:
    with pytest.raises(TextsError, match=r"p .* must be a percentage over 0 and up to 100"):
        swap_p("some words", p, lang="en")  # type: ignore[arg-type]


@pytest.mark.parametrize("k", [1, 0, -2, 2.0, True, None])
def test_a_wrong_distance(k: object) -> None:
    for function in (word_swap_k, word_shuffle_k):
        with pytest.raises(TextsError, match=r"k .* must be a whole number of at least 2 words"):
            function("some words", k, lang="en")  # type: ignore[arg-type]


@pytest.mark.parametrize("source", CONTROLS)
def test_chinese_has_no_words_and_other_arguments_are_checked(source: str) -> None:
    with pytest.raises(TextsError, match="zh has no words: take natural or uniform"):
        control("河边的灯塔很旧", source, lang="zh")
    with pytest.raises(TextsError, match="lang 'fr' is unknown"):
        control("le bateau", source, lang="fr")
    with pytest.raises(TextsError, match="seed -1 must be a whole number"):
        control("some words", source, lang="en", seed=-1)


def test_korean_words_are_treated_as_english_ones() -> None:
    text = "작은 배가 (항구를) 떠난다."
    assert swap_p(text, 100, lang="ko", seed=1).split()[0] == "은작"
    assert len(changed(text, shuffle_p(text, 100, lang="ko", seed=1))) == 4
    assert Counter(word_swap_k(text, 5, lang="ko").split()) == Counter(text.split())


def test_the_text_is_brought_into_nfc() -> None:
    decomposed = unicodedata.normalize("NFD", "été après")
    for source in CONTROLS:
        assert control(decomposed, source, lang="en") == control("été après", source, lang="en")


@given(st.text(max_size=60), st.sampled_from(CONTROLS), seeds)
def test_any_text_keeps_its_characters(text: str, source: str, seed: int) -> None:
    text = unicodedata.normalize("NFC", text)
    assume("\x1c" not in text)
    result = control(text, source, lang="en", seed=seed)
    assert Counter(result) == Counter(text)
