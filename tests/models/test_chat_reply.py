"""Bodies of chat completions, good and bad."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.models.chat_reply import ServerError, chat_reply, error_text


def parsed(body, whole=True):
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    return chat_reply(body, whole=whole, max_tokens=99, prompt_bytes=10)


def body(content="text", usage=None, finish_reason="stop", **message):
    choice = {"message": {"content": content, **message}, "finish_reason": finish_reason}
    return {"choices": [choice], "usage": usage}


@pytest.mark.parametrize(
    ("given_body", "expected"),
    [
        (body(), {"text": "text", "finish_reason": "stop"}),
        (body(""), {"text": "", "finish_reason": "stop"}),
        (body(None), {"text": None, "finish_reason": "stop"}),
        (body(finish_reason=None), {"text": "text", "finish_reason": "truncated"}),
        (body(finish_reason=" "), {"text": "text", "finish_reason": "truncated"}),
        (body(finish_reason=3), {"text": "text", "finish_reason": "truncated"}),
        (body("", reasoning_content="text", reasoning="text"), {"text": "", "finish_reason": "stop"}),
        (body(None, refusal="no"), {"text": None, "finish_reason": "stop", "refusal": "no"}),
        (body("t", refusal=""), {"text": "t", "finish_reason": "stop"}),
        (body([]), {"text": "", "finish_reason": "stop"}),
        (body([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]), {"text": "ab"}),
        (body([{"type": "thinking", "text": "plan"}, {"type": "text", "text": "b"}]), {"text": "b"}),
        (body([{"type": "refusal", "refusal": "no"}]), {"text": "", "refusal": "no"}),
        (body(None, finish_reason="content_filter"), {"finish_reason": "content_filter", "refusal": "content_filter"}),
        (body("t", finish_reason="SAFETY"), {"finish_reason": "SAFETY", "refusal": "SAFETY"}),
        (body("t", finish_reason="Content_Filter"), {"refusal": "Content_Filter"}),
        (body(usage={"completion_tokens": 7, "prompt_tokens": 20}), {"text": "text", "completion_tokens": 7}),
        (body(usage={"completion_tokens": True}), {"text": "text"}),
        (body(usage={"completion_tokens": -1}), {"text": "text"}),
        (body(usage={"completion_tokens": "7"}), {"text": "text"}),
        (body(usage=[]), {"text": "text"}),
        ({**body(), "error": None}, {"text": "text", "finish_reason": "stop"}),
        ({"choices": [{**body()["choices"][0], "error": {}}]}, {"text": "text", "finish_reason": "stop"}),
        (body(usage={"prompt_tokens": 300}), {"text": "text", "image_tokens": 300 - 10 - 256}),
        (body(usage={"prompt_tokens": 266}), {"text": "text"}),
        (body(usage={"prompt_tokens": 900, "prompt_tokens_details": {"image_tokens": 64}}), {"image_tokens": 64}),
        (body(usage={"prompt_tokens": 900, "prompt_tokens_details": {"image_tokens": 0}}), {"image_tokens": 634}),
        (body(usage={"prompt_tokens": 9, "prompt_tokens_details": None}), {"text": "text"}),
    ],
)
def test_what_is_read(given_body, expected):
    reply = parsed(given_body)
    for field, value in expected.items():
        assert getattr(reply, field) == value
    unnamed = set(Reply.__slots__) - expected.keys() - {"text", "finish_reason", "max_tokens"}
    assert {field: getattr(reply, field) for field in unnamed} == dict.fromkeys(unnamed)
    assert reply.max_tokens == 99


@pytest.mark.parametrize(
    ("given_body", "says"),
    [
        (b"", "not JSON"),
        (b"<html>", "not JSON"),
        (b'{"choices": [', "not JSON"),
        (b"\xff\xfe{}", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "no chat completion"),
        (b"null", "no chat completion"),
        ({"choices": None}, "choices = null"),
        ({"choices": []}, "without any choice"),
        ({"choices": ["a"]}, "message = null"),
        ({"choices": [{"message": None}]}, "message = null"),
        (body(3), "content = 3"),
        (body(["a"]), "content = "),
        (body("half", finish_reason="abort"), "broke the reply off"),
        (body("half", finish_reason="ERROR"), "broke the reply off"),
    ],
)
def test_what_is_no_completion(given_body, says):
    with pytest.raises(ValueError, match=says) as caught:
        parsed(given_body)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("given_body", "says", "status"),
    [
        ({"error": {"message": "busy", "code": 502}}, "busy", 502),
        ({"error": {"message": "busy", "code": "x"}}, "busy", None),
        ({"error": "busy"}, "busy", None),
        ({"object": "error", "message": "busy"}, "busy", None),
        ({"detail": [{"msg": "busy"}]}, "busy", None),
        ({**body(), "error": {"message": "busy", "code": 502}}, "busy", 502),
        ({**body(), "error": "busy"}, "busy", None),
        ({"choices": [], "error": {"message": "busy"}}, "busy", None),
        ({"choices": [{**body()["choices"][0], "error": {"message": "busy", "code": 502}}]}, "busy", 502),
        ({"choices": [{"error": {"message": "busy"}, "message": None}]}, "busy", None),
        (body("", error={"code": 503, "metadata": "busy"}), "busy", 503),
    ],
)
def test_reported_errors(given_body, says, status):
    with pytest.raises(ServerError, match=says) as caught:
        parsed(given_body)
    assert caught.value.status == status


@given(st.text(max_size=60), st.floats(0, 1))
def test_a_body_cut_anywhere_gives_the_start_of_its_text_or_an_error(text, share):
    whole = json.dumps(body(text)).encode()
    cut = whole[: int(len(whole) * share)]
    try:
        reply = parsed(cut, whole=False)
    except ValueError:
        return
    assert reply.finish_reason == "cut_off"
    assert text.startswith(reply.text or "")


def test_a_body_cut_in_its_text_keeps_it():
    whole = json.dumps(body("tide table of the pier")).encode()
    assert parsed(whole[: whole.index(b"pier") + 2], whole=False).text == "tide table of the pi"


@pytest.mark.parametrize(
    ("given_body", "says"),
    [
        (b'{"error": {"message": "a\\n b"}}', "a b"),
        (b"<html>\n busy </html>", "<html> busy </html>"),
        (b"\xff", "\ufffd"),
        (b"e" * 1000, "e" * 300 + "…"),
        (b"", ""),
        (b'{"choices": []}', '{"choices": []}'),
    ],
)
def test_error_text(given_body, says):
    assert error_text(given_body) == says


@pytest.mark.parametrize("before", [0, 40, 60, 74, 79, 200, 280, 295, 299])
def test_a_key_at_a_cut_leaves_no_part_of_it(before, monkeypatch):
    key = "Zq9" * 11
    monkeypatch.setenv("MY_API_KEY", key)
    text = "x" * before + key + "y" * 400
    said = [error_text(text.encode()), error_text(json.dumps({"error": {"message": text}}).encode())]
    for bad in (
        text.encode(),
        {"error": text},
        {"choices": text},
        {"choices": [{"message": text}]},
        body(3, error=text),
    ):
        with pytest.raises(ValueError, match=r"x|\*") as caught:
            parsed(bad)
        said.append(str(caught.value))
    for line in said:
        assert "Z" not in line
        assert "q9" not in line
        assert len(line) < 400
