"""Keeps credentials out of everything that is shown or stored."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

SECRET_NAMES = ("KEY", "TOKEN", "SECRET", "PASSWORD")
SHORTEST_SECRET = 8  # shorter values (MAX_TOKENS=4096, TOKENIZERS_PARALLELISM=false) are settings, and common words
BEARER = re.compile(r"(?i)\b(bearer)\s+[^\s\"',;)}\]]+")
MASK = "***"


def mask_secrets(text: str, environment: Mapping[str, str] | None = None) -> str:
    """The text with `***` for every bearer token and for the value of every environment variable whose name has KEY,
    TOKEN, SECRET or PASSWORD in it and whose value has 8 or more characters. `environment` defaults to the process's.
    """
    environment = os.environ if environment is None else environment
    secrets = {
        value.strip()
        for name, value in environment.items()
        if any(part in name.upper() for part in SECRET_NAMES) and len(value.strip()) >= SHORTEST_SECRET
    }
    for secret in sorted(secrets, key=len, reverse=True):  # a secret may hold another one
        text = text.replace(secret, MASK)
    return BEARER.sub(rf"\1 {MASK}", text)
