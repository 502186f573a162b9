"""One item of VDE Bench in a folder as it is published, for tests of its reader."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PIL import Image

from pytest_vtcfaith.texts.vde import VdeSet, read_vde

TABLE = "<table><tr><td>Fee</td><td>5 &amp; 6</td></tr></table>"
ITEM: dict[str, Any] = {
    "id": 48234,
    "image_input": "inputs/page_1.png",
    "image_output": "outputs/page_1_modified.png",
    "instruction": "Replace “5” with “6”.",
    "instruction type": "text replacement",
    "language": "english",
    "data_source": "eastmoney",
    "label_output": [{"x": 12.3, "y": 4.0, "width": 30.0, "height": 5.0}],
}
BOX = {"x": 10, "y": 10, "width": 20, "height": 20}
WHOLE = {"x": 0, "y": 0, "width": 100, "height": 100}
RESULT: dict[str, Any] = {
    "width": 200,
    "height": 100,
    "parsing_res_list": [
        {"block_label": "text", "block_content": "Total 6", "block_bbox": [10, 5, 60, 15]},
        {"block_label": "table", "block_content": TABLE, "block_bbox": [10, 20, 190, 90]},
        {"block_label": "image", "block_content": None, "block_bbox": [150, 5, 190, 15]},
    ],
}


def built(
    folder: Path,
    *items: dict[str, Any],
    file: str = "text_info_all.json",
    result: Any = RESULT,
    sizes: tuple[tuple[int, int], tuple[int, int]] = ((200, 100), (200, 100)),
) -> Path:
    """A folder as the benchmark publishes it; `result` None: without OCR."""
    for name, size in zip(("inputs/page_1.png", "outputs/page_1_modified.png"), sizes, strict=True):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", size, "white").save(folder / name)
    if result is not None:
        (folder / "text_output_all_ocr").mkdir(exist_ok=True)
        path = folder / "text_output_all_ocr" / "page_1_modified_res.json"
        path.write_text(json.dumps(result), encoding="utf-8")
    (folder / file).write_text(json.dumps(list(items) or [ITEM]), encoding="utf-8")
    return folder


def read(folder: Path, *items: dict[str, Any], region: str | None = None, **how: Any) -> VdeSet:
    return read_vde(str(built(folder, *items, **how)), region=region)
