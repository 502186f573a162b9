"""What can be wrong with the texts a user gives."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_SHOWN = 60


class TextsError(ValueError):
    """A source text, a manifest or an option about them is wrong; the message names the file and the mend."""


class MissingExtra(TextsError):
    """A package that only one optional part needs is not installed; the message names the extra."""


def show(value: object) -> str:
    """A value as a message shows it: printable, on one line, at most 61 characters."""
    try:
        shown = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    except (RecursionError, ValueError):  # nested too deeply, or an integer of over 4,300 digits
        shown = f"<{type(value).__name__}>"
    return shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "…"


def is_torn(text: str) -> bool:
    """Whether a text holds half a character, a lone surrogate: no file in UTF-8 can."""
    return any("\ud800" <= character <= "\udfff" for character in text)


def reason(error: OSError) -> str:
    """What the system says of an error, without the file's name."""
    return error.strerror or str(error) or type(error).__name__


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
