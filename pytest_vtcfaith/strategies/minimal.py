"""The smallest document that still fails: fewest words, then fewest perturbed ones, then the shortest known ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import chain, islice, pairwise, zip_longest

from pytest_vtcfaith.metrics.perturbed import core
from pytest_vtcfaith.metrics.rewrites import WordRewrite
from pytest_vtcfaith.strategies.written import PerturbedDocument, between, form, known, tells_apart
from pytest_vtcfaith.texts.perturb import KINDS, eligible_words

Pair = tuple[str, str]
Pairs = tuple[Pair, ...]

_FIRST = 3
"""Words of each length that are tried because they come first in the alphabet."""
_ALIKE = 4
"""Words of each length, and forms of them, that are tried because they are like what they replace."""
_LOOKED_AT = 40
"""Words of each length whose forms are looked at, those with the most letters of what they replace."""
_FORMS = 32
"""Forms of each of them."""


def pairs_of(document: PerturbedDocument) -> Pairs:
    """The words of a document, each as in the original and as printed; Chinese: windows of 4 and what lies between.

    Empty where original and text do not correspond word by word (Chinese: character by character).
    """
    original, text = document.original, document.text
    if document.lang != "zh":
        old, printed = original.split(), text.split()
    elif len(original) != len(text):
        return ()
    else:
        windows = [(places[0], places[-1] + 1) for places in eligible_words(original, "zh")]
        cuts = sorted({0, len(original), *chain.from_iterable(windows)})
        spans = list(pairwise(cuts))
        old, printed = [original[a:b] for a, b in spans], [text[a:b] for a, b in spans]
    return tuple(zip(old, printed, strict=True)) if len(old) == len(printed) else ()


def smallest(
    document: PerturbedDocument, to_blame: Callable[[PerturbedDocument], tuple[WordRewrite, ...]]
) -> PerturbedDocument:
    """The document made smaller until no step makes it smaller, or as it is where `pairs_of` has no words for it.

    `to_blame`: the perturbed words of a document that were not read as printed; none where it may not be tried. A step
    leaves out words; leaves out words while the others become the longest known one; prints a word as in the original;
    or puts a known word, and a form of it, in the place of a longer one, or of one later in the alphabet.
    """
    start = pairs_of(document)
    if not start:
        return document
    search = _Search(document.lang, document.kind, to_blame, tells_apart(start))
    pairs, before = start, None
    while pairs != before:
        before = pairs
        pairs = _fewer_perturbed(search, _fewer_words(search, pairs))
        shorter = _fewer_longer(search, pairs)
        pairs = shorter if len(shorter) < len(pairs) else _shorter_words(search, pairs)
    return document if pairs == start else search.document(pairs)


@dataclass(frozen=True, slots=True)
class _Search:
    lang: str
    kind: str
    to_blame: Callable[[PerturbedDocument], tuple[WordRewrite, ...]]
    apart: bool

    def document(self, pairs: Pairs) -> PerturbedDocument:
        gap = between(self.lang)
        return PerturbedDocument(gap.join(p[0] for p in pairs), gap.join(p[1] for p in pairs), self.lang, self.kind)

    def fails(self, pairs: Pairs) -> bool:
        if not any(_perturbed(pair) for pair in pairs) or (self.apart and not tells_apart(pairs)):
            return False
        return bool(self.to_blame(self.document(pairs)))

    def blamed(self, pairs: Pairs) -> int:
        """The place of the first word that is to blame."""
        shown = {word.page for word in self.to_blame(self.document(pairs))}
        places = [i for i, pair in enumerate(pairs) if _perturbed(pair)]
        return next((i for i in places if core(pairs[i][1]) in shown), places[0])


def _perturbed(pair: Pair) -> bool:
    return pair[0] != pair[1]


def _fewer_words(search: _Search, pairs: Pairs) -> Pairs:
    alone = (pairs[search.blamed(pairs)],)
    if search.fails(alone):
        return alone
    size = max(1, len(pairs) // 2)
    while True:
        before, start = pairs, 0
        while start < len(pairs):
            fewer = pairs[:start] + pairs[start + size :]
            if search.fails(fewer):
                pairs = fewer
            else:
                start += size
        if size > 1:
            size //= 2
        elif pairs == before:
            return pairs


def _fewer_longer(search: _Search, pairs: Pairs) -> Pairs:
    """Fewer words, the others as long as can be: it may be the length of the page that counts."""
    place, count = search.blamed(pairs), len(pairs)
    longest = known(search.lang)[-1]
    forms = [pairs[place], *((longest, shown) for shown in islice(_forms(search, longest), 1))]
    for fewer in sorted({count // 2, count - 1} - {0}):
        at = min(place, fewer - 1)
        for pair in forms:
            found = tuple(pair if i == at else (longest, longest) for i in range(fewer))
            if search.fails(found):
                return found
    return pairs


def _fewer_perturbed(search: _Search, pairs: Pairs) -> Pairs:
    place = search.blamed(pairs)
    only = tuple((old, shown if i == place else old) for i, (old, shown) in enumerate(pairs))
    if search.fails(only):
        return only
    for i in range(len(pairs)):
        fewer = _put(pairs, i, (pairs[i][0], pairs[i][0]))
        if search.fails(fewer):
            pairs = fewer
    return pairs


def _shorter_words(search: _Search, pairs: Pairs) -> Pairs:
    first = known(search.lang)[0]
    plain = tuple(pair if _perturbed(pair) or len(pair[0]) < len(first) else (first, first) for pair in pairs)
    if search.fails(plain):
        pairs = plain
    for i in range(len(pairs)):
        shorter = (_put(pairs, i, pair) for pair in _replacements(search, pairs, i))
        pairs = next(filter(search.fails, shorter), pairs)
    return pairs


def _put(pairs: Pairs, place: int, pair: Pair) -> Pairs:
    return (*pairs[:place], pair, *pairs[place + 1 :])


def _replacements(search: _Search, pairs: Pairs, place: int) -> Iterator[Pair]:
    """What may stand in place of a word: of each length, the shortest first, the first of the alphabet and those most
    like the word.
    """
    old, printed = pairs[place]
    words = known(search.lang)
    for length in sorted({len(word) for word in words if len(word) <= len(old)}):
        pool = [word for word in words if len(word) == length and (length, word) < (len(old), old)]
        if not _perturbed(pairs[place]):
            alike = [] if length == len(old) else sorted(pool, key=lambda word: -_common(word, old))[:1]
            yield from ((word, word) for word in dict.fromkeys([*pool[:1], *alike]))
            continue
        firsts = [(word, shown) for word in pool[:_FIRST] for shown in islice(_forms(search, word), 1)]
        changed = _misread(search, pairs, place)
        yield from dict.fromkeys(
            [*firsts, *([] if length == len(old) else _alike(search, old, printed, pool, changed))]
        )


def _alike(search: _Search, old: str, printed: str, pool: Sequence[str], changed: str) -> list[Pair]:
    letters: Counter[str] = Counter(old + printed)
    near = sorted(pool, key=lambda word: -((letters & Counter(word)).total() + _common(word, old)))[:_LOOKED_AT]
    found = [(word, shown) for word in near for shown in islice(_forms(search, word), _FORMS)]
    if search.kind == "random" and pool:
        length = len(pool[0])
        for part in (printed[i : i + length] for i in range(len(printed) - length + 1)):
            fitting = (word for word in pool if all(a != b for a, b in zip(word, part, strict=True)))
            found += [(word, part) for word in islice(fitting, 1) if part not in known(search.lang)]
    like_form = sorted(found, key=lambda pair: (changed not in pair[1], -_common(pair[1], printed)))
    like_word = list({pair[0]: pair for pair in sorted(found, key=lambda pair: _common(pair[0], old))}.values())[::-1]
    mixed = chain.from_iterable(zip_longest(like_form[:_ALIKE], like_word[: _ALIKE // 2]))
    return [pair for pair in mixed if pair is not None]


def _misread(search: _Search, pairs: Pairs, place: int) -> str:
    """The part of a printed word that was read as something else; the whole where nothing was read."""
    printed = pairs[place][1]
    words = search.to_blame(search.document(pairs))
    read = next((word.read for word in words if word.page == core(printed)), None)
    if read is None:
        return printed
    start, end, other = 0, len(printed), len(read)
    while start < min(end, other) and printed[start] == read[start]:
        start += 1
    while start < min(end, other) and printed[end - 1] == read[other - 1]:
        end, other = end - 1, other - 1
    return printed[start:end]


def _forms(search: _Search, word: str) -> Iterator[str]:
    """The forms of a word, each once, that are no known words."""
    if search.kind not in KINDS or (search.lang, search.kind) == ("zh", "scramble"):
        return
    seen = set(known(search.lang))
    for seed in range(_FORMS):
        shown = form(word, search.kind, search.lang, seed)
        if shown != word and shown not in seen:
            seen.add(shown)
            yield shown


@lru_cache(maxsize=1 << 16)
def _common(one: str, other: str) -> int:
    """The length of the longest part that two words share."""
    return SequenceMatcher(None, one, other, autojunk=False).find_longest_match().size
