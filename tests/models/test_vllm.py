"""The vLLM adapter against a stand-in for the engine; tests/real/vllm_cpu.sh runs the real one."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from PIL import Image

from pytest_vtcfaith.models import NotInstalled, Prompt, resolve

PLAIN = Prompt("Read it.", "en")
IMAGE, END = 7, 9


class Refused(Exception):
    """As vLLM refuses a request."""


class Dead(Exception):
    """As vLLM reports an engine that died."""


@dataclass
class Engine:
    """Refuses pictures over 50 pixels wide, dies of black ones; one image token a pixel of width."""

    arguments: dict[str, Any]
    calls: list[int] = field(default_factory=list)
    last: dict[str, Any] = field(default_factory=dict)
    template: str | None = "{{ messages }}"
    prompt: str = "<user>"
    llm_engine: Any = field(
        default_factory=lambda: SimpleNamespace(
            model_config=SimpleNamespace(max_model_len=60, hf_config=SimpleNamespace(image_token_id=IMAGE))
        )
    )

    def get_tokenizer(self) -> Any:
        return SimpleNamespace(chat_template=self.template)

    def chat(self, conversations: Sequence[Any], sampling: Any, **words: Any) -> list[Any]:
        self.last = {"conversations": conversations, "sampling": sampling, **words}
        parts = [conversation[-1]["content"] for conversation in conversations]
        return self._run([part[0]["image_pil"] for part in parts])

    def generate(self, prompts: Sequence[Any], sampling: Any, **words: Any) -> list[Any]:
        self.last = {"prompts": [prompt["prompt"] for prompt in prompts]}
        return self._run([prompt["multi_modal_data"]["image"] for prompt in prompts])

    def _run(self, images: Sequence[Image.Image]) -> list[Any]:
        self.calls.append(len(images))
        for image in images:
            if image.getpixel((0, 0)) == (0, 0, 0):
                raise Dead("EngineCore encountered an issue")
            if image.width > 50:
                raise Refused(f"The decoder prompt (length {image.width + 5}) is longer than the maximum length of 60.")
        return [self._output(image) for image in images]

    def _output(self, image: Image.Image) -> Any:
        stopped = image.width < 20
        written = SimpleNamespace(
            text=f"page of {image.width}", token_ids=[1, 2, END] if stopped else [1, 2, 3],
            finish_reason="stop" if stopped else "length",
        )  # fmt: skip
        return SimpleNamespace(outputs=[written], prompt_token_ids=[1, *[IMAGE] * image.width, 2], prompt=self.prompt)


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Engine]]:
    made: list[Engine] = []

    def start(**arguments: Any) -> Engine:
        made.append(Engine(arguments))
        return made[-1]

    module, exceptions = ModuleType("vllm"), ModuleType("vllm.exceptions")
    module.LLM = start  # type: ignore[attr-defined]
    module.SamplingParams = lambda **words: words  # type: ignore[attr-defined]
    exceptions.VLLMClientError = Refused  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "vllm", module)
    monkeypatch.setitem(sys.modules, "vllm.exceptions", exceptions)
    for variable in ("VLLM_BATCH_INVARIANT", "VLLM_ENABLE_V1_MULTIPROCESSING"):
        monkeypatch.setenv(variable, "")
    monkeypatch.delenv("VLLM_ENABLE_V1_MULTIPROCESSING")
    yield made
    os.environ.pop("VLLM_ENABLE_V1_MULTIPROCESSING", None)


def loaded(folder: Path, **options: Any) -> Any:
    return resolve("m", {"m": {"adapter": "vllm", "model": str(folder), "max_new_tokens": 30, **options}}).load()


def picture(width: int, colour: str = "white") -> Image.Image:
    return Image.new("RGB", (width, 10), colour)


def test_replies(engines: list[Engine], tmp_path: Path) -> None:
    whole, cut = loaded(tmp_path).transcribe([picture(10), picture(40)], PLAIN)
    assert (whole.text, whole.finish_reason, whole.completion_tokens, whole.image_tokens) == (
        "page of 10",
        "stop",
        2,
        10,
    )
    assert (cut.finish_reason, cut.completion_tokens, cut.image_tokens) == ("length", 3, 40)
    assert (whole.max_tokens, cut.max_tokens) == (30, 60 - 42)
    assert engines[0].calls == [2]
    sampling = engines[0].last["sampling"]
    assert (sampling["temperature"], sampling["max_tokens"], sampling["seed"]) == (0.0, 30, 0)
    assert engines[0].last["conversations"][0][0]["content"][1] == {"type": "text", "text": "Read it."}


def test_a_refused_page_fails_alone(engines: list[Engine], tmp_path: Path) -> None:
    widths = [10, 20, 30, 55, 40, 45, 12, 13]
    replies = loaded(tmp_path).transcribe([picture(width) for width in widths], PLAIN)
    assert [reply.text for reply in replies] == [None if width == 55 else f"page of {width}" for width in widths]
    assert replies[3].error == "Refused: The decoder prompt (length 60) is longer than the maximum length of 60."
    assert sum(engines[0].calls) < 2 * len(widths) + 8  # halved, not asked one by one


def test_a_dead_engine_is_an_exception(engines: list[Engine], tmp_path: Path) -> None:
    model = loaded(tmp_path)
    with pytest.raises(Dead, match="EngineCore"):
        model.transcribe([picture(10), picture(12, "black")], PLAIN)
    assert engines[0].calls == [2]


def test_engine_arguments(engines: list[Engine], tmp_path: Path) -> None:
    loaded(tmp_path)
    assert engines[0].arguments == {
        "model": str(tmp_path), "revision": None, "dtype": "auto", "trust_remote_code": False, "seed": 0,
        "gpu_memory_utilization": 0.85, "enforce_eager": False, "enable_prefix_caching": False,
        "limit_mm_per_prompt": {"image": 1},
    }  # fmt: skip
    assert os.environ["VLLM_BATCH_INVARIANT"] == "0"
    model = loaded(
        tmp_path, preset="deepseek-ocr", max_num_seqs=4, mm_processor_kwargs={"max_pixels": 9}, batch_invariant=True,
        engine_args={"tensor_parallel_size": 2},
    )  # fmt: skip
    given = engines[1].arguments
    assert (given["max_model_len"], given["max_num_seqs"], given["dtype"]) == (4096, 4, "bfloat16")
    assert (given["mm_processor_kwargs"], given["tensor_parallel_size"]) == ({"max_pixels": 9}, 2)
    assert os.environ["VLLM_BATCH_INVARIANT"] == "1"
    assert model.batch_size == 4


def test_a_literal_prompt_where_there_is_no_template(engines: list[Engine], tmp_path: Path) -> None:
    model = loaded(tmp_path, preset="deepseek-ocr")
    engines[0].template = None
    model = type(model)(engines[0], model._settings)
    (reply,) = model.transcribe([picture(10)], PLAIN)
    assert engines[0].last == {"prompts": ["<image>\nFree OCR."]}
    assert reply.image_tokens is None


def test_reasoning(engines: list[Engine], tmp_path: Path) -> None:
    model = loaded(tmp_path, preset="qwen3.5")
    model.transcribe([picture(10)], Prompt("Read it.", "en", "no_correct+think"))
    assert engines[0].last["chat_template_kwargs"] == {"enable_thinking": True}
    engines[0].prompt = "<assistant>\n<think>\n"
    (reply,) = model.transcribe([picture(40)], PLAIN)
    assert engines[0].last["chat_template_kwargs"] == {"enable_thinking": False}
    assert reply.text == ""  # cut off before the thought ended


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_model_len": 0}, "max_model_len = 0 must be a whole number over 0"),
        ({"gpu_memory_utilization": 1.5}, "gpu_memory_utilization = 1.5 must be a share"),
        ({"seed": "0"}, "seed = '0' must be a whole number"),
        ({"enforce_eager": 1}, "enforce_eager = 1 must be true or false"),
        ({"engine_args": ["x"]}, "engine_args = ['x'] must be a table"),
        ({"engine_args": {"seed": 3}}, "engine_args.seed: write seed beside engine_args"),
        ({"batch_size": 8}, "unknown option 'batch_size'"),
    ],
)
def test_wrong_options_are_named(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match="model 'm'") as caught:
        resolve("m", {"m": {"adapter": "vllm", "model": str(tmp_path), **options}})
    assert said in str(caught.value)


def test_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vllm", None)
    monkeypatch.setenv("VLLM_BATCH_INVARIANT", "0")
    monkeypatch.setenv("VLLM_ENABLE_V1_MULTIPROCESSING", "0")
    with pytest.raises(NotInstalled, match=r"pip install 'pytest-vtcfaith\[vllm\]'"):
        resolve(f"vllm:{tmp_path}").load()
