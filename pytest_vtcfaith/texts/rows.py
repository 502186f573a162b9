"""What a manifest's header and rows hold, by schema."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import PurePath, PurePosixPath
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

from pytest_vtcfaith.texts.characters import fault
from pytest_vtcfaith.texts.checks import LEAST_RATIO, MOST_RATIO
from pytest_vtcfaith.texts.documents import slug, survives
from pytest_vtcfaith.texts.uniform import TOLERANCE

MATCHED = "natural-at-"
"""A source `natural-at-SOURCE` is a natural text to be put on a page of the size of its partner's, `SOURCE`."""
TEMPLATE = "template:"
"""A layout `template:FILE` or `template:FILE#PAGE` is read from that file; its path is relative to the manifest's
folder."""

_SLUG = re.compile(r"[a-z0-9][a-z0-9-]*")


def _slug(value: str) -> str:
    if not _SLUG.fullmatch(value):
        raise ValueError("must be an ASCII slug [a-z0-9][a-z0-9-]*")
    return value


def _source(value: str) -> str:
    partner = value.removeprefix(MATCHED)
    if partner != value and (partner in ("", "natural") or partner.startswith(MATCHED)):
        raise ValueError(f"must name, after {MATCHED!r}, a source that is not natural itself, as in natural-at-uniform")
    return value


def _layout(value: str) -> str:
    if value.startswith(TEMPLATE):
        if not PurePosixPath(template_file(value)[0]).stem:
            raise ValueError("must be template:FILE or template:FILE#PAGE, with the path of a file beside the manifest")
        return value
    if not _SLUG.fullmatch(value):
        raise ValueError("must be an ASCII slug [a-z0-9][a-z0-9-]*, or template:FILE")
    return value


def _distinct_layouts(values: list[str]) -> list[str]:
    if len(set(map(layout_slug, values))) < len(values):
        raise ValueError("must not name one layout, or two templates of one slug, twice: remove or rename one")
    return values


def _visible(value: str) -> str:
    if problem := fault(value):
        raise ValueError(problem)
    return value


def _distinct(values: list[Any]) -> list[Any]:
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
    """Header of `vtcfaith/preservation`: page layouts, compression ratios and the tokenizer that counted `n_text`.

    `on_request`: patterns (`fnmatch`, case kept) over `case_name`; the cases they match only run when a tier or a
    renderer is asked for.
    """

    schema_: Literal["vtcfaith/preservation"] = Field(alias="schema")
    layouts: Annotated[list[Annotated[str, AfterValidator(_layout)]], Field(min_length=1)]
    ratios: Annotated[list[Ratio], Field(min_length=1), AfterValidator(_distinct)]
    tokenizer: Text
    on_request: Annotated[list[Annotated[str, Field(min_length=1)]], AfterValidator(_distinct)] = []

    _layouts_differ = field_validator("layouts")(_distinct_layouts)


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
    """A text to be compressed; rows of one document (natural, uniform, …) belong together.

    `record` tells how the text was made; nothing reads it.
    """

    document: Slug
    lang: Lang
    source: Annotated[Slug, AfterValidator(_source)]
    text: Text
    n_text: Annotated[int, Field(ge=1, le=1_000_000_000)]
    record: dict[str, Any] = {}

    @property
    def key(self) -> str:
        """What no two rows may share."""
        return f"document {self.document!r} with source {self.source!r}"


Row = RewritingRow | PreservationRow

SCHEMAS: dict[str, tuple[type[RewritingHeader] | type[PreservationHeader], type[Row]]] = {
    "vtcfaith/rewriting": (RewritingHeader, RewritingRow),
    "vtcfaith/preservation": (PreservationHeader, PreservationRow),
}


def layout_slug(layout: str) -> str:
    """A header's layout as tiers and case ids have it: its name, or `template-STEM` or `template-STEM-PAGE`.

    STEM is the name of a template's file without its last suffix; it and the page are made a slug by `documents.slug`.
    """
    if not layout.startswith(TEMPLATE):
        return layout
    file, page = template_file(layout)
    return f"template-{slug('-'.join(filter(None, (PurePosixPath(file).stem, page))))}"


def template_file(layout: str) -> tuple[str, str]:
    """File and page of a template layout; the page is empty where none is named."""
    file, _, page = layout.removeprefix(TEMPLATE).partition("#")
    return file, page


def layout_in(folder: PurePath, layout: str) -> str:
    """A header's layout as `pages.layouts.layout_named` takes it: a template's file is found from `folder`."""
    return TEMPLATE + str(folder / layout.removeprefix(TEMPLATE)) if layout.startswith(TEMPLATE) else layout


def case_name(layout: str, ratio: float, source: str) -> str:
    """What `on_request` is matched with: `layout/ratio/source`, as in `glyph/7.5x/zerosense`, in every language."""
    return f"{layout_slug(layout)}/{ratio:g}x/{source}"


def unmatched(header: Mapping[str, Any], documents: Iterable[set[str]]) -> str | None:
    """The first pattern of a preservation header's `on_request` that matches no case; None when there is none.

    `documents`: the sources of each document's rows. Beside every source of a document that has a natural text there is
    also the natural text at its size, `natural-at-SOURCE`.
    """
    names: set[str] = set()
    for sources in documents:
        names |= sources
        if "natural" in sources:
            names |= {MATCHED + other for other in sources if other != "natural" and not other.startswith(MATCHED)}
    cases = [
        case_name(layout, ratio, source)
        for layout in header["layouts"]
        for ratio in header["ratios"]
        for source in sorted(names)
    ]
    for pattern in header.get("on_request", ()):
        if not any(fnmatchcase(case, pattern) for case in cases):
            return str(pattern)
    return None


def conflict(row: Row, other: Row) -> str:
    """Why two rows of one document cannot stand in one manifest; "" when they can."""
    if row.lang != other.lang:
        return f"lang {row.lang!r} differs from {other.lang!r}"
    if isinstance(row, RewritingRow) and isinstance(other, RewritingRow) and row.original != other.original:
        return "original differs"
    if isinstance(row, PreservationRow) and isinstance(other, PreservationRow):
        pair = {row.source: len(row.text), other.source: len(other.text)}
        natural = pair.get("natural", 0)
        for source, length in pair.items():
            partner = pair.get(source.removeprefix(MATCHED), 0) if source.startswith(MATCHED) else 0
            if partner and abs(length - partner) > TOLERANCE * partner:
                shown = source.removeprefix(MATCHED)
                return f"{source!r} text of {length} characters is not within 1 % of the {partner} of {shown!r}"
        if "uniform" in pair and abs(pair["uniform"] - natural) > TOLERANCE * natural > 0:
            return f"text of {pair['uniform']} characters is not within 1 % of the natural text's {natural}"
    return ""
