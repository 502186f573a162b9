"""Keeps credentials out of everything that is shown or stored."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

SECRET_NAMES = ("KEY", "TOKEN", "SECRET", "PASSWORD")
SHORTEST_SECRET = 8  # shorter values (MAX_TOKENS=4096, TOKENIZERS_PARALLELISM=false) are settings, and common words
BEARER = re.compile(r"(?i)\b(bearer)\s+[^\s\"',;)}\]]+")
# keys by their look: OpenAI's sk-…, header and query fields named like a key, passwords in addresses
KEYS = re.compile(r"\b(?:sk|pk|hf|ghp|xai|gsk)[-_][A-Za-z0-9_-]{6,}")
FIELDS = re.compile(
    r"(?i)\b((?:x-)?api[-_ ]?key|access[-_]?token|auth[-_]?token|secret|password)(\"?\s*[=:]\s*\"?)[^\s\"',;&)}\]]+"
)
ADDRESSES = re.compile(r"(://[^/\s:@]*:)[^@/\s]+(?=@)")
MASK = "***"


def mask_secrets(text: str, environment: Mapping[str, str] | None = None) -> str:
    """The text with `***` for every secret in it.

    Secrets are bearer tokens, what looks like an API key (`sk-…`), values of fields named like one, passwords in
    addresses, and the values of 8 or more characters of environment variables whose name has KEY, TOKEN, SECRET or
    PASSWORD in it. `environment` defaults to the process's.
    """
    environment = os.environ if environment is None else environment
    secrets = {
        value.strip()
        for name, value in environment.items()
        if any(part in name.upper() for part in SECRET_NAMES) and len(value.strip()) >= SHORTEST_SECRET
    }
    for secret in sorted(secrets, key=len, reverse=True):  # a secret may hold another one
        text = text.replace(secret, MASK)
    text = BEARER.sub(rf"\1 {MASK}", text)
    text = FIELDS.sub(rf"\1\2{MASK}", KEYS.sub(MASK, text))
    return ADDRESSES.sub(rf"\1{MASK}", text)
