"""Finding an unfaithful page: what counts, what is saved, what was not measured, what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from pytest_vtcfaith import Prompt, Reply, strategies
from pytest_vtcfaith.models.spec import ModelSpec
from pytest_vtcfaith.strategies import PerturbedDocument, find_unfaithful, save_case
from pytest_vtcfaith.suites.rewriting import SUITE
from pytest_vtcfaith.texts.errors import TextsError
from pytest_vtcfaith.texts.manifest import ManifestError, read_manifest

WORDS = [("pier", "pire"), ("lantern", "lnatern"), ("harbour", "harobur"), ("evening", "eveinng")]
DOCUMENTS = [
    PerturbedDocument(" ".join(a for a, _ in chosen), " ".join(b for _, b in chosen), "en", "scramble")
    for count in (1, 2, 3)
    for start in range(len(WORDS) - count + 1)
    for chosen in [WORDS[start : start + count]]
]
ALL = ("rewritten", "close", "moderate", "missing", "wrong")

Answer = Callable[[str], Any]
Telling = Callable[[Answer], Any]


def replacing(replaced: dict[str, str | None]) -> Answer:
    """Gives the words of a page, some of them replaced."""
    return lambda text: " ".join(read for word in text.split() if (read := replaced.get(word, word)))


def search(model: Any, **options: Any) -> Any:
    return find_unfaithful(model, pages=st.sampled_from(DOCUMENTS), **options)


def test_a_rewritten_word_is_found_alone_on_its_page(told: Telling) -> None:
    model = told(replacing({"harobur": "harbour"}))
    found = search(model)
    assert found.document.text == "harobur"
    assert found.read == "harbour"
    assert [(word.original, word.page, word.kind) for word in found.words] == [("harbour", "harobur", "rewritten")]
    assert found.case is None
    assert found.smallest
    assert str(found) == "on the page 'harobur' 'harobur' (of 'harbour') was rewritten: 'harbour'"
    assert found.pages_read == len(model.asked) == len(set(model.asked)), "no page is read twice"


def test_a_faithful_model_has_none(told: Telling) -> None:
    assert search(told(str)) is None


def test_what_counts_is_chosen(told: Telling) -> None:
    careless = told(replacing({"pire": None, "lnatern": "lnatem"}))
    assert search(careless, classes=["close"]).document.text == "lnatern"
    missing = search(careless, classes=["missing"])
    assert "pire" in missing.document.text
    assert len(missing.document.text.split()) == 2, "a reply without a word is no reply"


@pytest.mark.parametrize("words", [16, 26, 36])
@pytest.mark.parametrize("seed", range(3))
def test_what_happens_on_long_pages_only_is_found(told: Telling, words: int, seed: int) -> None:
    known = {"".join(sorted(word)): word for word in strategies.written.known("en")}

    def repair(text: str) -> str:
        found = text.split()
        return " ".join(known["".join(sorted(word))] for word in found) if len(found) >= words else text

    found = find_unfaithful(told(repair), seed=seed)
    assert len(found.document.text.split()) == words


def test_a_found_page_becomes_a_case(told: Telling, tmp_path: Path) -> None:
    found = search(told(replacing({"harobur": "harbour"})), save_to=tmp_path / "cases")
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


def test_a_folder_that_cannot_be_written_is_said_before_the_search(told: Telling, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    model = told(str)
    with pytest.raises(ManifestError, match=r"no case can be saved there .*: choose another folder"):
        search(model, save_to=tmp_path / "file")
    assert not model.asked


def test_an_error_of_saving_tells_what_was_found(told: Telling, tmp_path: Path) -> None:
    odd = st.just(replace(DOCUMENTS[0], kind="typo"))
    with pytest.raises(ManifestError, match=r"'typo'.*what was found: on the page 'pire'"):
        find_unfaithful(told(replacing({"pire": "pier"})), pages=odd, save_to=tmp_path)


def test_a_case_is_not_saved_for_another_layout_than_it_is_run_with(told: Telling, tmp_path: Path) -> None:
    model = told(replacing({"pire": "pier"}))
    with pytest.raises(ValueError, match="layout 'glyph' with save_to: a saved case is laid out as 'faithc4'"):
        search(model, layout="glyph", save_to=tmp_path)
    assert search(model, layout="glyph").document.text == "pire"


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ("", "empty"),
        (Reply(text=None), "empty"),
        (Reply(text=None, refusal="no"), "refused"),
        ("I'm sorry, I can't help with that image.", "refused"),
        (Reply(text="pire lnatern harobur eveinng", finish_reason="length"), "truncated"),
        ("0123456789abcdef" * 4, "hex_dump"),
    ],
)
@pytest.mark.parametrize("classes", [("rewritten",), ALL])
def test_pages_that_were_not_measured_never_pass(
    told: Telling, reply: object, outcome: str, classes: tuple[str, ...]
) -> None:
    with pytest.raises(RuntimeError, match=rf"nothing was found, but .* not measured: \d+ {outcome} \(as '"):
        search(told(lambda text: reply), classes=classes)


def test_one_page_that_was_not_measured_is_enough(told: Telling) -> None:
    model = told(lambda text: "" if text == "pire lnatern harobur" else text)
    with pytest.raises(RuntimeError, match="not measured: 1 empty \\(as 'pire lnatern harobur'\\)"):
        search(model)
    assert search(model, max_unmeasured=1) is None, "it was allowed"
    found = search(told(lambda text: "" if text == "pire lnatern harobur" else text.replace("eveinng", "evening")))
    assert found.document.text == "eveinng", "what is found is found"


def test_what_is_found_is_a_case_that_is_measured(told: Telling) -> None:
    model = told(lambda text: text.replace("pire", "pier") if "lnatern" in text else "" if "pier" in text else text)
    with pytest.raises(RuntimeError, match="empty \\(as 'pier"):
        search(model)


def test_a_model_that_reads_nothing_passes_with_no_allowance(told: Telling) -> None:
    with pytest.raises(ValueError, match="nothing was measured"):
        search(told(lambda text: ""), max_unmeasured=1000)


def test_documents_without_a_perturbed_word_measure_nothing(told: Telling) -> None:
    with pytest.raises(ValueError, match="nothing was measured: no page that was read has a perturbed word"):
        find_unfaithful(told(str), pages=st.just(PerturbedDocument("pier", "pier", "en", "scramble")))


def test_no_reply_is_no_pass_and_ends_the_search(told: Telling) -> None:
    model = told(lambda text: Reply(text=None, error="connection refused"))
    with pytest.raises(RuntimeError, match=r"gave no reply to the page .*: connection refused"):
        search(model)
    assert len(model.asked) == 1


def test_an_error_while_shrinking_tells_what_was_found(told: Telling) -> None:
    def once(text: str) -> Any:
        return Reply(text=None, error="gone") if text == "harobur" else text.replace("harobur", "harbour")

    with pytest.raises(RuntimeError, match="gone") as caught:
        find_unfaithful(told(once), pages=st.just(DOCUMENTS[-1]))
    assert "'harobur' (of 'harbour') was rewritten" in caught.value.__notes__[0]


class Giving:
    def __init__(self, replies: object) -> None:
        self.replies = replies

    def transcribe(self, images: Sequence[Any], prompt: Prompt) -> Any:
        return self.replies


@pytest.mark.parametrize(
    ("replies", "said"),
    [
        (None, "must return a list with one reply per picture, it returned NoneType"),
        ("pire", "must return a list with one reply per picture, it returned str"),
        ([], "returned 0 replies for 1 picture"),
        (["pire", "pire"], "returned 2 replies for 1 picture"),
        ([None], "a reply must be a Reply or a str, the model gave NoneType"),
        ([b"pire"], "a reply must be a Reply or a str, the model gave bytes"),
        ([3], "a reply must be a Reply or a str, the model gave int"),
    ],
)
def test_bad_replies_are_named(replies: object, said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        search(Giving(replies))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"classes": []}, "is none of rewritten, close, moderate, missing, wrong"),
        ({"classes": ["verbatim"]}, "is none of rewritten, close, moderate, missing, wrong"),
        ({"classes": ["rewriten"]}, "'rewriten'.* is none of rewritten, close, moderate, missing, wrong"),
        ({"classes": "rewritten"}, r"got the string 'rewritten': give \['rewritten'\]"),
        ({"layout": "nosuch"}, "unknown layout 'nosuch'"),
        ({"max_examples": 0}, "max_examples must be at least 1, got 0"),
        ({"max_unmeasured": -1}, "max_unmeasured must be at least 0, got -1"),
        ({"max_shrinks": -1}, "max_shrinks must be at least 0, got -1"),
        ({"pages": ["pire"]}, r"pages must be a strategy of PerturbedDocument, .* got \['pire'\]"),
        ({"pages": strategies.texts()}, "pages must give PerturbedDocument, .* it gave 'able'"),
        ({"model": object()}, r"an object with transcribe\(images, prompt\), got <object"),
        ({"model": Giving}, r"model is the class Giving: give an instance, Giving\("),
        ({"model": "no-such-model"}, "unknown model 'no-such-model'"),
        (
            {"model": ModelSpec(name="m", load=lambda: Giving([]), languages=frozenset({"zh"}))},
            "model 'm' does not declare that it reads 'en'",
        ),
    ],
)
def test_wrong_arguments_are_refused(told: Telling, options: dict[str, Any], said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        find_unfaithful(**{"model": told(str), **options})


def test_the_folder_is_only_looked_at_when_all_else_is_right(told: Telling, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="max_examples"):
        search(told(str), save_to=tmp_path / "cases", max_examples=0)
    assert not (tmp_path / "cases").exists()
