"""One question to one model: what reaches it, what comes back, what becomes of its errors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_vtcfaith.engine.run import ask, error_reply
from pytest_vtcfaith.engine.secrets import mask_secrets
from pytest_vtcfaith.engine.store import ResponseStore
from pytest_vtcfaith.engine.threads import THREAD_VARIABLES, worker_environment
from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.models import ModelSpec, NotInstalled, Prompt, resolve

TEXT = "tide table for the north pier and the south pier"
PICTURE = Image.new("RGB", (60, 20), "white")
PROMPT = Prompt("Read the page.", "en")


class Model:
    """Gives `replies` (a value, or an exception to raise) and keeps what it was shown."""

    def __init__(self, replies):
        self.replies = replies
        self.shown = []

    def transcribe(self, images, prompt):
        self.shown += images
        if isinstance(self.replies, BaseException):
            raise self.replies
        return self.replies


def spec(**changes) -> ModelSpec:
    return ModelSpec(**{"name": "m", "load": Model, "languages": None, "adapter": "test", **changes})


def asked(model, *, image=PICTURE, **changes):
    given = {"case_id": "c", "page_text": TEXT, "lang": "en", **changes}
    return ask(given.pop("spec", spec()), model, image, given.pop("prompt", PROMPT), **given)


@pytest.mark.parametrize("reply", [TEXT, Reply(text=TEXT), Reply(text=TEXT, finish_reason="stop")])
def test_a_reply_is_a_text_or_a_reply(reply):
    transcript = asked(Model([reply]))
    assert (transcript.text, transcript.outcome, transcript.cached) == (TEXT, "complete", False)
    assert transcript.seconds >= 0


def test_a_reply_without_text_reads_as_empty():
    transcript = asked(Model([Reply(text=None, finish_reason="stop")]))
    assert (transcript.text, transcript.reply.text, transcript.outcome) == ("", None, "empty")


@pytest.mark.parametrize(
    ("replies", "says"),
    [
        (RuntimeError("server said 500"), "RuntimeError: server said 500"),
        (MemoryError(), "MemoryError: "),
        (NotInstalled("no Tesseract data for zh"), "not installed: no Tesseract data for zh"),
        ([], "ValueError: transcribe() returned 0 replies for 1 picture"),
        (["a", "b"], "ValueError: transcribe() returned 2 replies for 1 picture"),
        ("a", "TypeError: transcribe() must return a list with one reply per picture, it returned str"),
        (Reply(text="a"), "TypeError: transcribe() must return a list with one reply per picture, it returned Reply"),
        (None, "TypeError: transcribe() must return a list with one reply per picture, it returned NoneType"),
        ({"a": 1}, "TypeError: transcribe() must return a list with one reply per picture, it returned dict"),
        ([None], "TypeError: a reply must be a Reply or a str, the model gave NoneType"),
        ([b"tide"], "TypeError: a reply must be a Reply or a str, the model gave bytes"),
        ([Reply(text=7)], "ValueError: reply field 'text' is 7: give a string or null"),
        (
            [Reply(text="", image_tokens="64")],
            "ValueError: reply field 'image_tokens' is '64': give an integer or null",
        ),
        ([Reply(text=None, error="connection refused")], "connection refused"),
    ],
)
def test_whatever_goes_wrong_is_an_infrastructure_error(replies, says):
    transcript = asked(Model(replies))
    assert (transcript.outcome, transcript.reply.error, transcript.text) == ("infrastructure_error", says, "")


def test_a_thing_that_is_no_model():
    transcript = asked(object())
    assert transcript.outcome == "infrastructure_error"
    assert "transcribe" in transcript.reply.error


def test_an_exception_that_cannot_be_shown():
    class Mute(Exception):
        def __str__(self):
            raise ValueError

    assert error_reply(Mute()).error == "Mute: (no message)"


def test_a_model_cannot_end_the_process():
    transcript = asked(Model(SystemExit(3)))
    assert transcript.outcome == "infrastructure_error"
    assert transcript.reply.error == "ModelExited: SystemExit(3): the model asked Python to end"


@pytest.mark.parametrize("stop", [KeyboardInterrupt, pytest.skip.Exception])
def test_the_user_can_stop_a_run(stop):
    with pytest.raises(stop):
        asked(Model(stop()))


def test_the_model_sees_the_picture_upright_and_on_white():
    turned = Image.new("RGB", (60, 20), "white")
    turned.getexif()[0x0112] = 6
    clear = Image.new("RGBA", (8, 8), (0, 0, 0, 0))
    clear.putpixel((1, 1), (0, 0, 0, 255))
    model = Model([TEXT])
    asked(model, image=turned)
    asked(model, image=clear)
    asked(model, image=lambda: Image.new("L", (5, 4), 9))
    assert [(image.mode, image.size) for image in model.shown] == [("RGB", (20, 60)), ("RGB", (8, 8)), ("RGB", (5, 4))]
    assert [model.shown[1].getpixel(at) for at in ((0, 0), (1, 1))] == [(255, 255, 255), (0, 0, 0)]


def test_an_error_while_drawing_is_no_error_of_the_model():
    def broken():
        raise LookupError("no font")

    with pytest.raises(LookupError):
        asked(Model([TEXT]), image=broken)


def test_a_budget_that_the_server_ignored():
    reply = Reply(text=TEXT, image_tokens=400)
    assert asked(Model([reply]), budget_tokens=64).outcome == "budget_not_applied"
    assert asked(Model([reply]), budget_tokens=400).outcome == "complete"
    assert asked(Model([reply])).outcome == "complete"


def test_a_replay_is_asked_by_case_and_draws_nothing(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text(f'{{"case": "c", "text": "{TEXT}"}}\n', encoding="utf-8")
    replay = resolve(f"replay:{file}")

    def never():
        raise AssertionError("drawn")

    with_store = {"spec": replay, "image": never, "store": ResponseStore(tmp_path / "s.sqlite"), "picture_key": "p"}
    assert asked(replay.load(), **with_store).text == TEXT
    missing = asked(replay.load(), case_id="d", **with_store)
    assert (missing.outcome, missing.reply.error) == ("infrastructure_error", f"no line for case d in {file}")


def test_secrets_stay_out_of_error_texts(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-123")
    monkeypatch.setenv("HF_TOKEN", "hf_abcdefgh")
    error = RuntimeError(
        "401 for https://x?key=sk-test-123 headers {'Authorization': 'Bearer zz-other', 'X': 'hf_abcdefgh'}"
    )
    for transcript in (asked(Model(error)), asked(Model([Reply(text=None, error=str(error))]))):
        shown = repr(transcript)
        assert not any(secret in shown for secret in ("sk-test-123", "zz-other", "hf_abcdefgh"))
        assert "401 for https://x?key=***" in transcript.reply.error


@pytest.mark.parametrize(
    ("text", "environment", "masked"),
    [
        ("Authorization: Bearer sk-test-123", {}, "Authorization: Bearer ***"),
        ('{"authorization": "bearer abc.def-g"}', {}, '{"authorization": "bearer ***"}'),
        ("the bearer", {}, "the bearer"),
        (
            "a long-secret-1 and long-secret-12",
            {"A_SECRET": "long-secret-1", "B_SECRET": "long-secret-12"},
            "a *** and ***",
        ),
        ("limit 4096 reached", {"MAX_TOKENS": "4096", "TOKENIZERS_PARALLELISM": "false"}, "limit 4096 reached"),
        ("home sweet-home", {"HOME": "sweet-home", "EMPTY_KEY": ""}, "home sweet-home"),
        ("x hunter2hunter2 y", {"db_password": " hunter2hunter2\n"}, "x *** y"),
    ],
)
def test_masking(text, environment, masked):
    assert mask_secrets(text, environment) == masked


@given(st.text(st.characters()))
def test_every_text_survives_lone_surrogates_too(text):
    transcript = asked(Model([text]))
    assert transcript.text == text
    assert error_reply(ValueError(text)).error.startswith("ValueError: ")


def test_workers_get_one_thread_unless_the_user_chose():
    assert worker_environment({}) == dict.fromkeys(THREAD_VARIABLES, "1")
    chosen = worker_environment({"OMP_NUM_THREADS": "4"})
    assert "OMP_NUM_THREADS" not in chosen
    assert chosen["OMP_THREAD_LIMIT"] == "1"


@pytest.mark.parametrize(
    "text",
    [
        "401: Incorrect API key provided: sk-proj-abcdefghijklmnop1234",
        "invalid key sk-test-123",
        "x-api-key: abcdef0123456789",
        'headers {"api_key": "abcdef0123456789"}',
        "https://user:pw12345678@host/x?api_key=abcdef0123456789",
    ],
)
def test_keys_are_masked_by_their_look(text):
    from pytest_vtcfaith.engine.secrets import mask_secrets

    shown = mask_secrets(text, {})
    assert "***" in shown
    assert not any(secret in shown for secret in ("abcdef0123456789", "sk-test-123", "sk-proj", "pw12345678"))
