"""One case of a benchmark, and what was found for it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_vtcfaith.metrics.outcomes import FAILURES


@dataclass(frozen=True, slots=True)
class Case:
    """A sample under one condition; one case is one test.

    `id` is an ASCII slug, unique in its suite, without brackets. `tier` is `suite/…`; `parts` are finer tiers, each a
    part of `tier` (`tier/bucket`), that the case belongs to as well. `document` is the cluster of the statistics.
    `reference` is the text of the page. `file` and `line` (from 1) say where the manifest has it. `params` holds what
    only the suite understands (condition, original, ratio, …). A case `on_request` runs only when its tier or renderer
    is asked for.
    """

    id: str
    suite: str
    tier: str
    document: str
    lang: str
    reference: str
    file: Path
    line: int
    params: Mapping[str, Any] = field(default_factory=dict)
    parts: tuple[str, ...] = ()
    on_request: bool = False

    @property
    def tiers(self) -> tuple[str, ...]:
        """The pooled tier, then the finer ones."""
        return (self.tier, *self.parts)

    @property
    def reference_sha256(self) -> str:
        """SHA-256 of the page's text in UTF-8."""
        return hashlib.sha256(self.reference.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def fingerprint(self) -> str:
        """SHA-256 over everything that defines the case: two runs may be compared only where it is equal."""
        parts = (self.id, self.tier, self.document, self.lang, self.reference, repr(sorted(self.params.items())))
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class CaseScore:
    """What was found for one case with one model.

    `outcome` is one of `metrics.outcomes.OUTCOMES`, or "" when the case is declared inapplicable to the model;
    `reason` says why a case is inapplicable or was not measured. `metrics` holds plain numbers only.
    """

    case: Case
    model: str
    outcome: str
    metrics: Mapping[str, float | int | None] = field(default_factory=dict)
    reason: str = ""

    @property
    def inapplicable(self) -> bool:
        """Declared outside what the model can do: leaves every denominator (definitions §1)."""
        return not self.outcome

    @property
    def measured(self) -> bool:
        """The model did answer, well or badly; an infrastructure error is no measurement."""
        return bool(self.outcome) and self.outcome != "infrastructure_error"

    @property
    def failed(self) -> bool:
        """The model answered with one of the failure classes."""
        return self.measured and self.outcome in FAILURES

    @property
    def complete(self) -> bool:
        """The model gave a transcript that can be scored."""
        return self.outcome == "complete"
