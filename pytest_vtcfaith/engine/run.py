"""Asks a model for one page, one edit, one answer or one drawing."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.engine.failures import kept_alive, shortened
from pytest_vtcfaith.engine.pictures import picture_of, picture_reply
from pytest_vtcfaith.engine.secrets import mask_secrets
from pytest_vtcfaith.engine.store import ResponseStore, reply_key
from pytest_vtcfaith.engine.transcript import Transcript
from pytest_vtcfaith.metrics.outcomes import Reply, answer_outcome, outcome, picture_outcome
from pytest_vtcfaith.models.protocols import TASKS, NotInstalled, Prompt
from pytest_vtcfaith.models.spec import ModelSpec
from pytest_vtcfaith.pages.images import pixel_key, upright_rgb

if TYPE_CHECKING:
    from PIL import Image


@dataclass(frozen=True, slots=True)
class Question:
    """One page for one model.

    `image` is the picture in any mode, or a function that draws it; None where the model is to draw one. `task` is one
    of `TASKS`. `page_text` is what the page says, for the outcome only: no model ever sees it. `budget_tokens` are the
    visual tokens the picture may cost, None for any. `picture_key` names the picture without drawing it
    (`Page.fingerprint`), None when nothing does.
    """

    case_id: str
    image: Image.Image | Callable[[], Image.Image] | None
    prompt: Prompt
    page_text: str
    lang: str
    budget_tokens: int | None = None
    picture_key: str | None = None
    task: str = "transcribe"


@dataclass(frozen=True, slots=True)
class Stored:
    """What the store knows of a question: the key of its reply, the picture where it had to be drawn, the transcript
    where a complete one is stored.
    """

    key: str
    picture: Image.Image | None
    transcript: Transcript | None


def ask(
    spec: ModelSpec,
    model: object,
    image: Image.Image | Callable[[], Image.Image] | None,
    prompt: Prompt,
    *,
    case_id: str,
    page_text: str,
    lang: str,
    budget_tokens: int | None = None,
    store: ResponseStore | None = None,
    picture_key: str | None = None,
    task: str = "transcribe",
) -> Transcript:
    """What one model gives for one page, or without one where it is to draw it.

    `model` is what `spec.load()` gave; it gets the picture upright, RGB, on white. The others make a `Question`. With a
    `store`, a stored reply saves the question, and complete replies are stored. A picture drawn before is not drawn
    again to find its reply.

    Whatever the model raises becomes the outcome `infrastructure_error` with `TypeName: message`, secrets masked; only
    KeyboardInterrupt and what drawing the picture raises pass through.
    """
    question = Question(case_id, image, prompt, page_text, lang, budget_tokens, picture_key, task)
    if not spec.needs_picture:
        started = time.perf_counter()
        reply = _guarded(lambda: _checked(model.reply(case_id)))  # type: ignore[attr-defined]
        return judged(question, reply, time.perf_counter() - started)

    stored = look_up(spec, question, store) if store is not None else None
    if stored is not None and stored.transcript is not None:
        return stored.transcript
    picture = upright(image) if stored is None or stored.picture is None else stored.picture
    shown = None if picture is None else picture.copy()  # what a model does to it must not show in the report
    started = time.perf_counter()
    reply = _guarded(lambda: put(model, [question], [shown])[0])
    transcript = judged(question, reply, time.perf_counter() - started)
    if store is not None and stored is not None and transcript.outcome == "complete":
        store.put(stored.key, reply)
    return transcript


def put(model: Any, questions: Sequence[Question], pictures: Sequence[Image.Image | None]) -> list[Reply]:
    """Puts questions of one task to a loaded model in one call; questions for a transcriber have one prompt.

    Raises what the model raises, TypeError for one that lacks the method, and as `checked_replies`.
    """
    task = questions[0].task
    method = getattr(model, task, None)
    if not callable(method):
        raise TypeError(f"the model has no method {task}(): it is no {TASKS[task]}")
    shown = [picture for picture in pictures if picture is not None]
    texts = [question.prompt.text for question in questions]
    if task == "transcribe":
        replies = method(shown, questions[0].prompt)
    elif task == "draw":
        replies = method(texts)
    else:
        replies = method(shown, texts)
    return checked_replies(replies, len(questions), task)


def batch_of(question: Question) -> tuple[str, Prompt | None]:
    """Questions for which it is equal may be put in one call."""
    return question.task, question.prompt if question.task == "transcribe" else None


def judged(question: Question, reply: Reply, seconds: float, *, cached: bool = False) -> Transcript:
    """The reply with its outcome: the one place where a reply's outcome is decided."""
    if question.budget_tokens is not None:
        reply = replace(reply, budget_tokens=question.budget_tokens)
    if question.task == "transcribe":
        found = outcome(question.page_text, reply, lang=question.lang)
    else:
        found = answer_outcome(reply) if question.task == "answer" else picture_outcome(reply)
    return Transcript(reply, found, seconds, cached)


def look_up(spec: ModelSpec, question: Question, store: ResponseStore) -> Stored:
    """Looks for a stored reply; draws the picture only when it was never drawn before.

    A stored reply that is no longer complete, because the rules or the budget have changed, counts as none.
    """
    picture: Image.Image | None = None
    pixels = store.pixel_key(question.picture_key) if question.picture_key is not None else None
    if pixels is None:
        picture = upright(question.image)
        pixels = "" if picture is None else pixel_key(picture)
        if question.picture_key is not None:
            store.remember_picture(question.picture_key, pixels)
    key = reply_key(spec, question.prompt, pixels, question.task)
    reply = store.get(key)
    transcript = None if reply is None else judged(question, reply, 0.0, cached=True)
    return Stored(key, picture, transcript if transcript is not None and transcript.outcome == "complete" else None)


def error_reply(error: Exception) -> Reply:
    """The reply that stands for an error of a model, also of loading it: never a failure of the model itself. Its
    message is masked and shortened.
    """
    kind = "not installed" if isinstance(error, NotInstalled) else type(error).__name__
    return Reply(text=None, error=shortened(mask_secrets(f"{kind}: {_message(error)}")))


def _message(error: Exception) -> str:
    try:
        return str(error)
    except Exception:  # a model's exception may fail to show itself
        return "(no message)"


def _guarded(call: Callable[[], Reply]) -> Reply:
    try:
        with kept_alive():
            reply = call()
    except Exception as error:
        return error_reply(error)
    return _masked(reply)


def _masked(reply: Reply) -> Reply:
    return reply if reply.error is None else replace(reply, error=shortened(mask_secrets(reply.error)))


def checked_replies(replies: Any, count: int, task: str = "transcribe") -> list[Reply]:
    """What a model's method of that name gave for that many questions, as replies with secrets masked.

    Raises TypeError or ValueError when it gave something else.
    """
    gives = "picture" if task in ("edit", "draw") else "reply"
    each = "prompt" if task == "draw" else "picture"
    if isinstance(replies, str | Reply) or not isinstance(replies, Sequence):
        raise TypeError(
            f"{task}() must return a list with one {gives} per {each}, it returned {type(replies).__name__}"
        )
    if len(replies) != count:
        given = {"picture": "pictures", "reply": "replies"}[gives]
        raise ValueError(f"{task}() returned {len(replies)} {given} for {count} {each}{'' if count == 1 else 's'}")
    return [_masked(_checked(reply, gives)) for reply in replies]


def _checked(reply: Any, gives: str = "reply") -> Reply:
    if gives == "picture" and not isinstance(reply, Reply):
        from PIL import Image

        if isinstance(reply, Image.Image):
            return picture_reply(reply)
        raise TypeError(f"a picture must be a PIL image, or a Reply that says why not, got {type(reply).__name__}")
    if isinstance(reply, str):
        return Reply(text=reply)
    if not isinstance(reply, Reply):
        raise TypeError(f"a reply must be a Reply or a str, the model gave {type(reply).__name__}")
    if reply.picture is not None:
        picture_of(reply)  # raises for what is no picture
    return Reply.from_mapping(asdict(reply))  # refuses fields of another type


def upright(image: Image.Image | Callable[[], Image.Image] | None) -> Image.Image | None:
    """The picture, drawn if need be, as every model gets it; a plain RGB picture, such as a drawn page, as it is."""
    if image is None:
        return None
    picture = image() if callable(image) else image
    if picture.mode == "RGB" and not picture.info and not picture.getexif():
        return picture
    return upright_rgb(picture)
