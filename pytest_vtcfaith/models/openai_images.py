"""Editors and illustrators behind the images API of an OpenAI-compatible server, by the official client."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_vtcfaith.engine.pictures import picture_reply
from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.models.chat_reply import ServerError
from pytest_vtcfaith.models.image_reply import Refused, opened, picture_data, refusal_in
from pytest_vtcfaith.models.openai_options import (
    DECLARED,
    TRANSPORT,
    Option,
    TransportSettings,
    is_text,
    transport_fields,
    where_served,
)
from pytest_vtcfaith.models.openai_options import (
    OPTIONS as CHAT_OPTIONS,
)
from pytest_vtcfaith.models.openai_options import (
    REQUEST as CHAT_REQUEST,
)
from pytest_vtcfaith.models.openai_transport import Problem, Transport, capped, http_error
from pytest_vtcfaith.models.retries import put_again
from pytest_vtcfaith.models.spec import ModelSpec

if TYPE_CHECKING:
    from PIL import Image

ADAPTER = "openai-images/1"  # a new number where the same settings come to ask, or read, another thing
REPLY_BYTES = 64 * 2**20
TASKS = ("edit", "draw")
SENT = ("model", "prompt", "image", "mask", "n", "stream", "size", "quality", "response_format")

REQUEST: Mapping[str, Option] = {
    "size": Option(
        None, is_text, "a text such as '1024x1024' or 'auto'", "size of the picture (default: the server's)"
    ),
    "quality": Option(None, is_text, "a text such as 'high'", "quality of the picture (default: the server's)"),
    "response_format": Option(
        None,
        lambda value: value in ("b64_json", "url"),
        "'b64_json' or 'url'",
        "how the picture is sent (default: not asked for; gpt-image refuses the field)",
    ),
    "extra_body": CHAT_REQUEST["extra_body"],
}
"""Options that shape a picture."""

OPTIONS: Mapping[str, Option] = {
    "base_url": CHAT_OPTIONS["base_url"],
    "task": Option(None, lambda value: value in TASKS, "'edit' or 'draw'", "what it does (default: both)"),
    **REQUEST,
    **TRANSPORT,
    "languages": DECLARED["languages"],
    "revision": DECLARED["revision"],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageSettings(TransportSettings):
    """Checked options, named as in `REQUEST`."""

    size: str | None
    quality: str | None
    response_format: str | None
    extra_body: Mapping[str, Any]


class Wanted(NamedTuple):
    """A picture that is asked for: by an instruction for another picture, or by words alone."""

    words: str
    image: Image.Image | None = None


def spec(identifier: str | None, options: Mapping[str, Any], name: str) -> ModelSpec:
    """The model `openai-images:NAME@URL`; in a table `model = "NAME"` and `base_url = "URL"`, or both in `model`.

    `OPTIONS` lists the options. Raises ValueError that names the model and the option; what may be a key is not shown.
    """
    served, where, given, base_url = where_served(
        "openai-images", "sd3@http://localhost:8080/v1", identifier, options, OPTIONS, name
    )
    if taken := sorted(set(SENT) & given["extra_body"].keys()):
        raise ValueError(f"model {where!r}: extra_body.{taken[0]}: is set by the adapter or by an option of its own")
    shaping = {option: given[option] for option in REQUEST}
    chosen = ImageSettings(**shaping, **transport_fields(served, given, base_url))
    return ModelSpec(
        name=name,
        load=partial(OpenAIImages, base_url, chosen),
        languages=None if given["languages"] is None else frozenset(given["languages"]),
        lives="host",
        remote=True,
        revision=given["revision"],
        adapter=ADAPTER,
        options={**shaping, "model": served, "base_url": base_url},
        tasks=frozenset(TASKS if given["task"] is None else (given["task"],)),
    )


class OpenAIImages(Transport[Wanted]):
    """The `Editor` and `Illustrator` behind an address. Raises as `Transport`."""

    def __init__(self, base_url: str, chosen: ImageSettings) -> None:
        super().__init__(base_url, chosen)
        self.settings = chosen

    def edit(self, images: Sequence[Image.Image], instructions: Sequence[str]) -> list[Reply]:
        """Has each picture edited by a request of its own, `concurrency` of them at the same time."""
        return self._put([Wanted(words, image) for image, words in zip(images, instructions, strict=True)])

    def draw(self, prompts: Sequence[str]) -> list[Reply]:
        """Has a picture drawn for each prompt, as `edit`."""
        return self._put([Wanted(words) for words in prompts])

    def _request(self, asked: Wanted) -> dict[str, Any]:
        chosen = self.settings
        optional = {name: getattr(chosen, name) for name in ("size", "quality", "response_format")}
        request = {
            "model": chosen.model,
            "prompt": asked.words,
            "n": 1,
            **{name: value for name, value in optional.items() if value is not None},
            "extra_body": dict(chosen.extra_body),
            "extra_headers": {"Accept-Encoding": "identity"},  # else a small body may unpack to a large one
        }
        if asked.image is not None:
            file = io.BytesIO()
            asked.image.save(file, "PNG")
            request["image"] = ("page.png", file.getvalue(), "image/png")
        return request

    async def _attempt(self, client: Any, request: Mapping[str, Any]) -> Reply:
        streamed = client.images.with_streaming_response
        operation = streamed.edit if "image" in request else streamed.generate
        try:
            async with operation(**request) as response:
                body, whole = await capped(response.iter_bytes(), REPLY_BYTES)
        except Exception as error:  # the client wraps some errors of its transport, in some versions
            answered = http_error(error)
            if answered is not None and (refusal := refusal_in(answered.body)) is not None:
                return Reply(text=None, refusal=refusal)
            raise self._problem(error) from error
        if not whole:
            raise Problem(f"the reply is larger than {REPLY_BYTES} bytes: ask for a smaller picture (size)")
        try:
            found = picture_data(body, self.base_url)
            file = await self._fetched(found) if isinstance(found, str) else found
            return await asyncio.to_thread(lambda: picture_reply(opened(file)))
        except Refused as refusal:
            return Reply(text=None, refusal=str(refusal))
        except ServerError as error:
            again = error.status is not None and put_again(error.status)
            raise Problem(f"the server reports an error: {error}", again=again) from error
        except ValueError as error:
            raise Problem(str(error)) from error

    async def _fetched(self, address: str) -> bytes:
        """The file at an address of the server that was asked, without the key. Raises Problem."""
        try:
            async with self._http_client() as client, client.stream("GET", address) as response:
                file, whole = await capped(response.aiter_bytes(), REPLY_BYTES)
        except Exception as error:
            problem = self._problem(error)
            raise Problem(f"the picture at {address} cannot be fetched: {problem}", again=problem.again) from error
        if not whole:
            raise Problem(f"the picture at {address} is larger than {REPLY_BYTES} bytes")
        return file
