"""How the pages of a set are laid out: the six statistics of VDE Bench B.3, and densities by kind of element."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pytest_vtcfaith.metrics.boxes import Box, area

VISUAL = frozenset({"table", "image", "chart", "header_image", "footer_image"})
"""Kinds of elements, as PaddleOCR-VL labels them, that are visual; all others are text."""


class Element(NamedTuple):
    """A part of a page: its kind and its box."""

    kind: str
    box: Box


@dataclass(frozen=True, slots=True)
class PageLayout:
    """The elements of a page; `width` and `height` in the unit of their boxes."""

    width: float
    height: float
    elements: tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class LayoutStatistics:
    """Means over the pages of a set.

    - `density`: area of all elements ÷ area of the page (Eq. 8); overlapping elements count twice.
    - `complexity`: kinds of elements on a page (Eq. 9); `richness`: elements on a page (Eq. 10).
    - `entropy`: of the kinds, pooled over all pages, in bits (Eq. 11); 0 without any element.
    - `text_ratio`, `visual_ratio`: shares of the elements' mean area that text and visual ones have (Eq. 12), adding up
      to 1; None where no element has an area.
    """

    density: float
    complexity: float
    richness: float
    entropy: float
    text_ratio: float | None
    visual_ratio: float | None


def layout_statistics(pages: Sequence[PageLayout]) -> LayoutStatistics:
    """The statistics of a set of pages. Raises ValueError for a set without pages, or a page without area.

    Source: VDE Bench B.3.1, Eq. 8–12.
    """
    densities = density_by_kind(pages)
    counts = Counter(element.kind for page in pages for element in page.elements)
    total = sum(counts.values())
    whole = math.fsum(densities.values())
    visual = math.fsum(value for kind, value in densities.items() if kind in VISUAL)
    return LayoutStatistics(
        density=whole,
        complexity=sum(len({element.kind for element in page.elements}) for page in pages) / len(pages),
        richness=total / len(pages),
        entropy=-math.fsum(n / total * math.log2(n / total) for n in counts.values()) + 0.0,
        text_ratio=1 - visual / whole if whole else None,
        visual_ratio=visual / whole if whole else None,
    )


def density_by_kind(pages: Sequence[PageLayout]) -> dict[str, float]:
    """By kind of element, the mean over all pages of its area ÷ the page's area. Raises as `layout_statistics`.

    Source: VDE Bench B.3.1, Eq. 6.
    """
    if not pages:
        raise ValueError("there is no page: give at least one")
    sums: dict[str, list[float]] = {}
    for page in pages:
        if not (page.width > 0 and page.height > 0):
            raise ValueError(f"a page of {page.width} x {page.height} has no area")
        for element in page.elements:
            sums.setdefault(element.kind, []).append(area(element.box) / (page.width * page.height))
    return {kind: math.fsum(shares) / len(pages) for kind, shares in sorted(sums.items())}


def standard_scores(groups: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float | None]]:
    """How far each group's density of a kind is from the mean of the groups, in their standard deviations.

    `groups`: `density_by_kind` by group; a kind that a group lacks has density 0 there. Every group weighs the same,
    the deviation is that of the population. None for a kind of which all groups have the same.
    Source: VDE Bench B.3.1, Eq. 7.
    """
    kinds = sorted({kind for densities in groups.values() for kind in densities})
    found: dict[str, dict[str, float | None]] = {group: {} for group in groups}
    for kind in kinds:
        values = {group: densities.get(kind, 0.0) for group, densities in groups.items()}
        mean = math.fsum(values.values()) / len(values)
        deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values.values()) / len(values))
        for group, value in values.items():
            found[group][kind] = (value - mean) / deviation if deviation else None
    return found
