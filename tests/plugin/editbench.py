"""Edits for a small benchmark: three of two documents, and an engine that knows the pages that it will be shown."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from smallbench import ROOT, Bench

from pytest_vtcfaith.metrics.blocks import Block
from pytest_vtcfaith.metrics.boxes import enclosing, overlap
from pytest_vtcfaith.models.page_reading import MARGIN
from pytest_vtcfaith.pages.edits.pair import EditPair, designs, draw_pair
from pytest_vtcfaith.pages.edits.setting import set_page
from pytest_vtcfaith.pages.images import pixel_key
from pytest_vtcfaith.suites.editing_scores import read_picture
from pytest_vtcfaith.texts.manifest import read_manifest, write_manifest

if TYPE_CHECKING:
    from PIL import Image

BUNDLED = read_manifest(ROOT / "benchmark_cases" / "data" / "editing-en.jsonl")
CASES = ("en-report-supplier", "en-report-revised", "en-form-plot")
EDITS = ("--vtc-ocr=known", "--vtc-suite=editing")
"""Options of a run of the edits with the cheap engine."""
PERFECT, NO_OP, WRONG = (f"--vtc-model={name}" for name in ("perfect", "no-op", "wrong-text"))
CONFTEST = '''
"""An engine that reads pictures that it has seen before; `editor:NAME` of the edits of data/."""
import json
from pathlib import Path
from pytest_vtcfaith import Reply, register_model
from pytest_vtcfaith.models.editors import EDITORS, ReferenceEditor
from pytest_vtcfaith.models.rapidocr import TextBox
from pytest_vtcfaith.pages.images import pixel_key
from pytest_vtcfaith.texts.manifest import read_manifest

HERE = Path(__file__).parent

class Known:
    def __init__(self):
        self.pages = json.loads((HERE / "known.json").read_text(encoding="utf-8"))

    def transcribe(self, images, prompt):
        return ["" for _ in images]

    def read_boxes(self, image):
        return [TextBox(tuple(box), text, 0.9) for box, text in self.pages.get(pixel_key(image), [])]

class Blind(Known):
    def read_boxes(self, image):
        return []

class Raising(Known):
    def read_boxes(self, image):
        raise RuntimeError("the lamp went out")

for name, engine in (("known", Known), ("blind", Blind), ("raising", Raising)):
    register_model(name, revision="1")(engine)

def rows():
    return [row for _, row in read_manifest(HERE / "data" / "editing-en.jsonl").rows]

def editor(name):
    @register_model(name, revision="1", tasks=["edit"])
    def make():
        return ReferenceEditor(name, rows())

for name in EDITORS:
    editor(name)
'''
THRESHOLDS = """
[[gate]]
where = "editing/*"
metric = "failure_rate"
max = 0.2

[[gate]]
where = "editing/*"
metric = "edit_fidelity"
min = 0.9
max_regression = 0.05
"""


@cache
def edit_rows(cases: tuple[str, ...] = CASES) -> tuple[Mapping[str, Any], ...]:
    """The manifest rows of some English edits."""
    rows = {row["case"]: row for _, row in BUNDLED.rows}
    return tuple(rows[case] for case in cases)


class Recorder:
    """A reader that sees nothing, and remembers what it was shown."""

    def __init__(self) -> None:
        self.shown: list[Image.Image] = []

    def read(self, images: Sequence[Image.Image]) -> list[list[Block]]:
        self.shown += images
        return [[] for _ in images]


@cache
def known_pages(cases: tuple[str, ...]) -> dict[str, list[Any]]:
    """What stands on every picture that scoring the source or the reference of these edits reads, by pixel key."""
    known: dict[str, list[Any]] = {}
    for row in edit_rows(cases):
        pair = draw_pair(row)
        before = set_page(designs(row)[0], row["lang"]).blocks()
        after = row["region_blocks"][0]["text"]
        for picture, text, blocks in (pair.source, row["source_text"], before), (pair.reference, after, pair.blocks):
            recorder = Recorder()
            read_picture(recorder, pair, picture)
            page, covered, *crops = map(pixel_key, recorder.shown)
            known[page] = [[block.box, block.text] for block in blocks]
            known[covered] = [[block.box, block.text] for block in blocks if not _touched(block, pair)]
            (crop,) = crops
            left, top, right, bottom = pair.regions[0]
            known[crop] = [[[MARGIN, MARGIN, right - left + MARGIN, bottom - top + MARGIN], text]]
    return known


def _touched(block: Block, pair: EditPair) -> bool:
    return bool(overlap(block.box, enclosing(pair.regions)))


def add_edits(bench: Bench, cases: Iterable[str] = CASES, *, thresholds: str = THRESHOLDS, more: str = "") -> None:
    """Adds the edits, their test module, their thresholds and the engine; `more` is added to conftest.py."""
    chosen = tuple(cases)
    write_manifest(bench.path / "data" / "editing-en.jsonl", BUNDLED.header, list(edit_rows(chosen)))
    (bench.path / "known.json").write_text(json.dumps(known_pages(chosen)), encoding="utf-8")
    (bench.path / "conftest.py").write_text(CONFTEST + more, encoding="utf-8")
    shutil.copy(ROOT / "benchmark_cases" / "test_editing.py", bench.path / "cases")
    with (bench.path / "thresholds.toml").open("a", encoding="utf-8") as file:
        file.write(thresholds)
