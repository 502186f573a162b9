"""What a model says it can be asked to do, and how much of the visual tokens it keeps."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Any

import pytest

from pytest_vtcfaith.models import ModelSpec, register_model, registry, resolve
from pytest_vtcfaith.models.protocols import TASKS


class Reader:
    def transcribe(self, images: Any, prompt: Any) -> Any: ...


class Painter:
    def edit(self, images: Any, instructions: Any) -> Any: ...

    def draw(self, prompts: Any) -> Any: ...


class Everything(Reader, Painter):
    def answer(self, images: Any, questions: Any) -> Any: ...


class NotQuite:
    edit = "a text, not a method"


def factory() -> Painter:
    return Painter()


@pytest.fixture(autouse=True)
def own_registrations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "REGISTERED", {})


@pytest.mark.parametrize(
    ("made_by", "tasks"),
    [
        (Reader, {"transcribe"}),
        (Painter, {"edit", "draw"}),
        (Everything, set(TASKS)),
        (NotQuite, {"transcribe"}),
        (factory, {"transcribe"}),
        (lambda: Everything(), {"transcribe"}),
    ],
)
def test_tasks_come_from_the_methods_of_a_class(made_by: Any, tasks: set[str]) -> None:
    register_model("m")(made_by)
    assert resolve("m").tasks == tasks


@pytest.mark.parametrize("tasks", [("edit",), ["edit"], {"edit", "answer"}, frozenset(TASKS), {"draw": 1}])
def test_tasks_that_are_declared_count(tasks: Any) -> None:
    for made_by in (factory, Reader, Everything):
        register_model("m", tasks=tasks)(made_by)
        registry.REGISTERED.pop("m")
        register_model("m", tasks=tasks)(made_by)
        assert resolve("m").tasks == set(tasks)
        registry.REGISTERED.clear()


@pytest.mark.parametrize(
    ("tasks", "shown"),
    [
        ("edit", "'edit'"),
        ((), r"\[\]"),
        (["edits"], r"\['edits'\]"),
        (["edit", 7], r"\['7', 'edit'\]"),
        ([["edit"]], "edit"),
        (7, "7"),
    ],
)
def test_tasks_that_are_none(tasks: Any, shown: str) -> None:
    with pytest.raises(
        ValueError, match=rf"model 'm': tasks = .*{shown}.*: give some of transcribe, edit, answer, draw"
    ):
        register_model("m", tasks=tasks)
    with pytest.raises(ValueError, match="model 'm': tasks = "):
        ModelSpec("m", load=Reader, languages=None, tasks=tasks)


@pytest.mark.parametrize("ratio", [1, 0.5, 1e-9, None])
def test_the_share_of_visual_tokens_that_is_kept(ratio: Any) -> None:
    register_model("m", keep_ratio=ratio)(Reader)
    assert resolve("m").keep_ratio == ratio
    assert ModelSpec("m", load=Reader, languages=None).keep_ratio is None


@pytest.mark.parametrize("ratio", [0, 0.0, -0.5, 1.01, float("nan"), float("inf"), True, "0.5", (0.5,)])
def test_ratios_that_are_none(ratio: Any) -> None:
    with pytest.raises(ValueError, match=r"model 'm': keep_ratio = .*over 0 and up to 1, or None"):
        register_model("m", keep_ratio=ratio)(Reader)
    assert "m" not in registry.REGISTERED


def offer(monkeypatch: pytest.MonkeyPatch, **points: str) -> None:
    offered = [EntryPoint(name, value, "vtcfaith.models") for name, value in points.items()]

    def entry_points(*, group: str, name: str | None = None) -> list[EntryPoint]:
        return [point for point in offered if point.group == group and name in (None, point.name)]

    monkeypatch.setattr(registry, "entry_points", entry_points)


def test_entry_points_say_what_their_class_does(monkeypatch: pytest.MonkeyPatch) -> None:
    here = __name__
    offer(monkeypatch, painter=f"{here}:Painter", made=f"{here}:factory", spec=f"{here}:SPEC")
    assert resolve("painter").tasks == {"edit", "draw"}
    assert isinstance(resolve("painter").load(), Painter)
    assert resolve("made").tasks == {"transcribe"}
    assert resolve("spec").tasks == {"answer"}


SPEC = ModelSpec("spec", load=Everything, languages=None, tasks=frozenset({"answer"}), keep_ratio=0.25)


@pytest.mark.parametrize("name", ["rapidocr", "tesseract"])
def test_engines_without_prompts_transcribe_only(name: str) -> None:
    assert resolve(name).tasks == {"transcribe"}


@pytest.mark.parametrize("name", ["transformers:x", "openai:m@http://localhost:1/v1"])
def test_models_that_take_the_suites_prompt_answer_too(name: str) -> None:
    assert resolve(name).tasks == {"transcribe", "answer"}
