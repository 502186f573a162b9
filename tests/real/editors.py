"""Prints the table of docs/validation.md on the reference editors, scored with the real RapidOCR.

    python tests/real/editors.py [EDITS]

EDITS (default 2) of every region and operation are scored, of languages in turn.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PIL import Image

from pytest_vtcfaith.models.editors import EDITORS, ReferenceEditor
from pytest_vtcfaith.models.page_reading import RememberingReader, reader_named
from pytest_vtcfaith.pages.edits.pair import EditPair, draw_pair
from pytest_vtcfaith.suites.editing_scores import PROPERTIES, Score, score_output
from pytest_vtcfaith.texts.manifest import read_manifest

CASES = Path(__file__).resolve().parents[2] / "benchmark_cases"
LANGUAGES = ("en", "zh", "mixed")
OPERATIONS = ("modify", "add", "delete", "structure")
ALL_ELSE = "deletes all else"
"""No reference editor: what the column `published` is fooled by most."""
PUBLISHED = ("cdm_local_published", "cdm_global_published", "iou_global_published", "ssim_global", "cdm_local")


def bundled() -> list[Mapping[str, Any]]:
    """All rows of the bundled manifests of edits."""
    return [row for file in sorted(CASES.rglob("editing-*.jsonl")) for _, row in read_manifest(file).rows]


def chosen(count: int) -> list[Mapping[str, Any]]:
    """`count` rows of every region and operation, languages and kinds of pages in turn."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for row in bundled():
        groups[row["operation"], row["region"]].append(row)
    found = []
    for number, key in enumerate(sorted(groups)):
        for turn in range(count):
            lang = LANGUAGES[(number + turn) % 3]
            alike = [row for row in groups[key] if row["lang"] == lang]
            found.append(alike[(number + turn // 3) % len(alike)])
    return found


def scores_of(row: Mapping[str, Any], reader: RememberingReader) -> dict[str, Score]:
    """What each reference editor scores on one edit."""
    pair = draw_pair(row)
    found = {}
    for name in EDITORS:
        (output,) = ReferenceEditor(name, [row]).edit([pair.source], [row["instruction"]])
        found[name] = score_output(reader, pair, output)
    found[ALL_ELSE] = score_output(reader, pair, _only_the_edit(pair))
    return found


def _only_the_edit(pair: EditPair) -> Image.Image:
    """The right edit on a page that has lost everything else."""
    page = Image.new("RGB", pair.reference.size, pair.source.getpixel((2, 2)))
    for region in pair.regions:
        page.paste(pair.reference.crop(region), region)
    return page


def mean(scores: Sequence[Score], name: str) -> float | None:
    """The mean of a metric where it is defined."""
    values = [value for score in scores if (value := score[name]) is not None]
    return sum(values) / len(values) if values else None


def show(number: float | None) -> str:
    """A cell."""
    return "–" if number is None else f"{number:.3f}"


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """A Markdown table."""
    print("\n| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for line in lines:
        print("| " + " | ".join(line) + " |")


def main(count: int) -> None:
    """Scores the edits and prints the tables."""
    rows = chosen(count)
    found: list[tuple[Mapping[str, Any], dict[str, Score]]] = []
    start = time.process_time()
    for row in rows:
        found.append((row, scores_of(row, RememberingReader(reader_named("rapidocr")))))
        print(row["case"], {name: show(s["edit_fidelity"]) for name, s in found[-1][1].items()}, flush=True)
    print(f"\n{len(rows)} edits, {(time.process_time() - start) / len(rows):.1f} CPU s an edit, all editors together")
    groups = [[s for row, s in found if row["operation"] == operation] for operation in OPERATIONS]
    groups.append([s for _, s in found])
    names = (*EDITORS, ALL_ELSE)
    by_operation = [
        [name, *(show(mean([s[name] for s in group], "edit_fidelity")) for group in groups)] for name in names
    ]
    table(["edit_fidelity", *OPERATIONS, "all"], by_operation)
    columns = (*PROPERTIES, *PUBLISHED)
    table(["editor", *columns], [[n, *(show(mean([s[n] for _, s in found], c)) for c in columns)] for n in names])
    ceilings = [name for name in found[0][1]["perfect"] if name.startswith("ceiling_")]
    table(["ceiling", "mean"], [[c, show(mean([s["perfect"] for _, s in found], c))] for c in ceilings])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2)
