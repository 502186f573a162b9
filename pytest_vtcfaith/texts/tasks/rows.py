"""What a manifest of reasoning tasks holds: schema `vtcfaith/reasoning`."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from pytest_vtcfaith.texts.rows import Slug, Text, _Header, _Strict

SCHEMA = "vtcfaith/reasoning"
WORDS = (64, 128, 256, 512)
"""Lengths of the passages of the rendering gate (Reasoning Fidelity, 1.)."""


class ReasoningHeader(_Header):
    """Header of `vtcfaith/reasoning`."""

    schema_: Literal["vtcfaith/reasoning"] = Field(alias="schema")


class Attribute(_Strict):
    """What is true of some subjects in one respect: the values of each, of all that a subject might have.

    `numeric`: every number is such a value.
    """

    subjects: Annotated[dict[Text, list[Text]], Field(min_length=1)]
    values: list[Text]
    numeric: bool = False

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for subject, values in self.subjects.items():
            if unknown := set(values) - set(self.values):
                raise ValueError(
                    f"subject {subject!r} has {sorted(unknown)[0]!r}, which is not among the values: add it"
                )
        return self


class Option(_Strict):
    """An option of a multiple-choice question."""

    text: Text
    right: bool


class Record(_Strict):
    """What the exact judge knows of a task: facts by attribute, options by letter, the values of unknowns, and numbers
    that a step may use though the question does not name them."""

    facts: dict[Slug, Attribute] = Field(default_factory=dict)
    options: dict[Annotated[str, Field(pattern="^[A-Z]$")], Option] = Field(default_factory=dict)
    unknowns: dict[Annotated[str, Field(pattern="^[a-z]$")], list[Annotated[str, Field(pattern=r"^-?\d+(/\d+)?$")]]] = (
        Field(default_factory=dict)
    )
    constants: list[Annotated[str, Field(pattern=r"^\d+(/\d+)?$")]] = Field(default_factory=list)


class Step(_Strict):
    """A step of the solution, and what in it can be checked: `relations` as they stand in the text, and `facts`, each
    attribute, subject, value."""

    text: Text
    relations: list[Text] = Field(default_factory=list)
    facts: list[Annotated[list[Text], Field(min_length=3, max_length=3)]] = Field(default_factory=list)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for relation in self.relations:
            if relation not in self.text:
                raise ValueError(f"relation {relation!r} does not stand in the step's text: copy it from there")
        return self


class Answer(_Strict):
    """The right answer; `choices` are the names that could be meant (kind `name`)."""

    kind: Literal["choice", "number", "name", "free"]
    text: Text
    choices: list[Text] = Field(default_factory=list)


class ReasoningRow(_Strict):
    """A passage to be drawn (`kind` `rendering`, with `words` and `text`), or a task with its solution.

    `skill` says what a task asks for; `level` is the level of a mathematical one; `context` is the passage that a
    question is about. Published tasks have no `steps`: what they bring is not checked step by step.
    """

    case: Slug
    document: Slug
    lang: Literal["en"]
    kind: Literal["rendering", "facts", "long-context", "mathematics"]
    words: Literal[64, 128, 256, 512] | None = None
    text: Text | None = None
    skill: Slug | None = None
    level: Literal[1, 2, 3, 4, 5] | None = None
    context: Text | None = None
    question: Text | None = None
    answer: Answer | None = None
    steps: list[Step] = Field(default_factory=list)
    record: Record = Field(default_factory=Record)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.kind == "rendering":
            if self.words is None or self.text is None:
                raise ValueError("a row of kind 'rendering' needs words and text: add them")
            if len(self.text.split()) != self.words:
                raise ValueError(f"text has {len(self.text.split())} words, not {self.words}: cut it")
            return self
        if self.question is None or self.answer is None:
            raise ValueError(f"a row of kind {self.kind!r} needs question and answer: add them")
        if (self.kind == "mathematics") != (self.level is not None):
            raise ValueError(
                f"level = {self.level!r} in a row of kind {self.kind!r}: only mathematics has a level, 1 to 5"
            )
        if self.answer.kind == "choice":
            right = [letter for letter, option in self.record.options.items() if option.right]
            if right != [self.answer.text]:
                raise ValueError(f"answer {self.answer.text!r} must be the only option that is right: {right}")
        for number, step in enumerate(self.steps, 1):
            for attribute, subject, value in step.facts:
                known = self.record.facts.get(attribute)
                if known is None or value not in known.subjects.get(subject, ()):
                    raise ValueError(
                        f"step {number}: the record lacks the fact {attribute}, {subject}, {value}: add it"
                    )
        return self

    @property
    def key(self) -> str:
        """What no two rows may share."""
        return f"case {self.case!r}"
