"""What a manifest of edits holds: schema `vtcfaith/editing`."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from pytest_vtcfaith.metrics.edit import Operation
from pytest_vtcfaith.pages.edits.design import design_of
from pytest_vtcfaith.texts.rows import Slug, Text, _Header, _Strict

SCHEMA = "vtcfaith/editing"

Side = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]


class EditingHeader(_Header):
    """Header of `vtcfaith/editing`."""

    schema_: Literal["vtcfaith/editing"] = Field(alias="schema")


class PercentBox(_Strict):
    """A box in percent of the page's width and height, as VDE Bench annotates it."""

    x: Side
    y: Side
    width: Annotated[float, Field(gt=0, le=100, allow_inf_nan=False)]
    height: Annotated[float, Field(gt=0, le=100, allow_inf_nan=False)]


class BlockRow(_Strict):
    """What is printed at one place of the reference: its box in pixels, its text and, of a table, the table in HTML."""

    box: Annotated[list[float], Field(min_length=4, max_length=4)]
    text: str
    table: str | None = None


class EditingRow(_Strict):
    """An edit: the page, what is asked, and what the page then shows.

    `source`: the page (`pages.edits.design.plain`); `changes`: what differs from it on the reference
    (`Design.edited`); `boxes`: the regions that the edit may change; `blocks`, `region_blocks`: what the whole
    reference shows, and its regions; `source_text`: what the regions of the source show.
    """

    case: Slug
    document: Slug
    lang: Literal["en", "zh", "mixed"]
    region: Literal["text", "table"]
    operation: Operation
    instruction: Text
    source: dict[str, Any]
    changes: Annotated[dict[str, dict[str, Any]], Field(min_length=1)]
    boxes: Annotated[list[PercentBox], Field(min_length=1)]
    blocks: list[BlockRow]
    region_blocks: list[BlockRow]
    source_text: str

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if not self.case.startswith(f"{self.document}-"):
            raise ValueError(f"case {self.case!r} must begin with {f'{self.document}-'!r}: document-name")
        try:
            design_of(self.source).edited(self.changes)
        except (TypeError, KeyError, ValueError) as error:
            raise ValueError(f"source and changes are no page of this release ({error}): rebuild it") from error
        return self

    @property
    def key(self) -> str:
        """What no two rows may share."""
        return f"case {self.case!r}"
