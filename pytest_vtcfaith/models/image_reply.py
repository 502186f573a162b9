"""From the body of an images API to a picture: the one that was asked for, whole, and of a size that can be kept."""

from __future__ import annotations

import base64
import binascii
import io
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from pytest_vtcfaith.engine.secrets import excerpt
from pytest_vtcfaith.models.chat_reply import REFUSED, SHOWN, parsed, raise_reported

if TYPE_CHECKING:
    from PIL import Image

MOST_PIXELS = 2**26
"""A picture of more is not opened: 8192 × 8192."""
FORMATS = ("PNG", "JPEG", "WEBP")
POLICY = (
    "content_policy_violation",
    "moderation_blocked",
    "content_filter",
    "contentfilter",
    "responsibleaipolicyviolation",
    "safety",
)
"""Codes of errors that are refusals."""
_SHOWN_VALUE = 80


class Refused(Exception):
    """The server declines to make the picture; the message says why."""


def picture_data(body: bytes, base_url: str) -> bytes | str:
    """The file of the one picture in the body of an images API (`data`, each with `b64_json` or `url`), or its address
    where it has to be fetched.

    An address is only that of a file on the server that was asked (its scheme, host and port), or a `data:` one.
    Raises Refused for a refusal, ServerError for a body that reports an error, ValueError for one that is no images
    reply, has no picture, or more than one.
    """
    reply = parsed(body)
    if isinstance(reply, dict) and "data" not in reply:
        _raise_refusal(reply)
        raise_reported(reply)
    data = reply.get("data") if isinstance(reply, dict) else None
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        raise ValueError(f"the reply is no images reply: data = {_shown(data)}")
    if len(data) != 1:
        raise ValueError(f"the server answered with {len(data)} pictures where one was asked for")
    (item,) = data
    _raise_refusal(item)
    if isinstance(encoded := item.get("b64_json"), str) and encoded:
        return _decoded(encoded)
    if isinstance(address := item.get("url"), str) and address:
        return _data(address) if address.lower().startswith("data:") else _near(address, base_url)
    raise ValueError(f"the reply has no picture: {_shown(item)}")


def opened(file: bytes) -> Image.Image:
    """The picture in a PNG, JPEG or WebP file, decoded. Raises ValueError for a broken one, another format, and one of
    more than 2²⁶ pixels, which is not decoded.
    """
    from PIL import Image

    try:
        picture = Image.open(io.BytesIO(file), formats=FORMATS)
        if picture.width * picture.height > MOST_PIXELS:
            raise ValueError(f"it is {picture.width} x {picture.height} pixels, more than {MOST_PIXELS}")
        picture.load()
    except Exception as error:  # of many kinds: Pillow raises OSError, SyntaxError, ValueError, struct.error …
        raise ValueError(f"the picture cannot be opened: {excerpt(str(error), SHOWN)}") from error
    return picture


def refusal_in(body: bytes) -> str | None:
    """Why a server refuses, by the body of an HTTP error; None where it reports another error."""
    try:
        reply = parsed(body)
        _raise_refusal(reply if isinstance(reply, dict) else {})
    except Refused as refusal:
        return str(refusal)
    except ValueError:
        pass
    return None


def _raise_refusal(part: Mapping[str, Any]) -> None:
    """For an error whose code is one of `POLICY`, also in the form that wraps it once more, and a finish reason."""
    error = part.get("error")
    inner = error.get("innererror") if isinstance(error, dict) else None
    codes = [each.get(key) for each in (error, inner) if isinstance(each, dict) for key in ("code", "type")]
    if any(isinstance(code, str) and code.lower() in POLICY for code in codes):
        said = error.get("message") if isinstance(error, dict) else None
        raise Refused(excerpt(said, SHOWN) if isinstance(said, str) and said else str(codes[0]))
    finish = part.get("finish_reason")
    if isinstance(finish, str) and finish.lower() in REFUSED:
        raise Refused(finish)


def _near(address: str, base_url: str) -> str:
    whole = urljoin(f"{base_url}/", address)
    if _server(whole) != _server(base_url):
        raise ValueError(
            f"the picture is at {excerpt(whole, SHOWN)}, on another server than was asked, and is not fetched: give "
            "response_format = 'b64_json'"
        )
    return whole


def _server(address: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(address)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def _data(address: str) -> bytes:
    head, comma, encoded = address.partition(",")
    if not comma or not head.lower().endswith(";base64"):
        raise ValueError(f"the picture's address is no data: address in base64: {_shown(head)}")
    return _decoded(encoded)


def _decoded(encoded: str) -> bytes:
    try:
        return base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"the picture is no base64 ({error}): {_shown(encoded[:_SHOWN_VALUE])}") from error


def _shown(value: object) -> str:
    return excerpt(json.dumps(value, default=repr), _SHOWN_VALUE)
