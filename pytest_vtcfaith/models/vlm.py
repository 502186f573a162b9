"""How vision-language models are asked, whatever runs them: a question a page, and a reply without markup."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.models.markup import THINK, clean
from pytest_vtcfaith.models.presets import SUITE_PROMPT, Preset
from pytest_vtcfaith.models.protocols import Prompt

if TYPE_CHECKING:
    from PIL import Image


@dataclass(frozen=True, slots=True)
class Question:
    """One picture and what is asked about it, or without a picture (None) a question in words alone; an empty `text`
    shows the picture alone. `system` is the system message, `thinking` asks for reasoning where the chat template knows
    the word, None leaves it unsaid.
    """

    image: Image.Image | None
    text: str
    system: str | None = None
    thinking: bool | None = None


@dataclass(frozen=True, slots=True)
class Generated:
    """What an engine generated for one question, as it came: `text` with its markup, the token counts (`max_tokens` is
    the limit that held), whether the prompt ended inside a think block (None: not known), `refusal` where a server
    refuses in a field of its own, and `error` where there is nothing.
    """

    text: str = ""
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    image_tokens: int | None = None
    completion_tokens: int | None = None
    max_tokens: int | None = None
    in_thought: bool | None = None
    refusal: str | None = None
    error: str | None = None


Generate = Callable[[Sequence[Question]], Sequence[Generated]]
"""An engine: one answer for each question, in their order."""


def own_prompt(preset: Preset, chosen: str | None) -> str | None:
    """What is asked whatever the suite asks: the option `prompt`, else the preset's; None for the suite's prompt."""
    if chosen == SUITE_PROMPT:
        return None
    return preset.prompt if chosen is None else chosen


def read_pages(
    generate: Generate, preset: Preset, prompt: Prompt, images: Sequence[Image.Image], *, chosen: str | None = None
) -> list[Reply]:
    """One reply per picture: asked as the preset says (`chosen` is the option `prompt`), its markup removed."""
    if preset.two_step:
        from pytest_vtcfaith.models.two_step import read_by_blocks

        return read_by_blocks(generate, preset, images)
    own = own_prompt(preset, chosen)
    text = prompt.text if own is None else own
    thinking = prompt.condition.endswith("+think") if preset.thinking else None
    questions = [Question(image, text, preset.system, thinking) for image in images]
    return [as_reply(answer, preset) for answer in generate(questions)]


def ask_about(
    generate: Generate, preset: Preset, images: Sequence[Image.Image | None], texts: Sequence[str]
) -> list[Reply]:
    """One reply per question, each about its picture or (None) in words alone, whatever the preset's own prompt is."""
    thinking = False if preset.thinking else None
    questions = [Question(image, text, preset.system, thinking) for image, text in zip(images, texts, strict=True)]
    return [as_reply(answer, preset) for answer in generate(questions)]


def as_reply(answer: Generated, preset: Preset) -> Reply:
    """The reply to score: without markup, with the usage."""
    if answer.error is not None:
        return Reply(text=None, error=answer.error)
    return Reply(
        text=clean(answer.text, preset.markup, thinking=answer.in_thought),
        finish_reason=answer.finish_reason,
        completion_tokens=answer.completion_tokens,
        max_tokens=answer.max_tokens,
        image_tokens=answer.image_tokens if preset.counted else None,
        refusal=answer.refusal,
    )


def in_thought(prompt: str) -> bool:
    """Whether a rendered prompt ends inside a think block that its template opened."""
    return re.search(rf"<{THINK}>\s*\Z", prompt) is not None
