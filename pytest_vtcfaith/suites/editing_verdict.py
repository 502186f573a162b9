"""What is wrong with an edit, in one line: the OCR that cannot read, an edit that is missing, wrong text, damage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.metrics.normalise import normalise
from pytest_vtcfaith.models.page_reading import Reader
from pytest_vtcfaith.pages.edits.pair import EditPair
from pytest_vtcfaith.suites.editing_scores import fitted, read_regions, text_of

if TYPE_CHECKING:
    from PIL import Image

LOST = 0.2
"""Where less of the page around the edit is preserved, that is said too."""
NEAR = 0.02
"""A score that is at most so far below its ceiling says nothing against the editor."""


@dataclass(frozen=True, slots=True)
class RegionTexts:
    """What stands in the regions of an edit: `wanted` should, `before` did, `source_read` was read there in the source,
    `read` in the output.
    """

    wanted: str
    before: str
    source_read: str
    read: str


def region_texts(reader: Reader, pair: EditPair, output: Image.Image) -> RegionTexts:
    """The texts of the regions of a pair and of an output of any size."""
    shown = read_regions(reader, pair, pair.reference) if pair.region_blocks is None else pair.region_blocks
    wanted, read = text_of(shown), text_of(read_regions(reader, pair, fitted(output, pair)[0]))
    known = pair.source_text
    # reading takes time: the source only where the other texts leave open what was there
    source_read = (
        known if known is not None and read in (known, wanted) else text_of(read_regions(reader, pair, pair.source))
    )
    return RegionTexts(wanted, source_read if known is None else known, source_read, read)


def verdict(metrics: Mapping[str, Any], texts: RegionTexts | None, lang: str, ocr: str) -> str:
    """What is wrong first, by the metrics of a case.

    A score that the untouched reference would not pass either is laid to the OCR, which `ocr` names. `texts` are None
    where nothing reads pictures.
    """
    found, ceiling = metrics.get("edit_fidelity"), metrics.get("ceiling_edit_fidelity")
    fidelity = f"edit_fidelity {number(found)}"
    if ceiling == 0 or metrics.get("ceiling_completeness") == 0:
        return (
            f"{fidelity}: {ocr} cannot read the untouched reference (ceiling_edit_fidelity {number(ceiling)}): "
            "this says nothing about the editor"
        )
    if found is not None and ceiling is not None and found >= ceiling - NEAR:
        return (
            f"{fidelity}: {ocr} cannot read the untouched reference any better (ceiling_edit_fidelity "
            f"{number(ceiling)})"
        )
    correct, kept = (metrics.get(name) for name in ("text_correctness", "preservation_outside"))
    if metrics.get("completeness") == 0:
        lost = "" if kept is None or kept >= LOST else f"; little is left of the page around it ({number(kept)})"
        return f"{fidelity}: the edit is missing{_instead(texts, lang)}{lost}"
    if correct is not None and kept is not None and kept < correct:
        return f"{fidelity}: the page was changed beyond the edit (preservation_outside {number(kept)})"
    return f"{fidelity}: the region does not say what it should (text_correctness {number(correct)})"


def number(value: float | None) -> str:
    """A metric as explanations show it."""
    return "not measured" if value is None else f"{value:.3g}"


def _instead(texts: RegionTexts | None, lang: str) -> str:
    """What the region shows in place of an edit that is missing."""
    if texts is None:
        return ""
    wanted, before, source_read, read = (
        normalise(text, "verbatim", lang) for text in (texts.wanted, texts.before, texts.source_read, texts.read)
    )
    if before == wanted and read == before:
        return ", the region looks more like the source than like the reference"
    if read in (before, source_read):
        return ", the region reads as before" if read else ", nothing is read in the region, as in the source"
    if not read:
        return ", nothing is read in the region any more"
    return ", the region reads neither as before nor as it should"
