"""Options of a model behind a server that cannot be meant."""

from __future__ import annotations

import datetime

import pytest

from pytest_vtcfaith.models import resolve


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"max_tokens": 0}, "max_tokens = 0: give a whole number over 0"),
        ({"languages": ["xx"]}, "none is a language of any case: add those of en, zh, ko, mixed"),
        ({"languages": []}, "languages must be a collection"),
        *[
            ({option: number}, f"{option} = ")
            for option in (
                "max_tokens",
                "temperature",
                "seed",
                "concurrency",
                "connect_seconds",
                "read_seconds",
                "page_seconds",
                "max_retries",
            )
            for number in (10**400, -(10**400), 16**5000, float("inf"))
        ],
        ({"extra_body": {"n": 16**5000}}, "extra_body = "),
        ({"max_tokens": True}, "max_tokens = True"),
        ({"temperature": float("nan")}, "temperature = nan"),
        ({"page_seconds": 0}, "page_seconds = 0: give seconds over 0"),
        ({"omit": ["max_tokens"]}, "omit = "),
        ({"omit": "seed"}, "omit = 'seed'"),
        ({"prompt": 3}, "prompt = 3"),
        ({"preset": "deepsek-ocr"}, "unknown preset 'deepsek-ocr'"),
        ({"preset": "mineru2.5", "prompt": "x"}, "asks in two steps"),
        ({"extra_body": {"since": datetime.date(2026, 1, 1)}}, "what JSON can hold"),
        ({"extra_body": {"max_tokens": 3}}, "extra_body.max_tokens"),
        ({"extra_body": {"stream": True}}, "extra_body.stream"),
        ({"extra_body": {"max_output_tokens": 3}}, "extra_body.max_output_tokens"),
        ({"extra_body": {"max_completion_tokens": 3}}, "extra_body.max_completion_tokens"),
        ({"think_body": {"max_new_tokens": 3}}, "think_body.max_new_tokens"),
        ({"extra_body": {"a": [float("nan")]}}, "what JSON can hold"),
        ({"think_body": {"a": {"b": float("inf")}}}, "think_body = "),
        ({"base_url": "http://localhost:8000/v1 "}, "space or control character"),
        ({"base_url": "http://local host:8000/v1"}, "space or control character"),
        ({"base_url": "http://localhost:8000/\nv1"}, "space or control character"),
        ({"base_url": "http://localhost:8000/v1\x00"}, "space or control character"),
        ({"base_url": "http://localhost:8000/v1\u202e"}, "space or control character"),
        ({"base_url": "http://localhost:8000/v1/chat/completions"}, "give 'http://localhost:8000/v1'"),
        ({"base_url": "http://localhost:8000/v1/chat/completions/"}, "give 'http://localhost:8000/v1'"),
        ({"base_url": "http://localhost:8000/v1/responses"}, "give 'http://localhost:8000/v1'"),
        ({"retries": 3}, "unknown option 'retries'; known options:"),
        ({"base_url": "localhost:8000/v1"}, "give one like http://localhost:8000/v1"),
        ({"base_url": "http://[::1/v1"}, "is no address"),
        ({"base_url": None}, "give None"),
        ({"visual_tokens": "qwen9"}, "qwen9"),
        ({"languages": "en"}, "languages = 'en'"),
        ({"model": "m@http://a/v1"}, "given twice"),
        ({"model": "m\ud83d"}, "all of them printable"),
        ({"model": "x" * 5000}, "has 5000 characters"),
        ({"preset": ["a"]}, "preset = ['a']"),
    ],
)
def test_wrong_options_are_named(table, says):
    base = {"adapter": "openai", "model": "m", "base_url": "http://localhost:8000/v1"}
    table = {**base, **table}
    if says == "give None":
        del table["base_url"]
        says = "write openai:NAME@URL"
    with pytest.raises(ValueError, match="'m'") as caught:
        resolve("m", {"m": table})
    assert says in str(caught.value)
    assert str(caught.value).startswith("[tool.vtcfaith.models.m]: ")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 2000
