"""The fixture `bench`, and modules that inner runs share with this process."""

from __future__ import annotations

import importlib
import pkgutil

import numpy  # noqa: F401  pytester drops what an inner run imports, and numpy cannot be loaded twice in one process
import PIL.Image  # noqa: F401
import pytest
import scipy.stats  # noqa: F401
from smallbench import Bench

import pytest_vtcfaith

for module in pkgutil.walk_packages(pytest_vtcfaith.__path__, "pytest_vtcfaith."):
    if not module.name.startswith("pytest_vtcfaith.cli"):
        importlib.import_module(module.name)  # else every inner run would import, and then drop, all of them


@pytest.fixture
def bench(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A small benchmark: 4 documents × original, scramble, random, two perturbed words each."""
    from pytest_vtcfaith.models import registry

    monkeypatch.setattr(registry, "REGISTERED", {})
    # what surrounds this run must not show in the runs it makes: CI lengthens summaries, workers know their name by it
    for name in ("CI", "BUILD_NUMBER", "GITHUB_ACTIONS", "PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT"):
        monkeypatch.delenv(name, raising=False)
    return Bench(pytester, monkeypatch)
