"""Rules that answer questions from pieces of text with their boxes; and the real engine on real pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from pytest_vtcfaith.metrics.answers import AnswerKey, is_right
from pytest_vtcfaith.models.question_rules import ReadPage, answer
from pytest_vtcfaith.models.rapidocr import TextBox
from pytest_vtcfaith.models.registry import resolve
from pytest_vtcfaith.pages.questions.reduced import question_page
from pytest_vtcfaith.texts.questions.build import build_questions

BLANK = Image.new("RGB", (300, 200), "white")


def piece(text: str, left: float, top: float, tall: float = 10) -> TextBox:
    return TextBox((left, top, left + 6 * len(text), top + tall), text, 1.0)


def chart() -> ReadPage:
    """Three bars of 60, 30 and 90 pixels on an axis at 150, names below it and values above the bars."""
    image = BLANK.copy()
    pen = ImageDraw.Draw(image)
    pieces = []
    for left, name, tall in ((20, "Rye", 60), (100, "Oats", 30), (180, "Flax", 90)):
        pen.rectangle((left, 150 - tall, left + 39, 149), fill=(40, 80, 120))
        pieces += [piece(str(tall * 3), left, 150 - tall - 14), piece(name, left, 158)]
    pen.rectangle((10, 150, 290, 152), fill=(60, 60, 60))
    pieces.append(piece("Source: field book of 1907", 20, 180, 7))
    return ReadPage(image, pieces)


CELLS = (("Crop", "Place", "Sacks"), ("Rye", "Weir", "120"), ("Oats", "Kiln", "87"))
TABLE = ReadPage(
    BLANK,
    [piece(text, 10 + 80 * column, 20 + 30 * row) for row, line in enumerate(CELLS) for column, text in enumerate(line)]
    + [piece("Sheet no. KM - 4829", 10, 130, 7)],
)
LIST = ReadPage(
    BLANK,
    [piece("Found on the shore", 10, 5, 20), piece("otter velvet", 10, 50), piece("raven", 100, 50),
     piece("hazel", 10, 80), piece("cradle", 60, 80), piece("anvil", 100, 80), piece("Sheet no. KM-4829", 10, 120, 7)],
)  # fmt: skip
NOTICE = ReadPage(
    BLANK,
    [piece("Closed path", 10, 5, 20), piece("The gate at the Kiln is shut at 12 hours.", 10, 50),
     piece("Whoever comes later pays 192 pence.", 10, 70), piece("Ask Hugo Stride for the key.", 10, 90),
     piece("Signed by Ruth Penny", 10, 110), piece("Form no. HM-9234", 10, 150, 7)],
)  # fmt: skip


@pytest.mark.parametrize(
    ("page", "question", "said"),
    [
        (chart(), "What number is printed above the bar Oats?", "90"),
        (chart(), "What number is printed above the bar Oat5?", "90"),
        (chart(), "What number is printed above the bar Turnip?", ""),
        (chart(), "Which bar is taller: A. Rye or B. Oats? Answer with the letter.", "A"),
        (chart(), "Which bar is taller: A. Rye or B. Flax? Answer with the letter.", "B"),
        (chart(), "Which bar is taller: A. Rye or B. Millet? Answer with the letter.", ""),
        (chart(), "How many bars does the chart have?", "3"),
        (chart(), "Which year does the small print name?", "1907"),
        (TABLE, "Which number is in the column Sacks of the row Oats?", "87"),
        (TABLE, "Which word is in the column Place of the row Rye?", "Weir"),
        (TABLE, "Which word is in the column Place of the row Millet?", ""),
        (TABLE, "Which row has more in the column Sacks: A. Oats or B. Rye? Answer with the letter.", "B"),
        (TABLE, "What is the sheet number in the small print?", "KM-4829"),
        (LIST, "Which word stands directly to the right of the word velvet?", "raven"),
        (LIST, "Which word stands directly to the right of the word raven?", ""),
        (LIST, "Is the word cradle in the list? Answer yes or no.", "yes"),
        (LIST, "Is the word lantern in the list? Answer yes or no.", "no"),
        (LIST, "How many rows of words does the list have?", "2"),
        (NOTICE, "Who signed the notice?", "Ruth Penny"),
        (NOTICE, "How many pence does a late comer pay?", "192"),
        (NOTICE, "At which place is the gate?", "Kiln"),
        (NOTICE, "What is the form number in the small print?", "HM-9234"),
        (NOTICE, "What is the meaning of it all?", ""),
    ],
)
def test_a_rule(page: ReadPage, question: str, said: str) -> None:
    assert answer(page, question) == said


QUESTIONS = sorted({question["question"] for row in build_questions().rows for question in row["questions"]})


@pytest.mark.parametrize("pieces", [[], [piece("", 0, 0)], [piece("smudge", 10, 10)]])
def test_a_blank_page_gives_no_answer(pieces: list[TextBox]) -> None:
    for question in QUESTIONS:
        assert answer(ReadPage(BLANK, pieces), question) in ("", "no"), question
    assert answer(ReadPage(BLANK, []), "Is the word cradle in the list?") == ""


def test_the_engine_answers_its_own_pages() -> None:
    """One page of each kind, at full size and reduced by 3: what is large is read, what is small is not."""
    engine = resolve("ocr-rules").load()
    found: dict[int, list[bool]] = {1: [], 3: []}
    for row in build_questions(pages=2).rows:
        if row["document"].endswith("01"):
            continue
        for factor, right in found.items():
            page = question_page(row, Path(), factor)
            replies = engine.answer([page.image] * 4, [q["question"] for q in row["questions"]])  # type: ignore[attr-defined]
            for question, reply in zip(row["questions"], replies, strict=True):
                key = AnswerKey(question["kind"], tuple(question["answers"]), tuple(question.get("options", ())))
                right.append(is_right(key, reply.text))
    assert all(found[1])
    assert 0 < sum(found[3]) < 16


def test_the_model_is_an_answerer_of_english() -> None:
    spec = resolve("ocr-rules")
    assert (spec.tasks, spec.languages, spec.keep_ratio) == (frozenset({"answer"}), frozenset({"en"}), None)
    assert "rules 1" in spec.revision
    with pytest.raises(ValueError, match="takes no model"):
        resolve("ocr-rules:x")
