"""The pictures of a failed case in other plugins' reports: pytest-html and Allure, where they are active."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from pytest_vtcfaith.report.casefiles import pictures_of


def attaching(config: pytest.Config) -> bool:
    """Whether another plugin's report takes pictures in this run."""
    return bool(config.getoption("htmlpath", None)) or config.pluginmanager.has_plugin("allure_listener")


def attach_to_html(
    config: pytest.Config, report: pytest.TestReport, folder: Path, ask: str, known: Mapping[str, Any]
) -> None:
    """Adds the pictures to what pytest-html shows of a failed test; nothing when no such report is written."""
    if not config.getoption("htmlpath", None):
        return
    extras: Any = import_module("pytest_html").extras
    shown = [
        extras.png(base64.b64encode(path.read_bytes()).decode("ascii"), name=path.name)
        for path in pictures_of(folder, ask, known)
    ]
    report.extras = [*getattr(report, "extras", []), *shown]  # type: ignore[attr-defined]


def attach_to_allure(config: pytest.Config, folder: Path, ask: str, known: Mapping[str, Any]) -> None:
    """Attaches the pictures to the running test's entry in Allure's results; nothing when none are written."""
    if not config.pluginmanager.has_plugin("allure_listener"):
        return
    allure: Any = import_module("allure")
    for path in pictures_of(folder, ask, known):
        allure.attach.file(str(path), name=path.stem, attachment_type=allure.attachment_type.PNG)
