"""Strategies of text give what they say, and shrink to one short word."""

from __future__ import annotations

import subprocess
import sys
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from pytest_vtcfaith import strategies
from pytest_vtcfaith.metrics import classify_rewrites
from pytest_vtcfaith.metrics.scripts import is_han
from pytest_vtcfaith.texts.errors import TextsError
from pytest_vtcfaith.texts.scripts import in_script

LANGS = {"latin": "en", "han": "zh", "hangul": "ko"}
KINDS = [("scramble", "en"), ("random", "zh"), ("visual", "ko"), ("visual", "en"), ("scramble", "ko")]
SHORTEST = settings(database=None, deadline=None)


@pytest.mark.parametrize("script", LANGS)
def test_words_are_of_their_script(script: str) -> None:
    @settings(max_examples=30, deadline=None)
    @given(strategies.words(script, min_size=2, max_size=5))
    def check(word: str) -> None:
        assert 2 <= len(word) <= 5
        assert all(in_script(char, LANGS[script]) for char in word)

    check()


@pytest.mark.parametrize(("kind", "lang"), KINDS)
def test_a_document_read_as_the_original_is_rewritten(kind: str, lang: str) -> None:
    @settings(max_examples=25, deadline=None)
    @given(strategies.documents(lang, kind))
    def check(document: strategies.PerturbedDocument) -> None:
        original, page = document.original, document.text
        kept = classify_rewrites(original, page, page, lang=lang)
        assert kept["perturbed"] == kept["verbatim"] > 0
        changed = classify_rewrites(original, page, original, lang=lang)
        assert changed["perturbed"] == changed["rewritten"] == kept["perturbed"]

    check()


@pytest.mark.parametrize(("kind", "lang"), KINDS)
def test_a_perturbed_form_is_no_known_word(kind: str, lang: str) -> None:
    known = set(strategies.written.known(lang))

    @settings(max_examples=25, deadline=None)
    @given(strategies.perturbed_words(kind, lang))
    def check(pair: tuple[str, str]) -> None:
        word, form = pair
        assert word in known
        assert form not in known

    check()


@pytest.mark.parametrize(("kind", "lang"), [("scramble", "en"), ("random", "zh")])
def test_documents_shrink_to_one_word(kind: str, lang: str) -> None:
    smallest = find(strategies.documents(lang, kind), lambda document: True, settings=SHORTEST)
    assert len(smallest.text) == len(smallest.original) == 4
    assert " " not in smallest.text


def test_a_fault_of_long_words_shrinks_to_a_shortest_of_them() -> None:
    def long(document: strategies.PerturbedDocument) -> bool:
        pairs = zip(document.original.split(), document.text.split(), strict=True)
        return any(len(word) >= 9 for word, form in pairs if word != form)

    smallest = find(strategies.documents("en", "scramble"), long, settings=SHORTEST)
    assert len(smallest.text) == 9
    assert smallest.text.isalpha()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("strategy", "most"),
    [
        (strategies.documents("en", "scramble").map(lambda document: document.text), 40),
        (strategies.texts("ko"), 60),
        (strategies.pages("en", max_words=40).map(lambda page: page.text), 40),
    ],
    ids=["documents", "texts", "pages"],
)
def test_long_ones_are_among_the_first_and_short_ones_too(
    strategy: st.SearchStrategy[str], most: int, seed: int
) -> None:
    found: list[int] = []
    every = settings(SHORTEST, max_examples=50, phases=(Phase.generate,), suppress_health_check=list(HealthCheck))
    with pytest.raises(NoSuchExample):
        find(strategy, lambda text: found.append(len(text.split())) is not None, settings=every, random=Random(seed))
    assert any(size >= 0.9 * most for size in found[:10])
    assert sum(size >= 0.9 * most for size in found) >= 5
    assert sum(size < 15 for size in found) >= 5


@pytest.mark.parametrize("seed", range(4))
def test_one_word_alone_may_be_perturbed_on_a_long_page(seed: int) -> None:
    seen: list[tuple[int, int]] = []

    def look(document: strategies.PerturbedDocument) -> bool:
        pairs = list(zip(document.original.split(), document.text.split(), strict=True))
        seen.append((len(pairs), sum(word != form for word, form in pairs)))
        return False

    with pytest.raises(NoSuchExample):
        find(
            strategies.documents("en", "scramble"),
            look,
            settings=settings(max_examples=50, database=None, deadline=None, phases=(Phase.generate,)),
            random=Random(seed),
        )
    assert any(words > 25 and perturbed == 1 for words, perturbed in seen)
    assert any(words > 25 and perturbed > 5 for words, perturbed in seen)


def test_a_long_one_shrinks_to_as_many_words_as_it_takes() -> None:
    smallest = find(strategies.documents("en", "scramble"), lambda document: len(document.text) > 30, settings=SHORTEST)
    assert len(smallest.text.split()) <= 7


def test_chinese_texts_have_no_spaces_and_others_do() -> None:
    chinese = find(strategies.texts("zh", min_words=3), lambda text: True, settings=SHORTEST)
    assert len(chinese) == 12
    assert all(map(is_han, chinese))
    korean = find(strategies.texts("ko", min_words=3), lambda text: True, settings=SHORTEST)
    assert len(korean.split(" ")) == 3


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: strategies.words("greek"), "script 'greek' is unknown: choose one of latin, han, hangul"),
        (lambda: strategies.known_words("fr"), "lang 'fr' is unknown"),
        (lambda: strategies.texts("fr"), "lang 'fr' is unknown"),
        (lambda: strategies.documents("en", "typo"), "kind 'typo' is unknown"),
        (lambda: strategies.documents("zh", "scramble"), "'scramble' is not defined for zh"),
        (lambda: strategies.perturbed_words("visual", visual_rate=2), "visual_rate"),
    ],
)
def test_what_is_unknown_is_said_at_once(make: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make()  # type: ignore[operator]
    assert issubclass(TextsError, ValueError)


def test_only_the_strategies_need_hypothesis() -> None:
    program = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "import pytest_vtcfaith, pytest_vtcfaith.plugin\n"
        "try: pytest_vtcfaith.strategies\n"
        "except ImportError as problem: print(problem)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == (
        "pytest_vtcfaith.strategies needs hypothesis: pip install 'pytest-vtcfaith[strategies]'"
    )


@given(st.data())
@settings(max_examples=10, deadline=None)
def test_scrambles_keep_their_letters(data: st.DataObject) -> None:
    word, form = data.draw(strategies.perturbed_words("scramble"))
    assert sorted(word) == sorted(form)
