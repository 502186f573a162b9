"""What all tests share: pytester, and no stray options of the surrounding run."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]
collect_ignore = ["bench"]


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """An inner run sees neither the options nor the CI service of the outer one."""
    for name in ("PYTEST_ADDOPTS", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
