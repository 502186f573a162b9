"""What can be wrong with the texts a user gives."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class TextsError(ValueError):
    """A source text, a manifest or an option about them is wrong; the message names the file and the mend."""


class MissingExtra(TextsError):
    """A package that only one optional part needs is not installed; the message names the extra."""


def import_extra(module: str, extra: str) -> Any:
    """Imports an optional package.

    `module` is the module's name, `extra` the extra of pytest-vtcfaith that brings it. Raises MissingExtra.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtra(
            f"the package {module.replace('_', '-')} is missing: pip install 'pytest-vtcfaith[{extra}]'"
        ) from error
