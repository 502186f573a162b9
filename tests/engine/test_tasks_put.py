"""Editing, answering and drawing through `ask`: what reaches the model, what comes back, what is an error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from PIL import Image

from pytest_vtcfaith.engine.pictures import picture_of, picture_reply
from pytest_vtcfaith.engine.run import Question, ask, batch_of, checked_replies, put
from pytest_vtcfaith.engine.store import ResponseStore
from pytest_vtcfaith.engine.transcript import Transcript
from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.models import ModelSpec, Prompt

RED, BLUE = Image.new("RGB", (8, 6), "red"), Image.new("RGB", (4, 3), "blue")


class Model:
    """Does all tasks: gives `replies` (a value, or an exception to raise), and keeps what it was given."""

    def __init__(self, replies: Any) -> None:
        self.replies = replies
        self.given: list[tuple[Any, ...]] = []

    def _give(self, *given: Any) -> Any:
        self.given.append(given)
        if isinstance(self.replies, BaseException):
            raise self.replies
        return self.replies

    def transcribe(self, images: Sequence[Image.Image], prompt: Prompt) -> Any:
        return self._give(list(images), prompt)

    def edit(self, images: Sequence[Image.Image], instructions: Sequence[str]) -> Any:
        return self._give(list(images), list(instructions))

    def answer(self, images: Sequence[Image.Image], questions: Sequence[str]) -> Any:
        return self._give(list(images), list(questions))

    def draw(self, prompts: Sequence[str]) -> Any:
        return self._give(list(prompts))


def spec(**changes: Any) -> ModelSpec:
    return ModelSpec(**{"name": "m", "load": Model, "languages": None, "adapter": "test", **changes})


def question(task: str, text: str = "do it", *, lang: str = "en") -> Question:
    return Question("c", None if task == "draw" else RED, Prompt(text, lang), "a page of text", lang, task=task)


def asked(model: object, task: str, store: ResponseStore | None = None, text: str = "do it") -> Transcript:
    image = None if task == "draw" else RED
    return ask(spec(), model, image, Prompt(text, "en"), case_id="c", page_text="x", lang="en", store=store, task=task)


def test_what_an_editor_an_answerer_and_an_illustrator_are_given() -> None:
    model = Model([BLUE, BLUE])
    put(model, [question("edit", "one"), question("edit", "two", lang="zh")], [RED, BLUE])
    assert model.given == [([RED, BLUE], ["one", "two"])]
    model = Model(["a", "b"])
    put(model, [question("answer", "one"), question("answer", "two")], [RED, BLUE])
    assert model.given == [([RED, BLUE], ["one", "two"])]
    model = Model([RED, BLUE])
    put(model, [question("draw", "one"), question("draw", "two")], [None, None])
    assert model.given == [(["one", "two"],)]


@pytest.mark.parametrize("task", ["edit", "draw"])
def test_pictures_come_back_in_order(task: str) -> None:
    replies = put(Model([BLUE, RED]), [question(task, "one"), question(task, "two")], [RED, RED])
    found = [picture_of(reply) for reply in replies]
    assert [picture.size for picture in found if picture is not None] == [BLUE.size, RED.size]


def test_only_questions_for_a_transcriber_wait_for_the_same_prompt() -> None:
    for task in ("edit", "answer", "draw"):
        assert batch_of(question(task, "one")) == batch_of(question(task, "two", lang="zh"))
    assert batch_of(question("transcribe", "one")) != batch_of(question("transcribe", "two"))
    assert batch_of(question("transcribe", "one")) == batch_of(question("transcribe", "one"))
    assert len({batch_of(question(task)) for task in ("transcribe", "edit", "answer", "draw")}) == 4


@pytest.mark.parametrize(
    ("task", "replies", "outcome"),
    [
        ("edit", [BLUE], "complete"),
        ("draw", [BLUE], "complete"),
        ("edit", (BLUE.convert("RGBA"),), "complete"),
        ("edit", [picture_reply(BLUE)], "complete"),
        ("edit", [Reply(text=None, refusal="not allowed")], "refused"),
        ("draw", [Reply(text=None, refusal="not allowed")], "refused"),
        ("edit", [Reply(text="I'm sorry, I can't help with that.")], "refused"),
        ("edit", [Reply(text="Here is your picture.")], "empty"),
        ("draw", [Reply(text=None)], "empty"),
        ("edit", [Reply(text=None, error="503")], "infrastructure_error"),
        ("answer", ["7"], "complete"),
        ("answer", [Reply(text="7", finish_reason="length")], "truncated"),
        ("answer", [Reply(text=" \n")], "empty"),
        ("answer", [Reply(text=None)], "empty"),
        ("answer", [Reply(text="", refusal="no")], "refused"),
        ("answer", ["I'm sorry, I can't help with that."], "refused"),
        ("answer", [Reply(text=None, error="503")], "infrastructure_error"),
    ],
)
def test_outcomes(task: str, replies: Any, outcome: str) -> None:
    transcript = asked(Model(replies), task)
    assert transcript.outcome == outcome
    assert (transcript.reply.picture is not None) == (outcome == "complete" and task != "answer")


BROKEN = Reply(text=None, picture="?")


@pytest.mark.parametrize(
    ("task", "replies", "says"),
    [
        ("edit", [], "ValueError: edit() returned 0 pictures for 1 picture"),
        ("edit", [RED, RED], "ValueError: edit() returned 2 pictures for 1 picture"),
        ("draw", [RED, RED], "ValueError: draw() returned 2 pictures for 1 prompt"),
        ("answer", [], "ValueError: answer() returned 0 replies for 1 picture"),
        ("edit", RED, "TypeError: edit() must return a list with one picture per picture, it returned Image"),
        ("draw", None, "TypeError: draw() must return a list with one picture per prompt, it returned NoneType"),
        ("answer", "7", "TypeError: answer() must return a list with one reply per picture, it returned str"),
        ("edit", picture_reply(RED), "TypeError: edit() must return a list with one picture per picture"),
        ("edit", [None], "TypeError: a picture must be a PIL image, or a Reply that says why not, got NoneType"),
        ("edit", ["done"], "TypeError: a picture must be a PIL image, or a Reply that says why not, got str"),
        ("draw", [b"png"], "TypeError: a picture must be a PIL image, or a Reply that says why not, got bytes"),
        ("answer", [RED], "TypeError: a reply must be a Reply or a str, the model gave Image"),
        ("answer", [7], "TypeError: a reply must be a Reply or a str, the model gave int"),
        ("edit", [BROKEN], "Error: "),
        ("edit", [Reply(text=None, picture=b"png")], "Error: "),  # type: ignore[arg-type]
        ("edit", [Image.new("F", (2, 2), float("nan"))], "ValueError: a picture of mode 'F' reaches from"),
        ("draw", RuntimeError("out of paint"), "RuntimeError: out of paint"),
        ("answer", ValueError(), "ValueError: "),
    ],
)
def test_whatever_goes_wrong_is_no_failure_of_the_model(task: str, replies: Any, says: str) -> None:
    transcript = asked(Model(replies), task)
    assert transcript.outcome == "infrastructure_error"
    assert says in (transcript.reply.error or "")
    assert transcript.reply.picture is None


@pytest.mark.parametrize(
    ("task", "says"),
    [
        ("edit", "the model has no method edit(): it is no Editor"),
        ("answer", "the model has no method answer(): it is no Answerer"),
        ("draw", "the model has no method draw(): it is no Illustrator"),
        ("transcribe", "the model has no method transcribe(): it is no Transcriber"),
    ],
)
def test_a_model_that_cannot(task: str, says: str) -> None:
    assert says in (asked(object(), task).reply.error or "")


def test_secrets_in_a_picture_s_reply_are_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "Zqv7-Zqv8-Zqv9")
    (reply,) = checked_replies([Reply(text=None, error="401 for Zqv7-Zqv8-Zqv9")], 1, "edit")
    assert "Zqv7" not in (reply.error or "")


def test_what_an_editor_does_to_its_picture_does_not_show() -> None:
    class Scribbler:
        def edit(self, images: Sequence[Image.Image], instructions: Sequence[str]) -> list[Image.Image]:
            for image in images:
                image.paste((0, 0, 0), (0, 0, *image.size))
            return list(images)

    source = RED.copy()
    transcript = ask(spec(), Scribbler(), source, Prompt("x", "en"), case_id="c", page_text="", lang="en", task="edit")
    assert source.tobytes() == RED.tobytes()
    edited = picture_of(transcript.reply)
    assert edited is not None
    assert edited.getpixel((0, 0)) == (0, 0, 0)


@pytest.mark.parametrize(("task", "reply"), [("edit", BLUE), ("draw", BLUE), ("answer", "7")])
def test_a_complete_reply_is_stored_with_its_picture(tmp_path: Any, task: str, reply: Any) -> None:
    store = ResponseStore(tmp_path / "replies.sqlite")
    model = Model([reply])
    first, second = asked(model, task, store), asked(model, task, store)
    assert (first.cached, second.cached, len(model.given)) == (False, True, 1)
    assert second.reply == first.reply
    assert asked(model, task, store, "do something else").cached is False
    store.close()


@pytest.mark.parametrize("reply", [Reply(text="no picture"), Reply(text=None, refusal="no"), BROKEN])
def test_a_reply_without_a_picture_is_not_stored(tmp_path: Any, reply: Reply) -> None:
    store = ResponseStore(tmp_path / "replies.sqlite")
    asked(Model([reply]), "edit", store)
    again = asked(Model([BLUE]), "edit", store)
    assert (again.outcome, again.cached) == ("complete", False)
    store.close()
