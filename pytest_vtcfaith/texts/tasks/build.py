"""The manifest of the embedded reasoning tasks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pytest_vtcfaith.texts.checks import check_seed
from pytest_vtcfaith.texts.documents import read_documents
from pytest_vtcfaith.texts.errors import TextsError
from pytest_vtcfaith.texts.manifest import VERSION, Draft
from pytest_vtcfaith.texts.tasks.facts import draw_of, fact_tasks
from pytest_vtcfaith.texts.tasks.long_context import long_context_tasks
from pytest_vtcfaith.texts.tasks.mathematics import mathematics_tasks
from pytest_vtcfaith.texts.tasks.rows import SCHEMA, WORDS

GENERATOR = "vtcfaith build tasks"
PASSAGES = 4
FACTS_EACH, LEVEL_EACH = 4, 8
"""Questions of a table of facts, tasks of a level: 40 of each kind."""


def build_tasks(texts: Path, *, seed: int = 0, licence: str = "not stated") -> Draft:
    """The manifest of rendering passages, cut from `texts`, and of 122 tasks: 40 of facts, 42 about passages, 40 of
    mathematics.

    `texts`: a folder of UTF-8 `.txt` files, of which the first four of 512 words or more give a passage of each length;
    `seed` draws the tasks; `licence` is that of the texts. Raises TextsError for a folder without such texts.
    """
    check_seed(seed)
    draws = draw_of(seed)
    rows = [
        *_rendering(texts),
        *fact_tasks(draws, FACTS_EACH),
        *long_context_tasks(draws),
        *mathematics_tasks(draws, LEVEL_EACH),
    ]
    header = {"schema": SCHEMA, "version": VERSION, "seed": seed, "generator": GENERATOR, "licence": licence}
    return Draft(header, rows)


def _rendering(texts: Path) -> Iterator[dict[str, Any]]:
    """Passages of each length: from one document stretches that do not overlap where it is long enough."""
    documents = [found for found in read_documents(texts) if len(found.text.split()) >= max(WORDS)][:PASSAGES]
    if len(documents) < PASSAGES:
        raise TextsError(
            f"{texts}: {len(documents)} texts have {max(WORDS)} words or more, the gate takes {PASSAGES}: add some"
        )
    for document in documents:
        for length in WORDS:
            yield {
                "case": f"rendering-{document.slug}-{length}",
                "document": f"rendering-{document.slug}",
                "lang": "en",
                "kind": "rendering",
                "words": length,
                "text": _first_words(document.text, length),
            }


def _first_words(text: str, count: int) -> str:
    """The first `count` words, paragraphs kept."""
    kept: list[str] = []
    for paragraph in text.split("\n"):
        words = paragraph.split()[:count]
        count -= len(words)
        if words:
            kept.append(" ".join(words))
    return "\n".join(kept)
