"""What a transcript made of the perturbed words of a page: kept them, or wrote what it expected (definitions §4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from pytest_vtcfaith.metrics.align import Alignment, align
from pytest_vtcfaith.metrics.normalise import comparable
from pytest_vtcfaith.metrics.perturbed import Perturbed, core, perturbed_words
from pytest_vtcfaith.metrics.scripts import is_han
from pytest_vtcfaith.metrics.tokenise import tokens

KINDS = ("verbatim", "rewritten", "close", "moderate", "missing", "wrong")
"""The classes of a perturbed word, first match wins."""

SPAN_LIMIT = 2000
"""Hypothesis tokens of a span that are looked at, from its start: a runaway transcript has spans without end."""

_CLOSE = 2
_MODERATE = 0.5
_SUBSTRING = range(2, 7)
_JOINED = range(2, 4)


@dataclass(frozen=True, slots=True)
class WordRewrite:
    """One perturbed word: token `index` of the page shows `page` where the original has `original`, both without edge
    punctuation; `length` in characters of the original; `kind` is one of `KINDS`; `read` is the form found for it and
    `hypothesis_index` its first token, None when missing; `leaked`: what was read is another word of the page.
    """

    index: int
    original: str
    page: str
    length: int
    kind: str
    read: str | None = None
    leaked: bool = False
    hypothesis_index: int | None = None


@dataclass(frozen=True, slots=True)
class Rewrites:
    """All perturbed words of a page in page order, and the words outside them: how many, and how many were misread."""

    words: tuple[WordRewrite, ...]
    unperturbed_errors: int
    unperturbed_words: int


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A form the hypothesis offers, and the tokens it takes up; `words` is how many were joined."""

    form: str
    start: int
    stop: int
    words: int


def process_rewrites(original: str, page: str, hypothesis: str, *, lang: str, profile: str = "verbatim") -> Rewrites:
    """Classifies every perturbed word of a page by what the hypothesis has in its place.

    `original`, `page`: the text before and after the perturbation; `hypothesis`: the transcript; `lang` and `profile`
    as for `normalise`. Page and hypothesis are aligned word by word (`align`). A word's span lies between its nearest
    exactly matched neighbours; candidates are its words and joins of 2–3 adjacent ones without edge punctuation
    (Chinese: substrings of 2–6 characters). In-span claims of the page form, then the original form come first, left to
    right; then unmatched words directly beyond one matched neighbour; then what is close, moderate, wrong. One
    occurrence serves one word. Of a span only the first `SPAN_LIMIT` tokens count.
    Raises ValueError for an unknown language or profile. Source: definitions §4; FaithC4 §4.1 (Table 5) and §4.2.
    """
    texts = comparable(original, page, hypothesis, profile=profile, lang=lang)
    old, printed, read = (tokens(text, lang) for text in texts)
    return _Reading(old, printed, read, lang).result()


def rewrites(original: str, page: str, hypothesis: str, *, lang: str, profile: str = "verbatim") -> list[WordRewrite]:
    """Every perturbed word of the page with its class; arguments and errors as `process_rewrites`."""
    return list(process_rewrites(original, page, hypothesis, lang=lang, profile=profile).words)


def classify_rewrites(
    original: str, page: str, hypothesis: str, *, lang: str, profile: str = "verbatim"
) -> dict[str, int]:
    """Counts of perturbed words: `perturbed` (all), one for each of `KINDS`, and `leaked` (of the wrong ones).

    Arguments and errors as `process_rewrites`.
    """
    words = process_rewrites(original, page, hypothesis, lang=lang, profile=profile).words
    counts = {"perturbed": len(words)} | {kind: sum(word.kind == kind for word in words) for kind in KINDS}
    return counts | {"leaked": sum(word.leaked for word in words)}


def unperturbed_errors(
    original: str, page: str, hypothesis: str, *, lang: str, profile: str = "verbatim"
) -> tuple[int, int]:
    """Page words outside the perturbed ones: how many the hypothesis does not match, and how many there are.

    The e and n of `error_amplification` (definitions §4). Arguments and errors as `process_rewrites`.
    """
    found = process_rewrites(original, page, hypothesis, lang=lang, profile=profile)
    return found.unperturbed_errors, found.unperturbed_words


class _Reading:
    """One page read once: which hypothesis tokens are still free, and what each perturbed word has got."""

    def __init__(self, original: Sequence[str], page: Sequence[str], hypothesis: Sequence[str], lang: str) -> None:
        self.page, self.hypothesis = page, hypothesis
        self.alignment: Alignment = align(page, hypothesis)
        self.partner = dict(self.alignment.matches)
        self.matched = set(self.partner.values())
        self.units = perturbed_words(original, page, lang)
        self.bounds = [self._bounds(unit) for unit in self.units]
        self.claimed: set[int] = set()
        self.found: dict[int, WordRewrite] = {}
        self.candidates: dict[tuple[int, int, bool, int], list[_Candidate]] = {}

    def result(self) -> Rewrites:
        for step in (self._in_span, self._beyond_neighbour, self._close, self._moderate, self._rest):
            for i, unit in enumerate(self.units):
                if i not in self.found:
                    step(i, unit)
        inside = {place for unit in self.units for place in range(unit.start, unit.stop)}
        outside = [place for place in range(len(self.page)) if place not in inside]
        errors = sum(place not in self.partner for place in outside)
        return Rewrites(tuple(self.found[i] for i in range(len(self.units))), errors, len(outside))

    def _bounds(self, unit: Perturbed) -> tuple[int, int]:
        """Hypothesis positions of the matched neighbours: the span lies strictly between."""
        left, right = unit.start - 1, unit.stop
        while left >= 0 and left not in self.partner:
            left -= 1
        while right < len(self.page) and right not in self.partner:
            right += 1
        return self.partner.get(left, -1), self.partner.get(right, len(self.hypothesis))

    def _free(self, start: int, stop: int, unit: Perturbed) -> Iterator[_Candidate]:
        """Unclaimed candidates of hypothesis tokens `start` to `stop`, the simplest first."""
        stop = min(stop, start + SPAN_LIMIT)
        size = len(unit.page) if unit.han else 0
        key = (start, stop, unit.han, size)
        if key not in self.candidates:
            offer = _substrings if unit.han else _words
            self.candidates[key] = offer(self.hypothesis, start, stop, size)
        for candidate in self.candidates[key]:
            if self.claimed.isdisjoint(range(candidate.start, candidate.stop)):
                yield candidate

    def _settle(self, i: int, kind: str, read: _Candidate | None = None, leaked: bool = False) -> None:
        unit = self.units[i]
        form, place = (None, None) if read is None else (read.form, read.start)
        if read is not None:
            self.claimed.update(range(read.start, read.stop))
        self.found[i] = WordRewrite(unit.start, unit.original, unit.page, len(unit.original), kind, form, leaked, place)

    def _claim_equal(self, i: int, unit: Perturbed, candidates: Sequence[_Candidate]) -> bool:
        # A page form glued to a neighbour is no verbatim reading (definitions §4)
        forms = (("verbatim", unit.page, frozenset[str]()), ("rewritten", unit.original, unit.glued))
        for kind, form, glued in forms:
            equal = next((c for c in candidates if c.form == form), None)
            equal = equal or next((c for c in candidates if c.form in glued), None)
            if equal:
                self._settle(i, kind, equal)
                return True
        return False

    def _own(self, unit: Perturbed) -> list[_Candidate]:
        """The tokens the alignment itself gives to the unit, when it matches all of them without a gap."""
        places = [self.partner.get(place) for place in range(unit.start, unit.stop)]
        first = places[0]
        if (
            first is None
            or places != list(range(first, first + len(places)))
            or not self.claimed.isdisjoint(range(first, first + len(places)))
        ):
            return []
        return [_Candidate(unit.page, first, first + len(places), 1)]

    def _in_span(self, i: int, unit: Perturbed) -> None:
        left, right = self.bounds[i]
        self._claim_equal(i, unit, [*self._own(unit), *self._free(left + 1, right, unit)])

    def _beyond_neighbour(self, i: int, unit: Perturbed) -> None:
        left, right = self.bounds[i]
        start = left
        while start > max(0, left - SPAN_LIMIT) and self._loose(start - 1):
            start -= 1
        stop = right + 1
        while stop < min(len(self.hypothesis), right + 1 + SPAN_LIMIT) and self._loose(stop):
            stop += 1
        before = list(self._free(start, left, unit)) if left > 0 else []
        after = list(self._free(right + 1, stop, unit)) if right < len(self.hypothesis) else []
        self._claim_equal(i, unit, [*before, *after])

    def _loose(self, place: int) -> bool:
        return place not in self.matched and place not in self.claimed

    def _close(self, i: int, unit: Perturbed) -> None:
        left, right = self.bounds[i]
        words = [c for c in self._free(left + 1, right, unit) if c.words == 1]
        distances = [Levenshtein.distance(unit.page, c.form, score_cutoff=_CLOSE) for c in words]
        if words and min(distances) <= _CLOSE:
            self._settle(i, "close", words[distances.index(min(distances))])

    def _moderate(self, i: int, unit: Perturbed) -> None:
        best, similarity = self._best(i, unit)
        if best and similarity >= _MODERATE:
            self._settle(i, "moderate", best)

    def _rest(self, i: int, unit: Perturbed) -> None:
        best, _ = self._best(i, unit)
        if best is None:
            self._settle(i, "missing")
        else:
            self._settle(i, "wrong", best, leaked=_leaks(best.form, unit, self._others(unit)))

    def _best(self, i: int, unit: Perturbed) -> tuple[_Candidate | None, float]:
        """The free candidate most like the page form; of equals one that is elsewhere on the page, then the first."""
        left, right = self.bounds[i]
        candidates = list(self._free(left + 1, right, unit))
        if not candidates:
            return None, 0.0
        similar = [Levenshtein.normalized_similarity(unit.page, c.form) for c in candidates]
        best = max(similar)
        equals = [c for c, value in zip(candidates, similar, strict=True) if value == best]
        others = self._others(unit)
        return next((c for c in equals if _leaks(c.form, unit, others)), equals[0]), best

    def _others(self, unit: Perturbed) -> str | frozenset[str]:
        """The page outside the unit: its text (Chinese), or its words without edge punctuation."""
        before, after = self.page[: unit.start], self.page[unit.stop :]
        if unit.han:
            return "".join((*before, " ", *after))
        return frozenset(core(token) for token in (*before, *after))


def _leaks(form: str, unit: Perturbed, others: str | frozenset[str]) -> bool:
    """Whether a form salient enough (4 letters, 2 Han) is on the page outside the unit."""
    letters, least = (is_han, 2) if unit.han else (str.isalpha, 4)
    return sum(map(letters, form)) >= least and form in others


def _words(hypothesis: Sequence[str], start: int, stop: int, _size: int) -> list[_Candidate]:
    """Words of the span without edge punctuation, then joins of 2 and of 3 adjacent ones, left to right."""
    cores = [core(token) for token in hypothesis[start:stop]]
    found = [_Candidate(form, start + i, start + i + 1, 1) for i, form in enumerate(cores) if form]
    for number in _JOINED:
        for i in range(len(cores) - number + 1):
            joins = {core("".join(hypothesis[start + i : start + i + number])), "".join(cores[i : i + number])}
            found += [_Candidate(form, start + i, start + i + number, number) for form in sorted(joins) if form]
    return found


def _substrings(hypothesis: Sequence[str], start: int, stop: int, size: int) -> list[_Candidate]:
    """Substrings of 2–6 characters of the span (of 1 for a window of one), those of `size` first, left to right."""
    found = []
    for i in range(start, stop):
        form = ""
        for j in range(i, stop):
            form += hypothesis[j]
            if len(form) > max(_SUBSTRING):
                break
            if len(form) in _SUBSTRING or len(form) == size:
                found.append(_Candidate(form, i, j + 1, 1))
    return sorted(found, key=lambda c: (abs(len(c.form) - size), c.start))
