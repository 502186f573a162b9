"""A release gate for OCR and vision-language models: what a user imports. Names are loaded when first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_vtcfaith import strategies
    from pytest_vtcfaith.engine.transcript import Transcript
    from pytest_vtcfaith.metrics.outcomes import Reply
    from pytest_vtcfaith.models.protocols import (
        Answerer,
        Editor,
        Illustrator,
        Judge,
        LanguageModel,
        NotInstalled,
        Prompt,
        Transcriber,
    )
    from pytest_vtcfaith.models.rapidocr import TextBox
    from pytest_vtcfaith.models.registry import ModelSpec, register_model, resolve
    from pytest_vtcfaith.pages.page import Page
    from pytest_vtcfaith.suites.case import Case

_HOMES = {
    "Answerer": "pytest_vtcfaith.models.protocols",
    "Case": "pytest_vtcfaith.suites.case",
    "Editor": "pytest_vtcfaith.models.protocols",
    "Illustrator": "pytest_vtcfaith.models.protocols",
    "Judge": "pytest_vtcfaith.models.protocols",
    "LanguageModel": "pytest_vtcfaith.models.protocols",
    "ModelSpec": "pytest_vtcfaith.models.registry",
    "NotInstalled": "pytest_vtcfaith.models.protocols",
    "Page": "pytest_vtcfaith.pages.page",
    "Prompt": "pytest_vtcfaith.models.protocols",
    "Reply": "pytest_vtcfaith.metrics.outcomes",
    "TextBox": "pytest_vtcfaith.models.rapidocr",
    "Transcriber": "pytest_vtcfaith.models.protocols",
    "Transcript": "pytest_vtcfaith.engine.transcript",
    "register_model": "pytest_vtcfaith.models.registry",
    "resolve": "pytest_vtcfaith.models.registry",
}

__all__ = [
    "Answerer",
    "Case",
    "Editor",
    "Illustrator",
    "Judge",
    "LanguageModel",
    "ModelSpec",
    "NotInstalled",
    "Page",
    "Prompt",
    "Reply",
    "TextBox",
    "Transcriber",
    "Transcript",
    "register_model",
    "resolve",
    "strategies",
]


def __getattr__(name: str) -> Any:
    if name == "strategies":  # needs the extra of the same name
        return import_module("pytest_vtcfaith.strategies")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
