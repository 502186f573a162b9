"""Asks a model for one page."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.engine.secrets import mask_secrets
from pytest_vtcfaith.engine.store import ResponseStore, reply_key
from pytest_vtcfaith.engine.transcript import Transcript
from pytest_vtcfaith.metrics.outcomes import Reply, outcome
from pytest_vtcfaith.models.protocols import NotInstalled, Prompt
from pytest_vtcfaith.models.spec import ModelSpec
from pytest_vtcfaith.pages.images import pixel_key, upright_rgb

if TYPE_CHECKING:
    from PIL import Image


def ask(
    spec: ModelSpec,
    model: object,
    image: Image.Image | Callable[[], Image.Image],
    prompt: Prompt,
    *,
    case_id: str,
    page_text: str,
    lang: str,
    budget_tokens: int | None = None,
    store: ResponseStore | None = None,
    picture_key: str | None = None,
) -> Transcript:
    """The transcript of one page by one model.

    `model` is what `spec.load()` gave. `image` is the picture in any mode, or a function that draws it; the model gets
    it upright, RGB, on white. `page_text` is what the page says, for the outcome only: no model ever sees it.
    `budget_tokens` are the visual tokens the picture may cost, None for any. With a `store`, a stored reply saves the
    question, and complete replies are stored. `picture_key` names the picture without drawing it (`Page.fingerprint`):
    a picture drawn before is not drawn again to find its reply.

    Whatever the model raises becomes the outcome `infrastructure_error` with `TypeName: message`, secrets masked; only
    KeyboardInterrupt, SystemExit and what drawing the picture raises pass through.
    """

    def judged(reply: Reply, seconds: float, cached: bool) -> Transcript:
        if budget_tokens is not None:
            reply = replace(reply, budget_tokens=budget_tokens)
        return Transcript(reply, outcome(page_text, reply, lang=lang), seconds, cached)

    if not spec.needs_picture:
        started = time.perf_counter()
        reply = _guarded(lambda: _checked(model.reply(case_id)))  # type: ignore[attr-defined]
        return judged(reply, time.perf_counter() - started, cached=False)

    picture: Image.Image | None = None
    key = ""
    if store is not None:
        pixels = store.pixel_key(picture_key) if picture_key is not None else None
        if pixels is None:
            picture = _upright(image)
            pixels = pixel_key(picture)
            if picture_key is not None:
                store.remember_picture(picture_key, pixels)
        key = reply_key(spec, prompt, pixels)
        stored = store.get(key)
        if stored is not None:
            transcript = judged(stored, 0.0, cached=True)
            if transcript.outcome == "complete":  # else the rules or the budget have changed: ask afresh
                return transcript
    shown = _upright(image) if picture is None else picture
    started = time.perf_counter()
    reply = _guarded(lambda: _only(model.transcribe([shown], prompt)))  # type: ignore[attr-defined]
    transcript = judged(reply, time.perf_counter() - started, cached=False)
    if store is not None and transcript.outcome == "complete":
        store.put(key, reply)
    return transcript


def error_reply(error: Exception) -> Reply:
    """The reply that stands for an error of a model, also of loading it: never a failure of the model itself."""
    kind = "not installed" if isinstance(error, NotInstalled) else type(error).__name__
    return Reply(text=None, error=mask_secrets(f"{kind}: {_message(error)}"))


def _message(error: Exception) -> str:
    try:
        return str(error)
    except Exception:  # a model's exception may fail to show itself
        return "(no message)"


def _guarded(call: Callable[[], Reply]) -> Reply:
    try:
        reply = call()
    except Exception as error:
        return error_reply(error)
    return reply if reply.error is None else replace(reply, error=mask_secrets(reply.error))


def _only(replies: Any) -> Reply:
    if isinstance(replies, str | Reply) or not isinstance(replies, Sequence):
        raise TypeError(
            f"transcribe() must return a list with one reply per picture, it returned {type(replies).__name__}"
        )
    if len(replies) != 1:
        raise ValueError(f"transcribe() returned {len(replies)} replies for 1 picture")
    return _checked(replies[0])


def _checked(reply: Any) -> Reply:
    if isinstance(reply, str):
        return Reply(text=reply)
    if not isinstance(reply, Reply):
        raise TypeError(f"a reply must be a Reply or a str, the model gave {type(reply).__name__}")
    return Reply.from_mapping(asdict(reply))  # refuses fields of another type


def _upright(image: Image.Image | Callable[[], Image.Image]) -> Image.Image:
    return upright_rgb(image() if callable(image) else image)
