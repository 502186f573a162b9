"""Natural partners of a given number of characters."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.texts import TextsError
from pytest_vtcfaith.texts.documents import Document
from pytest_vtcfaith.texts.partners import matched_passage


def documents(*texts: str) -> list[Document]:
    return [Document(Path(f"{number}.txt"), str(number), text) for number, text in enumerate(texts)]


FOLDER = documents(*(f"begin{letter} " + "it is a sea " * 60 + f"end{letter}" for letter in "abc"))


@pytest.mark.parametrize(
    ("characters", "start", "passage"),
    [
        (3, 0, "one"),
        (7, 0, "one two"),
        (13, 0, "one two\nthree"),
        (9, 1, "three\nsix"),
        (13, 4, "three\nsix\none"),
        (11, -1, "six\none two"),
    ],
)
def test_where_it_begins_and_goes_on(characters: int, start: int, passage: str) -> None:
    assert matched_passage(documents("one two", "three", "six"), characters, start) == passage


@given(st.integers(min_value=300, max_value=2200), st.integers(min_value=-5, max_value=40))
def test_length_beginning_and_cut(characters: int, start: int) -> None:
    passage = matched_passage(FOLDER, characters, start)
    assert abs(len(passage) - characters) <= 0.01 * characters
    order = [FOLDER[(start + number) % 3].text for number in range(3)]
    whole = "\n".join(order)
    assert whole.startswith(passage)
    assert passage == whole or whole[len(passage)].isspace()
    assert not passage[-1].isspace()


def test_the_nearest_word_is_taken() -> None:
    text = "word " * 100
    assert len(matched_passage(documents(text.strip()), 400, 0)) == 399
    assert len(matched_passage(documents(text.strip()), 402, 0)) == 404


def test_each_document_serves_once() -> None:
    total = len("\n".join(document.text for document in FOLDER))
    assert len(matched_passage(FOLDER, total + 20, 1)) == total  # within 1 %
    with pytest.raises(TextsError, match=rf"3 documents have {total} characters in all, too few .* of {2 * total} "):
        matched_passage(FOLDER, 2 * total, 1)


def test_other_errors() -> None:
    with pytest.raises(TextsError, match="characters 0 must be at least 1"):
        matched_passage(FOLDER, 0, 0)
    with pytest.raises(TextsError, match="there are no documents"):
        matched_passage([], 10, 0)
    with pytest.raises(TextsError, match=r"0\.txt: no word ends within 1 % of 100 characters, the nearest after 300"):
        matched_passage(documents("a" * 300), 100, 0)
