"""Opening a report in the browser, and waiting in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def opened(tab: Any, index: Path, hash: str = "") -> Any:
    tab.goto(f"file://{index}{hash}")
    tab.wait_for_selector("main h1")
    return tab


def until(page: Any, truth: str) -> None:
    """Waits for an expression to be true: the policy of the page forbids what playwright's own waiting does."""
    for _ in range(100):
        if page.evaluate(truth):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never true: {truth}")
