"""What a manifest's header and rows hold, by schema."""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from pytest_vtcfaith.texts.characters import fault
from pytest_vtcfaith.texts.checks import LEAST_RATIO, MOST_RATIO
from pytest_vtcfaith.texts.documents import survives
from pytest_vtcfaith.texts.uniform import TOLERANCE

_SLUG = re.compile(r"[a-z0-9][a-z0-9-]*")


def _slug(value: str) -> str:
    if not _SLUG.fullmatch(value):
        raise ValueError("must be an ASCII slug [a-z0-9][a-z0-9-]*")
    return value


def _visible(value: str) -> str:
    if problem := fault(value):
        raise ValueError(problem)
    return value


def _distinct(values: list[str] | list[float]) -> list[str] | list[float]:
    if len(set(values)) < len(values):
        raise ValueError("must not name one value twice")
    return values


Slug = Annotated[str, AfterValidator(_slug)]
Text = Annotated[str, AfterValidator(_visible)]
Lang = Literal["en", "zh", "ko"]
Share = Annotated[float, Field(gt=0, le=1)]
Ratio = Annotated[float, Field(ge=LEAST_RATIO, le=MOST_RATIO, allow_inf_nan=False)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Header(_Strict):
    version: Literal[1]
    seed: int | None
    generator: Text
    licence: Text
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class RewritingHeader(_Header):
    """Header of `vtcfaith/rewriting`; `seed`, `rate`, `visual_rate` are null where nothing was drawn from a seed."""

    schema_: Literal["vtcfaith/rewriting"] = Field(alias="schema")
    rate: Share | None
    visual_rate: Share | None


class PreservationHeader(_Header):
    """Header of `vtcfaith/preservation`: page layouts, compression ratios and the tokenizer that counted `n_text`."""

    schema_: Literal["vtcfaith/preservation"] = Field(alias="schema")
    layouts: Annotated[list[Slug], Field(min_length=1), AfterValidator(_distinct)]
    ratios: Annotated[list[Ratio], Field(min_length=1), AfterValidator(_distinct)]
    tokenizer: Text


class RewritingRow(_Strict):
    """A document under one condition: `text` is on the page, `original` is what a rewriting model makes of it."""

    case: Slug
    document: Slug
    lang: Lang
    condition: Literal["original", "scramble", "random", "visual"]
    original: Text
    text: Text

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.case != f"{self.document}-{self.condition}":
            raise ValueError(f"case {self.case!r} must be {f'{self.document}-{self.condition}'!r}: document-condition")
        if self.condition == "scramble" and self.lang == "zh":
            raise ValueError("condition 'scramble' is not defined for lang 'zh': drop the row")
        if self.condition == "original":
            if self.text != self.original:
                raise ValueError("text must equal original under condition 'original': copy it")
        elif not survives(self.original, self.text, self.lang):
            raise ValueError(f"text equals original after normalising, in condition {self.condition!r}: perturb a word")
        return self

    @property
    def key(self) -> str:
        """What no two rows may share."""
        return f"case {self.case!r}"


class PreservationRow(_Strict):
    """A text to be compressed; rows of one document (natural, uniform, …) are put on the same page size."""

    document: Slug
    lang: Lang
    source: Slug
    text: Text
    n_text: Annotated[int, Field(ge=1)]

    @property
    def key(self) -> str:
        """What no two rows may share."""
        return f"document {self.document!r} with source {self.source!r}"


Row = RewritingRow | PreservationRow

SCHEMAS: dict[str, tuple[type[RewritingHeader] | type[PreservationHeader], type[Row]]] = {
    "vtcfaith/rewriting": (RewritingHeader, RewritingRow),
    "vtcfaith/preservation": (PreservationHeader, PreservationRow),
}


def conflict(row: Row, other: Row) -> str:
    """Why two rows of one document cannot stand in one manifest; "" when they can."""
    if row.lang != other.lang:
        return f"lang {row.lang!r} differs from {other.lang!r}"
    if isinstance(row, RewritingRow) and isinstance(other, RewritingRow) and row.original != other.original:
        return "original differs"
    if isinstance(row, PreservationRow) and isinstance(other, PreservationRow):
        pair = {row.source: len(row.text), other.source: len(other.text)}
        natural = pair.get("natural", 0)
        if "uniform" in pair and abs(pair["uniform"] - natural) > TOLERANCE * natural > 0:
            return f"text of {pair['uniform']} characters is not within 1 % of the natural text's {natural}"
    return ""
