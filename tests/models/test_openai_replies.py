"""What the adapter `openai:` makes of replies: think blocks, pages read by blocks, keys sent back."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest
from misbehaving_server import TEXT, running
from PIL import Image

from pytest_vtcfaith.engine.run import ask
from pytest_vtcfaith.engine.store import ResponseStore
from pytest_vtcfaith.models import Prompt, resolve

PROMPT = Prompt("Read the page.", "en")
PAGE = Image.new("RGB", (40, 20), "white")


@pytest.fixture
def server():
    with running() as started:
        yield started


def made(server, behaviour="good", **options):
    return resolve("m", {"m": {"adapter": "openai", "model": behaviour, "base_url": server.url, **options}})


def read(server, behaviour, **options):
    return made(server, behaviour, **options).load().transcribe([PAGE], PROMPT)[0]


@pytest.mark.parametrize(
    ("model", "said", "left"),
    [
        ("Qwen3.5-9B", f"plan\n</think>\n{TEXT}", TEXT),
        ("Qwen3-VL-8B-Thinking", f"plan</think>{TEXT}", TEXT),
        ("Qwen3-VL-8B-Thinking", f"<mm:think>x</mm:think>{TEXT}", TEXT),
        ("GLM-4.1V-9B-Thinking", f"x</think><answer>{TEXT}</answer>", TEXT),
        ("GLM-4.1V-9B-Thinking", f"{TEXT}<|user|>", TEXT),
        ("Qwen3.5-9B", "The tag </think> closes it, `</think>` too", None),  # what a page prints
        ("gemma-3-4b", f"plan</think>{TEXT}", None),  # it does not think
    ],
)
def test_a_think_block_that_the_template_opened_is_no_transcript_of_a_plain_page(server, model, said, left):
    server.answer = lambda url: said
    assert read(server, model).text == (said if left is None else left)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "complete"),
        ({"text": None, "refusal": "No."}, "refused"),
        ({"text": None, "finish_reason": "content_filter"}, "refused"),
        ({"finish_reason": "length"}, "truncated"),
        ({"finish_reason": "max_tokens"}, "truncated"),
        ({"finish_reason": "MODEL_LENGTH"}, "truncated"),
        ({"finish_reason": None}, "truncated"),
        ({"usage": {"completion_tokens": 8192}}, "truncated"),
        ({"text": "pier and table of the north " * 200_000}, "truncated"),  # cut off for its size
    ],
)
def test_a_page_read_by_blocks_is_as_whole_as_the_worst_block(server, tmp_path, changes, expected):
    server.answer = lambda call: json.dumps(changes if call == "3" else {})
    spec = made(server, "blocks", preset="mineru2.5", revision="1", concurrency=1)
    store = ResponseStore(tmp_path / "replies.sqlite")
    asked = {"case_id": "c", "page_text": f"{TEXT}\n\n{TEXT}", "lang": "en", "store": store}
    found = ask(spec, spec.load(), PAGE, PROMPT, **asked)
    assert found.outcome == expected, found.reply
    again = ask(spec, spec.load(), PAGE, PROMPT, **asked)
    store.close()
    assert again.cached is (expected == "complete")


def in_base64(key):
    return base64.b64encode(key.encode()).decode()


def in_an_address(key):
    return quote(key, safe="")


@pytest.mark.parametrize("key", ["harbour-pass", "Harbourpassword", "harbour/pass+"])
@pytest.mark.parametrize("write", [str, in_base64, in_an_address])
def test_a_key_without_digits_is_masked_however_it_is_written(server, monkeypatch, key, write):
    monkeypatch.setenv("MY_SERVER", key)
    server.answer = lambda url: f"{TEXT} {write(key)} end"
    assert read(server, "good", api_key_env="MY_SERVER").text == f"{TEXT} *** end"
