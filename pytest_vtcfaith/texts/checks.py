"""Numbers a user gives, checked by name before anything is read."""

from __future__ import annotations

from pytest_vtcfaith.texts.errors import TextsError, show

LEAST_RATIO, MOST_RATIO = 0.1, 1000.0
"""The compression ratios a page may be asked for; those of the papers lie between 1 and 20."""


def check_share(name: str, value: object) -> None:
    """Raises TextsError unless `value`, called `name` in the message, is a number over 0 and up to 1."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value <= 1:
        raise TextsError(f"{name} {show(value)} must lie in (0, 1]")


def check_ratio(name: str, value: object) -> None:
    """Raises TextsError unless `value`, called `name` in the message, is a number from 0.1 to 1000."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not LEAST_RATIO <= value <= MOST_RATIO:
        raise TextsError(f"{name} {show(value)} must be a number from {LEAST_RATIO:g} to {MOST_RATIO:g}")


def check_seed(value: object) -> None:
    """Raises TextsError unless `value` is a whole number of at least 0.

    Python's generator drops the sign of a seed, so that 5 and -5 would draw the same, and takes None for the clock.
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TextsError(f"seed {show(value)} must be a whole number of at least 0")
