"""Controls: natural texts with their letters or words out of order, which ZeroSense compares its texts with.

What a control keeps (words, or letters and places) still helps a reader to guess; what it loses does not. The texts
have the characters of the natural one in another order, so they fill the same page.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence

from pytest_vtcfaith.metrics.perturbed import core
from pytest_vtcfaith.metrics.scripts import WHITE_SPACE
from pytest_vtcfaith.texts.checks import check_seed
from pytest_vtcfaith.texts.draws import Draw, below, shuffled
from pytest_vtcfaith.texts.errors import TextsError, show
from pytest_vtcfaith.texts.scripts import check_lang

CONTROLS = (
    *(f"{kind}-{p}" for kind in ("swap", "shuffle") for p in (5, 10, 50, 100)),
    *(f"{kind}-{k}" for kind in ("word-swap", "word-shuffle") for k in (5, 10)),
)
"""The controls of the paper, by the name of their source (ZeroSense, Table 5 and appendix B.4)."""

FORMS = (
    "swap-P or shuffle-P (P percent of the words, 1 to 100), word-swap-K or word-shuffle-K (up to K words, 2 or more)"
)
"""The names a control may have, for messages and help."""

_NAME = re.compile(r"(swap|shuffle|word-swap|word-shuffle)-([1-9][0-9]{0,5})")
_TOKEN = re.compile(f"[^{WHITE_SPACE}]+")


def is_control(source: str) -> bool:
    """Whether `source` is the name of a control (`FORMS`)."""
    named = _NAME.fullmatch(source)
    if named is None:
        return False
    number = int(named[2])
    return number >= 2 if named[1].startswith("word-") else number <= 100


def control(text: str, source: str, *, lang: str, seed: int = 0) -> str:
    """The control of a natural text that `source` names: `swap-10`, `shuffle-100`, `word-swap-5`, `word-shuffle-10`, ….

    `text`, `lang`, `seed`: as the function of that name here. Raises TextsError for a name that is no control, and as
    that function. Source: definitions §3.
    """
    named = _NAME.fullmatch(source)
    if named is None or not is_control(source):
        raise TextsError(f"source {show(source)} is no control: write {FORMS}, as in swap-10")
    kinds: dict[str, Callable[..., str]]
    kinds = {"swap": swap_p, "shuffle": shuffle_p, "word-swap": word_swap_k, "word-shuffle": word_shuffle_k}
    return kinds[named[1]](text, int(named[2]), lang=lang, seed=seed)


def swap_p(text: str, p: float, *, lang: str, seed: int = 0) -> str:
    """Exchanges two different characters, drawn at random, in each of p % of the eligible words.

    Source: ZeroSense, appendix B.4 "Swap"; definitions §3. Eligible is a word with two or more letters after the
    punctuation and symbols at its edges are taken off. Of n eligible words round(p · n / 100), at least 1, are chosen
    at random (halves to even, Python's `round`). White space, the place of each word, and the place of all punctuation
    and symbols, also inside a word, stay; letters, digits and other characters move, each with its combining marks. A
    word in which all that could move is equal is passed over, and another is chosen; every chosen word changes.

    - `text`: brought into NFC first. A text without an eligible word comes back as it is.
    - `p`: percent, over 0 and up to 100.
    - `lang`: `en` or `ko`, whose words are alike: what stands between white space. Chinese has none.
    - `seed`: at least 0; equal seeds give equal texts on every platform and Python.

    Raises TextsError for other arguments.
    """
    return _within_words(text, p, lang, seed, _swapped)


def shuffle_p(text: str, p: float, *, lang: str, seed: int = 0) -> str:
    """Permutes all characters of each of p % of the eligible words, uniformly among the orders that change the word.

    Source: ZeroSense, appendix B.4 "Shuffle"; definitions §3. Which words, what stays, arguments and errors: as
    `swap_p`.
    """
    return _within_words(text, p, lang, seed, _reordered)


def word_swap_k(text: str, k: int, *, lang: str, seed: int = 0) -> str:
    """Exchanges pairs of words that stand up to `k` words apart; no word moves twice.

    Source: ZeroSense, caption of Table 5: "randomly swaps pairs of adjacent words up to distance k". How many pairs it
    does not say. Here, from left to right, each word that has not moved is exchanged with one drawn from the 1 to `k`
    following words that have not moved either and differ from it; a word with no such partner stays. So nearly every
    word moves, by at most `k` places. Words keep their punctuation; white space and paragraph breaks stay where they
    are, and words may cross them. `k`: at least 2. `text`, `lang`, `seed`, errors: as `swap_p`.
    """
    text, draw = _prepared(text, lang, seed)
    _check_k(k)
    words: list[str] = _TOKEN.findall(text)
    still = [True] * len(words)
    for place, word in enumerate(words):
        if not still[place]:
            continue
        following = range(place + 1, min(place + k, len(words) - 1) + 1)
        partners = [other for other in following if still[other] and words[other] != word]
        if partners:
            other = partners[below(draw, len(partners))]
            words[place], words[other] = words[other], word
            still[place] = still[other] = False
    return _put(text, words)


def word_shuffle_k(text: str, k: int, *, lang: str, seed: int = 0) -> str:
    """Permutes the words inside each window of `k` words, uniformly among the orders that change the window.

    Source: ZeroSense, caption of Table 5: "local random permutation within sliding windows of size k". Read here as
    windows that follow one another without overlap, the last one maybe shorter, so that a word moves by at most k − 1
    places: in windows that slide by one word, a word could be carried through the whole text, and nothing be local. A
    window of equal words stays. Words, white space and arguments as `word_swap_k`.
    """
    text, draw = _prepared(text, lang, seed)
    _check_k(k)
    words: list[str] = _TOKEN.findall(text)
    for start in range(0, len(words), k):
        window = words[start : start + k]
        if len(set(window)) > 1:
            words[start : start + k] = _reordered(window, draw)
    return _put(text, words)


def _check_k(k: object) -> None:
    if not isinstance(k, int) or isinstance(k, bool) or k < 2:
        raise TextsError(f"k {show(k)} must be a whole number of at least 2 words")


def _prepared(text: str, lang: str, seed: int) -> tuple[str, Draw]:
    check_lang(lang)
    if lang == "zh":
        raise TextsError("controls reorder words and the letters in them, and zh has no words: take natural or uniform")
    check_seed(seed)
    return unicodedata.normalize("NFC", text), random.Random(seed).random


def _within_words(
    text: str, p: float, lang: str, seed: int, reorder: Callable[[Sequence[str], Draw], list[str]]
) -> str:
    text, draw = _prepared(text, lang, seed)
    if not isinstance(p, int | float) or isinstance(p, bool) or not 0 < p <= 100:
        raise TextsError(f"p {show(p)} must be a percentage over 0 and up to 100")
    words: list[str] = _TOKEN.findall(text)
    eligible = [place for place, word in enumerate(words) if sum(map(str.isalpha, core(word))) > 1]
    wanted = max(1, round(p * len(eligible) / 100))
    for place in shuffled(eligible, draw):
        if not wanted:
            break
        parts = list(_parts(words[place]))
        free = [number for number, part in enumerate(parts) if _moves(part)]
        old = [parts[number] for number in free]
        if len(set(old)) > 1:
            for number, part in zip(free, reorder(old, draw), strict=True):
                parts[number] = part
            words[place] = "".join(parts)
            wanted -= 1
    return _put(text, words)


def _parts(word: str) -> Iterator[str]:
    """The characters of a word, each with the combining marks that follow it."""
    start = 0
    for place in range(1, len(word)):
        if not unicodedata.category(word[place]).startswith("M"):
            yield word[start:place]
            start = place
    yield word[start:]


def _moves(part: str) -> bool:
    return unicodedata.category(part[0])[0] not in "PS"


def _reordered(items: Sequence[str], draw: Draw) -> list[str]:
    """Another order of items that are not all equal: at most every second order is the old one."""
    while (order := shuffled(items, draw)) == list(items):
        pass
    return order


def _swapped(items: Sequence[str], draw: Draw) -> list[str]:
    """Items that are not all equal with two different ones exchanged, every such pair as likely as another."""
    order = list(items)
    while True:
        one, other = below(draw, len(order)), below(draw, len(order))
        if order[one] != order[other]:
            order[one], order[other] = order[other], order[one]
            return order


def _put(text: str, words: Sequence[str]) -> str:
    """The text with other words between its white space."""
    following = iter(words)
    return _TOKEN.sub(lambda _: next(following), text)
