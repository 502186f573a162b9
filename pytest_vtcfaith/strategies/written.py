"""Strategies of text: words, perturbed words, documents. All shrink to the shortest text, at last to one word."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from hypothesis import assume
from hypothesis import strategies as st

from pytest_vtcfaith.texts.bundled import bundled_folder
from pytest_vtcfaith.texts.documents import read_documents
from pytest_vtcfaith.texts.errors import TextsError
from pytest_vtcfaith.texts.perturb import eligible_words, perturb
from pytest_vtcfaith.texts.scripts import check_lang, common_han, common_syllables

SCRIPTS = ("latin", "han", "hangul")

_LATIN = "abcdefghijklmnopqrstuvwxyz"
_SEEDS = 256
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
    return st.sampled_from(_known(lang))


def perturbed_words(
    kind: str = "scramble", lang: str = "en", *, visual_rate: float = 1.0, keep_ends: bool | None = None
) -> st.SearchStrategy[tuple[str, str]]:
    """Pairs of a known word and one of its perturbed forms, which is no known word itself.

    `kind`, `visual_rate`, `keep_ends`: as `texts.perturb`. Raises TextsError (a ValueError) for an unknown `lang` or
    `kind`, `scramble` of Chinese, and a `visual_rate` outside (0, 1].
    """
    words = _known(lang)
    known = frozenset(words)
    perturb("", kind, lang=lang, seed=0, visual_rate=visual_rate)  # tells what is wrong now, not at the first example

    @st.composite
    def pairs(draw: st.DrawFn) -> tuple[str, str]:
        word, seed = draw(st.sampled_from(words)), draw(st.integers(0, _SEEDS - 1))
        form = perturb(word, kind, lang=lang, rate=1, seed=seed, visual_rate=visual_rate, keep_ends=keep_ends)
        assume(form not in known)
        return word, form

    return pairs()


def texts(lang: str = "en", *, min_words: int = 1, max_words: int = 60) -> st.SearchStrategy[str]:
    """Texts of one paragraph of known words; Chinese ones without spaces. Raises TextsError for another `lang`."""
    between = _between(lang)
    return st.lists(known_words(lang), min_size=min_words, max_size=max_words).map(between.join)


def documents(
    lang: str = "en",
    kind: str = "scramble",
    *,
    max_words: int = 40,
    visual_rate: float = 1.0,
    keep_ends: bool | None = None,
) -> st.SearchStrategy[PerturbedDocument]:
    """Documents of 1 to `max_words` known words, some of them perturbed, at least one.

    A perturbed form is no other word of its document. They shrink to one perturbed word, the shortest that will do.
    Arguments and errors as `perturbed_words`.
    """
    same = known_words(lang).map(lambda word: (word, word))
    changed = perturbed_words(kind, lang, visual_rate=visual_rate, keep_ends=keep_ends)
    between = _between(lang)

    def document(pairs: list[tuple[str, str]]) -> PerturbedDocument:
        originals, printed = zip(*pairs, strict=True)
        return PerturbedDocument(between.join(originals), between.join(printed), lang, kind)

    drawn = st.lists(st.one_of(same, changed), min_size=1, max_size=max_words)
    return drawn.filter(_tells_apart).map(document)


def _tells_apart(pairs: list[tuple[str, str]]) -> bool:
    """Whether some word is perturbed, and no perturbed form stands elsewhere in the document."""
    forms = [form for word, form in pairs if form != word]
    return bool(forms) and all([shown for _, shown in pairs].count(form) == 1 for form in forms)


def _between(lang: str) -> str:
    check_lang(lang)
    return "" if lang == "zh" else " "


@cache
def _known(lang: str) -> tuple[str, ...]:
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
