"""The smallest page that a model does not read as printed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import NoSuchExample

from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.metrics.rewrites import KINDS, WordRewrite, process_rewrites
from pytest_vtcfaith.models.protocols import Transcriber
from pytest_vtcfaith.models.registry import resolve
from pytest_vtcfaith.models.spec import ModelSpec
from pytest_vtcfaith.pages import render
from pytest_vtcfaith.strategies.saving import save_case
from pytest_vtcfaith.strategies.written import PerturbedDocument, documents
from pytest_vtcfaith.suites.prompts import prompt

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


@dataclass(frozen=True, slots=True)
class Finding:
    """A page that was not read as printed: the document, what the model wrote, the perturbed words that are to blame,
    the case it was saved as (None: nowhere), and how many pages the model was asked.
    """

    document: PerturbedDocument
    read: str
    words: tuple[WordRewrite, ...]
    case: Path | None = None
    pages_read: int = field(default=0, compare=False)

    def __str__(self) -> str:
        blamed = ", ".join(
            f"{word.page!r} (of {word.original!r}) was {word.kind}: {word.read!r}" for word in self.words
        )
        saved = f"; saved as {self.case}" if self.case else ""
        return f"on the page {self.document.text!r} {blamed}{saved}"


def find_unfaithful(
    model: str | ModelSpec | Transcriber,
    *,
    lang: str = "en",
    kind: str = "scramble",
    pages: SearchStrategy[PerturbedDocument] | None = None,
    classes: Collection[str] = ("rewritten",),
    layout: str = "faithc4",
    save_to: Path | str | None = None,
    max_examples: int = 50,
    seed: int = 0,
) -> Finding | None:
    """Looks for a page that the model does not read as printed, and shrinks it; None when there is none among those
    tried, which proves nothing about others.

    - `model`: a name as `--vtc-model` takes it (registered, an engine, `adapter:identifier`), a ModelSpec, or a loaded
      Transcriber. It is asked as the rewriting suite asks, one page at a time.
    - `pages`: what to print; by default `documents(lang, kind)`.
    - `classes`: what counts as unfaithful, of a perturbed word: `rewritten`, `close`, `moderate`, `missing`, `wrong`
      (definitions §4).
    - `layout`: how pages are laid out, as `pages.render`.
    - `save_to`: a folder; what is found is saved there as a case (`save_case`).
    - `max_examples`: pages to try before giving up; shrinking asks for more. `seed`: equal seeds try equal pages.

    Raises ValueError for unknown names and a language that the model does not declare, NotInstalled for what this
    machine lacks, and RuntimeError when the model gives no reply: then nothing was measured.
    """
    if unknown := set(classes) - (set(KINDS) - {"verbatim"}) or not classes:
        raise ValueError(f"classes {sorted(classes)!r}: {unknown} is none of {', '.join(KINDS[1:])}")
    reader = _Reader(_loaded(model, lang if pages is None else None), layout, frozenset(classes))
    try:
        smallest = find(
            documents(lang, kind) if pages is None else pages,
            reader.misreads,
            settings=settings(
                max_examples=max_examples,
                database=None,
                deadline=None,
                phases=(Phase.generate, Phase.shrink),
                suppress_health_check=list(HealthCheck),
            ),
            random=Random(seed),
        )
    except NoSuchExample:
        smallest = None
    if reader.problem is not None:
        raise reader.problem
    if smallest is None:
        return None
    return Finding(
        document=smallest,
        read=reader.replies[smallest],
        words=reader.to_blame(smallest),
        case=None if save_to is None else save_case(smallest, save_to),
        pages_read=len(reader.replies),
    )


class _Reader:
    """A model that reads each page once. The first problem ends the search: a broken model is not asked on."""

    def __init__(self, model: Transcriber, layout: str, classes: frozenset[str]) -> None:
        self.model, self.layout, self.classes = model, layout, classes
        self.replies: dict[PerturbedDocument, str] = {}
        self.problem: Exception | None = None

    def misreads(self, document: PerturbedDocument) -> bool:
        if self.problem is not None:
            return False
        try:
            if document not in self.replies:
                self.replies[document] = self._read(document)
            return bool(self.to_blame(document))
        except Exception as problem:
            self.problem = problem
            return False

    def to_blame(self, document: PerturbedDocument) -> tuple[WordRewrite, ...]:
        found = process_rewrites(document.original, document.text, self.replies[document], lang=document.lang)
        return tuple(word for word in found.words if word.kind in self.classes)

    def _read(self, document: PerturbedDocument) -> str:
        page = render(document.text, layout=self.layout, lang=document.lang)
        (reply,) = self.model.transcribe([page.image], prompt("plain", document.lang))
        if isinstance(reply, str):
            reply = Reply(text=reply)
        if reply.error is not None:
            raise RuntimeError(f"the model gave no reply to the page {document.text!r}: {reply.error}")
        return reply.text or ""


def _loaded(model: str | ModelSpec | Transcriber, lang: str | None) -> Transcriber:
    if isinstance(model, Transcriber):
        return model
    spec = resolve(model) if isinstance(model, str) else model
    if lang is not None and spec.languages is not None and lang not in spec.languages:
        raise ValueError(f"model {spec.name!r} does not declare that it reads {lang!r}: choose another lang")
    loaded = spec.load()
    if not isinstance(loaded, Transcriber):
        raise ValueError(f"model {spec.name!r} does not transcribe pages: choose one that does")
    return loaded
