"""Strategies of text: words, perturbed words, documents. All shrink to the shortest text, at last to one word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TypeVar

from hypothesis import strategies as st

from pytest_vtcfaith.texts.bundled import bundled_folder
from pytest_vtcfaith.texts.documents import read_documents
from pytest_vtcfaith.texts.errors import TextsError
from pytest_vtcfaith.texts.perturb import eligible_words, perturb
from pytest_vtcfaith.texts.scripts import check_lang, common_han, common_syllables

SCRIPTS = ("latin", "han", "hangul")

_T = TypeVar("_T")
_LATIN = "abcdefghijklmnopqrstuvwxyz"
SEEDS = 256
"""Forms that a word is tried in: enough that every short one occurs, few enough that shrinking ends."""


@dataclass(frozen=True, slots=True)
class PerturbedDocument:
    """A text before the perturbation (`original`) and as it is printed (`text`); `lang` is `en`, `zh` or `ko`, `kind`
    one of `scramble`, `random`, `visual`.
    """

    original: str
    text: str
    lang: str
    kind: str


def words(script: str = "latin", *, min_size: int = 1, max_size: int = 12) -> st.SearchStrategy[str]:
    """Words of any letters of a script that the bundled fonts can show; nobody expects them.

    - `script`: `latin` (a–z), `han` (the 3,755 characters of GB 2312 level 1), `hangul` (the 2,350 syllables of
      KS X 1001).
    - `min_size`, `max_size`: characters.

    Raises ValueError for another script.
    """
    if script not in SCRIPTS:
        raise ValueError(f"script {script!r} is unknown: choose one of {', '.join(SCRIPTS)}")
    pool = {"latin": tuple(_LATIN), "han": common_han(), "hangul": common_syllables()}[script]
    return st.text(alphabet=st.sampled_from(pool), min_size=min_size, max_size=max_size)


def known_words(lang: str = "en") -> st.SearchStrategy[str]:
    """Words that a reader expects: those of the bundled texts that can be perturbed (definitions §4).

    English: 4 or more letters, all in lower case there, so hardly a name; Korean: 4 or more syllables; Chinese: 4
    characters in a row. They shrink to the shortest, then the first of the alphabet. Raises TextsError (a ValueError)
    for another `lang`.
    """
    return st.sampled_from(known(lang))


def perturbed_words(
    kind: str = "scramble", lang: str = "en", *, visual_rate: float = 1.0, keep_ends: bool | None = None
) -> st.SearchStrategy[tuple[str, str]]:
    """Pairs of a known word and one of its perturbed forms, which is no known word itself.

    `kind`, `visual_rate`, `keep_ends`: as `texts.perturb`. Raises TextsError (a ValueError) for an unknown `lang` or
    `kind`, `scramble` of Chinese, and a `visual_rate` outside (0, 1].
    """
    words = known(lang)
    others = frozenset(words)
    perturb("", kind, lang=lang, seed=0, visual_rate=visual_rate)  # tells what is wrong now, not at the first example

    def pair(word: str, seed: int) -> tuple[str, str]:
        return word, form(word, kind, lang, seed, visual_rate, keep_ends)

    pairs = st.builds(pair, st.sampled_from(words), st.integers(0, SEEDS - 1))
    return pairs.filter(lambda drawn: drawn[1] not in others)  # draws one word again, where assume() drops a document


def texts(lang: str = "en", *, min_words: int = 1, max_words: int = 60) -> st.SearchStrategy[str]:
    """Texts of one paragraph of known words; Chinese ones without spaces. Many have nearly
    `max_words` words. Raises TextsError for another `lang`.
    """
    return _of_any_size(known_words(lang), min_words, max_words).map(between(lang).join)


def documents(
    lang: str = "en",
    kind: str = "scramble",
    *,
    max_words: int = 40,
    visual_rate: float = 1.0,
    keep_ends: bool | None = None,
) -> st.SearchStrategy[PerturbedDocument]:
    """Documents of 1 to `max_words` known words, some of them perturbed, at least one.

    Many have nearly `max_words`, and in half of them one word alone is perturbed: what surrounds a word may decide how
    it is read. A perturbed form is no other word of its document. They shrink to one perturbed word, the shortest that
    will do.
    Arguments and errors as `perturbed_words`.
    """
    same = known_words(lang).map(lambda word: (word, word))
    changed = perturbed_words(kind, lang, visual_rate=visual_rate, keep_ends=keep_ends)
    gap = between(lang)

    def document(pairs: list[tuple[str, str]]) -> PerturbedDocument:
        originals, printed = zip(*pairs, strict=True)
        return PerturbedDocument(gap.join(originals), gap.join(printed), lang, kind)

    def among(pair: tuple[str, str], others: list[tuple[str, str]], place: int) -> list[tuple[str, str]]:
        return [*others[:place], pair, *others[place:]]

    alone = st.builds(among, changed, _of_any_size(same, 0, max_words - 1), st.integers(0, max_words - 1))
    mixed = _of_any_size(st.one_of(same, changed), 1, max_words)
    return st.one_of(alone, mixed).filter(tells_apart).map(document)


def _of_any_size(elements: st.SearchStrategy[_T], least: int, most: int) -> st.SearchStrategy[list[_T]]:
    """Lists whose size is drawn first: by itself a list is short, and its longest sizes hardly ever occur. What is
    drawn is the least size, so that a list that shrinks can lose any of its elements.
    """
    longest = max(least, most - 1)  # a list of exactly `most` does not record where it can end, so it cannot shrink
    sizes = st.one_of(st.just(least), st.just(longest), st.integers(least, longest))
    return sizes.flatmap(lambda size: st.lists(elements, min_size=size, max_size=most))


def tells_apart(pairs: Sequence[tuple[str, str]]) -> bool:
    """Whether some word is perturbed, and no perturbed form stands elsewhere in the document."""
    forms = [shown for word, shown in pairs if shown != word]
    return bool(forms) and all([shown for _, shown in pairs].count(each) == 1 for each in forms)


def between(lang: str) -> str:
    """What stands between two words."""
    check_lang(lang)
    return "" if lang == "zh" else " "


@lru_cache(maxsize=1 << 16)
def form(word: str, kind: str, lang: str, seed: int, visual_rate: float = 1.0, keep_ends: bool | None = None) -> str:
    """The word as one of its `SEEDS` perturbed forms; itself, where it has none."""
    return perturb(word, kind, lang=lang, rate=1, seed=seed, visual_rate=visual_rate, keep_ends=keep_ends)


@cache
def known(lang: str) -> tuple[str, ...]:
    """The words of `known_words`, the shortest first, then in alphabetical order."""
    check_lang(lang)
    found: set[str] = set()
    for document in read_documents(bundled_folder() / "data" / "texts" / lang):
        for places in eligible_words(document.text, lang):
            word = "".join(document.text[place] for place in places)
            if word == word.lower():
                found.add(word)
    if not found:
        raise TextsError(f"the bundled texts in {lang} have no words: reinstall pytest-vtcfaith")
    return tuple(sorted(found, key=lambda word: (len(word), word)))
