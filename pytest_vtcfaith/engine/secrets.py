"""Keeps credentials out of everything that is shown or stored."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from urllib.parse import quote

SECRET_NAMES = ("KEY", "TOKEN", "SECRET", "PASSWORD")
SHORTEST_SECRET = 8  # shorter values (MAX_TOKENS=4096, TOKENIZERS_PARALLELISM=false) are settings, and common words
SHORTEST_HIDDEN = 4
BEARER = re.compile(r"(?i)\b(bearer)\s+[^\s\"',;)}\]]+")
# keys by their look (OpenAI's sk-…), header and query fields named like a key, passwords in addresses
KEYS = re.compile(r"\b(?:[sp]k[-_]|hf_|ghp_|xai-|gsk_)[A-Za-z0-9_-]{6,}")  # not hf-…: a name on the hub
FIELDS = re.compile(
    r"(?i)\b((?:x-)?api[-_ ]?key|access[-_]?token|auth[-_]?token|secret|password)(\"?\s*[=:]\s*\"?)[^\s\"',;&)}\]]+"
)
ADDRESSES = re.compile(r"(://[^/\s:@]*:)[^@/\s]+(?=@)")
MASK = "***"
_HIDDEN: set[str] = set()


def hide_variable(name: str) -> None:
    """Declares the value of an environment variable a secret, whatever the variable is called, in this process."""
    _HIDDEN.add(name)


def mask_secrets(text: str, environment: Mapping[str, str] | None = None) -> str:
    """The text with `***` for every secret in it.

    Secrets are bearer tokens, what looks like an API key (`sk-…`), values of fields named like one, passwords in
    addresses, the values of 8 or more characters of environment variables whose name has KEY, TOKEN, SECRET or PASSWORD
    in it, and those of 4 or more of variables given to `hide_variable`; also as they stand in an address.
    `environment` defaults to the process's.
    """
    text = mask_values(text, os.environ if environment is None else environment)
    text = BEARER.sub(rf"\1 {MASK}", text)
    text = FIELDS.sub(rf"\1\2{MASK}", KEYS.sub(MASK, text))
    return ADDRESSES.sub(rf"\1{MASK}", text)


def mask_values(text: str, environment: Mapping[str, str]) -> str:
    """As `mask_secrets`, by the values of the environment alone."""
    secrets = {value.strip() for name, value in environment.items() if _is_secret(name, value.strip())}
    secrets |= {quote(secret, safe="") for secret in secrets}
    for secret in sorted(secrets, key=len, reverse=True):  # a secret may hold another one
        text = text.replace(secret, MASK)
    return text


def _is_secret(name: str, value: str) -> bool:
    if name in _HIDDEN:
        return len(value) >= SHORTEST_HIDDEN
    return len(value) >= SHORTEST_SECRET and any(part in name.upper() for part in SECRET_NAMES)
