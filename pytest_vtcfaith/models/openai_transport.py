"""Requests to an OpenAI-compatible server by the official client: many at once, put again when that may help, and each
with a reply or the reason why there is none.
"""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import os
import random
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

from pytest_vtcfaith.engine.secrets import excerpt, mask_key, mask_secrets
from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.models.chat_reply import SHOWN, error_code, error_text
from pytest_vtcfaith.models.openai_options import TransportSettings
from pytest_vtcfaith.models.protocols import NotInstalled
from pytest_vtcfaith.models.retries import put_again, retry_after, waiting

ERROR_BYTES = 64 * 2**10
MISSING = "the client for OpenAI-compatible servers is not installed: pip install 'pytest-vtcfaith[openai]'"
Asked = TypeVar("Asked")
_log = logging.getLogger(__name__)


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


class Transport(ABC, Generic[Asked]):
    """The requests of a model behind an address. What gets no reply has a Reply with `error`; the others go on.

    After as many in a row as two rounds of all concurrent requests (8 at least) got no reply for a reason that is not
    their own, the server counts as gone and the rest are not asked. Raises NotInstalled for a missing client and a
    missing variable that `api_key_env` names.
    """

    def __init__(self, base_url: str, transport: TransportSettings) -> None:
        if importlib.util.find_spec("openai") is None:
            raise NotInstalled(MISSING)
        self.base_url = base_url
        self.transport = transport
        self.batch_size = 2 * transport.concurrency  # the next requests are at hand when the first replies are
        variable = transport.api_key_env
        self._key = "" if variable is None else os.environ.get(variable, "").strip()
        if not self._key and transport.key_required:
            raise NotInstalled(
                f"the environment variable {variable}, named by api_key_env, is not set: put the key there"
            )
        self._failed_in_a_row = 0
        self._last_problem = ""

    @abstractmethod
    def _request(self, asked: Asked) -> Mapping[str, Any]:
        """What `_attempt` sends for one question."""

    @abstractmethod
    async def _attempt(self, client: Any, request: Mapping[str, Any]) -> Reply:
        """Sends a request once. Raises Problem."""

    def _put(self, questions: Sequence[Asked]) -> list[Reply]:
        return asyncio.run(self._read_all(questions))

    async def _read_all(self, questions: Sequence[Asked]) -> list[Reply]:
        import openai

        seats = asyncio.Semaphore(self.transport.concurrency)
        async with openai.AsyncOpenAI(
            api_key=self._key or "none",  # the client wants one
            base_url=self.base_url,
            max_retries=0,
            timeout=self._timeout(),
            http_client=self._http_client(),
        ) as client:
            return await asyncio.gather(*(self._read(client, seats, question) for question in questions))

    def _http_client(self) -> Any:
        """What sends requests, without a key; no redirect is followed, for a key would go along."""
        import openai

        return openai.DefaultAsyncHttpxClient(
            timeout=self._timeout(), follow_redirects=False, event_hooks={"response": [_stop_at_errors]}
        )

    def _timeout(self) -> Any:
        import openai

        return openai.Timeout(self.transport.read_seconds, connect=self.transport.connect_seconds)

    async def _read(self, client: Any, seats: asyncio.Semaphore, question: Asked) -> Reply:
        async with seats:
            if self._failed_in_a_row >= max(8, 2 * self.transport.concurrency):
                return no_reply(
                    f"not asked: the server gave no reply {self._failed_in_a_row} times in a row, "
                    f"the last time: {self._last_problem}"
                )
            try:
                reply = await self._ask(client, question)
            except Problem as problem:
                if not problem.own:
                    self._failed_in_a_row += 1
                    self._last_problem = mask_secrets(str(problem))
                return no_reply(str(problem))
            self._failed_in_a_row = 0
            return self._without_key(reply)

    async def _ask(self, client: Any, question: Asked) -> Reply:
        """One page, within its seconds. Raises Problem."""
        chosen = self.transport
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

    def _problem(self, error: Exception) -> Problem:
        """What went wrong in the client or below it."""
        links = _links(error)
        if (answered := http_error(error)) is not None:
            return self._refused(answered)
        kinds = {kind.__name__ for link in links for kind in type(link).__mro__}
        named = excerpt(f"{type(links[-1]).__name__}: {links[-1]}".rstrip(": "), SHOWN)
        if kinds & {"ConnectTimeout", "ConnectError", "PoolTimeout"}:
            return Problem(f"{self.base_url} cannot be reached ({named})", again=True)
        if any("Timeout" in kind for kind in kinds):
            silent = f"no reply for read_seconds = {self.transport.read_seconds:g}"
            return Problem(_possibly_billed(self.transport.model, silent), again=True)
        if kinds & {"TransportError", "OSError", "APIConnectionError"}:
            return Problem(_possibly_billed(self.transport.model, f"the connection was cut ({named})"), again=True)
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
            variable = self.transport.api_key_env
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

    def _without_key(self, reply: Reply) -> Reply:
        """A server may return what it was sent."""

        def clean(text: str | None) -> str | None:
            return None if text is None else mask_key(text, self._key)

        return replace(
            reply, text=clean(reply.text), refusal=clean(reply.refusal), finish_reason=clean(reply.finish_reason)
        )


def http_error(error: Exception) -> HttpError | None:
    """The HTTP error that is behind what the client raised, None where there is another reason."""
    return next((link for link in _links(error) if isinstance(link, HttpError)), None)


def _links(error: BaseException) -> list[BaseException]:
    """An error and its causes, the first cause last."""
    links = [error]
    while (cause := links[-1].__cause__) is not None:
        links.append(cause)
    return links


async def _stop_at_errors(response: Any) -> None:
    """Reads the start of whatever is no success, where the client would read all of it."""
    if 200 <= response.status_code < 300:
        return
    try:
        body, _ = await capped(response.aiter_bytes(), ERROR_BYTES)
    finally:
        await response.aclose()
    raise HttpError(response.status_code, {name.lower(): value for name, value in response.headers.items()}, body)


async def capped(chunks: AsyncIterator[bytes], limit: int) -> tuple[bytes, bool]:
    """At most `limit` bytes, and whether that is all."""
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > limit:
            return bytes(body[:limit]), False
    return bytes(body), True


def _possibly_billed(model: str, what: str) -> str:
    """For requests that ended without a reply after they were sent."""
    message = f"{what}; possibly billed"
    _log.warning("%s: %s", model, mask_secrets(message))
    return message


def no_reply(message: str) -> Reply:
    """The reply of a question that got none, for this reason; secrets are masked."""
    return Reply(text=None, error=mask_secrets(message))
