"""Passages of supported lengths."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.texts import TextsError
from pytest_vtcfaith.texts.build import RATIOS
from pytest_vtcfaith.texts.documents import Document
from pytest_vtcfaith.texts.fitted import passages, supported_lengths


def count(text: str) -> int:
    """A tokenizer that needs no package: a token a word."""
    return len(text.split())


def document(name: str, text: str) -> Document:
    return Document(Path(f"{name}.txt"), name, text)


def numbered(name: str, words: int) -> Document:
    return document(name, " ".join(f"{name}{number}" for number in range(words)))


def nominal_grid_exists(n_text: int, ratio: float) -> bool:
    """Whether some grid of cells of 64 pixels is cheap enough, dear enough, and can hold the shape of the page."""
    target = n_text / ratio
    for columns in range(1, int(target) + 1):
        for rows in range(1, int(target / columns + 1e-9) + 1):
            narrow, broad = (columns * 64 - 63) / (rows * 64), columns * 64 / (rows * 64 - 63)
            shape = narrow <= 1.15 * 595 / 842 and broad >= 0.85 * 595 / 842
            if shape and target - columns * rows <= max(1, 0.05 * target):
                return True
    return False


def test_supported_lengths_are_those_with_a_grid_for_every_ratio() -> None:
    supported = supported_lengths("nominal", ["glyph"], RATIOS)
    lengths = [n for n in range(100, 1000) if supported(n)]
    assert lengths == [n for n in range(100, 1000) if all(nominal_grid_exists(n, ratio) for ratio in RATIOS)]
    assert {360, 368, 546, 728, 980} <= set(lengths)
    assert not {300, 359, 369, 500, 900} & set(lengths)


@pytest.mark.parametrize(
    ("family", "layout", "ratio", "message"),
    [
        ("nominl", "glyph", 5.0, "unknown visual-token family 'nominl'; known, nearest first: nominal"),
        ("nominal", "gliph", 5.0, "unknown layout 'gliph'; known, nearest first: glyph"),
        ("nominal", "glyph", 0.0, "ratio 0.0 must be a number from 0.1 to 1000"),
        ("nominal", "glyph", float("nan"), "ratio nan must be a number from 0.1 to 1000"),
    ],
)
def test_supported_lengths_refuses(family: str, layout: str, ratio: float, message: str) -> None:
    with pytest.raises(TextsError, match=re.escape(message)):
        supported_lengths(family, [layout], [ratio])


def test_a_passage_goes_on_with_the_least_used_documents_and_keeps_paragraphs() -> None:
    folder = [numbered(name, 6) for name in "abcde"]
    found = passages(folder[:3], folder, [10], lang="en", count=count, supported=lambda n: n == 10)
    parts = [[line.split(" ")[0][0] for line in passage.split("\n")] for passage in found]
    # d and e start nothing; when both are used, all documents are used once, and the following one comes first
    assert parts == [["a", "d"], ["b", "e"], ["c", "d"]]
    assert found[0] == f"{folder[0].text}\nd0 d1 d2 d3"
    assert [count(passage) for passage in found] == [10, 10, 10]


def test_following_documents_are_cyclic() -> None:
    folder = [numbered(name, 6) for name in "abc"]
    found = passages(folder, folder, [8], lang="en", count=count, supported=lambda n: n == 8)
    assert [re.sub("[^abc]", "", passage) for passage in found] == ["aaaaaabb", "bbbbbbcc", "ccccccaa"]


def test_lengths_are_taken_in_turn() -> None:
    folder = [numbered(name, 50) for name in "abcde"]
    found = passages(folder, folder, [10, 20], lang="en", count=count, supported=lambda n: True)
    assert [count(passage) for passage in found] == [10, 20, 10, 20, 10]


@pytest.mark.parametrize(
    ("text", "end"),
    [
        # 8 to 12 are supported and 10 is wanted
        ("1 2 3 4 5 6 7 8 9. 10 11 12 13 14 15.", "9."),
        ('1 2 3 4 5 6 7 8 9. 10 11." 12 13 14 15', "9."),
        ('1 2 3 4 5 6 7 8. 9 10 11?" 12 13 14 15', '11?"'),
        ("1 2 3 4 5 6 7. 8 9 10 11 12 13. 14", "10"),
        ("1 2 3 4 5 6 7 8 9 10 11 12\n13 14", "12"),
    ],
)
def test_a_sentence_end_in_the_band_is_preferred(text: str, end: str) -> None:
    (found,) = passages(
        [document("a", text)], [document("a", text)], [10], lang="en", count=count, supported=lambda n: 8 <= n <= 12
    )
    assert found.split()[-1] == end
    assert text.startswith(found)


def test_of_two_bands_the_nearer_one_is_taken_even_without_a_sentence_end() -> None:
    text = "1 2 3 4 5. 6 7 8 9 10 11 12 13 14"
    one = document("a", text)
    (found,) = passages([one], [one], [9], lang="en", count=count, supported=lambda n: n in (5, 6, 11))
    assert count(found) == 11


def test_a_wide_band_is_searched_near_the_length_only() -> None:
    one = document("a", "1 " * 60 + "61. " + "62 " * 200)
    (found,) = passages([one], [one], [100], lang="en", count=count, supported=lambda n: True)
    assert count(found) == 100


def test_a_length_that_no_word_ends_at_is_passed_over() -> None:
    one = document("a", "aa bb cc dd ee")  # two tokens a word
    found = passages(
        [one], [one], [5], lang="en", count=lambda text: len(text.replace(" ", "")), supported=(5, 8).count
    )
    assert found == ["aa bb cc dd"]


def test_chinese_is_cut_between_characters_but_not_before_closing_punctuation() -> None:
    one = document("a", "一二三四五，六七八九十")
    for length, cut in ((5, "一二三四"), (6, "一二三四五，"), (8, "一二三四五，六七")):
        supported = {length, 4} if length == 5 else {length}
        found = passages([one], [one], [length], lang="zh", count=len, supported=supported.__contains__)
        assert found == [cut]


def test_a_passage_is_what_a_page_shows() -> None:
    one = document("a", "so\u00adft \u200bhyphens go away")
    assert passages([one], [one], [4], lang="en", count=count, supported=lambda n: True) == ["soft hyphens go away"]


@given(st.lists(st.integers(1, 30), min_size=1, max_size=6), st.integers(1, 60), st.sets(st.integers(1, 120)))
def test_properties(sizes: list[int], length: int, supported: set[int]) -> None:
    folder = [numbered(chr(97 + place), size) for place, size in enumerate(sizes)]
    reachable = {n for n in supported if length // 2 <= n <= min(2 * length, sum(sizes))}

    def build() -> list[str]:
        return passages(folder[:1], folder, [length], lang="en", count=count, supported=supported.__contains__)

    if not reachable:
        with pytest.raises(TextsError, match=rf"a\.txt: no passage of it .* near {length} tokens"):
            build()
        return
    (found,) = build()
    assert abs(count(found) - length) <= min(abs(n - length) for n in reachable) + 20
    assert count(found) in supported
    assert "\n".join(one.text for one in folder).startswith(found)


def test_a_length_under_one() -> None:
    one = numbered("a", 9)
    with pytest.raises(TextsError, match="length 0 must be at least 1 token"):
        passages([one], [one], [0], lang="en", count=count, supported=lambda n: True)
