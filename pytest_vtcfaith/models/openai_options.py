"""The options of a model behind an OpenAI-compatible server, checked."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from pytest_vtcfaith.engine.secrets import excerpt, hide_variable, is_key, mask_secrets, mask_values
from pytest_vtcfaith.models.presets import SUITE_PROMPT, Preset, choose_preset
from pytest_vtcfaith.models.spec import check_declared, check_options, shown
from pytest_vtcfaith.models.vlm import own_prompt

DEFAULT_KEY = "OPENAI_API_KEY"
NO_KEY = "-"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
LONGEST_NAME = 4096
"""Characters of a served model's name, which may be a path."""
LARGEST = 2**31 - 1
HOTTEST = 100.0
YEAR = 365 * 24 * 3600.0
COUNTS, SECONDS = f"a whole number over 0, up to {LARGEST}", f"seconds over 0, up to {YEAR:.0f}"
OMITTABLE = ("temperature", "seed")
TOKEN_LIMITS = (
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "max_new_tokens",
    "max_tokens_to_sample",
    "n_predict",
    "num_predict",
)
"""Names under which servers take the most tokens of a reply."""
OPERATIONS = ("/chat/completions", "/completions", "/responses", "/images/generations", "/images/edits")


class Option(NamedTuple):
    """An option: its default, what a value must be (test and words), and what it is for."""

    default: Any
    holds: Callable[[Any], bool]
    wanted: str
    meaning: str


def _is_whole(value: Any, least: int = 0, most: int = LARGEST) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _is_temperature(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= HOTTEST


def is_seconds(value: Any) -> bool:
    """A length of time over 0, a year at most."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= YEAR


def is_count(value: Any) -> bool:
    """A whole number over 0."""
    return _is_whole(value, least=1)


def is_text(value: Any) -> bool:
    """A text that is not empty."""
    return isinstance(value, str) and bool(value)


def is_texts(value: Any) -> bool:
    """A list of texts that are not empty."""
    return isinstance(value, list) and all(map(is_text, value))


def _is_table(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)  # TOML has dates, NaN and infinity
    except (TypeError, ValueError):
        return False
    return isinstance(value, dict)


REQUEST: Mapping[str, Option] = {
    "preset": Option(
        None, is_text, "a preset's name or 'none'", "the known system whose prompt, visual tokens and markup apply"
    ),
    "prompt": Option(
        None,
        lambda value: isinstance(value, str),
        "text",
        f"what to ask; {SUITE_PROMPT!r} for the suite's prompt, empty for the picture alone",
    ),
    "system": Option(None, lambda value: isinstance(value, str), "text", "system prompt; default: the preset's"),
    "max_tokens": Option(8192, is_count, COUNTS, "most tokens of a reply; always sent"),
    "max_tokens_field": Option(
        "max_tokens",
        lambda value: value in ("max_tokens", "max_completion_tokens"),
        "'max_tokens' or 'max_completion_tokens'",
        "the name under which the server wants it",
    ),
    "temperature": Option(0.0, _is_temperature, f"a number from 0 to {HOTTEST:g}", "sampling temperature"),
    "seed": Option(0, _is_whole, f"a whole number from 0 to {LARGEST}", "seed of the sampling"),
    "omit": Option(
        [],
        lambda value: is_texts(value) and set(value) <= set(OMITTABLE),
        "a list of 'temperature', 'seed'",
        "parameters not to send, for servers that refuse them",
    ),
    "extra_body": Option(
        {}, _is_table, "a table of what JSON can hold", "more fields of the request, e.g. mm_processor_kwargs"
    ),
    "think_body": Option(
        None,
        _is_table,
        "a table",
        "fields that switch reasoning on, for prompt conditions with +think (default: as the preset knows)",
    ),
    "detail": Option(None, is_text, "text", "detail of the picture, e.g. 'high', for servers that have it"),
}
"""Options that shape a reply."""

TRANSPORT: Mapping[str, Option] = {
    "concurrency": Option(8, is_count, COUNTS, "requests at the same time"),
    "connect_seconds": Option(10.0, is_seconds, SECONDS, "time-out of connecting"),
    "read_seconds": Option(300.0, is_seconds, SECONDS, "longest silence while a reply is awaited"),
    "page_seconds": Option(600.0, is_seconds, SECONDS, "all attempts and waits of one page together"),
    "max_retries": Option(6, _is_whole, f"a whole number from 0 to {LARGEST}", "attempts after the first"),
    "api_key_env": Option(
        None,
        lambda value: value == NO_KEY or (isinstance(value, str) and bool(re.fullmatch(r"[A-Za-z_]\w*", value))),
        "the name of an environment variable, or '-' for no key",
        f"where the key is; default {DEFAULT_KEY}, where it is set",
    ),
}
"""Options that do not shape a reply."""

DECLARED: Mapping[str, Option] = {
    "languages": Option(None, is_texts, "a list such as ['en', 'zh']", "languages the model reads; default all"),
    "visual_tokens": Option(None, is_text, "a family's name", "its visual-token family; default: the preset's"),
    "revision": Option(
        "",
        is_text,
        "text",
        "names the model's weights and engine; replies are kept between runs only with one",
    ),
}
"""What a model declares of itself."""

OPTIONS: Mapping[str, Option] = {
    "base_url": Option(None, is_text, "an address", "address of the API, usually ending in /v1"),
    **REQUEST,
    **TRANSPORT,
    **DECLARED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TransportSettings:
    """How a model is reached: its name there, and checked options named as in `TRANSPORT`.

    `api_key_env` is None for no key; `key_required` says that the user named it.
    """

    model: str
    concurrency: int
    connect_seconds: float
    read_seconds: float
    page_seconds: float
    max_retries: int
    api_key_env: str | None
    key_required: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(TransportSettings):
    """Checked options of a model that is asked by chat, named as in `REQUEST`.

    `prompt` is what is asked whatever the suite asks, None for the suite's prompt.
    """

    preset: Preset
    prompt: str | None
    system: str | None
    max_tokens: int
    max_tokens_field: str
    temperature: float
    seed: int
    omit: tuple[str, ...]
    extra_body: Mapping[str, Any]
    think_body: Mapping[str, Any] | None
    detail: str | None

    def shaping(self) -> dict[str, Any]:
        """What of them shapes a reply, as plain JSON."""
        shaping = {option: getattr(self, option) for option in REQUEST}
        return {
            **shaping,
            "model": self.model,
            "image": "png",
            "preset": self.preset.name,
            "prompt": SUITE_PROMPT if self.prompt is None else self.prompt,
            "omit": sorted(self.omit),
        }


def check_name(served: str, where: str) -> None:
    """Raises ValueError, naming the model (`where`), for a served model's name that no server can have, or a key."""
    refuse_secret("its name", served, where)
    if not served.isprintable() or len(served) > LONGEST_NAME:
        shown = ascii(served[:40]) + ("…" if len(served) > 40 else "")
        raise ValueError(
            f"model {excerpt(where, 120)!r}: the name {shown} has {len(served)} characters: give a name or path of at "
            f"most {LONGEST_NAME}, all of them printable"
        )


def check(options: Mapping[str, Any], known: Mapping[str, Option], where: str) -> dict[str, Any]:
    """The options with their defaults.

    Raises ValueError, naming the model (`where`) and the option, for an unknown option, a value of another kind, and
    anything that looks like a key: keys come from the environment only. A value that may be a key is not shown.
    """
    where = mask_secrets(where)
    for name in options:
        refuse_secret("the name of an option", name, where)
        if name not in (*known, "api_key_env") and re.search(r"(?i)key|token$|secret|password|authorization", name):
            raise ValueError(
                f"model {where!r}: option {name!r}: a key is never read from a file; put it into an environment "
                f"variable and name that with api_key_env (default {DEFAULT_KEY})"
            )
    check_options(options, {name: option.meaning for name, option in known.items()}, where)
    for name, value in options.items():
        refuse_secret(name, value, where)
        if not known[name].holds(value):
            raise ValueError(f"model {where!r}: {name} = {shown(value)}: give {known[name].wanted}")
    found = {name: options.get(name, option.default) for name, option in known.items()}
    check_declared(where, found["languages"], found.get("visual_tokens") or "nominal")
    return found


def settings(model: str, given: Mapping[str, Any], base_url: str | None, where: str) -> Settings:
    """Settings from options that `check` has passed; its key is found as by `transport_fields`.

    Raises ValueError for an unknown preset, and a field of `extra_body` that is an option or sent anyhow.
    """
    preset = choose_preset(given["preset"], model, None, where)
    if preset.two_step and given["prompt"] is not None:
        raise ValueError(f"model {where!r}: prompt = {given['prompt']!r}: {preset.name} asks in two steps of its own")
    reserved = {"model", "messages", "stream", "n", *TOKEN_LIMITS, *OMITTABLE}
    for name in ("extra_body", "think_body"):
        if taken := sorted(reserved & (given[name] or {}).keys()):
            raise ValueError(f"model {where!r}: {name}.{taken[0]}: is set by the adapter or by an option of its own")
    fields = {name: given[name] for name in REQUEST} | {
        "preset": preset,
        "prompt": own_prompt(preset, given["prompt"]),
        "system": preset.system if given["system"] is None else given["system"],
        "omit": tuple(given["omit"]),
    }
    return Settings(**fields, **transport_fields(model, given, base_url))


def transport_fields(model: str, given: Mapping[str, Any], base_url: str | None) -> dict[str, Any]:
    """The fields of `TransportSettings` from options that `check` has passed.

    A key is used where `api_key_env` names its variable, or `OPENAI_API_KEY` is set and the address is https or this
    machine: a key that nobody has named never goes over the network in the clear.
    """
    variable = given["api_key_env"]
    required = variable not in (None, NO_KEY)
    if variable is None and _is_private(base_url):
        variable = DEFAULT_KEY
    variable = None if variable == NO_KEY else variable
    if variable is not None:
        hide_variable(variable)
    chosen = {name: given[name] for name in TRANSPORT} | {"api_key_env": variable}
    return {"model": model, "key_required": required, **chosen}


def check_address(address: str, where: str) -> str:
    """The address without a slash at its end.

    Raises ValueError for anything but http or https, one that holds a space or control character or names an operation
    (`/chat/completions`), and one that holds credentials or a query; it is not shown then, because it may hold a key.
    """
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise ValueError(f"model {where!r}: base_url is no address: {error}") from None
    if "@" in parts.netloc:
        raise ValueError(
            f"model {where!r}: base_url holds a user name or password: take it out; a key goes into an environment "
            f"variable, named with api_key_env (default {DEFAULT_KEY})"
        )
    refuse_secret("base_url", address, where)
    if any(character.isspace() or not character.isprintable() for character in address):
        raise ValueError(f"model {where!r}: base_url = {address!r} has a space or control character: take it out")
    if parts.query or parts.fragment:
        raise ValueError(f"model {where!r}: base_url has a part after ? or #: give the address without it")
    if parts.scheme not in ("http", "https") or not host:
        raise ValueError(f"model {where!r}: base_url = {address!r}: give one like http://localhost:8000/v1")
    address = address.rstrip("/")
    for operation in OPERATIONS:
        if address.lower().endswith(operation):
            mend = address[: -len(operation)]
            raise ValueError(f"model {where!r}: base_url = {address!r}: {operation} is added to it: give {mend!r}")
    return address


def _is_private(base_url: str | None) -> bool:
    if base_url is None:
        return False
    parts = urlsplit(base_url)
    return parts.scheme == "https" or parts.hostname in LOOPBACK


def refuse_secret(name: str, value: Any, where: str) -> None:
    """Raises ValueError, without the value, where an option (`name`) of a model (`where`) holds what may be a key."""
    try:
        text = value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)
    except ValueError:  # a number that Python does not write
        return
    key = os.environ.get(DEFAULT_KEY, "").strip()
    values = {DEFAULT_KEY: key} if is_key(key) else {}  # no word that is given to a server that wants no key
    mask = mask_values if name in ("prompt", "system") else mask_secrets  # prose may speak of keys and bearers
    if mask(text, values) != text:
        raise ValueError(
            f"model {where!r}: {name} holds what looks like a key or password: take it out; a key goes into an "
            f"environment variable, named with api_key_env (default {DEFAULT_KEY})"
        )


def where_served(
    adapter: str,
    example: str,
    identifier: str | None,
    options: Mapping[str, Any],
    known: Mapping[str, Option],
    name: str,
) -> tuple[str, str, dict[str, Any], str]:
    """What an identifier NAME@URL and a table say together: the name at the server, the model's name for messages, the
    checked options, and the address.

    `example` is an identifier that a message shows. Raises ValueError that names the model and the option.
    """
    served, _, address = (identifier or "").partition("@http")
    where = mask_secrets(f"{adapter}:{served}" if name == f"{adapter}:{identifier}" else name)
    check_name(served, where)
    given = check(options, known, where)
    if address and given["base_url"] is not None:
        raise ValueError(f"model {where!r}: its address is given twice; leave base_url or the part after @ away")
    base_url = f"http{address}" if address else given["base_url"]
    if not served or base_url is None:
        raise ValueError(
            f"model {where!r}: write {adapter}:NAME@URL, e.g. {adapter}:{example}, or give model and base_url in its "
            "table"
        )
    return served, where, given, check_address(base_url, where)
