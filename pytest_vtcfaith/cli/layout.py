"""`vtcfaith layout`: how the pages of the editing cases are laid out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pytest_vtcfaith.cli.output import errors_in_one_line, print_lines, say
from pytest_vtcfaith.texts.errors import TextsError

if TYPE_CHECKING:
    from pytest_vtcfaith.metrics.layout_statistics import LayoutStatistics

_HEAD = ("pages", "density", "complexity", "richness", "entropy", "text", "visual")


def layouts(folder: Path | None) -> tuple[dict[str, tuple[int, LayoutStatistics]], int]:
    """By language, and `all`, the number of pages and the statistics of the editing cases' references; and of how many
    cases the layout is not known, as nothing was read of them.

    `folder` holds the manifests (None: the bundled ones). Raises TextsError for a missing folder or one without such
    cases, ManifestError for a wrong manifest.
    """
    from pytest_vtcfaith.metrics.layout_statistics import layout_statistics
    from pytest_vtcfaith.suites.editing_cases import editing_cases, layout_of

    if folder is not None and not folder.is_dir():
        raise TextsError(f"{folder}: there is no such folder: give one with manifests")
    cases = editing_cases(folder)
    known = [(case.lang, page) for case in cases for page in [layout_of(case)] if page is not None]
    if not known:
        raise TextsError(
            f"{folder or 'the bundled cases'}: no editing case whose page was read: build a manifest with vtcfaith "
            "build edits, or with build vde from a folder that has the results of OCR"
        )
    groups = {"all": [page for _, page in known]}
    for lang in sorted({lang for lang, _ in known}):
        groups[lang] = [page for other, page in known if other == lang]
    return {name: (len(pages), layout_statistics(pages)) for name, pages in groups.items()}, len(cases) - len(known)


def layout(
    vtc_cases: Annotated[Path | None, typer.Option(help="Folder of manifests; default: the bundled ones.")] = None,
) -> None:
    """Prints how the reference pages of the editing cases are laid out (VDE Bench B.3): share of the page that elements
    cover, kinds and number of elements on a page, entropy of the kinds in bits, and which shares of the elements' area
    are text and visual (tables, images, charts). Means over the cases, and by language.

    The paper has its own values in a picture only (Figure 9, by document category), so none stand beside them. It
    counts 23 kinds of elements; the pages drawn here have two, text and table.
    """
    with errors_in_one_line():
        found, unknown = layouts(vtc_cases)
        if unknown:
            say(f"note: {unknown} cases left out: their manifest has no blocks (no results of OCR)", "yellow")
        print_lines([" ".join([f"{'':5}", *(f"{name:>10}" for name in _HEAD)])])
        print_lines(_line(name, count, values) for name, (count, values) in found.items())


def _line(name: str, pages: int, values: LayoutStatistics) -> str:
    numbers = [f"{getattr(values, field):10.3f}" for field in ("density", "complexity", "richness", "entropy")]
    ratios = ["–" if ratio is None else f"{ratio:.1%}" for ratio in (values.text_ratio, values.visual_ratio)]
    return " ".join([f"{name:5}", f"{pages:10}", *numbers, *(f"{ratio:>10}" for ratio in ratios)])
