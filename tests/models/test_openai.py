"""The adapter `openai:` against a real server that misbehaves."""

from __future__ import annotations

import base64
import io
import json
import logging
import tracemalloc
from pathlib import Path

import pytest
from misbehaving_server import TEXT, running
from PIL import Image

from pytest_vtcfaith.engine.run import ask
from pytest_vtcfaith.engine.store import ResponseStore
from pytest_vtcfaith.metrics.outcomes import outcome
from pytest_vtcfaith.models import NotInstalled, Prompt, resolve
from pytest_vtcfaith.models.judges.questions import JudgeFailed, judge_by_model

PROMPT = Prompt("Read the page.", "en")
KEY = "sk-test-123"
QUICK = {"page_seconds": 6.0, "read_seconds": 0.5, "connect_seconds": 0.5, "max_retries": 2}


@pytest.fixture
def server():
    with running() as started:
        yield started


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def made(server, behaviour="good", **options):
    table = {"adapter": "openai", "model": behaviour, "base_url": server.url, **QUICK, **options}
    return resolve("m", {"m": table})


def page(number=0):
    return Image.new("RGB", (40, 20), (number % 256, 255, 255))


def read(server, behaviour="good", asked=PROMPT, **options):
    return made(server, behaviour, **options).load().transcribe([page()], asked)[0]


@pytest.mark.parametrize(
    ("behaviour", "expected", "calls", "says"),
    [
        ("good", "complete", 1, None),
        ("busy", "complete", 2, None),
        ("flaky", "complete", 3, None),
        ("parts", "complete", 1, None),
        ("reported", "complete", 2, None),
        ("null", "empty", 1, None),
        ("reasoning", "empty", 1, None),
        ("refusal", "refused", 1, None),
        ("filter", "refused", 1, None),
        ("length", "truncated", 1, None),
        ("limit", "truncated", 1, None),
        ("endless", "truncated", 1, None),
        ("huge", "truncated", 1, None),
        ("nothing", "infrastructure_error", 1, "without any choice"),
        ("hang", "infrastructure_error", 3, "possibly billed"),
        ("cut", "infrastructure_error", 3, "the connection was cut"),
        ("wrong", "infrastructure_error", 1, "not JSON"),
        ("shapeless", "infrastructure_error", 1, "no chat completion"),
        ("denied", "infrastructure_error", 1, "the key in OPENAI_API_KEY was refused (HTTP 401"),
        ("large", "infrastructure_error", 1, "9000 tokens is longer than max_model_len 4096"),
        ("full", "infrastructure_error", 1, "past page_seconds"),
        ("quota", "infrastructure_error", 1, "the quota is used up"),
        ("hugeerror", "infrastructure_error", 1, "HTTP 400: eee"),
        ("moved", "infrastructure_error", 1, "redirects to"),
        ("far", "infrastructure_error", 1, "give that address as base_url"),
        ("halfway", "infrastructure_error", 1, "upstream died"),
        ("beside", "infrastructure_error", 1, "upstream died"),
    ],
)
def test_each_bad_day_ends_in_its_outcome(server, behaviour, expected, calls, says, caplog):
    caplog.set_level(logging.DEBUG)
    reply = read(server, behaviour)
    assert outcome(TEXT, reply, lang="en") == expected, reply
    assert server.calls[behaviour] == calls
    assert sum(server.calls.values()) == calls  # a redirect is not followed
    if says is None:
        assert reply.error is None
    else:
        assert says in reply.error
    assert len(reply.error or "") < 1000
    assert KEY not in repr(reply)
    assert KEY not in caplog.text


def test_a_reply_without_end_is_over_when_the_pages_seconds_are(server):
    reply = read(server, "drip", page_seconds=1.0, read_seconds=30.0)
    assert "no reply within page_seconds = 1" in reply.error


def test_a_reply_of_50_mb_is_not_held(server):
    import openai  # noqa: F401  not to be counted

    model = made(server, "huge").load()
    tracemalloc.start()
    try:
        reply = model.transcribe([page()], PROMPT)[0]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 40_000_000
    assert reply.finish_reason == "cut_off"
    assert 3_900_000 < len(reply.text) <= 4 * 2**20
    assert reply.text.startswith("pier and table")


def test_what_is_sent(server):
    read(server, system="You read.", extra_body={"mm_processor_kwargs": {"max_pixels": 99}}, detail="high", seed=7)
    body, headers = server.bodies[0], server.headers[0]
    picture, text = body["messages"][1].pop("content")
    assert body == {
        "model": "good",
        "messages": [{"role": "system", "content": "You read."}, {"role": "user"}],
        "max_tokens": 8192,
        "temperature": 0.0,
        "seed": 7,
        "mm_processor_kwargs": {"max_pixels": 99},
    }
    assert text == {"type": "text", "text": "Read the page."}
    assert picture["image_url"]["detail"] == "high"
    head, _, data = picture["image_url"]["url"].partition(",")
    assert head == "data:image/png;base64"
    sent = Image.open(io.BytesIO(base64.b64decode(data)))
    assert (sent.mode, sent.size, sent.tobytes()) == ("RGB", (40, 20), page().tobytes())
    assert headers["Authorization"] == f"Bearer {KEY}"


def test_parameters_that_a_server_refuses_are_left_out(server):
    read(server, omit=["temperature", "seed"], max_tokens_field="max_completion_tokens", max_tokens=77)
    assert {"temperature", "seed", "max_tokens"}.isdisjoint(server.bodies[0])
    assert server.bodies[0]["max_completion_tokens"] == 77


@pytest.mark.parametrize(
    ("options", "sent"),
    [
        ({"prompt": "Free OCR."}, ["Free OCR."]),
        ({"prompt": ""}, []),
        ({"prompt": "suite"}, ["Read the page."]),
        ({"preset": "deepseek-ocr"}, ["Free OCR."]),
        ({"preset": "deepseek-ocr", "prompt": "suite"}, ["Read the page."]),
    ],
)
def test_what_is_asked(server, options, sent):
    read(server, **options)
    texts = [part["text"] for part in server.bodies[0]["messages"][-1]["content"] if part["type"] == "text"]
    assert texts == sent
    assert made(server, **options).prompts == (sent == ["Read the page."])


def test_a_preset_is_found_by_the_models_name_and_takes_its_markup_away(server):
    spec = resolve(f"openai:deepseek-ai/DeepSeek-OCR@{server.url}")
    assert spec.visual_tokens == "deepseek-ocr-gundam"
    fenced = {"adapter": "openai", "model": "fenced", "base_url": server.url}
    server.answer = lambda url: f"```markdown\n{TEXT}\n```"
    assert resolve("m", {"m": fenced}).load().transcribe([page()], PROMPT)[0].text == TEXT
    spec.load().transcribe([page()], PROMPT)
    assert server.bodies[-1]["skip_special_tokens"] is False


@pytest.mark.parametrize("said", [f"<think>plan</think>{TEXT}", f"plan</think>\n{TEXT}"])
def test_think_blocks_are_no_transcript(server, said):
    server.answer = lambda url: said
    think = Prompt("Read.", "en", "no_correct+think")
    table = {"adapter": "openai", "model": "Qwen3.5-9B", "base_url": server.url}
    assert resolve("m", {"m": table}).load().transcribe([page()], think)[0].text == TEXT
    assert server.bodies[-1]["chat_template_kwargs"] == {"enable_thinking": True}


def test_reasoning_is_switched_on_as_the_table_says_or_the_case_is_not_measured(server):
    think = Prompt("Read.", "en", "no_correct+think")
    body = {"chat_template_kwargs": {"enable_thinking": True}}
    assert read(server, asked=think, think_body=body).error is None
    assert server.bodies[0]["chat_template_kwargs"] == {"enable_thinking": True}
    assert "give think_body" in read(server, asked=think).error
    read(server, think_body=body)
    assert "chat_template_kwargs" not in server.bodies[-1]


def test_requests_go_out_together_and_replies_keep_their_order(server):
    def shade(url):
        picture = Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2])))
        return f"page of shade {picture.getpixel((0, 0))[0]}"

    server.answer = shade
    model = made(server, "slow", concurrency=3, read_seconds=5.0, page_seconds=30.0).load()
    replies = model.transcribe([page(number) for number in range(7)], PROMPT)
    assert [reply.text for reply in replies] == [f"page of shade {number}" for number in range(7)]
    assert server.most_at_once == 3
    assert model.batch_size == 6


def test_image_tokens_are_taken_from_the_server_or_bounded_from_below(server):
    assert read(server, "images").image_tokens == 77
    assert read(server, "good").image_tokens is None
    bound = read(server, "manytokens")
    assert bound.image_tokens == 5000 - len("Read the page.") - 256
    assert (bound.completion_tokens, bound.max_tokens) == (12, 8192)


def test_a_server_that_is_gone_is_not_asked_for_every_page(server):
    gone = made(server, "good", base_url="http://127.0.0.1:9/v1", max_retries=0, concurrency=4).load()
    replies = gone.transcribe([page(number) for number in range(40)], PROMPT)
    asked = [reply for reply in replies if "cannot be reached" in reply.error and "not asked" not in reply.error]
    assert 8 <= len(asked) < 12
    assert "not asked: the server gave no reply" in replies[-1].error
    assert "cannot be reached" in replies[-1].error


def test_pages_that_are_too_large_do_not_end_the_others(server):
    model = made(server, "large", concurrency=2).load()
    replies = model.transcribe([page(number) for number in range(20)], PROMPT)
    assert {"max_model_len 4096" in reply.error for reply in replies} == {True}
    assert server.calls["large"] == 20


def test_a_key_that_the_server_sends_back_is_masked(server, tmp_path):
    store = ResponseStore(tmp_path / "replies.sqlite")
    spec = made(server, "echo", revision="1")
    found = ask(spec, spec.load(), page(), PROMPT, case_id="c", page_text=TEXT, lang="en", store=store)
    store.close()
    assert found.text == f"{TEXT} ***"
    assert all(KEY.encode() not in file.read_bytes() for file in tmp_path.iterdir())


@pytest.mark.parametrize("key", ["EMPTY", "none", "tide", "north pier", "sk-pier"])
def test_a_word_that_stands_for_a_key_is_not_taken_out_of_the_page(server, monkeypatch, key):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    assert read(server, "echo").text == f"{TEXT} {key}"
    assert read(server, "good", system=f"The {key} of the page").text == TEXT


def test_a_key_at_the_cut_of_an_error_leaves_no_part_of_it(server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "Zq9" * 11)
    error = read(server, "edge").error
    assert "HTTP 400: xxx" in error
    assert "Zq9" not in error


@pytest.mark.parametrize(
    "behaviour",
    ["halfway", "beside", "null", "refusal", "length", "limit", "endless", "huge", "nothing", "wrong", "denied"],
)
def test_only_complete_replies_are_stored(server, tmp_path, behaviour):
    store = ResponseStore(tmp_path / "replies.sqlite")
    spec = made(server, behaviour, revision="1")
    for _ in range(2):
        ask(spec, spec.load(), page(), PROMPT, case_id="c", page_text=TEXT, lang="en", store=store)
    store.close()
    assert server.calls[behaviour] == 2


class TestKey:
    def test_no_key_where_none_is_named_and_the_address_is_elsewhere_in_the_clear(self):
        near, far = (
            resolve(f"openai:m@http://{host}:8000/v1").load.args[1].api_key_env for host in ("localhost", "10.0.0.7")
        )
        assert (near, far) == ("OPENAI_API_KEY", None)
        assert resolve("openai:m@https://api.example.org/v1").load.args[1].api_key_env == "OPENAI_API_KEY"

    def test_dash_sends_none(self, server):
        read(server, api_key_env="-")
        assert KEY not in json.dumps(server.headers)

    def test_a_variable_of_any_name_is_hidden_everywhere(self, server, monkeypatch):
        monkeypatch.setenv("MY_SERVER", "harbour-pass")
        reply = read(server, "denied", api_key_env="MY_SERVER")
        assert server.headers[0]["Authorization"] == "Bearer harbour-pass"
        assert "the key in MY_SERVER was refused" in reply.error
        assert "harbour-pass" not in reply.error

    def test_a_named_variable_that_is_not_set_is_said_before_anything_is_asked(self, server, monkeypatch):
        monkeypatch.delenv("MY_SERVER", raising=False)
        with pytest.raises(NotInstalled, match="MY_SERVER, named by api_key_env, is not set"):
            made(server, api_key_env="MY_SERVER").load()

    def test_without_a_key_a_refusal_says_that_none_was_sent(self, server, monkeypatch):
        monkeypatch.delenv("OPENAI_API_KEY")
        assert "no key was sent: put it into OPENAI_API_KEY" in read(server, "denied").error

    @pytest.mark.parametrize(
        ("name", "table"),
        [
            ("m", {"api_key": KEY}),
            ("m", {"key": KEY}),
            ("m", {"extra_body": {"headers": f"Bearer {KEY}"}}),
            ("m", {"base_url": f"https://user:{KEY}@host/v1"}),
            ("m", {"base_url": f"https://{KEY}@host/v1"}),
            ("m", {"base_url": f"https://host/{KEY}/v1"}),
            ("m", {"base_url": f"https://host/v1?api_key={KEY}"}),
            ("m", {"system": f"use {KEY}"}),
            (f"openai:m@https://user:{KEY}@host/v1", None),
            (f"openai:{KEY}@https://host/v1", None),
            ("m", {"model": KEY}),
            ("m", {KEY: 1}),
            ("m", {"extra_body": {KEY: 1}}),
            ("m", {"api_key_env": KEY}),
        ],
    )
    def test_a_key_in_the_configuration_is_refused_and_not_shown(self, name, table):
        base = {"adapter": "openai", "model": "m", "base_url": "https://host/v1"}
        with pytest.raises(ValueError, match="model ") as caught:
            resolve(name, {} if table is None else {"m": {**base, **table}})
        assert KEY not in str(caught.value)
        assert "environment" in str(caught.value)


def test_identity_holds_what_shapes_a_reply_and_nothing_else():
    base = {"adapter": "openai", "model": "m", "base_url": "http://localhost:8000/v1"}

    def identity(**changes):
        return json.dumps(resolve("m", {"m": {**base, **changes}}).identity, sort_keys=True)

    plain = identity()
    for change in (
        {"base_url": "http://localhost:8001/v1"},
        {"model": "n"},
        {"prompt": "Free OCR."},
        {"system": "s"},
        {"max_tokens": 9},
        {"max_tokens_field": "max_completion_tokens"},
        {"temperature": 0.5},
        {"seed": 1},
        {"omit": ["seed"]},
        {"extra_body": {"top_k": 1}},
        {"think_body": {"think": True}},
        {"detail": "low"},
        {"revision": "r"},
    ):
        assert identity(**change) != plain, change
    for change in (
        {"concurrency": 2},
        {"connect_seconds": 3},
        {"read_seconds": 3},
        {"page_seconds": 3},
        {"max_retries": 0},
        {"api_key_env": "-"},
        {"base_url": "http://localhost:8000/v1/"},
    ):
        assert identity(**change) == plain, change
    assert resolve("openai:m@http://localhost:8000/v1").identity == resolve("m", {"m": base}).identity
    assert resolve("m", {"m": base}).revision == ""  # nothing says that it is the same model tomorrow


def test_the_client_is_imported_only_when_a_page_is_asked(tmp_path):
    import subprocess
    import sys

    code = (
        "import sys; from pytest_vtcfaith.models import resolve;"
        "resolve('openai:m@http://localhost:1/v1').load(); print('openai' in sys.modules)"
    )
    root = Path(__file__).resolve().parents[2]
    found = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"


def test_steps_are_judged_in_words_alone(server):
    judge = made(server, "judge", system="Be strict.").load()
    verdicts = judge_by_model(judge, "12 apples and 7 apples", ["12 + 7 = 18", "12 + 7 = 19"])
    assert [(verdict.valid, verdict.decided) for verdict in verdicts] == [(False, True), (True, True)]
    assert server.calls["judge"] == 2
    for body in server.bodies:
        assert [message["role"] for message in body["messages"]] == ["system", "user"]
        assert [part["type"] for part in body["messages"][-1]["content"]] == ["text"]


def test_questions_are_answered_from_their_pictures(server):
    replies = made(server, "judge").load().answer([page(), page(1)], ["Is 12 + 7 = 19?", "Is it?"])
    assert [reply.text for reply in replies] == ["It is so.\nVALID", "No.\n\n**INVALID**"]
    for body in server.bodies:
        assert [part["type"] for part in body["messages"][-1]["content"]] == ["image_url", "text"]


def test_a_judge_that_fails_measures_nothing(server):
    with pytest.raises(JudgeFailed, match="the judge gave no reply"):
        judge_by_model(made(server, "denied").load(), "Q", ["a"])


@pytest.mark.parametrize(("options", "tasks"), [({}, {"transcribe", "answer"}), ({"prompt": "Read."}, {"transcribe"})])
def test_only_who_takes_the_suites_prompt_takes_questions(server, options, tasks):
    assert made(server, **options).tasks == tasks
