"""From the name a user gives to the model that is meant."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Collection, Mapping
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, TypeVar

from pytest_vtcfaith.engine.secrets import mask_secrets
from pytest_vtcfaith.models.protocols import TASKS
from pytest_vtcfaith.models.spec import ModelSpec, check_declared, check_tasks, shown
from pytest_vtcfaith.models.spec import table as place

__all__ = ["ModelSpec", "UnknownModel", "known_models", "register_model", "resolve"]

ENTRY_POINT_GROUP = "vtcfaith.models"
# name -> module; each has spec(identifier, options, name) and imports its engine only inside ModelSpec.load
ADAPTERS = {
    "diffusers": "pytest_vtcfaith.models.diffusers",
    "doctr": "pytest_vtcfaith.models.doctr",
    "editor": "pytest_vtcfaith.models.editor",
    "illustrator": "pytest_vtcfaith.models.illustrators",
    "ocr-rules": "pytest_vtcfaith.models.ocr_answers",
    "openai": "pytest_vtcfaith.models.openai",
    "openai-images": "pytest_vtcfaith.models.openai_images",
    "rapidocr": "pytest_vtcfaith.models.rapidocr",
    "replay": "pytest_vtcfaith.models.replay",
    "serve": "pytest_vtcfaith.models.serve",
    "tesseract": "pytest_vtcfaith.models.tesseract",
    "transformers": "pytest_vtcfaith.models.transformers",
    "vllm": "pytest_vtcfaith.models.vllm",
}
# adapters that are nothing without an identifier, and what it is
IDENTIFIED = {
    "editor": "NAME",
    "illustrator": "NAME",
    "openai": "NAME@URL",
    "openai-images": "NAME@URL",
    "replay": "FILE",
    "serve": "PATH_OR_ID",
    "transformers": "PATH_OR_ID",
    "vllm": "PATH_OR_ID",
}
BOXED = ("doctr", "rapidocr", "tesseract")
"""Adapters whose models tell the boxes of what they read."""
REGISTERED: dict[str, tuple[ModelSpec, tuple[str, str]]] = {}  # name -> spec and where its factory is written

Factory = TypeVar("Factory", bound=Callable[[], object])


class UnknownModel(ValueError):
    """No model has this name; the message lists the known ones, nearest first."""


def register_model(
    name: str,
    *,
    languages: Collection[str] | None = None,
    visual_tokens: str = "nominal",
    prompts: bool = True,
    revision: str = "",
    lives: str = "worker",
    tasks: Collection[str] | None = None,
    keep_ratio: float | None = None,
    base: str = "",
) -> Callable[[Factory], Factory]:
    """Registers a model of the user's own, usually in a conftest.py.

    Decorates a class, or a function without arguments, that gives a `Transcriber`, `Editor`, `Answerer` or
    `Illustrator`; it is called once per process, when the first page is read. `tasks` say which of them it is
    (`transcribe`, `edit`, `answer`, `draw`; None: of a class those whose methods it has, of a function `transcribe`).
    `keep_ratio` is the share of the visual tokens that a compression method keeps, `base` the name of the model that it
    compresses: groups of the compression suite that were frozen of that model are used for it. `languages` are those
    the model reads (None: all), `visual_tokens` its visual-token family (definitions §3), `prompts=False` says that the
    prompt's text is ignored. `revision` names code and weights and must change when replies may; replies of a model
    without one are never stored, since an edited model could be judged by what it answered before. `lives="host"` loads
    it once per device, in a process of its own that all workers ask, and gives it full batches; with `worker` it is
    loaded in each worker and given one page at a time.

    Raises ValueError for a bad name, languages, family, `lives`, tasks, ratio or base, and when other code registered
    the name already; importing the same file again is fine.
    """
    if not isinstance(name, str) or not name or not name.isprintable() or name != name.strip():
        raise ValueError(
            f"register_model: name {name!r} must be printable text that neither begins nor ends with a space"
        )
    check_declared(name, languages, visual_tokens)
    if tasks is not None:
        check_tasks(name, tasks)

    def register(factory: Factory) -> Factory:
        if not callable(factory):
            raise ValueError(f"register_model({name!r}) decorates a class or a function, not {factory!r}")
        file = _source_file(factory)
        origin = (str(file), getattr(factory, "__qualname__", repr(factory)))
        before = REGISTERED.get(name)
        if before is not None and before[1] != origin:
            raise ValueError(
                f"model {name!r} is registered twice: by {before[1][1]} in {before[1][0]}"
                f" and by {origin[1]} in {origin[0]}; give one of them another name"
            )
        spec = ModelSpec(
            name=name,
            load=factory,
            languages=None if languages is None else frozenset(languages),
            visual_tokens=visual_tokens,
            prompts=prompts,
            revision=revision,
            lives=lives,
            adapter=f"registered:{name}",
            tasks=_tasks_of(factory) if tasks is None else frozenset(tasks),
            keep_ratio=keep_ratio,
            base=base,
        )
        REGISTERED[name] = (spec, origin)
        return factory

    return register


def resolve(name: str, configured: Mapping[str, Mapping[str, Any]] | None = None) -> ModelSpec:
    """The model a name means.

    Looked up in this order: registered models, `configured` (the tables `[tool.vtcfaith.models.NAME]`: `adapter`,
    optionally `model`, and the adapter's options), entry points of the group `vtcfaith.models`, the bundled engines,
    and `adapter:identifier`. Nothing is loaded.

    Raises UnknownModel, or ValueError for a table, file or entry point that is wrong.
    """
    configured = configured or {}
    if name in REGISTERED:
        return REGISTERED[name][0]
    if name in configured:
        return _from_table(name, configured[name])
    installed = _entry_point(name)
    if installed is not None:
        return _from_entry_point(installed)
    adapter, colon, identifier = name.partition(":")
    if adapter in ADAPTERS and (identifier or (not colon and adapter not in IDENTIFIED)):
        return _from_adapter(adapter, identifier if colon else None, {}, name)
    raise unknown(name, known_models(configured))


def known_models(configured: Mapping[str, Mapping[str, Any]] | None = None) -> list[str]:
    """The names `resolve` knows, sorted; adapters that need more are shown as `replay:FILE`."""
    bundled = {f"{adapter}:{IDENTIFIED[adapter]}" if adapter in IDENTIFIED else adapter for adapter in ADAPTERS}
    installed = {point.name for point in entry_points(group=ENTRY_POINT_GROUP)}
    return sorted(bundled | installed | set(REGISTERED) | set(configured or {}))


def known_readers(configured: Mapping[str, Mapping[str, Any]] | None = None) -> list[str]:
    """Those of `known_models` that may tell the boxes of what they read, sorted: nothing is loaded to find out."""
    installed = {point.name for point in entry_points(group=ENTRY_POINT_GROUP)}
    tables = {
        name
        for name, table in (configured or {}).items()
        if isinstance(table, Mapping) and table.get("adapter") in BOXED
    }
    registered = {
        name
        for name, (spec, _) in REGISTERED.items()
        if hasattr(spec.load, "read_boxes") or (not inspect.isclass(spec.load) and "transcribe" in spec.tasks)
    }
    return sorted({*BOXED, *installed, *tables, *registered})


def unknown(name: str, known: list[str]) -> UnknownModel:
    """The error that no model has that name, with the known ones."""
    listed = ", ".join(_nearest_first(name, known))
    return UnknownModel(f"unknown model {name!r}; known models, nearest first: {listed}")


def _nearest_first(name: str, known: list[str]) -> list[str]:
    from rapidfuzz import fuzz

    return sorted(known, key=lambda other: (-fuzz.WRatio(name.lower(), other.lower()), other))


def _from_adapter(adapter: str, identifier: str | None, options: Mapping[str, Any], name: str) -> ModelSpec:
    module = importlib.import_module(ADAPTERS[adapter])
    spec: ModelSpec = module.spec(identifier, options, name)
    return spec


def _from_table(name: str, table: Mapping[str, Any]) -> ModelSpec:
    where = place(name)
    if not isinstance(table, Mapping):
        raise ValueError(f'{where} must be a table with `adapter = "…"`, got {shown(table)}')
    known = ", ".join(sorted(ADAPTERS))
    adapter = table.get("adapter")
    if not isinstance(adapter, str) or adapter not in ADAPTERS:
        raise ValueError(f"{where}: adapter = {shown(adapter)} is not one of the known adapters: {known}")
    model = table.get("model")
    if model is not None and not (isinstance(model, str) and model):
        raise ValueError(f"{where}: model = {shown(model)} must be text")
    options = {key: value for key, value in table.items() if key not in ("adapter", "model")}
    try:
        return _from_adapter(adapter, model, options, name)
    except ValueError as problem:
        raise ValueError(f"{mask_secrets(where)}: {problem}") from problem


def _entry_point(name: str) -> EntryPoint | None:
    points = tuple(entry_points(group=ENTRY_POINT_GROUP, name=name))
    if len({point.value for point in points}) > 1:
        offers = " and ".join(sorted(f"{point.value} ({_distribution(point)})" for point in points))
        raise ValueError(f"model {name!r} is offered by several packages: {offers}; uninstall one")
    return points[0] if points else None


def _from_entry_point(point: EntryPoint) -> ModelSpec:
    offered = point.load()
    if point.name in REGISTERED:  # the module used the decorator
        return REGISTERED[point.name][0]
    if isinstance(offered, ModelSpec):
        return offered
    if not callable(offered):
        raise ValueError(
            f"entry point {point.name!r} of {_distribution(point)} ({point.value}) must be a ModelSpec, a class"
            f" or a function without arguments that gives a model, got {type(offered).__name__}"
        )
    return ModelSpec(
        name=point.name,
        load=offered,
        languages=None,
        revision=_distribution(point),
        adapter=f"entry point:{point.value}",
        tasks=_tasks_of(offered),
    )


def _distribution(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else "an unknown package"


def _tasks_of(factory: Callable[[], object]) -> frozenset[str]:
    return frozenset(task for task in TASKS if callable(getattr(factory, task, None))) or frozenset({"transcribe"})


def _source_file(factory: Callable[[], object]) -> Path | None:
    try:
        file = inspect.getsourcefile(factory)
    except TypeError:  # built-in, or an instance with __call__
        file = None
    return Path(file).resolve() if file else None
