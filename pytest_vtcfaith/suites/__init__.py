"""What is measured: one suite per paper, found by name, imported when first asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from pytest_vtcfaith.suites.case import Case

if TYPE_CHECKING:
    from pytest_vtcfaith.suites.base import Suite

_MODULES = {
    "compression": "pytest_vtcfaith.suites.compression",
    "editing": "pytest_vtcfaith.suites.editing",
    "preservation": "pytest_vtcfaith.suites.preservation",
    "reasoning": "pytest_vtcfaith.suites.reasoning",
    "rewriting": "pytest_vtcfaith.suites.rewriting",
}


def suite_names() -> tuple[str, ...]:
    """Names of all suites, sorted."""
    return tuple(sorted(_MODULES))


def load_suite(name: str) -> Suite:
    """The suite of that name; raises KeyError for a name that `suite_names` does not list."""
    suite: Suite = import_module(_MODULES[name]).SUITE
    return suite


__all__ = ["Case", "load_suite", "suite_names"]
