"""Tiny models with random weights, loaded as the probe loads them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a tiny model of a kind with three layers, made once."""
    pytest.importorskip("torch", reason="the extra 'torch' is not installed")
    import tiny_vlm
    import torch

    torch.set_num_threads(1)
    made: dict[str, Path] = {}

    def folder(kind: str) -> Path:
        if kind not in made:
            made[kind] = tiny_vlm.save_tiny_vlm(kind, tmp_path_factory.mktemp(kind), sizes={"layers": 3})
        return made[kind]

    return folder


@pytest.fixture(scope="session")
def tiny_model(tiny_folder: Callable[[str], Path]) -> Callable[..., Any]:
    """A loaded tiny model of a kind."""
    from pytest_vtcfaith.models import resolve

    made: dict[tuple[str, str], Any] = {}

    def model(kind: str, attention: str = "eager") -> Any:
        if (kind, attention) not in made:
            table = {
                "adapter": "transformers", "model": str(tiny_folder(kind)), "device": "cpu", "attention": attention,
                "max_pixels": 120_000, "max_new_tokens": 6,
            }  # fmt: skip
            made[kind, attention] = resolve("m", {"m": table}).load()
        return made[kind, attention]

    return model
