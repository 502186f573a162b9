"""The adapter `openai-images:` against a real server that misbehaves."""

from __future__ import annotations

import io
import json
import logging
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from images_server import ImagesServer, bomb, images_running
from PIL import Image

from pytest_vtcfaith.engine.pictures import picture_of
from pytest_vtcfaith.metrics.outcomes import Reply, picture_outcome
from pytest_vtcfaith.models import resolve
from pytest_vtcfaith.models.image_reply import opened
from pytest_vtcfaith.models.openai_images import OpenAIImages
from pytest_vtcfaith.models.protocols import Editor, Illustrator

pytest.importorskip("openai", reason="the extra 'openai' is not installed")
KEY = "sk-test-123"
QUICK = {"page_seconds": 6.0, "read_seconds": 1.0, "connect_seconds": 0.5, "max_retries": 2}


@pytest.fixture
def server() -> Iterator[ImagesServer]:
    with images_running() as started:
        yield started


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def spec(base_url: str, behaviour: str = "good", **options: Any) -> Any:
    table = {"adapter": "openai-images", "model": behaviour, "base_url": base_url, **QUICK, **options}
    return resolve("m", {"m": table})


def made(server: ImagesServer, behaviour: str = "good", **options: Any) -> OpenAIImages:
    model: OpenAIImages = spec(server.url, behaviour, **options).load()
    return model


def page(number: int = 0) -> Image.Image:
    return Image.new("RGB", (40, 20), (number % 256, 255, 255))


def drawn(server: ImagesServer, behaviour: str, **options: Any) -> Reply:
    (reply,) = made(server, behaviour, **options).draw(["a page that says fog"])
    return reply


@pytest.mark.parametrize(
    ("behaviour", "expected", "calls", "says"),
    [
        ("good", "complete", 1, None),
        ("busy", "complete", 2, None),
        ("flaky", "complete", 2, None),
        ("reported", "complete", 2, None),
        ("slow", "complete", 1, None),
        ("jpeg", "complete", 1, None),
        ("file", "complete", 1, None),
        ("relative", "complete", 1, None),
        ("inline", "complete", 1, None),
        ("policy", "refused", 1, None),
        ("wrapped", "refused", 1, None),
        ("filtered", "refused", 1, None),
        ("blocked", "refused", 1, None),
        ("gif", "infrastructure_error", 1, "the picture cannot be opened"),
        ("lost", "infrastructure_error", 1, "cannot be fetched: HTTP 404"),
        ("moved", "infrastructure_error", 1, "cannot be fetched: HTTP 302: the server redirects"),
        ("abroad", "infrastructure_error", 1, "on another server than was asked"),
        ("local", "infrastructure_error", 1, "on another server than was asked"),
        ("broken", "infrastructure_error", 1, "the picture cannot be opened"),
        ("text", "infrastructure_error", 1, "the picture cannot be opened"),
        ("garbled", "infrastructure_error", 1, "no base64"),
        ("bomb", "infrastructure_error", 1, "the picture cannot be opened"),
        ("large", "infrastructure_error", 1, "9000 x 9000 pixels, more than 67108864"),
        ("none", "infrastructure_error", 1, "with 0 pictures where one was asked for"),
        ("two", "infrastructure_error", 1, "with 2 pictures where one was asked for"),
        ("bare", "infrastructure_error", 1, "the reply has no picture"),
        ("chat", "infrastructure_error", 1, "no images reply"),
        ("wrong", "infrastructure_error", 1, "not JSON"),
        ("invalid", "infrastructure_error", 1, "HTTP 400: size must be one of"),
        ("denied", "infrastructure_error", 1, "the key in OPENAI_API_KEY was refused"),
        ("full", "infrastructure_error", 1, "past page_seconds"),
        ("hang", "infrastructure_error", 3, "possibly billed"),
        ("cut", "infrastructure_error", 3, "the connection was cut"),
        ("hugeerror", "infrastructure_error", 1, "HTTP 400: eee"),
    ],
)
def test_each_bad_day_ends_in_its_outcome(
    server: ImagesServer,
    behaviour: str,
    expected: str,
    calls: int,
    says: str | None,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    reply = drawn(server, behaviour)
    assert picture_outcome(reply) == expected, reply
    assert server.calls[behaviour] == calls
    assert (reply.error is None) if says is None else (says in (reply.error or "")), reply
    assert (reply.picture is not None) == (expected == "complete")
    assert len(reply.error or "") < 1000
    assert KEY not in repr(reply)
    assert KEY not in caplog.text


def test_it_edits(server: ImagesServer) -> None:
    model = made(server)
    assert isinstance(model, Editor)
    replies = model.edit([page(3), page(200)], ["remove the bar", "add a bar"])
    found = [picture_of(reply) for reply in replies]
    assert [(image.size, image.getpixel((0, 0))) for image in found if image is not None] == [
        ((40, 20), (252, 0, 0)),
        ((40, 20), (55, 0, 0)),
    ]
    bodies = sorted(server.bodies, key=lambda body: body["prompt"])
    assert [body["prompt"] for body in bodies] == ["add a bar", "remove the bar"]
    assert {body["path"] for body in bodies} == {"/v1/images/edits"}
    with Image.open(io.BytesIO(bodies[1]["image"])) as sent:
        assert (sent.format, sent.mode, sent.tobytes()) == ("PNG", "RGB", page(3).tobytes())
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_it_draws(server: ImagesServer) -> None:
    model = made(server)
    assert isinstance(model, Illustrator)
    (reply,) = model.draw(["a page that says fog"])
    image = picture_of(reply)
    assert image is not None
    assert (image.size, image.getpixel((0, 0))) == ((24, 16), (10, 200, 30))
    assert server.bodies == [
        {"model": "good", "n": 1, "prompt": "a page that says fog", "path": "/v1/images/generations"}
    ]


def test_what_is_sent(server: ImagesServer) -> None:
    options = {"size": "512x512", "quality": "high", "response_format": "b64_json", "extra_body": {"steps": 9}}
    model = made(server, **options)
    model.draw(["fog"])
    model.edit([page()], ["fog"])
    wanted = {"size": "512x512", "quality": "high", "response_format": "b64_json", "model": "good"}
    for body in server.bodies:
        assert {name: body[name] for name in wanted} == wanted
        assert str(body["steps"]) == "9"


def test_the_key_does_not_go_to_where_a_picture_is_fetched(server: ImagesServer) -> None:
    assert drawn(server, "file").picture is not None
    asked, fetched = server.headers
    assert "Authorization" in asked
    assert "Authorization" not in fetched


def test_a_key_that_the_server_sends_back_is_masked(server: ImagesServer) -> None:
    reply = drawn(server, "echo")
    assert picture_outcome(reply) == "refused"
    assert KEY not in (reply.refusal or "")


def test_a_bomb_is_not_decoded() -> None:
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="cannot be opened"):
            opened(bomb(9_000, 9_000))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 10_000_000


def test_spec() -> None:
    found = resolve("openai-images:sd3@http://localhost:8080/v1")
    assert (found.tasks, found.lives, found.remote) == ({"edit", "draw"}, "host", True)
    assert spec("http://localhost:8080/v1", task="draw").tasks == {"draw"}
    plain = json.dumps(spec("http://h/v1").identity)
    for change in ({"size": "512x512"}, {"extra_body": {"a": 1}}):
        assert json.dumps(spec("http://h/v1", **change).identity) != plain
    assert json.dumps(spec("http://h/v1", concurrency=2).identity) == plain


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"steps": 3}, "unknown option 'steps'"),
        ({"response_format": "png"}, "response_format = 'png': give 'b64_json' or 'url'"),
        ({"size": 512}, "size = 512: give a text such as"),
        ({"task": "transcribe"}, "task = 'transcribe': give 'edit' or 'draw'"),
        ({"extra_body": {"n": 2}}, r"extra_body\.n: is set by the adapter"),
        ({"extra_body": {"headers": f"Bearer {KEY}"}}, "holds what looks like a key"),
        ({"base_url": "https://host/v1/images/edits"}, "/images/edits is added to it: give 'https://host/v1'"),
        ({"base_url": None}, "write openai-images:NAME@URL"),
    ],
)
def test_wrong_options(options: dict[str, Any], told: str) -> None:
    table = {"base_url": "http://localhost:8080/v1", **options}
    table = {name: value for name, value in table.items() if value is not None}
    with pytest.raises(ValueError, match=told) as caught:
        resolve("m", {"m": {"adapter": "openai-images", "model": "sd3", **table}})
    assert KEY not in str(caught.value)
