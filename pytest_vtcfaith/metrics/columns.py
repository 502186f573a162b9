"""The two columns of definitions §5: what the paper publishes, and what the gates use."""

from __future__ import annotations

from typing import Literal, get_args

Column = Literal["audited", "published"]


def check_column(column: str) -> None:
    """Raises ValueError unless `column` is `audited` or `published`."""
    if column not in get_args(Column):
        raise ValueError(f"column {column!r} is unknown: choose one of {', '.join(get_args(Column))}")
