"""Which word of a misread run was read as which: so that every word that differs has a mark of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rapidfuzz.distance import Levenshtein

MOST = 1600
"""Pairs of words that are compared; a larger run, of a transcript that has little to do with the page, stays whole."""
_GAP = 0.6
"""What a word without a partner costs: two of them more than two words that have nothing in common."""
_JOINT = 0.1
_ALIKE = 0.34
"""How far, of its length, a word may be from two that were joined, or that it was split into."""

Step = tuple[int, int]


def steps(printed: Sequence[str], read: Sequence[str], partners: Mapping[int, int] | None = None) -> list[Step]:
    """Cuts a misread run into the smallest parts: for each how many printed words it has, and how many read ones.

    (1, 1) is a word read as another, (1, 0) one that is missing, (0, 1) one that was added, (2, 1) and (1, 2) words
    that were joined or split. The parts cost the least together, by their distance in edits ÷ length. `partners` are
    places of printed words that are known to have become the read word at a place.
    """
    if len(printed) * len(read) > MOST:
        return [(len(printed), len(read))]
    known = {} if partners is None else partners
    best: dict[Step, tuple[float, Step]] = {(0, 0): (0.0, (0, 0))}
    for i in range(len(printed) + 1):
        for j in range(len(read) + 1):
            if i or j:
                best[i, j] = min(
                    (best[i - step[0], j - step[1]][0] + cost, step)
                    for step in ((1, 1), (1, 0), (0, 1), (2, 1), (1, 2))
                    if step[0] <= i and step[1] <= j
                    if (cost := _cost(printed, read, i, j, step, known)) is not None
                )
    found: list[Step] = []
    i, j = len(printed), len(read)
    while i or j:
        step = best[i, j][1]
        found.append(step)
        i, j = i - step[0], j - step[1]
    return found[::-1]


def _cost(
    printed: Sequence[str], read: Sequence[str], i: int, j: int, step: Step, known: Mapping[int, int]
) -> float | None:
    """What a step that ends before the words `i` and `j` costs; None for one that must not be."""
    if step in ((1, 0), (0, 1)):
        return _GAP
    ours, theirs = "".join(printed[i - step[0] : i]), "".join(read[j - step[1] : j])
    if step == (1, 1) and known.get(i - 1) == j - 1:
        return 0.0
    distance = Levenshtein.normalized_distance(ours, theirs)
    if step == (1, 1):
        return distance
    return distance + _JOINT if distance <= _ALIKE else None
