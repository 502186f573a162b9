"""Reading in two steps, as MinerU2.5 does: the layout of the whole page, then every block by itself.

Prompts, tokens, the layout picture's size and the limits of a block's shape are those of mineru-vl-utils.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_vtcfaith.metrics.outcomes import Reply, cut_off
from pytest_vtcfaith.models.presets import Preset
from pytest_vtcfaith.models.vlm import Generate, Generated, Question, as_reply

if TYPE_CHECKING:
    from PIL import Image

LAYOUT_PROMPT, LAYOUT_SIDE = "\nLayout Detection:", 1036
PROMPTS = {"table": "\nTable Recognition:", "equation": "\nFormula Recognition:"}
TEXT_PROMPT = "\nText Recognition:"
WITHOUT_TEXT = frozenset({"image", "list", "equation_block"})  # the items of a list are blocks of their own
SHORTEST_SIDE, LONGEST_ASPECT = 28, 50.0

_BLOCK = re.compile(
    r"<\|box_start\|>\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s*<\|box_end\|><\|ref_start\|>(\w+)<\|ref_end\|>"
    r"(?:<\|rotate_(up|right|down|left)\|>)?"
)
_QUARTER_TURNS = {"up": 0, "right": 90, "down": 180, "left": 270}
_CELL = re.compile(r"<(?:fcel|ecel|lcel|ucel|xcel)>")


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a page: `kind`, `box` (left, top, right, bottom) in thousandths of the page, and by how many degrees
    it must be turned counter-clockwise to be upright.
    """

    kind: str
    box: tuple[int, int, int, int]
    turn: int = 0


def read_by_blocks(generate: Generate, preset: Preset, images: Sequence[Image.Image]) -> list[Reply]:
    """One reply per page: the texts of its blocks in the order of the layout step, a blank line between them.

    Both steps go to the engine in one call each, for all pages together. A step that fails fails its page; one that is
    refused refuses it; one that is cut off, by whatever sign, makes the page's finish reason `length`.
    """
    from PIL import Image as Pillow

    side = (LAYOUT_SIDE, LAYOUT_SIDE)
    layouts = generate(
        [Question(image.resize(side, Pillow.Resampling.BICUBIC), LAYOUT_PROMPT, preset.system) for image in images]
    )
    blocks = [[block for block in parse_layout(layout.text) if block.kind not in WITHOUT_TEXT] for layout in layouts]
    questions = [
        Question(cut(image, block), PROMPTS.get(block.kind, TEXT_PROMPT), preset.system)
        for image, found in zip(images, blocks, strict=True)
        for block in found
    ]
    answers = iter(generate(questions) if questions else ())
    return [
        _page([layout, *(next(answers) for _ in found)], found, preset)
        for layout, found in zip(layouts, blocks, strict=True)
    ]


def parse_layout(text: str) -> list[Block]:
    """The blocks in the reply of the layout step; boxes beyond the page, or without area, are left out."""
    blocks = []
    for found in _BLOCK.finditer(text):
        x1, y1, x2, y2 = (int(number) for number in found.groups()[:4])
        box = (min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))
        if box[0] < box[2] <= 1000 and box[1] < box[3] <= 1000:
            blocks.append(Block(found[5].lower(), box, _QUARTER_TURNS[found[6] or "up"]))
    return blocks


def cut(image: Image.Image, block: Block) -> Image.Image:
    """The block's picture, upright, padded to an aspect ratio of at most 50 and enlarged to sides of at least 28."""
    from PIL import Image as Pillow

    left, top, right, bottom = block.box
    width, height = image.size
    x1, y1 = min(left * width // 1000, width - 1), min(top * height // 1000, height - 1)
    picture = image.crop((x1, y1, max(x1 + 1, right * width // 1000), max(y1 + 1, bottom * height // 1000)))
    if block.turn:
        picture = picture.rotate(block.turn, expand=True)
    width, height = picture.size
    if max(width, height) > LONGEST_ASPECT * min(width, height):
        padded = (max(width, math.ceil(height / LONGEST_ASPECT)), max(height, math.ceil(width / LONGEST_ASPECT)))
        ground = Pillow.new("RGB", padded, "white")
        ground.paste(picture, ((padded[0] - width) // 2, (padded[1] - height) // 2))
        picture = ground
    grow = SHORTEST_SIDE / min(picture.size)
    if grow > 1:
        size = (math.ceil(picture.width * grow), math.ceil(picture.height * grow))
        picture = picture.resize(size, Pillow.Resampling.BICUBIC)
    return picture


def _page(answers: Sequence[Generated], blocks: Sequence[Block], preset: Preset) -> Reply:
    failed = next((answer.error for answer in answers if answer.error is not None), None)
    if failed is not None:
        return Reply(text=None, error=failed)
    replies = [as_reply(answer, preset) for answer in answers]
    texts = (
        _table(reply.text or "") if block.kind == "table" else reply.text or ""
        for reply, block in zip(replies[1:], blocks, strict=True)
    )
    return Reply(
        text="\n\n".join(text.strip() for text in texts),
        finish_reason="length" if any(map(cut_off, replies)) else "stop",
        completion_tokens=sum(reply.completion_tokens or 0 for reply in replies),
        refusal=next((reply.refusal for reply in replies if reply.refusal), None),
    )


def _table(text: str) -> str:
    """A table in OTSL tokens as lines of cells."""
    rows = _CELL.sub(" ", text).split("<nl>")
    return "\n".join(row.strip() for row in rows if row.strip())
