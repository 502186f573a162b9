"""Scores of what was read of a page or region against the reference, block by block (definitions §5)."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_vtcfaith.metrics.bleu import bleu
from pytest_vtcfaith.metrics.blocks import Block, Match, by_place, match_blocks
from pytest_vtcfaith.metrics.columns import Column, check_column
from pytest_vtcfaith.metrics.normalise import normalise
from pytest_vtcfaith.metrics.scripts import check_lang
from pytest_vtcfaith.metrics.teds import table_likeness
from pytest_vtcfaith.metrics.textsim import cdm, textsim


def block_scores(
    reference: Sequence[Block], prediction: Sequence[Block], *, lang: str, column: Column = "audited"
) -> dict[str, float | int | None]:
    """The text metrics of one page or region, and the counts by which a tier pools them; what is undefined is None.

    - `iou`: mean over the reference blocks, unmatched ones 0.
    - `cdm`, `bleu`, `textsim`: `published`: mean over the matched pairs. `audited`: mean over the reference blocks,
      unmatched ones 0, of texts normalised first (profile `verbatim`).
    - `teds`: mean over the matched pairs of which either is a table, 0 where only one is; `audited` also takes the
      unmatched reference tables, as 0. None when there is no such pair, or none could be compared.
    - `spurious`: characters of predicted blocks that match nothing ÷ characters of all predicted blocks; 0 without any.
    - `reference_blocks`, `predicted_blocks`, `matched_blocks`, `text_blocks` (over which `cdm`, `bleu` and `textsim`
      are means), `tables` (over which `teds` is), `tables_not_scored`, `spurious_chars`, `predicted_chars`: counts.

    `lang`: of the texts, as for `normalise`. Blocks match by the place of their boxes: optimally in the column
    `audited`, greedily in `published`. Raises ValueError for an unknown language or column, a box that is none, or a
    reference table without a table. Source: VDE Bench F.1.2, F.2; definitions §5.
    """
    check_column(column)
    check_lang(lang)
    audited = column == "audited"
    matches = match_blocks(
        [block.box for block in reference],
        [block.box for block in prediction],
        method="optimal" if audited else "greedy",
    )
    ours, theirs = (
        [normalise(block.text, "verbatim", lang) if audited else block.text for block in blocks]
        for blocks in (reference, prediction)
    )
    pairs = [(ours[match.reference], theirs[match.prediction]) for match in matches]
    texts = len(reference) if audited else len(matches)
    matched = {match.prediction for match in matches}
    spurious = sum(len(text) for number, text in enumerate(theirs) if number not in matched)
    predicted = sum(map(len, theirs))
    return {
        "iou": _mean([match.iou for match in matches], len(reference)),
        "cdm": _mean([cdm(*pair) for pair in pairs], texts),
        "bleu": _mean([bleu(*pair, lang=lang, column=column) for pair in pairs], texts),
        "textsim": _mean([textsim(*pair, column=column) for pair in pairs], texts),
        **_tables(reference, prediction, matches, lang, column),
        "spurious": spurious / predicted if predicted else 0.0,
        "reference_blocks": len(reference),
        "predicted_blocks": len(prediction),
        "matched_blocks": len(matches),
        "text_blocks": texts,
        "spurious_chars": spurious,
        "predicted_chars": predicted,
    }


def cdm_by_place(reference: Sequence[Block], prediction: Sequence[Block], *, lang: str) -> float:
    """CDM of all the text of two readings, each block against the one at its place, in [0, 1]; 1 for two without text.

    1 − Levenshtein distances ÷ lengths of the longer texts, both summed over the matched pairs and, against nothing,
    the unmatched blocks of either reading: missing and added text both count, the order of reading does not. Texts are
    normalised first (profile `verbatim`). `lang` and errors as `block_scores`. Source: definitions §5, property (3).
    """
    longer = edits = 0.0
    for pair in by_place(reference, prediction):
        ours, theirs = (normalise(text, "verbatim", lang) for text in pair)
        longest = max(len(ours), len(theirs))
        longer += longest
        edits += longest * (1 - cdm(ours, theirs))
    return 1 - edits / longer if longer else 1.0


def _mean(values: Sequence[float], count: int) -> float | None:
    return sum(values) / count if count else None


def _tables(
    reference: Sequence[Block], prediction: Sequence[Block], matches: Sequence[Match], lang: str, column: Column
) -> dict[str, float | int | None]:
    audited = column == "audited"
    values: list[float] = []
    left_out = 0
    for match in matches:
        ours, theirs = reference[match.reference].table, prediction[match.prediction].table
        if ours is None or theirs is None:
            values += [0.0] if ours is not theirs else []
            continue
        likeness = table_likeness(ours, theirs, lang=lang if audited else None, column=column)
        if likeness.value is None:
            left_out += 1
        else:
            values.append(likeness.value)
    if audited:
        matched = {match.reference for match in matches}
        values += [0.0 for number, block in enumerate(reference) if block.table is not None and number not in matched]
    return {"teds": _mean(values, len(values)), "tables": len(values), "tables_not_scored": left_out}
