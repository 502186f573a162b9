"""Minimum-edit alignment of two token sequences, with every tie decided (definitions §3, `word_accuracy`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rapidfuzz.distance import Levenshtein

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int32] | NDArray[np.int64]
    Bools = NDArray[np.bool_]

MAX_CELLS = 20_000_000
"""Reference × hypothesis tokens (after their common prefix) up to which `align` decides ties; 100 MB at the most."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One step of an edit script: tokens `start` to `stop` of the reference against `read_start` to `read_stop` of the
    hypothesis; `kind` is `equal`, `replace`, `delete` (not in the hypothesis) or `insert` (only there).
    """

    kind: str
    start: int
    stop: int
    read_start: int
    read_stop: int


@dataclass(frozen=True, slots=True)
class Alignment:
    """A minimum-edit alignment: its edits, and the pairs (reference index, hypothesis index) of equal tokens."""

    edits: int
    matches: tuple[tuple[int, int], ...]
    reference_length: int
    hypothesis_length: int

    def script(self) -> list[Edit]:
        """The steps from reference to hypothesis, in order; matches in a row are one, and so is all between two."""
        steps: list[Edit] = []
        at, read_at = 0, 0
        for i, j in (*self.matches, (self.reference_length, self.hypothesis_length)):
            if i > at or j > read_at:
                kind = "insert" if i == at else "delete" if j == read_at else "replace"
                steps.append(Edit(kind, at, i, read_at, j))
            if i < self.reference_length:
                if steps and steps[-1].kind == "equal" and steps[-1].stop == i:
                    last = steps.pop()
                    steps.append(Edit("equal", last.start, i + 1, last.read_start, j + 1))
                else:
                    steps.append(Edit("equal", i, i + 1, j, j + 1))
            at, read_at = i + 1, j + 1
        return steps


def align(reference: Sequence[str], hypothesis: Sequence[str]) -> Alignment:
    """Aligns two token sequences with the fewest insertions, deletions and substitutions.

    Among those alignments: the one with most matches, then the one whose matches come earliest in the reference
    (lexicographically smallest reference indices), then earliest in the hypothesis. Beyond `MAX_CELLS` (a runaway
    transcript) the edits are still the fewest, but ties fall as they fall. Source: definitions §3.
    """
    n, m = len(reference), len(hypothesis)
    # A common prefix is matched in the wanted alignment; of a common suffix that is not so ("b" against "b b")
    prefix = _common(reference, hypothesis)
    matches = [(i, i) for i in range(prefix)]
    ref, hyp = reference[prefix:], hypothesis[prefix:]
    if not ref or not hyp:
        return Alignment(len(ref) + len(hyp), tuple(matches), n, m)
    if len(ref) * len(hyp) > MAX_CELLS:
        edits, rest = _any_minimum(ref, hyp)
    else:
        edits, rest = _decided(ref, hyp)
    matches.extend((prefix + i, prefix + j) for i, j in rest)
    return Alignment(edits, tuple(matches), n, m)


def edit_counts(reference: Sequence[str], hypothesis: Sequence[str]) -> tuple[int, int]:
    """Edits and matches of `align`, exact for sequences of any length: no alignment, and memory for one row only."""
    prefix = _common(reference, hypothesis)
    ref, hyp = reference[prefix:], hypothesis[prefix:]
    suffix = _common(ref[::-1], hyp[::-1])
    ref, hyp = ref[: len(ref) - suffix], hyp[: len(hyp) - suffix]
    if not ref or not hyp:
        return len(ref) + len(hyp), prefix + suffix
    if len(ref) > len(hyp):
        ref, hyp = hyp, ref
    edits, matches = _split(_last_cost(*_numbered(ref, hyp)), len(ref) + 1)
    return edits, prefix + suffix + matches


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    """Length of the common prefix."""
    if a == b:
        return len(a)
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _numbered(ref: Sequence[str], hyp: Sequence[str]) -> tuple[Ints, Ints]:
    import numpy as np

    numbers: dict[str, int] = {}
    ids = [numbers.setdefault(token, len(numbers)) for token in (*ref, *hyp)]
    return np.array(ids[: len(ref)], dtype=np.int64), np.array(ids[len(ref) :], dtype=np.int64)


def _split(cost: int, weight: int) -> tuple[int, int]:
    """Edits and matches from one number, edits · weight − matches, where weight exceeds every number of matches."""
    edits = -(-cost // weight)
    return edits, edits * weight - cost


def _row_before(row: Ints, equal: Bools, weight: int, ramp: Ints) -> Ints:
    """Costs of aligning one more reference token: from the costs without it, and where it equals a hypothesis token."""
    import numpy as np

    cost = row + weight
    step = np.where(equal, row.dtype.type(-1), row.dtype.type(weight))
    np.minimum(cost[:-1], row[1:] + step, out=cost[:-1])
    # Any number of insertions follow: the smallest cost to the right plus its distance, in one sweep
    cost += ramp
    cost = np.minimum.accumulate(cost[::-1])[::-1]
    return np.asarray(cost - ramp)


def _last_cost(ref: Ints, hyp: Ints) -> int:
    import numpy as np

    weight = min(len(ref), len(hyp)) + 1
    ramp = np.arange(len(hyp) + 1, dtype=np.int64) * weight
    row: Ints = ramp[::-1].copy()
    for token in ref[::-1]:
        row = _row_before(row, hyp == token, weight, ramp)
    return int(row[0])


def _any_minimum(ref: Sequence[str], hyp: Sequence[str]) -> tuple[int, list[tuple[int, int]]]:
    ref_ids, hyp_ids = (ids.tolist() for ids in _numbered(ref, hyp))
    matches: list[tuple[int, int]] = []
    edits = 0
    for step in Levenshtein.opcodes(ref_ids, hyp_ids):
        if step.tag == "equal":
            pairs = zip(range(step.src_start, step.src_end), range(step.dest_start, step.dest_end), strict=True)
            matches.extend(pairs)
        else:
            edits += max(step.src_end - step.src_start, step.dest_end - step.dest_start)
    return edits, matches


class _Table:
    """Costs of all pairs of suffixes, and the steps optimal at a row; column j stands before hypothesis token j."""

    def __init__(self, ref: Ints, hyp: Ints) -> None:
        import numpy as np

        self.ref, self.hyp = ref, hyp
        self.weight = min(len(ref), len(hyp)) + 1
        # int32 holds every cost up to MAX_CELLS
        self.costs = np.empty((len(ref) + 1, len(hyp) + 1), dtype=np.int32)
        ramp = np.arange(len(hyp) + 1, dtype=np.int32) * np.int32(self.weight)
        self.costs[-1] = ramp[::-1]
        for i in range(len(ref) - 1, -1, -1):
            self.costs[i] = _row_before(self.costs[i + 1], hyp == ref[i], self.weight, ramp)

    def matching(self, i: int) -> Bools:
        """Columns 0 … m-1 where matching reference token i is optimal."""
        matching: Bools = (self.hyp == self.ref[i]) & (self.costs[i, :-1] == self.costs[i + 1, 1:] - 1)
        return matching

    def unmatched(self, i: int, columns: Bools) -> Bools:
        """Columns reached from `columns` by optimally deleting or substituting reference token i."""
        here, below = self.costs[i], self.costs[i + 1]
        reached: Bools = columns & (here == below + self.weight)
        reached[1:] |= columns[:-1] & (here[:-1] == below[1:] + self.weight) & (self.hyp != self.ref[i])
        return reached

    def leaving_unmatched(self, i: int, columns: Bools) -> Bools:
        """Columns from which such a step arrives in `columns`."""
        here, below = self.costs[i], self.costs[i + 1]
        leaving: Bools = columns & (here == below + self.weight)
        leaving[:-1] |= columns[1:] & (here[:-1] == below[1:] + self.weight) & (self.hyp != self.ref[i])
        return leaving

    def inserting(self, i: int) -> Bools:
        """Columns 0 … m-1 from which it is optimal to insert the hypothesis token, before reference token i."""
        inserting: Bools = self.costs[i, :-1] == self.costs[i, 1:] + self.weight
        return inserting


def _spread(columns: Bools, steps: Bools) -> Bools:
    """The columns and all that follow by steps, where steps[j] allows going from j to j + 1."""
    import numpy as np

    if not (columns[:-1] & steps).any():
        return columns
    places = np.arange(len(columns))
    chain_start = np.maximum.accumulate(np.where(np.concatenate(([False], steps)), 0, places))
    last_reached = np.maximum.accumulate(np.where(columns, places, -1))
    return np.asarray(last_reached >= chain_start)


def _decided(ref: Sequence[str], hyp: Sequence[str]) -> tuple[int, list[tuple[int, int]]]:
    """Walks the optimal columns row by row, matching a reference token as soon as some optimal path does."""
    import numpy as np

    table = _Table(*_numbered(ref, hyp))
    n, m = len(ref), len(hyp)
    edits, _ = _split(int(table.costs[0, 0]), table.weight)
    columns = np.zeros(m + 1, dtype=np.bool_)
    columns[0] = True
    matches: list[tuple[int, int]] = []
    ambiguous = False
    for i in range(n):
        columns = _spread(columns, table.inserting(i))
        matching = columns[:-1] & table.matching(i)
        found = np.flatnonzero(matching)
        if len(found):
            ambiguous = ambiguous or len(found) > 1
            matches.append((i, int(found[0])))
            columns = np.concatenate(([False], matching))
        else:
            columns = table.unmatched(i, columns)
    return edits, _earliest_columns(table, [i for i, _ in matches]) if ambiguous else matches


def _earliest_columns(table: _Table, matched: Sequence[int]) -> list[tuple[int, int]]:
    """The optimal alignment that matches exactly these reference tokens and is earliest in the hypothesis."""
    import numpy as np

    n, m = len(table.ref), len(table.hyp)
    rows = set(matched)
    arriving = np.ones(m + 1, dtype=np.bool_)
    leaving: list[Bools] = []
    for i in range(n - 1, -1, -1):
        if i in rows:
            out = np.concatenate((table.matching(i) & arriving[1:], [False]))
        else:
            out = table.leaving_unmatched(i, arriving)
        leaving.append(out)
        arriving = _spread(out[::-1], table.inserting(i)[::-1])[::-1]
    leaving.reverse()
    columns = np.zeros(m + 1, dtype=np.bool_)
    columns[0] = True
    matches: list[tuple[int, int]] = []
    for i in range(n):
        columns = _spread(columns, table.inserting(i)) & leaving[i]
        if i in rows:
            j = int(np.argmax(columns))
            matches.append((i, j))
            columns = np.zeros(m + 1, dtype=np.bool_)
            columns[j + 1] = True
        else:
            columns = table.unmatched(i, columns)
    return matches
