"""What a manifest of questions holds: schema `vtcfaith/compression`."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from pytest_vtcfaith.metrics.answers import AnswerKey, AnswerKind
from pytest_vtcfaith.pages.edits.design import design_of
from pytest_vtcfaith.texts.rows import Slug, Text, _distinct, _Header, _Strict

SCHEMA = "vtcfaith/compression"
LEAST_FACTOR, MOST_FACTOR = 2, 20


def _inside(name: str) -> bool:
    windows, path = PureWindowsPath(name), PurePosixPath(name)
    return not ("\\" in name or windows.drive or path.is_absolute() or ".." in path.parts)


class CompressionHeader(_Header):
    """Header of `vtcfaith/compression`: by which factors both sides of a picture are reduced, and how."""

    schema_: Literal["vtcfaith/compression"] = Field(alias="schema")
    factors: Annotated[
        list[Annotated[int, Field(ge=LEAST_FACTOR, le=MOST_FACTOR)]],
        Field(min_length=1),
        AfterValidator(_distinct),
    ]
    resampler: Literal["bicubic"]


class QuestionRow(_Strict):
    """A question about a page: its `name` (unique on the page), the `task` it sets, what is asked, and the answer key.

    `kind`, `answers`, `options`, `tolerance`: as in `metrics.answers.AnswerKey`.
    """

    name: Slug
    task: Slug
    question: Text
    kind: AnswerKind
    answers: list[Text]
    options: list[Text] = Field(default_factory=list)
    tolerance: float = 0.0

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.task in ("difficult", "simple"):
            raise ValueError(f"task {self.task!r} is the name of a group: name it otherwise")
        self.key()
        return self

    def key(self) -> AnswerKey:
        """The answer key. Raises ValueError for one that is none."""
        return AnswerKey(self.kind, tuple(self.answers), tuple(self.options), self.tolerance)


class CompressionRow(_Strict):
    """A page with the questions about it.

    `page`: the page (`pages.edits.design.plain`), drawn when it is asked about; or `picture`: the path of a picture
    file beside the manifest, with `picture_sha256` of its bytes. A row with neither can only be replayed.
    """

    document: Slug
    lang: Literal["en", "zh", "ko", "mixed"]
    page: dict[str, Any] | None = None
    picture: str | None = None
    picture_sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    questions: Annotated[list[QuestionRow], Field(min_length=1)]

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        names = [question.name for question in self.questions]
        if len(set(names)) < len(names):
            raise ValueError(f"questions: {names} must have different names")
        if self.page is not None and self.picture is not None:
            raise ValueError("page and picture exclude each other: remove one")
        if self.picture is not None and not _inside(self.picture):
            raise ValueError(f"picture {self.picture!r} must lie inside the manifest's folder (with /, without ..)")
        if (self.picture is None) != (self.picture_sha256 is None):
            raise ValueError("picture and picture_sha256 belong together: add the other")
        if self.page is not None:
            try:
                design_of(self.page)
            except (TypeError, KeyError, ValueError) as error:
                raise ValueError(f"page is no page of this release ({error}): rebuild it") from error
        return self

    @property
    def key(self) -> str:
        """What no two rows may share."""
        return f"document {self.document!r}"
