"""Where ZeroSense's tables print two figures for one thing, found by comparing every pair of cells that should agree.

The texts' own slips, which no table shows, are listed in docs/zerosense.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from pytest_vtcfaith.published.tables import Table, load_table

_PAPER = "zerosense"
_MODELS = ("DeepSeek-OCR", "HunyuanOCR", "Qwen2.5VL-7B")
_SOURCES = ("FOX", "Omni", "ZeroSense")
_GLYPH = "Glyph rendering"


_ROUNDING = Decimal("0.1")  # every table compared here prints its percent with one decimal


@dataclass(frozen=True, slots=True)
class Pair:
    """Two figures in percent: `what` they are of, `first` and `second`, and where each stands."""

    what: str
    first: Decimal
    first_at: str
    second: Decimal
    second_at: str


@dataclass(frozen=True, slots=True)
class Whole:
    """A figure in percent, `at` which table, of a whole that the parts in `parts_at` make up, from `low` to `high`."""

    what: str
    figure: Decimal
    at: str
    low: Decimal
    high: Decimal
    parts_at: str


def disagreements() -> list[Pair]:
    """Pairs of `same_cells` that differ by more than one unit of their last digit."""
    return [pair for pair in same_cells() if abs(pair.first - pair.second) > _ROUNDING]


def rounding_differences() -> list[Pair]:
    """Pairs of `same_cells` that differ by one unit of their last digit."""
    return [pair for pair in same_cells() if 0 < abs(pair.first - pair.second) <= _ROUNDING]


def same_cells() -> list[Pair]:
    """Every pair of cells that should hold the same figure: Table 2 and A4, 3 and A5, A7 and A4."""
    return [*_main_table(), *_glyph_by_length(), *_clean_text()]


def outside_their_parts() -> list[Whole]:
    """Maxima over all ZeroSense texts (A4) that lie outside the range of the maxima by text length (A5).

    A model's mean over all texts lies between its means of the parts, so that the greatest mean over the models cannot
    pass the greatest of the parts; under the least it can fall only where the parts do not cover all texts.
    """
    full, parts = load_table(_PAPER, "A4"), load_table(_PAPER, "A5")
    found = []
    for row in parts.rows:
        by_length = [figure for figure in row.values.values() if figure is not None]
        rendering, ratio = row.keys["rendering"], row.keys["ratio"]
        if ratio == "2.5×":  # not in Table A4
            continue
        figure = _best(full, "ZeroSense", rendering, ratio)
        if not min(by_length) <= figure <= max(by_length):
            what = f"{rendering}, ZeroSense text, {ratio}"
            found.append(Whole(what, figure, "Table A4, maximum", min(by_length), max(by_length), "Table A5"))
    return found


def _best(full: Table, source: str, rendering: str, ratio: str) -> Decimal:
    figures = [full.value(f"{model} · {source}", rendering, ratio) for model in _MODELS]
    return max(figure for figure in figures if figure is not None)


def _main_table() -> list[Pair]:
    """Table 2 against A4: `Ours` is the maximum over the models, `DeepSeek-OCR` that model's own column."""
    main, full = load_table(_PAPER, "2"), load_table(_PAPER, "A4")
    pairs = []
    for row in main.rows:
        rendering, ratio = row.keys["rendering"], row.keys["ratio"]
        there = (rendering.replace("OmniDocBench", "Omni"), ratio)
        for source in _SOURCES:
            own = full.value(f"DeepSeek-OCR · {source}", *there)
            for column, second, at in (
                ("Ours", _best(full, source, *there), "Table A4, maximum"),
                ("DeepSeek-OCR", own, "Table A4, DeepSeek-OCR"),
            ):
                first = row.values[f"{column} · {source}"]
                if first is not None and second is not None:
                    what = f"{rendering}, {source} text, {ratio}"
                    pairs.append(Pair(what, first, f"Table 2, {column}", second, at))
    return pairs


def _glyph_by_length() -> list[Pair]:
    """Table 3 against the Glyph rows of Table A5."""
    short, full = load_table(_PAPER, "3"), load_table(_PAPER, "A5")
    pairs = []
    for row in short.rows:
        ratio = row.keys["ratio"].replace(".0×", "×")
        for column in short.columns:
            first, second = row.values[column], full.value(column, _GLYPH, ratio)
            if first is not None and second is not None:
                pairs.append(Pair(f"Glyph, {column} tokens, {ratio}", first, "Table 3", second, "Table A5"))
    return pairs


def _clean_text() -> list[Pair]:
    """The clean row of Table A7 against the maximum of Table A4 for FOX text under Glyph rendering."""
    shuffled, full = load_table(_PAPER, "A7"), load_table(_PAPER, "A4")
    pairs = []
    for ratio in shuffled.columns:
        first = shuffled.value(ratio, "FOX text (clean)")
        second = _best(full, "FOX", _GLYPH, ratio)
        if first is not None:
            pairs.append(Pair(f"Glyph, clean FOX text, {ratio}", first, "Table A7", second, "Table A4, maximum"))
    return pairs


def coincidences() -> list[Pair]:
    """Cells of Table 5 (words moved) beside those of Table A7 (letters within words moved): two experiments, in
    percent; that they are equal is the surprise."""
    words, letters = load_table(_PAPER, "5"), load_table(_PAPER, "A7")
    pairs = []
    for row in words.rows:
        ratio = row.keys["ratio"].replace(".0×", "×")
        if ratio not in letters.columns:
            continue
        for column in words.columns:
            first, second = row.values[column], letters.value(ratio, column)
            if first is not None and second is not None:
                pairs.append(Pair(f"{column}, {ratio}", first * 100, "Table 5", second, "Table A7"))
    return pairs
