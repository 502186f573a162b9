"""Folders as VDE Bench publishes them, for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PIL import Image

SIZE = (200, 100)
BLOCKS = [
    {"block_label": "text", "block_content": "Total 6", "block_bbox": [26, 4, 80, 9]},
    {"block_label": "text", "block_content": "far away", "block_bbox": [10, 40, 190, 60]},
    {"block_label": "image", "block_content": None, "block_bbox": [10, 70, 110, 90]},
]


def item(identifier: object = 7, **change: Any) -> dict[str, Any]:
    """An item as it is written; its region is (24, 4, 85, 9) of a reference of `SIZE`."""
    return {
        "id": identifier,
        "image_input": "inputs/page.png",
        "image_output": f"outputs/page-{identifier}.png",
        "instruction": "Replace “5” with “6”.",
        "instruction type": "text replacement",
        "language": "english",
        "data_source": "made",
        "label_output": [{"x": 12.3, "y": 4.0, "width": 30.0, "height": 5.0}],
        **change,
    }


def made_vde(
    folder: Path, *items: dict[str, Any], blocks: list[dict[str, Any]] | None = BLOCKS, size: tuple[int, int] = SIZE
) -> Path:
    """White sources of `size`, black references of `SIZE`; `blocks` is what was read of each, None for no results."""
    for number, entry in enumerate(items):
        for field, ground, this in (("image_input", "white", size), ("image_output", (0, 0, number), SIZE)):
            path = folder / entry[field]
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.new("RGB", this, ground).save(path)
        if blocks is not None:
            (folder / "text_ocr").mkdir(exist_ok=True)
            result = {"width": SIZE[0], "height": SIZE[1], "parsing_res_list": blocks}
            stem = Path(entry["image_output"]).stem
            (folder / "text_ocr" / f"{stem}_res.json").write_text(json.dumps(result), encoding="utf-8")
    (folder / "text_info.json").write_text(json.dumps(items), encoding="utf-8")
    return folder
