"""Ids that stand for one case each."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_vtcfaith.suites.case import Case
from pytest_vtcfaith.texts.manifest import ManifestError


def check_unique(cases: Iterable[Case]) -> None:
    """Raises ManifestError, naming file and line of both, when two of the cases have one id."""
    seen: dict[str, Case] = {}
    for case in cases:
        other = seen.setdefault(case.id, case)
        if other is not case:
            raise ManifestError(
                f"{case.file}:{case.line}: case {case.id!r} is also in {other.file}:{other.line}: "
                "give one another id, or remove one of the manifests"
            )
