"""When a request is put again, and after how long."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 30.0
LONGEST_RETRY_AFTER_S = 60.0


def put_again(status: int) -> bool:
    """Whether an HTTP status may go away by itself: 408, 429 and 5xx but 501 and 505; every other 4xx is final."""
    return status in (408, 429) or (500 <= status < 600 and status not in (501, 505))


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds that a reply asks to wait, at most 60; None where it asks nothing that can be understood.

    `headers` finds names in lower case. Read are `retry-after-ms` and `retry-after` as seconds or as an HTTP date (RFC
    9110 §10.2.3), counted from `now`, by default the present.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        seconds = _number(headers.get(name))
        if seconds is not None:
            return min(seconds * unit, LONGEST_RETRY_AFTER_S)
    try:
        date = parsedate_to_datetime(headers.get("retry-after") or "")
    except (TypeError, ValueError, IndexError):
        return None
    date = date if date.tzinfo is not None else date.replace(tzinfo=UTC)
    seconds = (date - (now or datetime.now(UTC))).total_seconds()
    return min(max(seconds, 0.0), LONGEST_RETRY_AFTER_S)


def waiting(attempt: int, asked: float | None, chance: random.Random) -> float:
    """Seconds to wait after the failed attempt of this number, counted from 0.

    Full jitter: anywhere between 0 and min(30, 2^attempt) seconds. What the server asked for (`asked`) is waited first;
    then the jitter is at most 1 second, so that not all requests return at once.
    """
    if asked is not None:
        return asked + chance.uniform(0.0, FIRST_WAIT_S)
    return chance.uniform(0.0, min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(attempt, 16)))


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None
