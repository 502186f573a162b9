"""Models behind an OpenAI-compatible server, by the official client: vLLM, SGLang, transformers serve, hosted ones."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.models.chat_reply import ServerError, chat_reply
from pytest_vtcfaith.models.markup import clean
from pytest_vtcfaith.models.openai_options import OPTIONS, Settings, settings, where_served
from pytest_vtcfaith.models.openai_transport import Problem, Transport, capped, no_reply
from pytest_vtcfaith.models.protocols import Prompt
from pytest_vtcfaith.models.retries import put_again
from pytest_vtcfaith.models.spec import ModelSpec
from pytest_vtcfaith.models.two_step import read_by_blocks
from pytest_vtcfaith.models.vlm import Generated, Question

if TYPE_CHECKING:
    from PIL import Image

ADAPTER = "openai/2"  # a new number where the same settings come to ask, or read, another thing
REPLY_BYTES = 4 * 2**20  # forty times what 8192 tokens come to


def spec(identifier: str | None, options: Mapping[str, Any], name: str) -> ModelSpec:
    """The model `openai:NAME@URL`; in a table `model = "NAME"` and `base_url = "URL"`, or both in `model`.

    `openai_options.OPTIONS` lists the options. Raises ValueError that names the model and the option; what may be a key
    is not shown.
    """
    served, where, given, base_url = where_served(
        "openai", "Qwen/Qwen3-VL-8B@http://localhost:8000/v1", identifier, options, OPTIONS, name
    )
    chosen = settings(served, given, base_url, where)
    prompts = chosen.prompt is None and not chosen.preset.two_step
    return ModelSpec(
        name=name,
        load=partial(OpenAIServer, base_url, chosen),
        languages=None if given["languages"] is None else frozenset(given["languages"]),
        visual_tokens=given["visual_tokens"] or chosen.preset.visual_tokens,
        lives="host",
        remote=True,
        prompts=prompts,
        revision=given["revision"],
        adapter=ADAPTER,
        options={**chosen.shaping(), "base_url": base_url},
        tasks=frozenset({"transcribe", "answer"} if prompts else {"transcribe"}),
    )


class OpenAIServer(Transport[Question]):
    """The `Transcriber`, `Answerer` and `Judge` behind an address. Raises as `Transport`."""

    def __init__(self, base_url: str, chosen: Settings) -> None:
        super().__init__(base_url, chosen)
        self.settings = chosen

    def transcribe(self, images: Sequence[Image.Image], prompt: Prompt) -> list[Reply]:
        """Reads each picture with a request of its own, `concurrency` of them at the same time."""
        chosen = self.settings
        if chosen.preset.two_step:
            return read_by_blocks(self.generate, chosen.preset, images)
        think = prompt.condition.endswith("+think")
        if think and chosen.think_body is None and not chosen.preset.thinking:
            unknown = no_reply(
                f"prompt condition {prompt.condition!r}: how this server switches reasoning on is not known; give "
                "think_body, e.g. { chat_template_kwargs = { enable_thinking = true } }"
            )
            return [unknown for _ in images]
        text = prompt.text if chosen.prompt is None else chosen.prompt
        replies = self._put([Question(image, text, chosen.system, think) for image in images])
        return [self._without_markup(reply) for reply in replies]

    def answer(self, images: Sequence[Image.Image], questions: Sequence[str]) -> list[Reply]:
        """Answers each question from its picture, with a request of its own as in `transcribe`."""
        return self._answer(images, questions)

    def judge(self, questions: Sequence[str]) -> list[Reply]:
        """Answers each question in words alone, with a request of its own as in `transcribe`."""
        return self._answer([None for _ in questions], questions)

    def _answer(self, images: Sequence[Image.Image | None], questions: Sequence[str]) -> list[Reply]:
        system = self.settings.system
        asked = [Question(image, text, system) for image, text in zip(images, questions, strict=True)]
        return [self._without_markup(reply) for reply in self._put(asked)]

    def generate(self, questions: Sequence[Question]) -> list[Generated]:
        """What the server generates for each question, with its markup."""
        return [
            Generated(
                text=reply.text or "",
                refusal=reply.refusal,
                finish_reason=reply.finish_reason,
                image_tokens=reply.image_tokens,
                completion_tokens=reply.completion_tokens,
                max_tokens=reply.max_tokens,
                error=reply.error,
            )
            for reply in self._put(questions)
        ]

    async def _attempt(self, client: Any, request: Mapping[str, Any]) -> Reply:
        try:
            async with client.chat.completions.with_streaming_response.create(**request) as response:
                body, whole = await capped(response.iter_bytes(), REPLY_BYTES)
        except Exception as error:  # the client wraps some errors of its transport, in some versions
            raise self._problem(error) from error
        prompt_bytes = sum(len(text.encode("utf-8", "replace")) for text in _texts(request["messages"]))
        try:
            return chat_reply(body, whole=whole, max_tokens=self.settings.max_tokens, prompt_bytes=prompt_bytes)
        except ServerError as error:
            again = error.status is not None and put_again(error.status)
            raise Problem(f"the server reports an error: {error}", again=again) from error
        except ValueError as error:
            raise Problem(str(error)) from error

    def _request(self, question: Question) -> dict[str, Any]:
        chosen = self.settings
        content: list[dict[str, Any]] = []
        if question.image is not None:
            picture: dict[str, Any] = {"url": data_url(question.image)}
            if chosen.detail is not None:
                picture["detail"] = chosen.detail
            content.append({"type": "image_url", "image_url": picture})
        if question.text:
            content.append({"type": "text", "text": question.text})
        system = [] if question.system is None else [{"role": "system", "content": question.system}]
        extra: dict[str, Any] = {}
        if chosen.preset.special_tokens:
            extra["skip_special_tokens"] = False
        if chosen.preset.thinking and chosen.think_body is None:
            extra["chat_template_kwargs"] = {"enable_thinking": bool(question.thinking)}
        extra |= chosen.extra_body
        if question.thinking:
            extra |= chosen.think_body or {}
        sampling = {"temperature": chosen.temperature, "seed": chosen.seed}
        return {
            "model": chosen.model,
            "messages": [*system, {"role": "user", "content": content}],
            chosen.max_tokens_field: chosen.max_tokens,
            **{name: value for name, value in sampling.items() if name not in chosen.omit},
            "extra_body": extra,
            "extra_headers": {"Accept-Encoding": "identity"},  # else a small body may unpack to a large one
        }

    def _without_markup(self, reply: Reply) -> Reply:
        preset = self.settings.preset
        text = reply.text
        if text is not None:
            # a template may open the think block itself; a server without a reasoning parser then shows its end only
            text = clean(text, preset.markup, thinking=None)
        return replace(reply, text=text, image_tokens=reply.image_tokens if preset.counted else None)


def data_url(image: Image.Image) -> str:
    """The picture as the address of a PNG, which keeps every pixel."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


def _texts(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    contents = [message["content"] for message in messages]
    parts = [[{"text": content}] if isinstance(content, str) else content for content in contents]
    return [part["text"] for content in parts for part in content if "text" in part]
