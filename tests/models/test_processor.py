"""Pixel limits of picture processors, and processors without their video half."""

from __future__ import annotations

import copy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from pytest_vtcfaith.models.processor import limit_pixels, without_video


def test_limits_kept_as_edges() -> None:
    picture = SimpleNamespace(size={"shortest_edge": 3136, "longest_edge": 12_845_056})
    limit_pixels(picture, {"max_pixels": 50_000})
    assert picture.size == {"shortest_edge": 3136, "longest_edge": 50_000}


def test_limits_kept_by_name() -> None:
    picture = SimpleNamespace(size={"height": 448, "width": 448}, min_pixels=10, max_pixels=20)
    limit_pixels(picture, {"min_pixels": 11, "max_pixels": 19})
    assert (picture.min_pixels, picture.max_pixels) == (11, 19)
    assert picture.size == {"height": 448, "width": 448}


@pytest.mark.parametrize("size", [{"longest_edge": 1540}, {"shortest_edge": 224}, {"height": 896, "width": 896}, None])
def test_a_processor_without_limits(size: dict[str, int] | None) -> None:
    """An edge alone is a side, not a number of pixels."""
    with pytest.raises(ValueError, match=r"SimpleNamespace has no max_pixels"):
        limit_pixels(SimpleNamespace(size=size), {"max_pixels": 50})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"max_pixels": 1}, "min_pixels of the model's SimpleNamespace asks for max_pixels of at least 3136"),
        ({"min_pixels": 60_000}, "max_pixels of the model's SimpleNamespace asks for min_pixels of at most 50000"),
    ],
)
@pytest.mark.parametrize(
    "kept", [{"size": {"shortest_edge": 3136, "longest_edge": 50_000}}, {"min_pixels": 3136, "max_pixels": 50_000}]
)
def test_limits_that_leave_nothing_between(kept: dict[str, object], given: dict[str, int], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        limit_pixels(SimpleNamespace(**copy.deepcopy(kept)), given)


def test_the_video_half_is_neither_demanded_nor_saved() -> None:
    transformers = pytest.importorskip("transformers", reason="the extra 'torch' is not installed")
    for family in (transformers.Qwen2VLProcessor, transformers.Glm4vProcessor, transformers.InternVLProcessor):
        assert family.get_attributes() == ["image_processor", "tokenizer", "video_processor"]
        assert without_video(family).get_attributes() == ["image_processor", "tokenizer"]
        assert issubclass(without_video(family), family)


def test_naming_a_model_imports_no_engine(tmp_path: Path) -> None:
    code = (
        "import sys; from pytest_vtcfaith.models import resolve\n"
        f"for adapter in ('transformers', 'vllm'): resolve(f'{{adapter}}:{tmp_path}')\n"
        "resolve('doctr')\n"
        "heavy = {'torch', 'transformers', 'vllm', 'numpy', 'huggingface_hub', 'doctr'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 0, run.stderr
