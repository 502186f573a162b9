"""Data as JavaScript files: a page opened from disk may not fetch, but it may load scripts.

Everything untrusted reaches the page this way and only this way: as a string in a JSON literal of ASCII characters,
which the page puts into text nodes. Characters that would change how a browser shows a text are escapes by then.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from pytest_vtcfaith.report.worddiff import visible

DIGITS = 6


def script(name: str, data: Any) -> str:
    """A script that hands `data` to the page under `name`.

    Texts are made `visible` (line breaks stay), numbers have `DIGITS` decimals, and what is no finite number is null.
    The script is ASCII, and safe between `<script>` tags too: it has no `<`, and no separators of lines.
    """
    body = json.dumps(plain(data), ensure_ascii=True, allow_nan=False, separators=(",", ":"), check_circular=False)
    return f"vtc.take({_in_script(json.dumps(plain(name)))},{_in_script(body)});\n"


def _in_script(body: str) -> str:
    return body.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def plain(value: Any) -> Any:
    """The value as JSON can hold it and a browser may show it."""
    if isinstance(value, str):
        return visible(value) if "\n" not in value else re.sub(r"[^\n]+", lambda part: visible(part[0]), value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return round(value, DIGITS) + 0.0 if math.isfinite(value) else None
    if isinstance(value, dict):
        return {plain(str(key)): plain(inner) for key, inner in value.items()}
    return [plain(inner) for inner in value]
