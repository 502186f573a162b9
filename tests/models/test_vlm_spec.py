"""Options and identifiers of `transformers:` and `vllm:`: refused when the model is resolved, with nothing loaded."""

from __future__ import annotations

import datetime
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_vtcfaith.models import resolve, transformers, vllm
from pytest_vtcfaith.models.vlm_spec import SHARED, VALUES

KNOWN = {"transformers": {**SHARED, **transformers.OPTIONS}, "vllm": {**SHARED, **vllm.OPTIONS}}
NOT_COUNTS: list[Any] = [0, -1, 1.5, math.nan, True, "8", None, [1], {"a": 1}, 10**30]
NOT_TEXTS: list[Any] = [1, 1.5, True, None, ["a"], {"a": 1}, datetime.date(2020, 1, 1)]
NOT_SWITCHES: list[Any] = [0, 1, "true", None, [True], {}]
NOT_TABLES: list[Any] = [1, "a", None, True, ["a"], {"a": datetime.date(2020, 1, 1)}, {"a": math.nan}]
WRONG: dict[str, list[Any]] = {
    "preset": ["", "foo", *NOT_TEXTS],
    "prompt": NOT_TEXTS,
    "visual_tokens": ["", "foo", *NOT_TEXTS],
    "languages": ["en", [], [""], ["en", 3], [["en"]], {"en": 1}, 3, None, True],
    "revision": ["", "a b", "a\nb", "a\0", "x" * 300, *NOT_TEXTS],
    "dtype": ["", "foo", "float64", "BFloat16", *NOT_TEXTS],
    "trust_remote_code": NOT_SWITCHES,
    "max_new_tokens": NOT_COUNTS,
    "device": ["", "nonsense", "cuda:", "cuda:x", "cuda:-1", "cuda:01", "cpu:0:0", "CUDA", "cuda\n", *NOT_TEXTS],
    "attention": ["", "foo", "flash_attention", "SDPA", *NOT_TEXTS],
    "batch_size": NOT_COUNTS,
    "min_pixels": NOT_COUNTS,
    "max_pixels": NOT_COUNTS,
    "image_backend": ["", "cv2", *NOT_TEXTS],
    "max_model_len": NOT_COUNTS,
    "max_num_seqs": NOT_COUNTS,
    "gpu_memory_utilization": [0, -0.5, 1.5, math.nan, math.inf, True, "0.5", None, [0.5]],
    "seed": [-1, 2**32, 0.5, True, "0", None, [0]],
    "enforce_eager": NOT_SWITCHES,
    "enable_prefix_caching": NOT_SWITCHES,
    "limit_mm_per_prompt": [{"image": 0}, {"image": -1}, {"image": "1"}, {"video": True}, *NOT_TABLES],
    "mm_processor_kwargs": NOT_TABLES,
    "batch_invariant": NOT_SWITCHES,
    "engine_args": NOT_TABLES,
}
RIGHT: dict[str, list[Any]] = {
    "preset": ["none", "glyph"],
    "prompt": ["", "suite", "Read < it."],
    "visual_tokens": ["nominal", "qwen3-vl"],
    "languages": [["en"], ["en", "zh"]],
    "revision": ["main", "v1.0", "refs/pr/3", "0123456789abcdef0123456789abcdef01234567"],
    "dtype": ["auto", "bfloat16", "float16", "float32"],
    "trust_remote_code": [True, False],
    "max_new_tokens": [1, 100_000],
    "device": ["auto", "cpu", "mps", "cuda", "cuda:0", "cuda:15", "xpu", "xpu:1"],
    "attention": ["eager", "sdpa", "flash_attention_2", "flash_attention_3", "flex_attention"],
    "batch_size": [1, 64],
    "min_pixels": [1, 3136],
    "max_pixels": [1, 1_003_520],
    "image_backend": ["pil", "torchvision"],
    "max_model_len": [1, 131_072],
    "max_num_seqs": [1, 256],
    "gpu_memory_utilization": [0.01, 0.5, 1, 1.0],
    "seed": [0, 2**32 - 1],
    "enforce_eager": [True, False],
    "enable_prefix_caching": [True, False],
    "limit_mm_per_prompt": [{"image": 1}, {"image": 2, "video": 0}, {"image": {"count": 1}}, {}],
    "mm_processor_kwargs": [{}, {"max_pixels": 9, "min_pixels": 9}, {"a": {"b": [1]}}],
    "batch_invariant": [True, False],
    "engine_args": [{}, {"tensor_parallel_size": 2}],
}


def spec(adapter: str, **options: Any) -> Any:
    return resolve("m", {"m": {"adapter": adapter, "model": "org/model", **options}})


def test_every_option_has_its_values_and_its_cases() -> None:
    options = {option for known in KNOWN.values() for option in known}
    assert options == set(VALUES) == set(WRONG) == set(RIGHT)


@pytest.mark.parametrize(("adapter", "option"), [(adapter, option) for adapter in KNOWN for option in KNOWN[adapter]])
def test_values_of_an_option(adapter: str, option: str) -> None:
    for value in RIGHT[option]:
        json.dumps(spec(adapter, **{option: value}).identity, allow_nan=False)
    for value in WRONG[option]:
        with pytest.raises(ValueError, match=r"^\[tool\.vtcfaith\.models\.m\]: model 'm': ") as caught:
            spec(adapter, **{option: value})
        assert type(caught.value) is ValueError, value
        said = str(caught.value)
        assert option in said, value
        assert repr(value)[:300] in said, value
        assert any(word in said for word in (VALUES[option].wanted, "known")), said


@pytest.mark.parametrize(
    ("adapter", "options", "said"),
    [
        ("transformers", {"min_pixels": 10, "max_pixels": 9}, "min_pixels = 10 must be at most max_pixels = 9"),
        (
            "vllm",
            {"mm_processor_kwargs": {"min_pixels": 10, "max_pixels": 9}},
            "mm_processor_kwargs.min_pixels = 10 must be at most mm_processor_kwargs.max_pixels = 9",
        ),
        ("vllm", {"mm_processor_kwargs": {"max_pixels": "9"}}, "mm_processor_kwargs.max_pixels = '9' must be a whole"),
    ],
)
def test_pixels(adapter: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match="model 'm'") as caught:
        spec(adapter, **options)
    assert said in str(caught.value)


@pytest.mark.parametrize("adapter", KNOWN)
@pytest.mark.parametrize(
    "identifier",
    ["x" * 5000, "o/" + "x" * 5000, "/" + "x" * 5000, "a\0b", "\ud800", "~no-such-user/x", " ", "a b", "org/", "é",
     "a//b", "-a", "https://hub/a", "a\\b", "./none", "x" * 97],
)  # fmt: skip
def test_what_is_neither_folder_nor_hub_name(
    adapter: str, identifier: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for named, configured in (
        (f"{adapter}:{identifier}", None),
        ("m", {"m": {"adapter": adapter, "model": identifier}}),
    ):
        with pytest.raises(ValueError, match=r"no folder .*give a folder or a hub name ORGANISATION/NAME") as caught:
            resolve(named, configured)
        assert len(str(caught.value)) < 1000 + len(str(tmp_path))
        str(caught.value).encode("utf-8")


@pytest.mark.parametrize("identifier", ["gpt2", "Qwen/Qwen3-VL-8B-Instruct", "org/a_b.c-1", "x" * 96])
def test_hub_names(identifier: str) -> None:
    assert resolve(f"transformers:{identifier}").options["preset"] is not None


@pytest.mark.parametrize("adapter", KNOWN)
def test_a_folder_that_cannot_be_read_is_named(adapter: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.json").write_text("[" * 200_000, encoding="utf-8")
    with pytest.raises(ValueError, match=r"model '(transformers|vllm):.*config\.json is not JSON"):
        resolve(f"{adapter}:{tmp_path}")

    def refuse(*_: Any) -> str:
        raise PermissionError(13, "Permission denied", str(tmp_path / "model.safetensors"))

    monkeypatch.setattr("pytest_vtcfaith.models.vlm_spec.folder_revision", refuse)
    with pytest.raises(ValueError, match=r"cannot read the checkpoint .*model\.safetensors"):
        resolve(f"{adapter}:{tmp_path}")


def test_nothing_is_imported_to_refuse() -> None:
    script = (
        "import sys\nfrom pytest_vtcfaith.models import resolve\n"
        "for options in ({'device': 'nonsense'}, {'attention': 'foo'}, {'dtype': 'foo'}, {'device': 'cuda:1'}):\n"
        "    try:\n        resolve('m', {'m': {'adapter': 'transformers', 'model': 'a/b', **options}})\n"
        "    except ValueError as error:\n        print(error)\n"
        "print([name for name in ('torch', 'transformers', 'numpy') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    lines = done.stdout.split("\n")
    assert [line.split(" = ")[0] for line in lines[:3]] == [
        f"[tool.vtcfaith.models.m]: model 'm': {key}" for key in ("device", "attention", "dtype")
    ]
    assert lines[3] == "[]"
