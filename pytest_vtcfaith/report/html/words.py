"""The words of one case: page and transcript side by side, and how each word that differs was misread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rapidfuzz.distance import Levenshtein

from pytest_vtcfaith.metrics import align, normalise, process_rewrites, tokens
from pytest_vtcfaith.report.html.pairing import steps

if TYPE_CHECKING:
    from pytest_vtcfaith.suites.case import Case

KINDS = ("rewritten", "close", "wrong", "missing", "added")
"""How a place of the transcript differs from the page; `close` is within two edits, or half alike where perturbed."""

_CLOSE = 2
_SHOWN_AS = {"moderate": "close", "verbatim": ""}


@dataclass(frozen=True, slots=True)
class Span:
    """Consecutive words. `kind` is "" where page and transcript agree, else one of `KINDS`.

    `printed` and `read` are the words as text; `original` the unperturbed form, where the page has a perturbed one.
    `start` and `stop` are tokens of the page's normalised text, equal where only the transcript has words. `perturbed`
    are the perturbed words among the printed ones, each by its first token.
    """

    kind: str
    printed: str
    read: str
    start: int
    stop: int
    original: str = ""
    perturbed: frozenset[int] = frozenset()


def spans_of(case: Case, transcript: str) -> list[Span]:
    """Page and transcript word by word, in the order of the page."""
    page, hypothesis = (normalise(text, "verbatim", case.lang) for text in (case.reference, transcript))
    printed = tokens(page, case.lang)
    if page == hypothesis:
        return [Span("", page, page, 0, len(printed))] if printed else []
    read = tokens(hypothesis, case.lang)
    space = "" if case.lang == "zh" else " "
    rewritten = _rewrites(case, transcript)
    found: list[Span] = []
    for op in align(printed, read).script():
        ours, theirs = printed[op.start : op.stop], read[op.read_start : op.read_stop]
        if op.kind == "equal":
            text = space.join(ours)
            found.append(Span("", text, text, op.start, op.stop))
        elif op.kind == "replace" and (space or len(ours) == len(theirs)):
            at, read_at = op.start, op.read_start
            known = {place: word.place for place, word in rewritten.items() if op.start <= place < op.stop}
            partners = {place - at: other - read_at for place, other in known.items() if other is not None}
            for count, read_count in steps(ours, theirs, partners):
                one, other = printed[at : at + count], read[read_at : read_at + read_count]
                found.append(_span(one, other, at, space, rewritten))
                at, read_at = at + count, read_at + read_count
        else:
            found.append(_span(ours, theirs, op.start, space, rewritten))
    return _joined(found, space)


def counts_of(spans: Sequence[Span], lang: str) -> dict[str, tuple[int, int]]:
    """How many words differ, by kind, and how many of them are perturbed ones; of Chinese how many places of the text.

    `spans` are those of `spans_of`.
    """
    found: dict[str, tuple[int, int]] = {}
    for kind in KINDS:
        own = [span for span in spans if span.kind == kind]
        words = len(own) if lang == "zh" else sum(span.stop - span.start or len(span.read.split()) for span in own)
        if words:
            found[kind] = words, len(frozenset().union(*(span.perturbed for span in own)))
    return found


@dataclass(frozen=True, slots=True)
class _Perturbed:
    index: int
    kind: str
    original: str
    place: int | None
    """Its token in the transcript, None where it has none."""


def _rewrites(case: Case, transcript: str) -> Mapping[int, _Perturbed]:
    """Token of the page → what became of the perturbed word there; nothing for a page without perturbed words."""
    original = case.params.get("original")
    if not isinstance(original, str) or original == case.reference:
        return {}
    words = process_rewrites(original, case.reference, transcript, lang=case.lang).words
    return {
        place: _Perturbed(word.index, _SHOWN_AS.get(word.kind, word.kind), word.original, word.hypothesis_index)
        for word in words
        for place in range(word.index, word.index + (len(word.page) if case.lang == "zh" else 1))
    }


def _span(
    ours: Sequence[str], theirs: Sequence[str], start: int, space: str, rewritten: Mapping[int, _Perturbed]
) -> Span:
    printed, read = space.join(ours), space.join(theirs)
    stop = start + len(ours)
    known = [rewritten[place] for place in range(start, stop) if place in rewritten]
    kind = _kind(printed, read)
    classes = [word.kind for word in known if word.kind]
    if classes and kind != "added":
        kind = next(name for name in KINDS if name in classes)
    original = space.join(dict.fromkeys(word.original for word in known))
    return Span(kind, printed, read, start, stop, original, frozenset(word.index for word in known))


def _kind(printed: str, read: str) -> str:
    if not printed:
        return "added"
    if not read:
        return "missing"
    return "close" if Levenshtein.distance(printed, read, score_cutoff=_CLOSE) <= _CLOSE else "wrong"


def _joined(spans: Sequence[Span], space: str) -> list[Span]:
    """Neighbours that are one perturbed word (Chinese: one window of characters) as one span."""
    found: list[Span] = []
    for span in spans:
        last = found[-1] if found else None
        same = (
            last is not None
            and span.kind
            and span.original
            and (last.kind, last.original) == (span.kind, span.original)
        )
        if last is not None and same and not space:
            found[-1] = Span(
                span.kind,
                last.printed + span.printed,
                last.read + span.read,
                last.start,
                span.stop,
                span.original,
                last.perturbed | span.perturbed,
            )
        else:
            found.append(span)
    return found
