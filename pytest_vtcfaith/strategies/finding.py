"""The smallest page that a model does not read as printed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import NoSuchExample
from hypothesis.strategies import SearchStrategy

from pytest_vtcfaith.metrics.rewrites import KINDS, WordRewrite
from pytest_vtcfaith.models.protocols import Transcriber
from pytest_vtcfaith.models.registry import resolve
from pytest_vtcfaith.models.spec import ModelSpec
from pytest_vtcfaith.pages.layouts import FAITHC4, layout_named
from pytest_vtcfaith.strategies.minimal import pairs_of, smallest
from pytest_vtcfaith.strategies.reading import Reader
from pytest_vtcfaith.strategies.saving import check_folder, save_case
from pytest_vtcfaith.strategies.written import PerturbedDocument, documents
from pytest_vtcfaith.texts.manifest import ManifestError

if TYPE_CHECKING:
    from pytest_vtcfaith.pages.layouts import Layout

_CLASSES = tuple(kind for kind in KINDS if kind != "verbatim")


@dataclass(frozen=True, slots=True)
class Finding:
    """A page that was not read as printed: the document, what the model wrote, the perturbed words that are to blame,
    the case it was saved as (None: nowhere), how many pages the model was asked, and whether shrinking came to its end
    (False: `max_shrinks` pages were not enough, a smaller page may do).
    """

    document: PerturbedDocument
    read: str
    words: tuple[WordRewrite, ...]
    case: Path | None = None
    pages_read: int = field(default=0, compare=False)
    smallest: bool = True

    def __str__(self) -> str:
        blamed = ", ".join(
            f"{word.page!r} (of {word.original!r}) was {word.kind}: {word.read!r}" for word in self.words
        )
        unfinished = "" if self.smallest else "; a smaller page may do: max_shrinks was reached"
        saved = f"; saved as {self.case}" if self.case else ""
        return f"on the page {self.document.text!r} {blamed}{unfinished}{saved}"


def find_unfaithful(
    model: str | ModelSpec | Transcriber,
    *,
    lang: str = "en",
    kind: str = "scramble",
    pages: SearchStrategy[PerturbedDocument] | None = None,
    classes: Collection[str] = ("rewritten",),
    layout: str | Layout = "faithc4",
    save_to: Path | str | None = None,
    max_examples: int = 50,
    max_shrinks: int = 200,
    max_unmeasured: int = 0,
    seed: int = 0,
) -> Finding | None:
    """Looks for a page that the model does not read as printed, and shrinks it; None when there is none among those
    tried, and they were measured, which proves nothing about others.

    - `model`: a name as `--vtc-model` takes it (registered, an engine, `adapter:identifier`), a ModelSpec, or a loaded
      Transcriber. It is asked as the rewriting suite asks, one page at a time.
    - `pages`: what to print; by default `documents(lang, kind)`.
    - `classes`: what counts as unfaithful, of a perturbed word: `rewritten`, `close`, `moderate`, `missing`, `wrong`
      (definitions §4). A page counts only where the replies to it and to the page of its original are complete.
    - `layout`: how pages are laid out, as `pages.render`; cases are saved for `faithc4` alone.
    - `save_to`: a folder; what is found is saved there as a case (`save_case`).
    - `max_examples`: pages to try before giving up. `seed`: equal seeds try equal pages.
    - `max_shrinks`: pages that the model may be asked for shrinking (`minimal.smallest` says how).
    - `max_unmeasured`: pages that may stay unmeasured, their outcome not being `complete`, where nothing is found.

    Raises ValueError or TypeError for wrong arguments and a language that the model does not declare, ManifestError
    where nothing can be saved, NotInstalled for what this machine lacks, what the model itself raises, and RuntimeError
    when it gives no reply, or when nothing was found but more than `max_unmeasured` pages were not measured.
    """
    least = {"max_examples": (max_examples, 1), "max_shrinks": (max_shrinks, 0), "max_unmeasured": (max_unmeasured, 0)}
    for name, (value, low) in least.items():
        if value < low:
            raise ValueError(f"{name} must be at least {low}, got {value}")
    _check(pages, classes, layout, save_to)
    reader = Reader(_loaded(model, lang if pages is None else None), layout, frozenset(classes))
    drawn = documents(lang, kind) if pages is None else pages
    found = _first(reader, drawn, max_examples, seed)
    if found is None:
        if len(reader.unmeasured) > max_unmeasured:
            raise RuntimeError(
                f"nothing was found, but of {reader.pages_read} pages these were not measured: {reader.not_measured()} "
                f"(max_unmeasured = {max_unmeasured})"
            )
        if not reader.measured:
            raise ValueError("nothing was measured: no page that was read has a perturbed word: give other pages")
        return None
    reader.left = max_shrinks
    if not pairs_of(found):  # it cannot be taken apart into words: its strategy knows what is smaller
        found = _first(reader, drawn, max_examples, seed, shrink=True) or found
    finding = _shrunk(reader, found)
    try:
        return finding if save_to is None else replace(finding, case=save_case(finding.document, save_to))
    except ManifestError as problem:
        raise ManifestError(f"{problem}; what was found: {finding}") from problem


def _first(
    reader: Reader, pages: SearchStrategy[PerturbedDocument], max_examples: int, seed: int, *, shrink: bool = False
) -> PerturbedDocument | None:
    """The first document that is not read as printed; with `shrink` as small as Hypothesis makes it with the pages that
    are left to be asked. The first problem ends the search: a broken model is not asked on.
    """
    problem: Exception | None = None

    def misreads(document: PerturbedDocument) -> bool:
        nonlocal problem
        if problem is not None or not reader.may_ask(document):
            return False
        try:
            if not isinstance(document, PerturbedDocument):
                raise TypeError(f"pages must give PerturbedDocument, as documents() does, it gave {document!r}")
            return bool(reader.to_blame(document))
        except Exception as raised:
            problem = raised
            return False

    rules = settings(
        max_examples=max_examples,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink) if shrink else (Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    try:
        found = find(pages, misreads, settings=rules, random=Random(seed))
    except NoSuchExample:
        found = None
    if problem is not None:
        raise problem
    return found


def _shrunk(reader: Reader, found: PerturbedDocument) -> Finding:
    finding = Finding(document=found, read=reader.read(found), words=reader.to_blame(found))
    refused = False

    def to_blame(document: PerturbedDocument) -> tuple[WordRewrite, ...]:
        nonlocal finding, refused
        if not reader.may_ask(document):
            refused = True
            return ()
        words = reader.to_blame(document)
        if words:
            finding = Finding(document=document, read=reader.read(document), words=words)
        return words

    try:
        document = smallest(found, to_blame)
    except Exception as problem:
        problem.add_note(f"the model failed when a finding was shrunk: {finding}")
        raise
    return Finding(
        document=document,
        read=reader.read(document),
        words=reader.to_blame(document),
        pages_read=reader.pages_read,
        smallest=not refused and bool(pairs_of(document)),
    )


def _check(pages: object, classes: Collection[str], layout: str | Layout, save_to: Path | str | None) -> None:
    if isinstance(classes, str):
        raise ValueError(f"classes must be a list of classes, got the string {classes!r}: give [{classes!r}]")
    wrong = [kind for kind in classes if kind not in _CLASSES]
    if wrong or not classes:
        raise ValueError(f"classes = {list(classes)!r}: {wrong} is none of {', '.join(_CLASSES)}")
    if pages is not None and not isinstance(pages, SearchStrategy):
        raise TypeError(f"pages must be a strategy of PerturbedDocument, as documents() gives, got {pages!r}")
    laid_out = layout_named(layout) if isinstance(layout, str) else layout
    if save_to is not None:
        if laid_out != FAITHC4:
            raise ValueError(
                f"layout {laid_out.name!r} with save_to: a saved case is laid out as {FAITHC4.name!r}, where what was "
                f"found need not show: leave save_to out, or search with layout={FAITHC4.name!r}"
            )
        check_folder(save_to)


def _loaded(model: str | ModelSpec | Transcriber, lang: str | None) -> Transcriber:
    if not isinstance(model, str | ModelSpec):
        if isinstance(model, type):
            raise TypeError(f"model is the class {model.__name__}: give an instance, {model.__name__}(…)")
        if not isinstance(model, Transcriber):
            raise TypeError(
                f"model must be a name, a ModelSpec or an object with transcribe(images, prompt), got {model!r}"
            )
        return model
    spec = resolve(model) if isinstance(model, str) else model
    if lang is not None and spec.languages is not None and lang not in spec.languages:
        raise ValueError(f"model {spec.name!r} does not declare that it reads {lang!r}: choose another lang")
    loaded = spec.load()
    if not isinstance(loaded, Transcriber):
        raise ValueError(f"model {spec.name!r} does not transcribe pages: choose one that does")
    return loaded
