"""From an identifier and options to the spec of a vision-language model: what the adapters share."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from pytest_vtcfaith.models.checkpoint import folder_revision, hub_revision, model_type
from pytest_vtcfaith.models.presets import Preset, choose_preset
from pytest_vtcfaith.models.spec import ModelSpec, check_options, shown
from pytest_vtcfaith.models.spec import table as place
from pytest_vtcfaith.models.vlm import own_prompt
from pytest_vtcfaith.pages.budget import visual_tokens as count_visual_tokens

SHARED = {
    "preset": "the known system whose prompt, visual tokens and markup apply; 'none' for none",
    "prompt": "what to ask; 'suite' for the suite's prompt, empty for the picture alone",
    "visual_tokens": "visual-token family",
    "languages": "list of languages the model reads",
    "revision": "commit, branch or tag of a hub name",
    "dtype": "number format of the weights: auto, bfloat16, float16, float32",
    "trust_remote_code": "run the checkpoint's own code (default false)",
    "max_new_tokens": "limit of generated tokens (default 4096)",
}
DTYPES = ("auto", "bfloat16", "float16", "float32")
ATTENTIONS = ("eager", "sdpa", "flash_attention_2", "flash_attention_3", "flash_attention_4", "flex_attention")
DEVICE = re.compile(r"auto|cpu|mps|(?:cuda|xpu)(?::(?:0|[1-9][0-9]{0,3}))?")
HUB_NAME = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9._-]*/)?[A-Za-z0-9_][A-Za-z0-9._-]*")
HUB_NAME_LENGTH = 96  # huggingface_hub refuses longer ones
SHOWN = 120  # characters of a name or path in a message
MAX_NEW_TOKENS = 4096
LARGEST = 2**31 - 1


class Values(NamedTuple):
    """What an option may be: a test, and the same in words."""

    holds: Callable[[Any], bool]
    wanted: str


def _is_whole(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _is_languages(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(map(_is_text, value))


def _is_table(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)  # TOML has dates, and nan
    except (TypeError, ValueError):
        return False
    return isinstance(value, Mapping)


def _is_pictures(value: Any) -> bool:
    """vLLM takes a number or a table for each kind of input; a page is one picture."""
    counted = _is_table(value) and all(
        isinstance(each, Mapping) or _is_whole(each, 0, LARGEST) for each in value.values()
    )
    return counted and value.get("image", 1) != 0


def _is_revision(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"\S{1,255}", value) is not None and value.isprintable()


def _one_of(*names: str) -> Values:
    return Values(lambda value: isinstance(value, str) and value in names, f"one of {', '.join(names)}")


_COUNT = Values(partial(_is_whole, least=1, most=LARGEST), f"a whole number over 0, up to {LARGEST}")
_SWITCH = Values(lambda value: isinstance(value, bool), "true or false")
_TABLE = Values(_is_table, "a table of what JSON can hold")
VALUES: Mapping[str, Values] = {
    "preset": Values(_is_text, "text: a preset's name, or none"),
    "prompt": Values(lambda value: isinstance(value, str), "text"),
    "visual_tokens": Values(_is_text, "text: a visual-token family's name such as nominal"),
    "languages": Values(_is_languages, 'a list such as ["en", "zh"]'),
    "revision": Values(_is_revision, "text: a commit, branch or tag"),
    "dtype": _one_of(*DTYPES),
    "trust_remote_code": _SWITCH,
    "max_new_tokens": _COUNT,
    "device": Values(
        lambda value: isinstance(value, str) and DEVICE.fullmatch(value) is not None,
        "one of auto, cpu, mps, cuda, cuda:N, xpu, xpu:N",
    ),
    "attention": _one_of(*ATTENTIONS),
    "batch_size": _COUNT,
    "min_pixels": _COUNT,
    "max_pixels": _COUNT,
    "image_backend": _one_of("pil", "torchvision"),
    "max_model_len": _COUNT,
    "max_num_seqs": _COUNT,
    "gpu_memory_utilization": Values(_is_share, "a share over 0, up to 1"),
    "seed": Values(partial(_is_whole, least=0, most=2**32 - 1), f"a whole number from 0 to {2**32 - 1}"),
    "enforce_eager": _SWITCH,
    "enable_prefix_caching": _SWITCH,
    "limit_mm_per_prompt": Values(_is_pictures, "a table of whole numbers, image at least 1"),
    "mm_processor_kwargs": _TABLE,
    "batch_invariant": _SWITCH,
    "engine_args": _TABLE,
}
"""Option → its values, for all adapters whose spec is made here."""


@dataclass(frozen=True, slots=True)
class VlmSettings:
    """What a model is loaded and asked with; `name` is what the user calls the model, `source` is an absolute folder or
    a hub name, `commit` what of it (None for a folder, or where it is not known before the download), `options` all
    options with their defaults.
    """

    name: str
    source: str
    commit: str | None
    preset: Preset
    options: Mapping[str, Any]

    @property
    def prompt(self) -> str | None:
        """The option `prompt`."""
        chosen: str | None = self.options.get("prompt")
        return chosen

    def place(self, option: str) -> str:
        """Where an option stands, with its value, for a message."""
        return f"{place(self.name)}: {option} = {shown(self.options.get(option))}"


def vlm_spec(
    identifier: str | None,
    options: Mapping[str, Any],
    name: str,
    *,
    adapter: str,
    version: int,
    known: Mapping[str, str],
    defaults: Callable[[Preset], Mapping[str, Any]],
    load: Callable[[VlmSettings], object],
    packages: tuple[str, ...],
    tasks: tuple[str, ...] = (),
) -> ModelSpec:
    """The spec of a model in a host process.

    `known` are the adapter's options beside `SHARED`, `defaults` their values for a preset, `version` the adapter's
    own, `packages` what its replies depend on, where installed, `tasks` what the adapter does beside transcribing with
    a model that takes the suite's prompts. The revision names checkpoint, adapter and packages; it is empty, so that no
    reply is stored, for a hub name that was not downloaded yet. Raises ValueError that names model, option, value and
    mend.
    """
    if not identifier:
        raise ValueError(f"model {name!r}: no checkpoint; write {adapter}:PATH or {adapter}:ORGANISATION/NAME")
    check_options(options, {**SHARED, **known}, name)
    check_values(options, name)
    folder = checkpoint_folder(identifier, name)
    if folder is not None:
        try:
            source, checkpoint, kind = str(folder.resolve()), folder_revision(folder), model_type(folder)
        except OSError as error:
            raise ValueError(f"model {name!r}: cannot read the checkpoint {folder}: {error}") from error
        except ValueError as error:
            raise ValueError(f"model {name!r}: {error}") from error
        commit = None
        if "revision" in options:
            raise ValueError(
                f"model {name!r}: revision = {options['revision']!r} is for hub names; {folder} is a folder"
            )
    else:
        source, kind = identifier, None
        found = hub_revision(identifier, options.get("revision"))
        commit, checkpoint = found or options.get("revision"), found and f"{identifier}@{found}"
    preset = choose_preset(options.get("preset"), source, kind, name)
    if preset.two_step and options.get("prompt") is not None:
        raise ValueError(f"model {name!r}: prompt = {options['prompt']!r}: {preset.name} asks in two steps of its own")
    settings = {"max_new_tokens": MAX_NEW_TOKENS, "trust_remote_code": False, **defaults(preset), **options}
    languages = options.get("languages")
    own = own_prompt(preset, options.get("prompt"))
    versions = "".join(map(package_version, packages))
    kept = {key: value for key, value in settings.items() if key not in ("revision", "languages", "visual_tokens")}
    return ModelSpec(
        name=name,
        load=partial(load, VlmSettings(name, source, commit, preset, settings)),
        languages=None if languages is None else frozenset(languages),
        visual_tokens=options.get("visual_tokens", preset.visual_tokens),
        lives="host",
        prompts=own is None,
        revision=f"{checkpoint}; adapter {adapter} {version}{versions}" if checkpoint else "",
        adapter=adapter,
        options={**kept, "preset": preset.name, "prompt": "suite" if own is None else own},
        tasks=frozenset({"transcribe", *(tasks if own is None and not preset.two_step else ())}),
    )


def check_values(options: Mapping[str, Any], name: str) -> None:
    """Raises ValueError, naming model, option, value and what is allowed, for a value of another kind or out of range,
    for an unknown visual-token family, and for fewest pixels above the most.
    """
    for key, value in options.items():
        if not VALUES[key].holds(value):
            raise ValueError(f"model {name!r}: {key} = {shown(value)} must be {VALUES[key].wanted}")
    if "visual_tokens" in options:
        try:
            count_visual_tokens(options["visual_tokens"], 1024, 1024)
        except ValueError as error:
            raise ValueError(f"model {name!r}: visual_tokens = {shown(options['visual_tokens'])}: {error}") from None
    _check_pixels(options, "", name)
    _check_pixels(options.get("mm_processor_kwargs", {}), "mm_processor_kwargs.", name)


def _check_pixels(settings: Mapping[str, Any], table: str, name: str) -> None:
    given = {key: settings[key] for key in ("min_pixels", "max_pixels") if settings.get(key) is not None}
    for key, value in given.items():
        if not _COUNT.holds(value):
            raise ValueError(f"model {name!r}: {table}{key} = {shown(value)} must be {_COUNT.wanted}")
    if len(given) == 2 and given["min_pixels"] > given["max_pixels"]:
        raise ValueError(
            f"model {name!r}: {table}min_pixels = {given['min_pixels']} must be at most"
            f" {table}max_pixels = {given['max_pixels']}"
        )


def checkpoint_folder(identifier: str, name: str) -> Path | None:
    """The folder that is meant; None for a hub name. Raises ValueError, naming the model, for what is neither."""
    try:
        folder = Path(identifier).expanduser()
        if folder.is_dir():
            return folder
        problem = ""
    except (OSError, RuntimeError) as error:  # RuntimeError: a home folder of nobody
        problem = f" ({getattr(error, 'strerror', None) or error})"
    hub_name = HUB_NAME.fullmatch(identifier) and len(identifier) <= HUB_NAME_LENGTH
    if hub_name and not problem:
        return None
    raise ValueError(
        f"model {_shown(name)}: no folder {_shown(identifier)} seen from {Path.cwd()}{problem};"
        f" give a folder or a hub name ORGANISATION/NAME (letters, digits, '.', '_', '-', at most {HUB_NAME_LENGTH})"
    )


def _shown(text: str) -> str:
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}…")


def package_version(package: str) -> str:
    """The installed version of a package as a part of a revision; empty without it."""
    try:
        return f"; {package} {metadata.version(package)}"
    except metadata.PackageNotFoundError:
        return ""
