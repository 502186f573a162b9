"""Keeps credentials out of everything that is shown or stored."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote, quote_plus

SECRET_NAMES = ("KEY", "TOKEN", "SECRET", "PASSWORD")
SHORTEST_SECRET = 8  # shorter values (MAX_TOKENS=4096, TOKENIZERS_PARALLELISM=false) are settings, and common words
SHORTEST_HIDDEN = 4
SHORTEST_KEY = 16
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


def is_key(value: str) -> bool:
    """Whether a value can only be a key, so that a transcript may be searched for it.

    It has the look of one (`sk-…`) or 16 characters, and letters, digits and no space. `EMPTY`, `none` and other words
    that are given to a server that wants none are not: they stand on pages.
    """
    mixed = any(map(str.isalpha, value)) and any(map(str.isdigit, value)) and not any(map(str.isspace, value))
    return mixed and (len(value) >= SHORTEST_KEY or KEYS.fullmatch(value) is not None)


def excerpt(text: str, limit: int) -> str:
    """The start of a text in one line of at most `limit` characters; its secrets are masked before it is cut."""
    line = " ".join(mask_secrets(text).split())
    return line if len(line) <= limit else line[:limit] + "…"


def mask_secrets(text: str, environment: Mapping[str, str] | None = None) -> str:
    """The text with `***` for every secret in it.

    Secrets are bearer tokens, what looks like an API key (`sk-…`), values of fields named like one, passwords in
    addresses, the values of 8 or more characters of environment variables whose name has KEY, TOKEN, SECRET or PASSWORD
    in it, and those of 4 or more of variables given to `hide_variable`; also in other forms (`forms`), and the lines of
    those that have several. `environment` defaults to the process's.
    """
    if environment is None:  # a name may go while another thread reads
        environment = {name: os.environ.get(name, "") for name in os.environ}
    text = mask_values(text, environment)
    text = BEARER.sub(rf"\1 {MASK}", text)
    text = FIELDS.sub(rf"\1\2{MASK}", KEYS.sub(MASK, text))
    return ADDRESSES.sub(rf"\1{MASK}", text)


def mask_values(text: str, environment: Mapping[str, str]) -> str:
    """As `mask_secrets`, by the values of the environment alone."""
    secrets = {value.strip() for name, value in environment.items() if _is_secret(name, value.strip())}
    secrets |= {line for secret in secrets for line in secret.splitlines() if len(line) >= SHORTEST_KEY}
    return _masked(text, secrets)


def mask_key(text: str, key: str) -> str:
    """The text with `***` for the key of a server, of 8 or more characters, in all of its forms.

    A shorter one that is no key by its look, and one with a space, are words that are given to a server that wants
    none; they stand on pages.
    """
    long = len(key) >= SHORTEST_SECRET and not any(map(str.isspace, key))
    return _masked(text, {key}) if long or is_key(key) else text


def forms(secret: str) -> set[str]:
    """How a secret may be written: as it is, in an address, in JSON, and in Base64 of both alphabets."""
    content = secret.encode("utf-8", "surrogateescape")
    encoded = {encode(content).decode("ascii") for encode in (base64.b64encode, base64.urlsafe_b64encode)}
    quoted = {quote(content, safe=""), quote(content), quote_plus(content)}
    quoted |= {re.sub("%[0-9A-F]{2}", lambda found: found[0].lower(), form) for form in quoted}
    return {secret, json.dumps(secret)[1:-1], *quoted, *encoded, *(form.rstrip("=") for form in encoded)}


def _masked(text: str, secrets: Iterable[str]) -> str:
    written = {form for secret in secrets for form in forms(secret)}
    for form in sorted(written, key=len, reverse=True):  # a secret may hold another one
        text = text.replace(form, MASK)
    return text


def _is_secret(name: str, value: str) -> bool:
    if name in _HIDDEN:
        return len(value) >= SHORTEST_HIDDEN
    return len(value) >= SHORTEST_SECRET and any(part in name.upper() for part in SECRET_NAMES)
