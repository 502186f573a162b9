"""The probe on tiny models: identical pages are alike in every layer, others are not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="the extra 'torch' is not installed")

from PIL import Image

from pytest_vtcfaith.models.probe.pages import ProbePage, probe_words
from pytest_vtcfaith.models.probe.run import probe, reading_class
from pytest_vtcfaith.texts.documents import Document

KINDS = ("qwen2-vl", "qwen2.5-vl", "qwen3-vl")
TEXT = "The harbour wall was mended in the spring, and the old pier stood open again by the first week of May."
DOCUMENTS = [Document(Path("a.txt"), "a", TEXT), Document(Path("b.txt"), "b", TEXT.replace("harbour", "garden"))]


@pytest.mark.parametrize("kind", KINDS)
def test_identical_pages_are_alike_and_others_are_not(tiny_model: Callable[..., Any], kind: str) -> None:
    (word,) = probe_words(DOCUMENTS[:1], "en", ["random"])
    same = replace(word, forms=(*word.forms, ("visual", word.word)))
    advanced: list[None] = []
    original, other, again = probe(tiny_model(kind), [same], lang="en", advance=lambda: advanced.append(None))
    assert len(advanced) == 3
    for page in (original, again):
        assert page.cosine == pytest.approx([1, 1, 1], abs=1e-12)
        assert page.ratio == pytest.approx([1, 1, 1], abs=1e-12)
        assert page.attention == original.attention
    assert again.read == original.read
    assert (original.condition, other.condition) == ("original", "random")
    assert other.form != other.word == word.word
    assert max(other.cosine) < 1 - 1e-9
    assert all(abs(ratio - 1) > 1e-9 for ratio in other.ratio if ratio is not None)
    assert original.patches >= 1


def test_attention_is_that_on_the_highlight(tiny_model: Callable[..., Any]) -> None:
    """All image tokens together get at most all attention; a highlight over the whole page takes their mean."""
    model = tiny_model("qwen2-vl")
    (word,) = probe_words(DOCUMENTS[:1], "en", ["random"])
    (page,) = probe(model, [replace(word, forms=word.forms[:1])], lang="en")
    grid = model.inputs([_question(page)])["image_grid_thw"][0].tolist()
    assert 1 <= page.patches < grid[1] * grid[2] / 4
    assert all(0 < weight < 1 for weight in page.attention if weight is not None)


def _question(page: Any) -> Any:
    from pytest_vtcfaith.models.vlm import Question

    return Question(Image.new("RGB", (1240, 144), "white"), "x")


def test_words_are_drawn_once_and_alike() -> None:
    words = probe_words(DOCUMENTS, "en", ["scramble", "random", "visual"], each=3, seed=4)
    assert len(words) == 6
    assert words == probe_words(DOCUMENTS, "en", ["scramble", "random", "visual"], each=3, seed=4)
    assert words != probe_words(DOCUMENTS, "en", ["scramble", "random", "visual"], each=3, seed=5)
    assert len({(word.document, word.start) for word in words}) == 6
    for word in words:
        assert [condition for condition, _ in word.forms] == ["original", "scramble", "random", "visual"]
        assert word.text[word.start :].startswith(word.word)
        assert len({form for _, form in word.forms}) == 4


def test_pages_show_the_form_in_place_of_the_word() -> None:
    (word,) = probe_words(DOCUMENTS[:1], "en", ["random"], seed=1)
    original, changed = word.pages("en", "faithc4")
    assert original.image.size[0] == changed.image.size[0]
    assert original.form == word.word
    assert original.image.tobytes() != changed.image.tobytes()
    assert len(original.boxes) == 1


def test_chinese_windows_are_words() -> None:
    text = "海边的旧码头在春天重新开放，灯塔的看守人每天记录风向。"
    words = probe_words([Document(Path("z.txt"), "z", text)], "zh", ["random"], each=2)
    assert [len(word.word) for word in words] == [4, 4]
    assert all(len(list(word.pages("zh", "faithc4"))[1].boxes) == 1 for word in words)


@pytest.mark.parametrize(
    ("condition", "form", "read", "expected"),
    [
        ("original", "pier", "pier", "verbatim"),
        ("original", "pier", "Pier.", "close"),
        ("original", "pier", "lantern", "wrong"),
        ("original", "pier", "", "missing"),
        ("scramble", "peir", "peir", "verbatim"),
        ("scramble", "peir", "pier", "rewritten"),
        ("scramble", "peir", "The word is “pier”.", "rewritten"),
        ("scramble", "peir", "peer", "close"),
        ("scramble", "peir", "", "missing"),
        ("scramble", "peir", "\n", "missing"),
    ],
)
def test_the_class_of_what_was_read(condition: str, form: str, read: str, expected: str) -> None:
    page = ProbePage(condition, form, Image.new("RGB", (1, 1)), ())
    assert reading_class("pier", page, read, "en") == expected
