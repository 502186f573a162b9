"""Models behind an OpenAI-compatible server, by the official client: vLLM, SGLang, transformers serve, hosted ones."""

from __future__ import annotations

import asyncio
import base64
import importlib.util
import io
import logging
import os
import random
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.engine.secrets import excerpt, mask_key, mask_secrets
from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.models.chat_reply import SHOWN, ServerError, chat_reply, error_code, error_text
from pytest_vtcfaith.models.markup import clean
from pytest_vtcfaith.models.openai_options import OPTIONS, Settings, check, check_address, check_name, settings
from pytest_vtcfaith.models.protocols import NotInstalled, Prompt
from pytest_vtcfaith.models.retries import put_again, retry_after, waiting
from pytest_vtcfaith.models.spec import ModelSpec
from pytest_vtcfaith.models.two_step import read_by_blocks
from pytest_vtcfaith.models.vlm import Generated, Question

if TYPE_CHECKING:
    from PIL import Image

ADAPTER = "openai/2"  # a new number where the same settings come to ask, or read, another thing
REPLY_BYTES = 4 * 2**20  # forty times what 8192 tokens come to
ERROR_BYTES = 64 * 2**10
MISSING = "the client for OpenAI-compatible servers is not installed: pip install 'pytest-vtcfaith[openai]'"
_log = logging.getLogger(__name__)


def spec(identifier: str | None, options: Mapping[str, Any], name: str) -> ModelSpec:
    """The model `openai:NAME@URL`; in a table `model = "NAME"` and `base_url = "URL"`, or both in `model`.

    `openai_options.OPTIONS` lists the options. Raises ValueError that names the model and the option; what may be a key
    is not shown.
    """
    served, _, address = (identifier or "").partition("@http")
    where = mask_secrets(f"openai:{served}" if name == f"openai:{identifier}" else name)
    check_name(served, where)
    given = check(options, OPTIONS, where)
    if address and given["base_url"] is not None:
        raise ValueError(f"model {where!r}: its address is given twice; leave base_url or the part after @ away")
    base_url = f"http{address}" if address else given["base_url"]
    if not served or base_url is None:
        raise ValueError(
            f"model {where!r}: write openai:NAME@URL, e.g. openai:Qwen/Qwen3-VL-8B@http://localhost:8000/v1, or give "
            "model and base_url in its table"
        )
    base_url = check_address(base_url, where)
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


class Problem(Exception):
    """Why an attempt gave no reply. `again`: another attempt may; `asked`: seconds the server wants to be left alone;
    `own`: the page's own fault, other pages may do well.
    """

    def __init__(self, message: str, *, again: bool = False, asked: float | None = None, own: bool = False) -> None:
        super().__init__(message)
        self.again = again
        self.asked = asked
        self.own = own


class HttpError(Exception):
    """A reply that is neither a completion nor worth reading whole: its status, headers and the start of its body."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status
        self.headers = headers
        self.body = body


class OpenAIServer:
    """The `Transcriber`, `Answerer` and `Judge` behind an address. A page that gets no reply has a Reply with `error`;
    the others go on.

    After as many pages in a row as two rounds of all concurrent requests (8 at least) got no reply for a reason that is
    not their own, the server counts as gone and the rest are not asked. Raises NotInstalled for a missing client and a
    missing variable that `api_key_env` names.
    """

    def __init__(self, base_url: str, chosen: Settings) -> None:
        if importlib.util.find_spec("openai") is None:
            raise NotInstalled(MISSING)
        self.base_url = base_url
        self.settings = chosen
        self.batch_size = 2 * chosen.concurrency  # the next requests are at hand when the first replies are
        variable = chosen.api_key_env
        self._key = "" if variable is None else os.environ.get(variable, "").strip()
        if not self._key and chosen.key_required:
            raise NotInstalled(
                f"the environment variable {variable}, named by api_key_env, is not set: put the key there"
            )
        self._failed_in_a_row = 0
        self._last_problem = ""

    def transcribe(self, images: Sequence[Image.Image], prompt: Prompt) -> list[Reply]:
        """Reads each picture with a request of its own, `concurrency` of them at the same time."""
        chosen = self.settings
        if chosen.preset.two_step:
            return read_by_blocks(self.generate, chosen.preset, images)
        think = prompt.condition.endswith("+think")
        if think and chosen.think_body is None and not chosen.preset.thinking:
            unknown = _error(
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

    def _put(self, questions: Sequence[Question]) -> list[Reply]:
        return asyncio.run(self._read_all(questions))

    async def _read_all(self, questions: Sequence[Question]) -> list[Reply]:
        import openai

        chosen = self.settings
        timeout = openai.Timeout(chosen.read_seconds, connect=chosen.connect_seconds)
        transport = openai.DefaultAsyncHttpxClient(
            timeout=timeout,
            follow_redirects=False,  # the key would go along
            event_hooks={"response": [_stop_at_errors]},
        )
        seats = asyncio.Semaphore(chosen.concurrency)
        async with openai.AsyncOpenAI(
            api_key=self._key or "none",  # the client wants one
            base_url=self.base_url,
            max_retries=0,
            timeout=timeout,
            http_client=transport,
        ) as client:
            return await asyncio.gather(*(self._read(client, seats, question) for question in questions))

    async def _read(self, client: Any, seats: asyncio.Semaphore, question: Question) -> Reply:
        async with seats:
            if self._failed_in_a_row >= max(8, 2 * self.settings.concurrency):
                return _error(
                    f"not asked: the server gave no reply {self._failed_in_a_row} times in a row, "
                    f"the last time: {self._last_problem}"
                )
            try:
                reply = await self._ask(client, question)
            except Problem as problem:
                if not problem.own:
                    self._failed_in_a_row += 1
                    self._last_problem = mask_secrets(str(problem))
                return _error(str(problem))
            self._failed_in_a_row = 0
            return self._without_key(reply)

    async def _ask(self, client: Any, question: Question) -> Reply:
        """One page, within its seconds. Raises Problem."""
        chosen = self.settings
        last = ""
        ends = time.monotonic() + chosen.page_seconds
        try:
            async with asyncio.timeout(chosen.page_seconds):
                request = await asyncio.to_thread(self._request, question)
                for attempt in range(chosen.max_retries + 1):
                    try:
                        return await self._attempt(client, request)
                    except Problem as problem:
                        last = f"{problem} (attempt {attempt + 1})"
                        if not problem.again or attempt == chosen.max_retries:
                            raise Problem(last if attempt else str(problem), own=problem.own) from problem
                        wait = waiting(attempt, problem.asked, random.Random())
                    if time.monotonic() + wait >= ends:
                        raise Problem(
                            f"{last}; the next would be after {wait:.0f} s, past page_seconds = {chosen.page_seconds:g}"
                        )
                    _log.info("%s: %s; again in %.1f s", chosen.model, mask_secrets(last), wait)
                    await asyncio.sleep(wait)
        except TimeoutError:
            before = f"; before that: {last}" if last else ""
            raise Problem(
                _possibly_billed(chosen.model, f"no reply within page_seconds = {chosen.page_seconds:g}") + before
            ) from None
        raise AssertionError("max_retries is 0 or more")

    async def _attempt(self, client: Any, request: Mapping[str, Any]) -> Reply:
        try:
            async with client.chat.completions.with_streaming_response.create(**request) as response:
                body, whole = await _capped(response.iter_bytes(), REPLY_BYTES)
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

    def _problem(self, error: Exception) -> Problem:
        """What went wrong in the client or below it."""
        links: list[BaseException] = [error]
        while (cause := links[-1].__cause__) is not None:
            links.append(cause)
        for link in links:
            if isinstance(link, HttpError):
                return self._refused(link)
        kinds = {kind.__name__ for link in links for kind in type(link).__mro__}
        named = excerpt(f"{type(links[-1]).__name__}: {links[-1]}".rstrip(": "), SHOWN)
        if kinds & {"ConnectTimeout", "ConnectError", "PoolTimeout"}:
            return Problem(f"{self.base_url} cannot be reached ({named})", again=True)
        if any("Timeout" in kind for kind in kinds):
            silent = f"no reply for read_seconds = {self.settings.read_seconds:g}"
            return Problem(_possibly_billed(self.settings.model, silent), again=True)
        if kinds & {"TransportError", "OSError", "APIConnectionError"}:
            return Problem(_possibly_billed(self.settings.model, f"the connection was cut ({named})"), again=True)
        return Problem(named)

    def _refused(self, error: HttpError) -> Problem:
        said = error_text(error.body)
        message = f"HTTP {error.status}" + (f": {said}" if said else "")
        if error.status < 400:
            elsewhere = excerpt(error.headers.get("location", "nowhere"), SHOWN)
            return Problem(
                f"HTTP {error.status}: the server redirects to {elsewhere}; this is not followed, the "
                "key would go along: give that address as base_url"
            )
        if error.status in (401, 403):
            variable = self.settings.api_key_env
            if not self._key:
                mend = (
                    f"no key was sent: put it into {variable}"
                    if variable
                    else "no key was sent: name its variable with api_key_env"
                )
            else:
                mend = f"the key in {variable} was refused"
            return Problem(f"{mend} ({message})")
        if error.status == 404:
            return Problem(
                f"{message}; is base_url = {self.base_url} right? It usually ends in /v1. Is the model's name?"
            )
        if error.status == 429 and error_code(error.body) == "insufficient_quota":
            return Problem(f"the quota is used up ({message})")
        again = put_again(error.status)
        own = error.status in (400, 413, 422)  # as for a page that is too large for this model
        return Problem(message, again=again, asked=retry_after(error.headers) if again else None, own=own)

    def _without_markup(self, reply: Reply) -> Reply:
        preset = self.settings.preset
        text = reply.text
        if text is not None:
            # a template may open the think block itself; a server without a reasoning parser then shows its end only
            text = clean(text, preset.markup, thinking=None)
        return replace(reply, text=text, image_tokens=reply.image_tokens if preset.counted else None)

    def _without_key(self, reply: Reply) -> Reply:
        """A server may return what it was sent."""

        def clean(text: str | None) -> str | None:
            return None if text is None else mask_key(text, self._key)

        return replace(
            reply, text=clean(reply.text), refusal=clean(reply.refusal), finish_reason=clean(reply.finish_reason)
        )


def data_url(image: Image.Image) -> str:
    """The picture as the address of a PNG, which keeps every pixel."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


async def _stop_at_errors(response: Any) -> None:
    """Reads the start of whatever is no success, where the client would read all of it."""
    if 200 <= response.status_code < 300:
        return
    try:
        body, _ = await _capped(response.aiter_bytes(), ERROR_BYTES)
    finally:
        await response.aclose()
    raise HttpError(response.status_code, {name.lower(): value for name, value in response.headers.items()}, body)


async def _capped(chunks: AsyncIterator[bytes], limit: int) -> tuple[bytes, bool]:
    """At most `limit` bytes, and whether that is all."""
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > limit:
            return bytes(body[:limit]), False
    return bytes(body), True


def _texts(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    contents = [message["content"] for message in messages]
    parts = [[{"text": content}] if isinstance(content, str) else content for content in contents]
    return [part["text"] for content in parts for part in content if "text" in part]


def _possibly_billed(model: str, what: str) -> str:
    """For requests that ended without a reply after they were sent."""
    message = f"{what}; possibly billed"
    _log.warning("%s: %s", model, mask_secrets(message))
    return message


def _error(message: str) -> Reply:
    return Reply(text=None, error=mask_secrets(message))
