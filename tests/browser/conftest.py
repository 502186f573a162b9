"""A real browser, as Debian has it, that may reach nothing; skipped, with the reason, where there is none."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chromium import launched

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "report"))

AXE = Path(os.environ.get("VTC_AXE", "node_modules/axe-core/axe.min.js"))


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """The browser, for no longer than one module: while it is open no other event loop can run in this process."""
    with launched() as browser:
        yield browser


@pytest.fixture
def tab(chromium: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A page; a script error, a message on the console, or a request that is no file of this machine fails the test.

    The policy of the page keeps foreign scripts out, axe too: where axe runs it is not in force.
    """
    foreign = "axe" in request.fixturenames
    context = chromium.new_context(viewport={"width": 1360, "height": 900}, bypass_csp=foreign)
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("console", lambda message: wrong.append(f"console: {message.text}"))
    page.on("dialog", lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("request", lambda request: None if request.url.startswith("file://") else wrong.append(request.url))
    yield page
    context.close()
    assert not wrong


@pytest.fixture
def axe() -> str:
    """The source of axe-core."""
    if not AXE.is_file():
        pytest.skip(f"{AXE} is missing: npm install --no-save axe-core, or name axe.min.js in VTC_AXE")
    return AXE.read_text(encoding="utf-8")
