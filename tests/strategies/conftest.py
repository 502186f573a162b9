"""Models that are told what a page says, so that no picture has to be drawn and read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from pytest_vtcfaith import Prompt
from pytest_vtcfaith.pages import render
from pytest_vtcfaith.strategies import reading


class Told:
    """Gives `answer(text)` for the text of the page; `asked` are the texts so far."""

    def __init__(self, answer: Callable[[str], Any]) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def transcribe(self, images: Sequence[Any], prompt: Prompt) -> Sequence[Any]:
        (text,) = images
        assert prompt.text
        self.asked.append(text)
        return [self.answer(text)]


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[str], Any]], Told]:
    def page(text: str, **options: Any) -> Any:
        return replace(render(text, **options), draw=lambda: text)

    monkeypatch.setattr(reading, "render", page)
    return Told
