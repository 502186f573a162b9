"""What a manifest of edits of published pictures holds: schema `vtcfaith/editing-pictures`."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from pytest_vtcfaith.metrics.edit import Operation
from pytest_vtcfaith.texts.edits.rows import BlockRow
from pytest_vtcfaith.texts.rows import Slug, _Header, _Strict

SCHEMA = "vtcfaith/editing-pictures"

Filled = Annotated[str, Field(min_length=1)]
Side = Annotated[int, Field(ge=1, le=1_000_000)]
PixelBox = Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=4, max_length=4)]


class PicturesHeader(_Header):
    """Header of `vtcfaith/editing-pictures`."""

    schema_: Literal["vtcfaith/editing-pictures"] = Field(alias="schema")


class PictureFile(_Strict):
    """A picture beside the manifest: its file (relative, with /), the SHA-256 of its bytes, its size upright."""

    file: Filled
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    width: Side
    height: Side


class ReadBlockRow(BlockRow):
    """A block that was read of the reference, and its kind (`text`, `table`, `image`, …: PaddleOCR-VL's labels)."""

    kind: Filled


class PicturesRow(_Strict):
    """An edit of a published page.

    `document`: the source page, so that all edits of one page are one cluster; `boxes`: the regions that the edit may
    change, in pixels of the reference; `blocks`: what was read of the whole reference when it was published, null where
    it was not read. `record` tells where the item is from; nothing reads it.
    """

    case: Slug
    document: Slug
    lang: Literal["en", "zh", "mixed"]
    region: Literal["text", "table"]
    operation: Operation
    instruction: Filled
    source: PictureFile
    reference: PictureFile
    boxes: Annotated[list[PixelBox], Field(min_length=1)]
    blocks: list[ReadBlockRow] | None
    record: Annotated[dict[str, Any], Field(default_factory=dict)]

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        page = self.reference
        boxes = [("box", box) for box in self.boxes] + [("block", block.box) for block in self.blocks or ()]
        for name, (left, top, right, bottom) in boxes:
            if not (0 <= left < right <= page.width and 0 <= top < bottom <= page.height):
                raise ValueError(
                    f"{name} {left, top, right, bottom} must lie on the reference of {page.width} x {page.height} "
                    "pixels, right over left and bottom over top: rebuild it"
                )
        return self

    @property
    def key(self) -> str:
        """What no two rows may share."""
        return f"case {self.case!r}"
