"""What the engine has to know of a model before it is loaded."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_vtcfaith.metrics.scripts import LANGUAGES
from pytest_vtcfaith.models.protocols import TASKS
from pytest_vtcfaith.pages import checks
from pytest_vtcfaith.pages.budget import visual_tokens as count_visual_tokens

LONGEST_SHOWN = 300
"""Characters of an option's value in a message."""


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model that can be measured, not loaded yet.

    `load` makes the model (no arguments); it may raise `NotInstalled`. `languages` are the languages the model reads
    (`en`, `zh`, `ko`), None for all. `visual_tokens` names its visual-token family (definitions §3). `lives` is
    `worker` (one model per xdist worker) or `host` (one process per device for all workers). `prompts` is False for an
    engine that takes no prompt. `revision` names code and weights, `adapter` what drives them, `options` the settings.
    `needs_picture` is False where answers are looked up by case id. `tasks` are what the model can be asked to do,
    names of `TASKS`; `replayed` are the cases of a replay, each with the task that its line declares, "" for none: then
    a run goes by the suite of the case. `keep_ratio` is the share of the visual tokens that a compression method keeps
    (VTC-Bench), None for a model that is none; `base` names the model that it compresses, whose frozen groups are its
    own too. `remote` says that a host only passes requests on, to a server: there is
    one for all devices.

    Raises ValueError as `check_declared` does, and for another `lives`, task, ratio or base.
    """

    name: str
    load: Callable[[], object]
    languages: frozenset[str] | None
    visual_tokens: str = "nominal"
    lives: str = "worker"
    prompts: bool = True
    revision: str = ""
    adapter: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    needs_picture: bool = True
    remote: bool = False
    tasks: frozenset[str] = frozenset({"transcribe"})
    replayed: Mapping[str, str] = field(default_factory=dict)
    keep_ratio: float | None = None
    base: str = ""

    def __post_init__(self) -> None:
        check_declared(self.name, self.languages, self.visual_tokens)
        if self.lives not in ("worker", "host"):
            raise ValueError(f"model {self.name!r}: lives = {self.lives!r}: give 'worker' or 'host'")
        check_tasks(self.name, self.tasks)
        ratio = self.keep_ratio
        if ratio is not None and (isinstance(ratio, bool) or not isinstance(ratio, int | float) or not 0 < ratio <= 1):
            raise ValueError(
                f"model {self.name!r}: keep_ratio = {shown(ratio)}: give the share of the visual tokens that it keeps, "
                "over 0 and up to 1, or None"
            )
        if not isinstance(self.base, str):
            raise ValueError(f"model {self.name!r}: base = {shown(self.base)}: give the name of a model")

    @property
    def identity(self) -> dict[str, Any]:
        """Everything about the model that shapes a reply, as plain JSON with sorted keys; stored replies go by it."""
        return {
            "adapter": self.adapter,
            "options": {key: self.options[key] for key in sorted(self.options)},
            "prompts": self.prompts,
            "revision": self.revision,
        }


def check_declared(name: str, languages: Collection[str] | None, visual_tokens: str) -> None:
    """Raises ValueError, naming the model, for languages that are no collection of names, and for an unknown family of
    visual tokens (the known ones are listed, nearest first).
    """
    if languages is not None:
        named = not isinstance(languages, str) and isinstance(languages, Collection)
        if not named or not languages or not all(isinstance(lang, str) and lang for lang in languages):
            raise ValueError(
                f"model {name!r}: languages must be a collection of names such as ['en'], or None for all, "
                f"got {shown(languages)}"
            )
        if not set(languages) & set(LANGUAGES):
            raise ValueError(
                f"model {name!r}: languages = {sorted(languages)}: none is a language of any case: add those of "
                f"{', '.join(LANGUAGES)} that it reads, or leave it out for all"
            )
    if not isinstance(visual_tokens, str):
        raise ValueError(
            f"model {name!r}: visual_tokens must name a family such as 'nominal', got {shown(visual_tokens)}"
        )
    try:
        count_visual_tokens(visual_tokens, 1024, 1024)
    except ValueError as error:
        raise ValueError(f"model {name!r}: {error}") from None


def check_tasks(name: str, tasks: Collection[str]) -> None:
    """Raises ValueError, naming the model, for tasks that are no collection of names of `TASKS`."""
    several = isinstance(tasks, Collection) and not isinstance(tasks, str)
    if not (several and tasks and all(isinstance(task, str) and task in TASKS for task in tasks)):
        given = sorted(map(str, tasks)) if several else tasks
        raise ValueError(f"model {name!r}: tasks = {shown(given)}: give some of {', '.join(TASKS)}")


def table(name: str) -> str:
    """What the table of a model in pyproject.toml is called."""
    return f"[tool.vtcfaith.models.{name if re.fullmatch('[A-Za-z0-9_-]+', name) else json.dumps(name)}]"


def shown(value: object) -> str:
    """A value of an option for a message; long texts are cut."""
    return checks.shown(value, LONGEST_SHOWN)


def check_options(options: Mapping[str, Any], known: Mapping[str, str], name: str) -> None:
    """Refuses settings an adapter does not have.

    `known` maps each option to what it is, for the message. Raises ValueError that names the model, the option and
    the known ones.
    """
    for key in options:
        if key not in known:
            listed = ", ".join(f"{option} ({meaning})" for option, meaning in known.items()) or "none"
            raise ValueError(f"model {name!r}: unknown option {key!r}; known options: {listed}")


def refuse_identifier(identifier: str | None, adapter: str, name: str) -> None:
    """Raises ValueError when a model is named for an adapter that has only one."""
    if identifier is not None:
        raise ValueError(
            f"model {name!r}: the adapter {adapter!r} takes no model, got {identifier!r}; write just {adapter!r}"
        )
