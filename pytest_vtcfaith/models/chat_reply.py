"""From the body of a chat completion to a reply. Only `content` is ever read as a transcript, never reasoning."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pytest_vtcfaith.engine.secrets import excerpt
from pytest_vtcfaith.metrics.outcomes import Reply

TEMPLATE_TOKENS = 256
"""More than a chat template adds to the text of a prompt."""
UNKNOWN_END = "truncated"
"""The finish reason of a reply whose server gives none."""
BROKEN_OFF = ("abort", "error")
REFUSED = ("content_filter", "safety", "recitation", "prohibited_content", "refusal")
SHOWN = 300
SHOWN_VALUE = 80
READ_FOR_SHOWING = 64 * 2**10  # where a text is masked before it is cut, and 4 MiB would take long


class ServerError(ValueError):
    """A body that reports an error; `status` is its HTTP status where it names one."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


def chat_reply(body: bytes, *, whole: bool, max_tokens: int, prompt_bytes: int) -> Reply:
    """The reply in the body of a chat completion.

    `whole` is False for a body that was cut off for its size: the text up to there is kept, with the finish reason
    `cut_off`. `max_tokens` is the limit that was sent. `prompt_bytes` is the length of the prompt's texts in UTF-8:
    where the server reports no image tokens, `prompt_tokens` less one token per byte and `TEMPLATE_TOKENS` were spent
    on the picture for certain.

    A refusal field, and the finish reason `content_filter` and its synonyms, are refusals. A reply without a finish
    reason is not known to be whole: its finish reason is `truncated`. Raises ServerError for a body that reports an
    error, in whatever place and whatever stands beside it, and ValueError for one that is no chat completion, has no
    choice, or was broken off.
    """
    data = parsed(body) if whole else _cut_json(body)
    if not isinstance(data, dict):
        raise ValueError(f"the reply is no chat completion: {_shown(data)}")
    raise_reported(data)
    choices = data.get("choices")
    if not isinstance(choices, list):
        raise ValueError(f"the reply is no chat completion: choices = {_shown(choices)}")
    if not choices:
        raise ValueError("the server answered without any choice (choices = [])")
    choice = choices[0]
    _raise_beside(choice)
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        raise ValueError(f"the reply is no chat completion: message = {_shown(message)}")
    _raise_beside(message)
    text, refusal = _content(message)
    finish = choice.get("finish_reason")
    finish = finish.strip() if isinstance(finish, str) else ""
    if finish.lower() in BROKEN_OFF:
        raise ValueError(f"the server broke the reply off (finish_reason {finish!r})")
    if finish.lower() in REFUSED:
        refusal = refusal or finish
    finish = finish or UNKNOWN_END
    if not whole:
        finish = "cut_off"
    usage = data.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return Reply(
        text=text,
        finish_reason=finish,
        completion_tokens=_count(usage.get("completion_tokens")),
        max_tokens=max_tokens,
        image_tokens=_image_tokens(usage, prompt_bytes),
        refusal=refusal,
    )


def error_text(body: bytes) -> str:
    """What the body of an error says, in one line of at most 300 characters; secrets masked."""
    text = body.decode("utf-8", errors="replace")
    try:
        raise_reported(parsed(body))
    except ServerError as error:
        text = str(error)
    except ValueError:
        pass
    return excerpt(text, SHOWN)


def error_code(body: bytes) -> str | None:
    """The code of an error in the body, such as `insufficient_quota`."""
    try:
        data = parsed(body)
    except ValueError:
        return None
    error = data.get("error") if isinstance(data, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, str) else None


def parsed(body: bytes) -> Any:
    """The JSON of a body. Raises ValueError, with the start of the body, for anything else."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        start = _shown(body[:READ_FOR_SHOWING].decode("utf-8", errors="replace"))
        raise ValueError(f"the reply is not JSON ({type(error).__name__}): {start}") from error


def _cut_json(body: bytes) -> Any:
    import jiter

    try:
        return jiter.from_json(body, partial_mode="trailing-strings")
    except ValueError as error:
        raise ValueError(f"the reply was cut off after {len(body)} bytes and is not JSON") from error


def raise_reported(data: Any) -> None:
    """Raises ServerError for a body that reports an error."""
    if not isinstance(data, dict):
        return
    if "choices" in data:
        _raise_beside(data)
        return
    error = data.get("error")
    status: object = None
    if isinstance(error, dict):
        said, status = error.get("message"), error.get("code")
    else:
        said = error or data.get("message") or data.get("detail")
    if said is None and error is None:
        return
    number = status if isinstance(status, int) and not isinstance(status, bool) else None
    said = said if said is not None else error
    raise ServerError(excerpt(said, SHOWN) if isinstance(said, str) else _shown(said), number)


def _raise_beside(part: Any) -> None:
    """For an error beside what a completion has; servers that stream from elsewhere report one so."""
    if isinstance(part, dict) and part.get("error"):
        raise_reported({"error": part["error"]})


def _content(message: Mapping[str, Any]) -> tuple[str | None, str | None]:
    content, refusal = message.get("content"), message.get("refusal")
    refusals = [refusal] if isinstance(refusal, str) and refusal else []
    if content is None or isinstance(content, str):
        return content, "".join(refusals) or None
    if not isinstance(content, list) or not all(isinstance(part, dict) for part in content):
        raise ValueError(f"the reply is no chat completion: content = {_shown(content)}")
    texts = [part.get("text") for part in content if part.get("type") in ("text", "output_text")]
    refusals += [part["refusal"] for part in content if isinstance(part.get("refusal"), str) and part["refusal"]]
    return "".join(text for text in texts if isinstance(text, str)), "".join(refusals) or None


def _image_tokens(usage: Mapping[str, Any], prompt_bytes: int) -> int | None:
    for name in ("prompt_tokens_details", "input_tokens_details"):
        details = usage.get(name)
        count = _count(details.get("image_tokens")) if isinstance(details, dict) else None
        if count:  # 0 where the server does not count them
            return count
    prompt = _count(usage.get("prompt_tokens"))
    at_least = 0 if prompt is None else prompt - prompt_bytes - TEMPLATE_TOKENS
    return at_least if at_least > 0 else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _shown(value: object) -> str:
    return excerpt(json.dumps(value, default=repr), SHOWN_VALUE)
