"""Outcomes: whether a reply can be scored at all, or which failure it is (definitions §4 "Outcomes")."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from pytest_vtcfaith.metrics.normalise import normalise
from pytest_vtcfaith.metrics.refusals import refuses
from pytest_vtcfaith.metrics.repetition import repeats_itself
from pytest_vtcfaith.metrics.scripts import check_lang, script_share

FAILURES = (
    "budget_not_applied",
    "refused",
    "spurious_text",
    "empty",
    "truncated",
    "hex_dump",
    "escaped_text",
    "degenerate",
    "repetition",
    "script_mismatch",
)
"""The failures of a model, in the order in which they are looked for."""

OUTCOMES = ("infrastructure_error", *FAILURES, "complete")
"""All outcomes, in the order in which they are looked for."""

_CUT_OFF = frozenset(("length", "max_tokens", "max_output_tokens", "model_length", "truncated", "cut_off", "cutoff"))
_HEX_DIGITS = "0123456789abcdefABCDEF"
_NOT_ALPHANUMERIC = re.compile(r"[\W_]+")
_ESCAPE = re.compile(r"\\u[0-9A-Fa-f]{4}")


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for one page.

    - `text`: the transcript without model markup; None when there was none.
    - `finish_reason`: as the server said; `length` and its synonyms mean cut off. An adapter that cuts a reply off
      itself says `cut_off`.
    - `completion_tokens`, `max_tokens`: generated tokens and their limit; `image_tokens`, `budget_tokens`: visual
      tokens of the picture and the most that the tier allows. None where unknown.
    - `refusal`: the server's refusal field; `error`: why there is no reply (transport, crash, time-out).
    - `picture`: what an editor or illustrator gave, a PNG file in base64; None for a reply that is a text.
    """

    text: str | None
    finish_reason: str | None = None
    completion_tokens: int | None = None
    max_tokens: int | None = None
    image_tokens: int | None = None
    budget_tokens: int | None = None
    refusal: str | None = None
    error: str | None = None
    picture: str | None = None

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> Reply:
        """A reply from a mapping with these names; others (`reasoning_content`) are never read, a missing text is None.

        Raises ValueError when a field has another type.
        """
        values: dict[str, Any] = {}
        for field in fields(cls):
            value = mapping.get(field.name)
            counts = field.name.endswith("_tokens")
            if value is not None and (isinstance(value, bool) or not isinstance(value, int if counts else str)):
                wanted = "an integer" if counts else "a string"
                raise ValueError(f"reply field {field.name!r} is {value!r}: give {wanted} or null")
            values[field.name] = value
        return cls(**values)


def outcome(page_text: str, reply: Reply | Mapping[str, Any], *, lang: str) -> str:
    """The outcome of a reply: the first of `OUTCOMES` that applies; textual ones must not hold for the page too.

    `page_text`: the text the page shows, empty for a blank page; `lang`: one of `scripts.LANGUAGES`.
    Raises ValueError for an unknown language or a malformed mapping. Source: definitions §4; FaithC4, appendix C.

    - `infrastructure_error`: `error` is not None, even where it says nothing.
    - `budget_not_applied`: more image tokens than the budget.
    - `refused`: `refusal` is set, or the reply begins with a refusal phrase that the page has not.
    - `spurious_text`: text on a blank page. `empty`: under 20 characters and under half of the page's.
    - `truncated`: cut off by the finish reason, or the token limit was reached.
    - `hex_dump`: over 70 % of the letters and digits are hexadecimal digits, and these are 20 or more.
    - `escaped_text`: at least half of the characters belong to `\\uXXXX` escapes.
    - `degenerate`: of 50 or more characters at least 90 % are one and the same non-letter.
    - `repetition`: see `repetition.repeats_itself`.
    - `script_mismatch`: under 1 % of the characters are of the target script, of which the page has over 10 %.
    """
    check_lang(lang)
    if not isinstance(reply, Reply):
        reply = Reply.from_mapping(reply)
    if reply.error is not None:
        return "infrastructure_error"
    if reply.image_tokens is not None and reply.budget_tokens is not None and reply.image_tokens > reply.budget_tokens:
        return "budget_not_applied"
    raw = reply.text or ""
    if reply.refusal or refuses(page_text, raw):
        return "refused"
    page, text = normalise(page_text, lang=lang), normalise(raw, lang=lang)
    if text and not page:
        return "spurious_text"
    if len(text) < 20 and len(text) < len(page) / 2:
        return "empty"
    if cut_off(reply):
        return "truncated"
    for name, holds in (("hex_dump", _hex_dump), ("escaped_text", _escaped), ("degenerate", _degenerate)):
        if holds(text) and not holds(page):
            return name
    if repeats_itself(page_text, raw, lang):
        return "repetition"
    if script_share(text, lang) < 0.01 and script_share(page, lang) > 0.10:
        return "script_mismatch"
    return "complete"


def answer_outcome(reply: Reply) -> str:
    """The outcome of an answer to a question, which may be one word long: `infrastructure_error`, `refused`, `empty`
    (blank), `truncated` or `complete`, whichever applies first. Source: definitions §4.
    """
    if reply.error is not None:
        return "infrastructure_error"
    text = reply.text or ""
    if reply.refusal or refuses("", text):
        return "refused"
    if not text.strip():
        return "empty"
    return "truncated" if cut_off(reply) else "complete"


def picture_outcome(reply: Reply) -> str:
    """The outcome of an edited or drawn picture: `infrastructure_error`, `refused`, `empty` (no picture) or `complete`.

    Source: definitions §4.
    """
    if reply.error is not None:
        return "infrastructure_error"
    if reply.picture is None:
        text = reply.text or ""
        return "refused" if reply.refusal or refuses("", text) else "empty"
    return "complete"


def cut_off(reply: Reply) -> bool:
    """Whether the finish reason says that a reply was cut off, or its tokens reached their limit."""
    if reply.finish_reason is not None and reply.finish_reason.strip().lower() in _CUT_OFF:
        return True
    used, limit = reply.completion_tokens, reply.max_tokens
    return used is not None and limit is not None and used >= limit


def _hex_dump(text: str) -> bool:
    digits = sum(map(text.count, _HEX_DIGITS))
    return digits >= 20 and 10 * digits > 7 * len(_NOT_ALPHANUMERIC.sub("", text))


def _escaped(text: str) -> bool:
    escaped = sum(map(len, _ESCAPE.findall(text)))
    return escaped > 0 and 2 * escaped >= len(text)


def _degenerate(text: str) -> bool:
    if len(text) < 50:
        return False
    character, count = Counter(text).most_common(1)[0]
    return not character.isalpha() and 10 * count >= 9 * len(text)
