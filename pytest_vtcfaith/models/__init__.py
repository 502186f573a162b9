"""Who is measured: the protocols, the registry of models, and one adapter a file."""

from pytest_vtcfaith.models.protocols import NotInstalled, Prompt, Transcriber
from pytest_vtcfaith.models.registry import UnknownModel, known_models, register_model, resolve
from pytest_vtcfaith.models.spec import ModelSpec

__all__ = [
    "ModelSpec",
    "NotInstalled",
    "Prompt",
    "Transcriber",
    "UnknownModel",
    "known_models",
    "register_model",
    "resolve",
]
