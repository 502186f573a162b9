"""Finding the smallest unfaithful page, with models that know a few pages by their pixels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from pytest_vtcfaith import Prompt, Reply
from pytest_vtcfaith.models.spec import ModelSpec
from pytest_vtcfaith.pages import render
from pytest_vtcfaith.pages.images import pixel_key
from pytest_vtcfaith.strategies import PerturbedDocument, find_unfaithful, save_case
from pytest_vtcfaith.suites.rewriting import SUITE
from pytest_vtcfaith.texts.errors import TextsError
from pytest_vtcfaith.texts.manifest import read_manifest

WORDS = [("pier", "pire"), ("lantern", "lnatern"), ("harbour", "harobur"), ("evening", "eveinng")]
DOCUMENTS = [
    PerturbedDocument(" ".join(a for a, _ in chosen), " ".join(b for _, b in chosen), "en", "scramble")
    for count in (1, 2, 3)
    for start in range(len(WORDS) - count + 1)
    for chosen in [WORDS[start : start + count]]
]
PAGES = {pixel_key(render(document.text).image): document for document in DOCUMENTS}


class Knowing:
    """Gives the words of a page, some of them replaced."""

    def __init__(self, replaced: dict[str, str | None]) -> None:
        self.replaced = replaced
        self.asked: list[str] = []

    def transcribe(self, images: Sequence[Any], prompt: Prompt) -> Sequence[Reply | str]:
        (image,) = images
        assert prompt.lang == "en"
        assert prompt.text
        document = PAGES[pixel_key(image)]
        self.asked.append(document.text)
        return [" ".join(read for word in document.text.split() if (read := self.replaced.get(word, word)))]


def search(model: Any, **options: Any) -> Any:
    """Documents are tried from the longest, so that there is something to shrink."""
    return find_unfaithful(model, pages=st.sampled_from(DOCUMENTS), **options)


def test_a_rewritten_word_is_found_alone_on_its_page() -> None:
    model = Knowing({"harobur": "harbour"})
    found = search(model)
    assert found.document.text == "harobur"
    assert found.read == "harbour"
    assert [(word.original, word.page, word.kind) for word in found.words] == [("harbour", "harobur", "rewritten")]
    assert found.case is None
    assert str(found) == "on the page 'harobur' 'harobur' (of 'harbour') was rewritten: 'harbour'"
    assert found.pages_read == len(model.asked) == len(set(model.asked)), "no page is read twice"


def test_a_faithful_model_has_none() -> None:
    assert search(Knowing({})) is None


def test_what_counts_is_chosen() -> None:
    careless = Knowing({"pire": None, "lnatern": "lnatem"})
    assert search(careless) is None
    assert search(careless, classes=["missing"]).document.text == "pire"
    assert search(careless, classes=["close"]).document.text == "lnatern"


@pytest.mark.parametrize("classes", [[], ["verbatim"], ["rewriten"]])
def test_unknown_classes_are_refused(classes: list[str]) -> None:
    with pytest.raises(ValueError, match="is none of rewritten, close, moderate, missing, wrong"):
        search(Knowing({}), classes=classes)


def test_a_found_page_becomes_a_case(tmp_path: Path) -> None:
    found = search(Knowing({"harobur": "harbour"}), save_to=tmp_path / "cases")
    assert found.case.parent == tmp_path / "cases"
    manifest = read_manifest(found.case)
    assert [(row["condition"], row["text"]) for _, row in manifest.rows] == [
        ("original", "harbour"), ("scramble", "harobur"),
    ]  # fmt: skip
    save_case(found.document, tmp_path / "cases")
    assert len(list((tmp_path / "cases").iterdir())) == 1, "the same page is saved once"
    save_case(DOCUMENTS[0], tmp_path / "cases")
    assert [case.reference for case in SUITE.cases(tmp_path / "cases")].count("harobur") == 1
    assert len(SUITE.cases(tmp_path / "cases")) == 4


def test_a_text_that_is_its_original_is_no_case(tmp_path: Path) -> None:
    with pytest.raises(TextsError, match="equals original"):
        save_case(PerturbedDocument("pier", "pier", "en", "scramble"), tmp_path)


class Silent:
    def __init__(self) -> None:
        self.asked = 0

    def transcribe(self, images: Sequence[Any], prompt: Prompt) -> Sequence[Reply | str]:
        self.asked += 1
        return [Reply(text=None, error="connection refused")]


def test_no_reply_is_no_pass_and_ends_the_search() -> None:
    model = Silent()
    with pytest.raises(RuntimeError, match=r"gave no reply to the page .*: connection refused"):
        search(model)
    assert model.asked == 1


def test_a_language_the_model_does_not_declare_is_refused() -> None:
    spec = ModelSpec(name="m", load=lambda: Knowing({}), languages=frozenset({"zh"}))
    with pytest.raises(ValueError, match="model 'm' does not declare that it reads 'en'"):
        find_unfaithful(spec)
    with pytest.raises(ValueError, match="unknown model 'no-such-model'"):
        find_unfaithful("no-such-model")
