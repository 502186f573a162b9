"""Perturbed words of a page: where it differs from the original text, word by word (Chinese: window by window)."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_vtcfaith.metrics.align import align
from pytest_vtcfaith.metrics.scripts import SPACELESS, is_han

WINDOW = 4
"""Characters of a Chinese window."""


@dataclass(frozen=True, slots=True)
class Perturbed:
    """Page tokens `start` to `stop`, which show `page` where the original has `original`; `han`: a Chinese window.

    `glued`: the original form joined to the page word before or after it.
    """

    start: int
    stop: int
    page: str
    original: str
    han: bool
    glued: frozenset[str] = frozenset()


def core(token: str) -> str:
    """The token without the punctuation and symbols (Unicode categories P and S) at its edges; may be empty."""
    start, end = 0, len(token)
    while start < end and unicodedata.category(token[start])[0] in "PS":
        start += 1
    while end > start and unicodedata.category(token[end - 1])[0] in "PS":
        end -= 1
    return token[start:end]


def perturbed_words(original: Sequence[str], page: Sequence[str], lang: str) -> list[Perturbed]:
    """The places where two token sequences differ, in page order (definitions §4).

    Texts of equal length are paired token by token. Others are aligned: matches pair up, and between them the tokens in
    order; those left over on either side belong to no place. Words whose cores agree, or have none, do not differ.
    In `zh` and `mixed`, Han characters count by windows of 4, counted afresh in each run of Han of the original; an
    incomplete window at the end of a run counts when it differs.
    """
    partner = _partners(original, page)
    groups = _windows(original) if lang in SPACELESS else [range(i, i + 1) for i in range(len(original))]
    found = []
    for group in groups:
        places = [partner[i] for i in group if i in partner]
        if not places or all(i in partner and original[i] == page[partner[i]] for i in group):
            continue
        start, stop = places[0], places[-1] + 1
        if lang in SPACELESS and is_han(original[group[0]]):
            old = "".join(original[i] for i in group)
            found.append(Perturbed(start, stop, "".join(page[start:stop]), old, han=True))
        elif core(page[start]) and core(original[group[0]]) not in ("", core(page[start])):
            found.append(_word(page, start, original[group[0]]))
    return found


def _partners(original: Sequence[str], page: Sequence[str]) -> dict[int, int]:
    """Page index of every original token that has one."""
    if len(original) == len(page):
        return {i: i for i in range(len(original))}
    pairs: dict[int, int] = {}
    for step in align(original, page).script():
        pairs.update(zip(range(step.start, step.stop), range(step.read_start, step.read_stop), strict=False))
    return pairs


def _windows(original: Sequence[str]) -> list[range]:
    windows = []
    start = 0
    for i, token in enumerate(original):
        if not is_han(token):
            if start < i:
                windows.append(range(start, i))
            windows.append(range(i, i + 1))
            start = i + 1
        elif i + 1 - start == WINDOW:
            windows.append(range(start, i + 1))
            start = i + 1
    if start < len(original):
        windows.append(range(start, len(original)))
    return windows


def _word(page: Sequence[str], place: int, original: str) -> Perturbed:
    before = page[place - 1] if place else ""
    after = page[place + 1] if place + 1 < len(page) else ""
    joined = (before + original, original + after, core(before) + core(original), core(original) + core(after))
    glued = frozenset(map(core, joined)) - {core(original)}
    return Perturbed(place, place + 1, core(page[place]), core(original), False, glued)
