"""What the papers printed for other systems, as lines to stand beside a model: grey, and named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pytest_vtcfaith.published import Table, load_table

_RENDERING = {"glyph": "Glyph rendering", "fox": "FOX layout", "omni": "Omni layout"}
_SOURCES = {
    "ZeroSense": ("zerosense", ("glyph", "fox", "omni")),
    "FOX": ("FOX text", ("glyph", "fox")),
    "Omni": ("OmniDocBench text", ("glyph", "omni")),
}
"""Texts of Table A4: our name, and the layouts whose charts they stand on. Of the two natural controls each has its own
documents' layout (the "prior evaluation paradigm" of §5.2.1); Glyph's belongs to neither, and has both."""


def accuracy_by_ratio(layout: str, ratios: Sequence[str]) -> list[dict[str, Any]]:
    """Word accuracy of the systems of ZeroSense Table A4 over the compression ratios `5x`, `7.5x`, … of a layout,
    on texts of ZeroSense, and on natural ones of FOX and OmniDocBench, each by its name."""
    if layout not in _RENDERING:
        return []
    table = load_table("zerosense", "A4")
    found = []
    for column in table.columns:
        system, _, source = column.partition(" · ")
        text, layouts = _SOURCES[source]
        if layout not in layouts:
            continue
        points = [
            {"x": place, "y": value / 100}
            for place, ratio in enumerate(ratios)
            if (value := _cell(table, column, _RENDERING[layout], f"{ratio.removesuffix('x')}×")) is not None
        ]
        if points:
            found.append({"name": f"{system}, {text}", "published": True, "points": points})
    return found


def edits_by_operation(metric: str, operations: Sequence[str]) -> list[dict[str, Any]]:
    """Scores of the editors of VDE Bench Table 7 (whole page) in `metric`, by operation."""
    table = load_table("vde", "7")
    names = {row.keys["edit type"].lower(): row.keys["edit type"] for row in table.rows}
    rows = [next((name for key, name in names.items() if _OPERATIONS.get(o, o) in key), "") for o in operations]
    found = []
    for column in table.columns:
        points = [
            {"x": place, "y": value}
            for place, row in enumerate(rows)
            if (value := _cell(table, column, row, metric.upper())) is not None
        ]
        if points and column != "Avg.":
            found.append({"name": column, "published": True, "points": points})
    return found


def added_errors(lang: str, conditions: Sequence[str], prompts: Sequence[str] = ()) -> list[dict[str, Any]]:
    """ΔWER (Chinese: ΔCER) in percentage points of the systems of FaithC4 Tables 2 to 4, by perturbation; of the two
    models of Table A8 also under `prompts` such as `no_correct` (English).
    """
    if lang not in _ADDED:
        return []
    number, rate = _ADDED[lang]
    table = load_table("faithc4", number)
    columns = [f"Δ{rate} · {condition.capitalize()}" for condition in conditions]
    found = [(row.keys["model"], [_cell(table, name, row.keys["model"]) for name in columns]) for row in table.rows]
    if lang == "en":
        told = load_table("faithc4", "A8")
        names = [f"WER · Δ {condition.capitalize()}" for condition in conditions]
        found += [
            (", ".join(row.keys.values()), [_cell(told, name, *row.keys.values()) for name in names])
            for row in told.rows
            if row.keys["condition"] in prompts
        ]
    return _systems(found)


def rewrite_shares(place: int) -> list[dict[str, Any]]:
    """Rewritten ÷ words not read verbatim, of the systems of FaithC4 Table 5 (English scramble), at `place`."""
    rows = load_table("faithc4", "5").rows
    shares = [(row.keys["model"], row.values["Rewritten"]) for row in rows]
    return _systems((name, [*[None] * place, None if share is None else float(share) / 100]) for name, share in shares)


def probed_rates(tiers: Sequence[str]) -> list[dict[str, Any]]:
    """Rewritten ÷ all words of FaithC4's probe (Table 8), where a model is asked for one highlighted word of an English
    page; `tiers` such as `en/visual`.
    """
    table = load_table("faithc4", "8")
    kinds = [tier.partition("/")[2].capitalize() if tier.startswith("en/") else "" for tier in tiers]
    found = [None if (rate := _cell(table, kind, "Rewritten")) is None else rate / 100 for kind in kinds]
    return _systems([(PROBED, found)])


def probed_lengths(lengths: Sequence[str]) -> list[dict[str, Any]]:
    """The same by the length of a scrambled word (Table 10); `lengths` such as `4` and `8-9`."""
    table = load_table("faithc4", "10")
    rates = [_cell(table, "Rewritten", length.replace("-", "–")) for length in lengths]
    return _systems([(PROBED, [None if rate is None else rate / 100 for rate in rates])])


PROBED = "Qwen3-VL-4B, single words"
"""The one model of FaithC4's probe, which is not asked for pages."""


def compressed_groups(factor: int) -> list[dict[str, Any]]:
    """Accuracy in groups A and B (in this order) at 1 ÷ factor² of the visual tokens: Qwen2-VL-7B with the methods of
    VTC-Bench (Table F1) on the data sets of text in pictures. LLaVA-OneVision (F2) is measured on Qwen2-VL's groups,
    which the suite refuses to do, so it is not here.
    """
    table = load_table("vtc-bench", "F1")
    found = []
    for data_set, shown in (("ocrbench", "OCRBench"), ("chartqa", "ChartQA")):
        for row in table.rows:
            if row.keys["data set"] == data_set and row.keys["r"] == str(factor):
                groups = ("difficult", "simple")
                counts = [(row.values[f"{g} · right"], row.values[f"{g} · questions"]) for g in groups]
                accuracies = [float(right / asked) if right is not None and asked else None for right, asked in counts]
                found.append((f"{_METHODS.get(row.keys['method'], row.keys['method'])}, {shown}", accuracies))
    return _systems(found)


def answers_and_steps(kind: str) -> list[dict[str, Any]]:
    """S_a and S_p (in this order) of the systems of Reasoning Fidelity Table 1 in `mathematics`, `long-context` or
    `facts`; of the last two the table has S_p only. Language models answer as text: they are the ceiling.
    """
    table = load_table("reasoning", "1")
    name = kind.replace("-", " ").capitalize()
    found = []
    for row in table.rows:
        model = row.keys["model"]
        label = f"{model}, as text" if model in _TEXT_MODELS else model
        found.append((label, [_cell(table, f"{name} · {score}", model) for score in ("S_a", "S_p")]))
    return _systems(found)


def _systems(found: Iterable[tuple[str, Sequence[float | None]]]) -> list[dict[str, Any]]:
    """Series of named systems with a value at each place; None, and systems that have no value, are left out."""
    series = []
    for name, values in found:
        points = [{"x": place, "y": value} for place, value in enumerate(values) if value is not None]
        if points:
            series.append({"name": name, "published": True, "points": points})
    return series


_ADDED = {"en": ("2", "WER"), "zh": ("3", "CER"), "ko": ("4", "WER")}
_METHODS = {"dart": "DART", "fastv": "FastV", "prumerge+": "PruMerge+", "visionzip": "VisionZip"}
_TEXT_MODELS = ("GPT-5.2", "Qwen3-8B")
_OPERATIONS = {"add": "addition", "delete": "deletion"}


def _cell(table: Table, column: str, *keys: str) -> float | None:
    try:
        value = table.value(column, *keys)
    except KeyError:
        return None
    return None if value is None else float(value)
