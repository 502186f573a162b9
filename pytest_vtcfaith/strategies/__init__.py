"""Hypothesis strategies for tests of your own reading pipeline: words, perturbed words, documents, pages, edits; and
`find_unfaithful`, which shrinks to the smallest page that a model does not read as printed. Needs the extra
`strategies`.
"""

from __future__ import annotations

try:
    import hypothesis  # noqa: F401
except ImportError as problem:
    raise ImportError(
        "pytest_vtcfaith.strategies needs hypothesis: pip install 'pytest-vtcfaith[strategies]'"
    ) from problem

from pytest_vtcfaith.strategies.finding import Finding, find_unfaithful
from pytest_vtcfaith.strategies.pictures import edits, pages
from pytest_vtcfaith.strategies.saving import save_case
from pytest_vtcfaith.strategies.written import (
    PerturbedDocument,
    documents,
    known_words,
    perturbed_words,
    texts,
    words,
)

__all__ = [
    "Finding",
    "PerturbedDocument",
    "documents",
    "edits",
    "find_unfaithful",
    "known_words",
    "pages",
    "perturbed_words",
    "save_case",
    "texts",
    "words",
]
