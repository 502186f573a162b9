"""Which compression ratios a family can reach for texts of which lengths: the table of docs/visual-tokens.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pytest_vtcfaith.pages.budget import FAMILIES, Unsupported, fit_budget

RATIOS = (2.5, 5.0, 7.5, 10.0, 12.5, 15.0, 17.5)  # ZeroSense, Tables 2 and 3
LENGTHS = range(200, 1001)  # text tokens; ZeroSense, Table 3
PAGES: Mapping[str, tuple[int, int]] = {"glyph": (595, 842), "fox": (612, 792)}  # points; omni has glyph's


def reachable_lengths(
    family: str, ratio: float, *, page_width: int, page_height: int, lengths: Iterable[int] = LENGTHS
) -> list[int]:
    """The lengths in text tokens for which `fit_budget` finds a size; `page_width` and `page_height` give the shape.

    Raises ValueError as `fit_budget` does, but for Unsupported.
    """
    reached = []
    for n_text in lengths:
        try:
            fit_budget(n_text, ratio, family=family, page_width=page_width, page_height=page_height)
        except Unsupported:
            continue
        reached.append(n_text)
    return reached


def spans(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Ascending whole numbers as spans of consecutive ones, (first, last)."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found


def reach(family: str, *, page_width: int, page_height: int) -> dict[float, list[tuple[int, int]]]:
    """For each of `RATIOS` the spans (first, last) of the reachable `LENGTHS`, in text tokens.

    Raises ValueError for an unknown family or page sides under 1.
    """
    return {
        ratio: spans(reachable_lengths(family, ratio, page_width=page_width, page_height=page_height))
        for ratio in RATIOS
    }


def reach_table(families: Iterable[str] = FAMILIES) -> str:
    """The reach of families on the pages of `PAGES` as Markdown, one table a page.

    A cell holds at most two spans; where there are more, the first and last length, and the share of the lengths
    between 200 and 1000 that are reachable. Raises ValueError for an unknown family.
    """
    parts = []
    for page, (width, height) in PAGES.items():
        lines = [
            f"Page of `{page}`, {width} × {height}:",
            "",
            f"| family | {' | '.join(f'{ratio:g}×' for ratio in RATIOS)} |",
            "|---" * (len(RATIOS) + 1) + "|",
        ]
        for family in families:
            cells = reach(family, page_width=width, page_height=height).values()
            lines.append(f"| {family} | {' | '.join(map(_cell, cells))} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _cell(found: list[tuple[int, int]]) -> str:
    if not found:
        return "–"
    if len(found) <= 2:
        return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in found)
    reached = sum(last - first + 1 for first, last in found)
    return f"{found[0][0]}–{found[-1][1]} ({100 * reached // len(LENGTHS)} %)"
