"""From kept sequences to a preservation manifest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.texts.build import SOURCES
from pytest_vtcfaith.texts.documents import Document
from pytest_vtcfaith.texts.errors import TextsError, show
from pytest_vtcfaith.texts.manifest import Draft, manifest_bytes
from pytest_vtcfaith.texts.partners import matched_passage
from pytest_vtcfaith.texts.rows import MATCHED
from pytest_vtcfaith.texts.tokenizers import count_tokens
from pytest_vtcfaith.texts.zerosense.attempts import Attempt
from pytest_vtcfaith.texts.zerosense.lengths import split

if TYPE_CHECKING:
    from pytest_vtcfaith.models.protocols import Tokenizer

GENERATOR = "vtcfaith build zerosense"
_CONTROLS = ("swap-", "shuffle-", "word-")


def draft(
    kept: Sequence[Attempt],
    parameters: Mapping[str, Any],
    tokenizers: Sequence[Tokenizer],
    *,
    header: Mapping[str, object],
    prefix: str = "zs",
    source: str = "zerosense",
    natural: Sequence[Document] = (),
    natural_count: int = 0,
) -> Draft:
    """The manifest of kept sequences, each a document `PREFIX-LENGTH-NUMBER` of language en.

    `parameters` are those of the construction (`construct.parameters`); `tokenizers` give the lengths in tokens that
    the record of each row holds; `header` is that of `preservation_header`, whose tokenizer counts `n_text`. The first
    `natural_count` documents, as many of each length as its share of all, also get a natural text of as many
    characters (± 1 %) from the documents `natural`, as source `natural-at-SOURCE`. Raises TextsError when these are
    too short, or fewer than `natural_count` sequences are there.
    """
    counter = str(header["tokenizer"])
    numbers: Counter[int] = Counter()
    if natural_count > len(kept):
        raise TextsError(f"natural-count {natural_count} is over the {len(kept)} sequences: ask for fewer")
    paired = split(natural_count, Counter(one.length for one in kept)) if natural_count else {}
    rows: list[dict[str, Any]] = []
    partners = 0
    for one in kept:
        numbers[one.length] += 1
        document = f"{prefix}-{one.length}-{numbers[one.length]:03d}"
        texts = [(source, one.text, record(one, parameters, tokenizers))]
        if numbers[one.length] <= paired.get(one.length, 0):
            texts.append((f"natural-at-{source}", matched_passage(natural, len(one.text), partners), {}))
            partners += 1
        rows += [
            {
                "document": document,
                "lang": "en",
                "source": name,
                "text": text,
                "n_text": count_tokens(text, counter),
                **({"record": told} if told else {}),
            }
            for name, text, told in texts
        ]
    return Draft(dict(header), rows)


def check_draft(
    path: Path, header: Mapping[str, object], lengths: Iterable[int], prefix: str, source: str, *, paired: bool
) -> None:
    """Checks what a manifest at `path` will hold beside its texts, before these are made.

    `lengths` are those of the sequences, `paired` says whether some get a natural text; the rest is as in `draft`.
    Raises ManifestError for what `draft` would be refused for, TextsError for the name of another
    source (`check_source`) and an unknown tokenizer.
    """
    check_source(source)
    sources = (source, f"natural-at-{source}") if paired else (source,)
    number = count_tokens("word", str(header["tokenizer"]))
    rows = [
        {"document": f"{prefix}-{length}-001", "lang": "en", "source": name, "text": "word", "n_text": number}
        for length in lengths
        for name in sources
    ]
    manifest_bytes(path, header, rows)


def check_source(source: str) -> None:
    """Raises TextsError for the name of another source: these texts would be taken for natural ones or a control."""
    if source in SOURCES or source.startswith((MATCHED, *_CONTROLS)):
        raise TextsError(
            f"source {show(source)} is the name of other texts ({', '.join(SOURCES)}, {MATCHED}…, "
            f"{', '.join(f'{name}…' for name in _CONTROLS)}): take another, as in zerosense-1e-4"
        )


def record(one: Attempt, parameters: Mapping[str, Any], tokenizers: Sequence[Tokenizer]) -> dict[str, Any]:
    """How a sequence was made: the parameters of the construction, its attempt, and what every model says of it."""
    models = zip(parameters["validators"], one.validators, strict=True)
    return {
        **parameters,
        "attempt": one.number,
        "words": one.length,
        "candidates": {"least": one.least_candidates, "mean": round(one.mean_candidates, 1)},
        "generator": {**parameters["generator"], **asdict(one.generator)},
        "validators": [{**model, **asdict(found)} for model, found in models],
        "tokens": {tokenizer.name: len(tokenizer.encode(one.text)) for tokenizer in tokenizers},
    }
