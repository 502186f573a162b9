"""Vision-language models through transformers: AutoModelForImageTextToText with its processor and chat template."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.models.presets import Preset
from pytest_vtcfaith.models.protocols import NotInstalled, Prompt
from pytest_vtcfaith.models.spec import ModelSpec
from pytest_vtcfaith.models.vlm import Generated, Question, ask_about, in_thought, read_pages
from pytest_vtcfaith.models.vlm_spec import ATTENTIONS, VlmSettings, vlm_spec

if TYPE_CHECKING:
    from PIL import Image

VERSION = 2  # a new number where the same checkpoint would be asked or read differently
OPTIONS = {
    "device": "where it runs: auto (a GPU where there is one), cpu, mps, cuda, cuda:N, xpu, xpu:N",
    "attention": f"attn_implementation: {', '.join(ATTENTIONS)}; the model's own by default",
    "batch_size": "pages in one generate (default 8), unless --vtc-batch-size says otherwise",
    "min_pixels": "fewest pixels the processor scales a picture to",
    "max_pixels": "most pixels the processor scales a picture to",
    "image_backend": "what the picture processor computes with: pil (default) or torchvision",
}


def spec(identifier: str | None, options: Mapping[str, Any], name: str) -> ModelSpec:
    """The model `transformers:PATH_OR_ID`. Raises ValueError for what it cannot be."""
    return vlm_spec(
        identifier,
        options,
        name,
        adapter="transformers",
        version=VERSION,
        known=OPTIONS,
        defaults=_defaults,
        load=load,
        packages=("transformers", "torch"),
        tasks=("answer",),
    )


def _defaults(preset: Preset) -> dict[str, Any]:
    return {"dtype": "auto", "device": "auto", "batch_size": 8, "image_backend": "pil"}


def load(settings: VlmSettings) -> TransformersVlm:
    """The loaded model.

    Raises NotInstalled without transformers or torch, or what the options `device` and `attention` need, ValueError for
    one that the model does not have, and what `from_pretrained` raises.
    """
    try:
        import torch
        from transformers import AutoModelForImageTextToText
    except ImportError as error:
        raise NotInstalled(
            f"transformers or torch is not installed: pip install 'pytest-vtcfaith[torch]' ({error})"
        ) from error
    from pytest_vtcfaith.models.accelerators import device_lacks
    from pytest_vtcfaith.models.processor import check_kind, load_processor

    options = settings.options
    if lacking := device_lacks(options["device"]):
        raise NotInstalled(f"{settings.place('device')}: {lacking}: give auto or cpu")
    where = {"revision": settings.commit, "trust_remote_code": options["trust_remote_code"]}
    pictures = {key: options[key] for key in ("min_pixels", "max_pixels") if options.get(key) is not None}
    try:
        check_kind(settings.source, **where)
        processor = load_processor(settings.source, backend=options["image_backend"], pictures=pictures, **where)
    except (ImportError, ValueError) as error:
        told = " ".join(str(error).split())
        option = next((option for option in ("torchvision", *pictures) if option in told.lower()), None)
        if option is None or (option == "torchvision" and options["image_backend"] != "torchvision"):
            raise
        option = "image_backend" if option == "torchvision" else option
        raise _kind(error)(f"{settings.place(option)}: {told}; leave the option out, or give another value") from error
    attention = {"attn_implementation": options["attention"]} if options.get("attention") else {}
    try:
        model = AutoModelForImageTextToText.from_pretrained(
            settings.source, dtype=options["dtype"], **attention, **where
        )
    except (ImportError, ValueError) as error:
        if not attention or not re.search("attention|attn", str(error), re.IGNORECASE):
            raise
        raise _kind(error)(
            f"{settings.place('attention')}: {' '.join(str(error).split())}: install what it needs, or give another "
            "(sdpa), or leave it out"
        ) from error
    device = options["device"]
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    return TransformersVlm(model.to(device).eval(), processor, settings)


class TransformersVlm:
    """A loaded checkpoint, a `Transcriber`, `Answerer` and `Judge`; greedy whatever its generation settings say."""

    def __init__(self, model: Any, processor: Any, settings: VlmSettings) -> None:
        import transformers

        self._model, self._processor, self._settings = model, processor, settings
        self._tokenizer = getattr(processor, "tokenizer", processor)
        if self._tokenizer.pad_token_id is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token
        own = model.generation_config.eos_token_id
        ends = own if isinstance(own, list) else [own if own is not None else self._tokenizer.eos_token_id]
        self._ends = frozenset(int(end) for end in ends if end is not None)
        configuration: Any = transformers.GenerationConfig
        self._greedy = configuration(
            do_sample=False,
            num_beams=1,
            eos_token_id=sorted(self._ends) or None,
            pad_token_id=self._tokenizer.pad_token_id,
            bos_token_id=model.generation_config.bos_token_id,
        )
        model.generation_config = self._greedy  # what a given configuration leaves unset comes from this one
        self._template = processor.chat_template or getattr(self._tokenizer, "chat_template", None)
        self._image_token = _image_token(model.config, processor)
        self._most = int(settings.options["batch_size"])
        self._context = getattr(model.config.get_text_config(), "max_position_embeddings", None)

    @property
    def settings(self) -> dict[str, str]:
        """Number format, device and attention as loaded."""
        attention = getattr(self._model.config, "_attn_implementation", None)
        found = {"dtype": str(self._model.dtype).removeprefix("torch."), "device": str(self._model.device)}
        return {**found, "attention": str(attention)}

    @property
    def network(self) -> Any:
        """The model as transformers loaded it."""
        return self._model

    @property
    def image_token(self) -> int | None:
        """The id of the token that stands for a piece of the picture, None where the checkpoint names none."""
        return self._image_token

    @property
    def picture_processor(self) -> Any:
        """What scales, crops and cuts pictures before the network sees them."""
        return self._processor.image_processor

    def inputs(self, questions: Sequence[Question]) -> Any:
        """What the network is given for these questions, on its device and in its number format."""
        found = self._inputs(questions, [self.rendered(question) for question in questions])
        return found.to(self._model.device, dtype=self._model.dtype)  # only floats take the dtype

    def transcribe(self, images: Sequence[Image.Image], prompt: Prompt) -> list[Reply]:
        """One reply per picture; one `generate` for all of them, and one at a time for as many blocks of a two-step
        preset.

        A picture that with its prompt exceeds the model's context gets a reply with an error that has both numbers.
        Raises what generating raises, out-of-memory among it, for the whole call.
        """
        self._most = max(1, len(images))
        return read_pages(self.generate, self._settings.preset, prompt, images, chosen=self._settings.prompt)

    def answer(self, images: Sequence[Image.Image], questions: Sequence[str]) -> list[Reply]:
        """Answers each question from its picture, all in one `generate`. Raises as `transcribe`."""
        self._most = max(1, len(questions))
        return ask_about(self.generate, self._settings.preset, images, questions)

    def judge(self, questions: Sequence[str]) -> list[Reply]:
        """Answers each question in words alone, `batch_size` at once. Raises as `transcribe`, and ValueError for a
        checkpoint without a chat template: its preset's prompt is one about a picture.
        """
        if self._template is None:
            raise ValueError(f"{self._settings.source} has no chat template: it cannot be asked without a picture")
        self._most = int(self._settings.options["batch_size"])
        return ask_about(self.generate, self._settings.preset, [None for _ in questions], questions)

    def generate(self, questions: Sequence[Question]) -> list[Generated]:
        """What the model generates for each question; not more of them at once than pages in the call."""
        return [
            answer
            for start in range(0, len(questions), self._most)
            for answer in self._batch(questions[start : start + self._most])
        ]

    def _batch(self, questions: Sequence[Question]) -> list[Generated]:
        texts = [self.rendered(question) for question in questions]
        inputs = self._inputs(questions, texts)
        lengths = [int(length) for length in inputs["attention_mask"].sum(dim=1)]
        too_long = [self._context is not None and length >= self._context for length in lengths]
        answers = [
            Generated(
                error=f"picture and prompt are {length} tokens, the model's context is {self._context}; "
                "make the picture smaller (max_pixels, or a lower budget)"
            )
            for length in lengths
        ]
        kept = [row for row, excluded in enumerate(too_long) if not excluded]
        if len(kept) < len(questions):
            if kept:
                for row, answer in zip(kept, self._batch([questions[row] for row in kept]), strict=True):
                    answers[row] = answer
            return answers
        return self._generate(inputs, lengths, texts)

    def _generate(self, inputs: Any, lengths: Sequence[int], texts: Sequence[str]) -> list[Generated]:
        import torch

        limit = self._settings.options["max_new_tokens"]
        limits = [limit if self._context is None else min(limit, self._context - length) for length in lengths]
        token = self._image_token
        pictured = [None if token is None else row.count(token) for row in inputs["input_ids"].tolist()]
        shown = inputs.to(self._model.device, dtype=self._model.dtype)  # only floats take the dtype
        with torch.inference_mode():
            rows = self._model.generate(**shown, max_new_tokens=max(limits))
        rows = rows[:, inputs["input_ids"].shape[1] :].tolist()
        answers = []
        for row, length, most, pictures, text in zip(rows, lengths, limits, pictured, texts, strict=True):
            end = next((at for at, token in enumerate(row[:most]) if token in self._ends), None)
            written = row[: most if end is None else end]
            answers.append(
                Generated(
                    text=self._tokenizer.decode(
                        written,
                        skip_special_tokens=not self._settings.preset.special_tokens,
                        clean_up_tokenization_spaces=False,
                    ),
                    finish_reason="length" if end is None else "stop",
                    prompt_tokens=length,
                    image_tokens=pictures,
                    completion_tokens=len(written),
                    max_tokens=most,
                    in_thought=in_thought(text),
                )
            )
        return answers

    def rendered(self, question: Question) -> str:
        """The model's whole input as text: by the chat template, else by the preset's literal prompt.

        Raises ValueError where there is neither.
        """
        if self._template is not None:
            words = {} if question.thinking is None else {"enable_thinking": question.thinking}
            rendered: str = self._processor.apply_chat_template(
                conversation(question), self._template, add_generation_prompt=True, tokenize=False, **words
            )
            return rendered
        literal = self._settings.preset.literal
        if literal is None:
            raise ValueError(
                f"{self._settings.source} has no chat template, and the preset {self._settings.preset.name!r} no"
                " literal prompt: put a chat_template.jinja beside the model, or choose a preset that has one"
            )
        return literal.replace("{prompt}", question.text)

    def _inputs(self, questions: Sequence[Question], texts: Sequence[str]) -> Any:
        pictures = [[question.image] for question in questions if question.image is not None]
        inputs = self._processor(
            images=pictures or None,
            text=list(texts),
            padding=True,
            padding_side="left",
            add_special_tokens=self._template is None,  # a template writes them itself
            return_tensors="pt",
        )
        ends = inputs["attention_mask"][:, -1]
        if not bool(ends.all()):
            raise RuntimeError("the processor padded on the right; generation would begin behind the padding")
        return inputs


def conversation(question: Question) -> list[dict[str, Any]]:
    """The messages of a question, as chat templates take them; the picture, if there is one, comes first."""
    content: list[dict[str, Any]] = [] if question.image is None else [{"type": "image"}]
    if question.text:
        content.append({"type": "text", "text": question.text})
    messages: list[dict[str, Any]] = [{"role": "user", "content": content}]
    if question.system is not None:
        messages.insert(0, {"role": "system", "content": question.system})
    return messages


def _kind(error: Exception) -> type[Exception]:
    """What an option that cannot be had is: something this machine lacks, or a wrong value."""
    return NotInstalled if isinstance(error, ImportError) else ValueError


def _image_token(config: Any, processor: Any) -> int | None:
    for holder, key in ((config, "image_token_id"), (config, "image_token_index"), (processor, "image_token_id")):
        found = getattr(holder, key, None)
        if isinstance(found, int):
            return found
    return None
