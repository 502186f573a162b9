"""What crosses from worker to controller: what xdist cannot carry would end the worker, and could end the run green."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import warnings

INT_MIN = -(2**31)
"""execnet packs what is below into four bytes, and raises; it carries large positive numbers."""
DEPTH = 40
"""Deeper nesting is shown as text: pytest's own reports nest about ten deep, a list that holds itself without end."""


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable() -> Generator[None, Any, Any]:
    """Makes plain whatever a test recorded or said."""
    return plain((yield))


@pytest.hookimpl(tryfirst=True)
def pytest_warning_recorded(warning_message: warnings.WarningMessage) -> None:
    """A warning's text goes the same way."""
    from execnet import dumps

    said = warning_message.message
    try:
        dumps((str(said), getattr(said, "args", ())))  # what xdist carries of it
    except Exception:
        warning_message.message = UserWarning(plain(str(said)))


def plain(value: Any, depth: int = DEPTH) -> Any:
    """The value as None, bool, int, float, bytes, str without lone surrogates, or lists and dicts of such."""
    if isinstance(value, str):
        if type(value) is str and not _broken(value):
            return value
        return "".join(f"\\u{ord(c):04x}" if 0xD800 <= ord(c) <= 0xDFFF else c for c in value)
    if type(value) is int and value < INT_MIN:
        return str(value)
    if value is None or type(value) in (bool, int, float, bytes):
        return value
    if depth and isinstance(value, dict):
        return {plain(k, depth - 1): plain(v, depth - 1) for k, v in value.items()}
    if depth and isinstance(value, (list, tuple)):
        items = (plain(v, depth - 1) for v in value)
        return tuple(items) if type(value) is tuple else list(items)
    for kind in (int, float):
        if isinstance(value, kind):
            return plain(kind(value))
    if hasattr(value, "dtype") and getattr(value, "size", 0) == 1:  # a number of numpy, which a float is not always
        return plain(value.item(), depth - 1) if depth else str(value)
    try:
        return plain(str(value))
    except Exception:  # an object may fail to show itself
        return f"<{type(value).__name__} that cannot be shown>"


def _broken(text: str) -> bool:
    if text.isascii():
        return False
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False
