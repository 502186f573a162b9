"""Natural partners: passages as long as another text, so that both fill pages of one size."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_vtcfaith.metrics.scripts import WHITE_SPACE
from pytest_vtcfaith.texts.documents import Document
from pytest_vtcfaith.texts.errors import TextsError
from pytest_vtcfaith.texts.uniform import TOLERANCE

_TOKEN = re.compile(f"[^{WHITE_SPACE}]+")


def matched_passage(documents: Sequence[Document], characters: int, start: int) -> str:
    """A natural passage of `characters` characters ± 1 %, cut at the end of the word that comes nearest.

    It begins with document number `start` (from 0, modulo their number) and goes on with the following ones (cyclic),
    each at most once, paragraphs kept; characters are code points, spaces and line ends included. Words are what stands
    between white space, so Chinese is only cut where white space is. `characters` is at least 1. Raises TextsError
    with the numbers when the documents are too short or no word ends near enough. Source: definitions §3 `prior_gap`.
    """
    if characters < 1:
        raise TextsError(f"characters {characters} must be at least 1")
    if not documents:
        raise TextsError("there are no documents to take a passage from: give a folder of texts")
    first = start % len(documents)
    text = ""
    for document in [*documents[first:], *documents[:first]]:
        if len(text) > (1 + TOLERANCE) * characters:
            break
        text = f"{text}\n{document.text}".lstrip("\n")
    ends = (word.end() for word in _TOKEN.finditer(text))
    nearest = min(ends, key=lambda end: abs(end - characters), default=0)
    if abs(nearest - characters) <= TOLERANCE * characters:
        return text[:nearest]
    if len(text) < characters:
        raise TextsError(
            f"{len(documents)} documents have {len(text)} characters in all, too few for a passage of {characters} "
            "(± 1 %): give more texts"
        )
    raise TextsError(
        f"{documents[first].path}: no word ends within 1 % of {characters} characters, the nearest after {nearest}: "
        "ask for a longer passage or another start"
    )
