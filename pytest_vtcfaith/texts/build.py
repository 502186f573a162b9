"""Manifests made of a folder of text files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from pytest_vtcfaith.texts.checks import check_ratio, check_share
from pytest_vtcfaith.texts.controls import FORMS, control, is_control
from pytest_vtcfaith.texts.documents import Document, read_documents, survives
from pytest_vtcfaith.texts.errors import TextsError, show
from pytest_vtcfaith.texts.fitted import passages, supported_lengths
from pytest_vtcfaith.texts.manifest import VERSION, Draft
from pytest_vtcfaith.texts.perturb import KINDS, document_words, perturb
from pytest_vtcfaith.texts.rows import layout_in
from pytest_vtcfaith.texts.scripts import check_lang
from pytest_vtcfaith.texts.tokenizers import count_tokens
from pytest_vtcfaith.texts.uniform import fitted_text, uniform_text, vocabulary

GENERATOR = "vtcfaith build"
LAYOUTS = ("glyph",)
RATIOS = (2.5, 5.0, 7.5, 10.0, 12.5, 15.0, 17.5)
SOURCES = ("natural", "uniform")
"""What a manifest has unless sources are named; the controls are the others."""


def derived_seed(seed: int, document: str, condition: str) -> int:
    """The seed of one document under one condition: 64 bits of the SHA-256 of `seed:document:condition`."""
    return int.from_bytes(hashlib.sha256(f"{seed}:{document}:{condition}".encode()).digest()[:8], "big")


def _bom_notes(documents: Iterable[Document]) -> tuple[str, ...]:
    return tuple(f"{document.path}: a byte order mark was dropped" for document in documents if document.had_bom)


def build_rewriting(
    texts: Path,
    lang: str,
    *,
    seed: int = 0,
    rate: float = 0.08,
    visual_rate: float = 1.0,
    licence: str,
    match: Sequence[str] = (),
) -> Draft:
    """The rewriting manifest of the `.txt` files of a folder: each original and its perturbed conditions.

    `texts`, `match`: as `read_documents`; `rate`, `visual_rate`: as `perturb`, which is given the words of all these
    texts as its lexicon; `licence`: of the texts. Chinese has no scramble. Raises TextsError naming the file that is
    wrong or allows no perturbation.
    """
    check_lang(lang)
    check_share("rate", rate)
    check_share("visual_rate", visual_rate)
    documents = read_documents(texts, match)
    lexicon = set() if lang == "zh" else set().union(*(document_words(document.text) for document in documents))
    rows = []
    for document in documents:
        name = f"{lang}-{document.slug}"
        for condition in ("original", *KINDS):
            if condition == "scramble" and lang == "zh":
                continue
            text = document.text
            if condition != "original":
                text = perturb(
                    document.text,
                    condition,
                    lang=lang,
                    rate=rate,
                    seed=derived_seed(seed, name, condition),
                    visual_rate=visual_rate,
                    lexicon=lexicon,
                )
                if text == document.text:
                    raise TextsError(
                        f"{document.path}: no word of it can be perturbed ({condition}, {lang}): it needs words of "
                        "4 or more letters of that language; give a longer text or remove the file"
                    )
            rows.append(
                {
                    "case": f"{name}-{condition}",
                    "document": name,
                    "lang": lang,
                    "condition": condition,
                    "original": document.text,
                    "text": text,
                }
            )
    header = {
        "schema": "vtcfaith/rewriting",
        "version": VERSION,
        "seed": seed,
        "generator": GENERATOR,
        "licence": licence,
        "rate": rate,
        "visual_rate": visual_rate,
    }
    return Draft(header, rows, _bom_notes(documents))


def build_preservation(
    texts: Path,
    lang: str,
    *,
    seed: int = 0,
    ratios: Sequence[float] = RATIOS,
    tokenizer: str = "deepseek",
    sources: Sequence[str] = SOURCES,
    layouts: Sequence[str] = LAYOUTS,
    folder: Path = Path(),
    on_request: Sequence[str] = (),
    licence: str,
    match: Sequence[str] = (),
    fit: str | None = None,
    lengths: Sequence[int] = (),
) -> Draft:
    """The preservation manifest of the `.txt` files of a folder.

    `sources`: `natural` (the texts themselves), `uniform` (for each a text as long, ± 1 % of its characters, drawn
    uniformly from the words of all these texts; under the same document id) and the controls of `texts.controls`.
    `layouts`: names that `pages.layouts.layout_named` knows, or `template:FILE[#PAGE]` with FILE relative to `folder`,
    where the manifest will lie. `on_request`: patterns over `layout/ratio/source` (`rows.case_name`) of the cases that
    only run when asked for. `ratios`: text tokens a visual token, from 0.1 to 1000. `texts`, `match`: as
    `read_documents`; `tokenizer`: as `count_tokens`; `licence`: of the texts. Each text that is drawn has a seed of
    its own, `derived_seed(seed, document, source)`.

    `fit` names a visual-token family: the natural texts are then `passages` that begin with the matched documents and
    may go on with any of the folder, of about `lengths` tokens in turn, and both texts have lengths that this family
    can compress to every ratio. Raises TextsError naming what is wrong.
    """
    check_lang(lang)
    for ratio in ratios:
        check_ratio("ratio", ratio)
    unknown = [source for source in sources if source not in SOURCES and not is_control(source)]
    if unknown or not sources:
        shown = show(unknown[0] if unknown else "")
        raise TextsError(f"source {shown} is unknown: choose from {', '.join(SOURCES)}, {FORMS}")
    check_layouts(layouts, folder)
    if (fit is None) != (not lengths):
        raise TextsError("fit and length need each other: give a visual-token family and lengths in tokens, or neither")
    documents = read_documents(texts, match)
    uniform, notes = uniform_text, _bom_notes(documents)
    natural = [document.text for document in documents]
    if fit is not None:
        every = read_documents(texts)
        count = partial(count_tokens, tokenizer=tokenizer)
        supported = supported_lengths(fit, [layout_in(folder, layout) for layout in layouts], ratios)
        natural = passages(documents, every, lengths, lang=lang, count=count, supported=supported)
        uniform, notes = partial(fitted_text, count=count, supported=supported), _bom_notes(every)
    words = vocabulary(natural, lang)
    rows = []
    for document, passage in zip(documents, natural, strict=True):
        name = f"{lang}-{document.slug}"
        for source in sources:
            text, own_seed = passage, derived_seed(seed, name, source)
            try:
                if source == "uniform":
                    text = uniform(words, len(passage), lang=lang, seed=own_seed)
                elif source != "natural":
                    text = control(passage, source, lang=lang, seed=own_seed)
            except TextsError as error:
                raise TextsError(f"{document.path}: {error}") from None
            if is_control(source) and not survives(passage, text, lang):
                raise TextsError(f"{document.path}: {source} leaves it as it is: give a longer text or remove the file")
            rows.append(
                {
                    "document": name,
                    "lang": lang,
                    "source": source,
                    "text": text,
                    "n_text": count_tokens(text, tokenizer),
                }
            )
    header = preservation_header(
        seed=seed,
        generator=GENERATOR,
        licence=licence,
        layouts=layouts,
        ratios=ratios,
        tokenizer=tokenizer,
        on_request=on_request,
    )
    return Draft(header, rows, notes)


def check_layouts(layouts: Sequence[str], folder: Path) -> None:
    """Raises TextsError for a layout that is unknown, or whose template file, relative to `folder`, is wrong."""
    from pytest_vtcfaith.pages.layouts import layout_named

    for layout in layouts:
        try:
            layout_named(layout_in(folder, layout))
        except ValueError as error:
            raise TextsError(str(error)) from None


def preservation_header(
    *,
    seed: int | None,
    generator: str,
    licence: str,
    layouts: Sequence[str] = LAYOUTS,
    ratios: Sequence[float],
    tokenizer: str,
    on_request: Sequence[str] = (),
) -> dict[str, object]:
    """The header of a preservation manifest without its hash; arguments as `build_preservation`.

    `on_request` is left away where it is empty.
    """
    header: dict[str, object] = {
        "schema": "vtcfaith/preservation",
        "version": VERSION,
        "seed": seed,
        "generator": generator,
        "licence": licence,
        "layouts": list(layouts),
        "ratios": [float(ratio) for ratio in ratios],
        "tokenizer": tokenizer,
    }
    return header | {"on_request": list(on_request)} if on_request else header


def merge(drafts: Sequence[Draft]) -> Draft:
    """One draft of several that differ in language only. `drafts` is not empty; the first header is kept."""
    return Draft(
        drafts[0].header,
        [row for draft in drafts for row in draft.rows],
        tuple(note for draft in drafts for note in draft.notes),
    )
