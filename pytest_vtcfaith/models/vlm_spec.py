"""From an identifier and options to the spec of a vision-language model: what the adapters share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

from pytest_vtcfaith.models.checkpoint import folder_revision, hub_revision, model_type
from pytest_vtcfaith.models.presets import Preset, choose_preset
from pytest_vtcfaith.models.spec import ModelSpec, check_options
from pytest_vtcfaith.models.vlm import own_prompt

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
MAX_NEW_TOKENS = 4096


@dataclass(frozen=True, slots=True)
class VlmSettings:
    """What a model is loaded and asked with; `source` is an absolute folder or a hub name, `commit` what of it (None
    for a folder, or where it is not known before the download), `options` all options with their defaults.
    """

    source: str
    commit: str | None
    preset: Preset
    options: Mapping[str, Any]

    @property
    def prompt(self) -> str | None:
        """The option `prompt`."""
        chosen: str | None = self.options.get("prompt")
        return chosen


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
) -> ModelSpec:
    """The spec of a model in a host process.

    `known` are the adapter's options beside `SHARED`, `defaults` their values for a preset, `version` the adapter's
    own, `packages` what its replies depend on, where installed. The revision names checkpoint, adapter and packages; it
    is empty, so that no reply is stored, for a hub name that was not downloaded yet. Raises ValueError that names
    model, option, value and mend.
    """
    if not identifier:
        raise ValueError(f"model {name!r}: no checkpoint; write {adapter}:PATH or {adapter}:ORGANISATION/NAME")
    check_options(options, {**SHARED, **known}, name)
    folder = Path(identifier).expanduser()
    if folder.is_dir():
        source, checkpoint, kind = str(folder.resolve()), folder_revision(folder), model_type(folder)
        commit = None
        if "revision" in options:
            raise ValueError(
                f"model {name!r}: revision = {options['revision']!r} is for hub names; {folder} is a folder"
            )
    elif identifier.startswith((".", "/", "~")) or identifier.count("/") > 1 or "\\" in identifier:
        raise ValueError(
            f"model {name!r}: no folder {folder.absolute()}; give a folder or a hub name ORGANISATION/NAME"
        )
    else:
        source, kind = identifier, None
        found = hub_revision(identifier, options.get("revision"))
        commit, checkpoint = found or options.get("revision"), found and f"{identifier}@{found}"
    preset = choose_preset(options.get("preset"), source, kind, name)
    if preset.two_step and options.get("prompt") is not None:
        raise ValueError(f"model {name!r}: prompt = {options['prompt']!r}: {preset.name} asks in two steps of its own")
    settings = {"max_new_tokens": MAX_NEW_TOKENS, "trust_remote_code": False, **defaults(preset), **options}
    check_values(settings, name)
    languages = options.get("languages")
    own = own_prompt(preset, options.get("prompt"))
    versions = "".join(map(_version, packages))
    kept = {key: value for key, value in settings.items() if key not in ("revision", "languages", "visual_tokens")}
    return ModelSpec(
        name=name,
        load=partial(load, VlmSettings(source, commit, preset, settings)),
        languages=None if languages is None else frozenset(languages),
        visual_tokens=options.get("visual_tokens", preset.visual_tokens),
        lives="host",
        prompts=own is None,
        revision=f"{checkpoint}; adapter {adapter} {version}{versions}" if checkpoint else "",
        adapter=adapter,
        options={**kept, "preset": preset.name, "prompt": "suite" if own is None else own},
    )


def check_values(settings: Mapping[str, Any], name: str) -> None:
    """Raises ValueError for a setting of the wrong type or out of range."""
    for key, value in settings.items():
        whole = isinstance(value, int) and not isinstance(value, bool)
        if key in ("max_new_tokens", "batch_size", "min_pixels", "max_pixels", "max_model_len", "max_num_seqs"):
            if value is not None and not (whole and value > 0):
                raise ValueError(f"model {name!r}: {key} = {value!r} must be a whole number over 0")
        elif key == "seed":
            if not whole:
                raise ValueError(f"model {name!r}: seed = {value!r} must be a whole number")
        elif key == "gpu_memory_utilization":
            if not (isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1):
                raise ValueError(f"model {name!r}: {key} = {value!r} must be a share over 0, up to 1")
        elif key == "dtype":
            if value not in DTYPES:
                raise ValueError(f"model {name!r}: dtype = {value!r} must be one of {', '.join(DTYPES)}")
        elif key in ("trust_remote_code", "enforce_eager", "enable_prefix_caching", "batch_invariant"):
            if not isinstance(value, bool):
                raise ValueError(f"model {name!r}: {key} = {value!r} must be true or false")
        elif key in ("mm_processor_kwargs", "limit_mm_per_prompt", "engine_args"):
            if not isinstance(value, Mapping):
                raise ValueError(f"model {name!r}: {key} = {value!r} must be a table")
        elif key == "languages":
            if not isinstance(value, list | tuple) or not all(isinstance(lang, str) for lang in value):
                raise ValueError(f'model {name!r}: languages = {value!r} must be a list such as ["en", "zh"]')
        elif value is not None and not isinstance(value, str):
            raise ValueError(f"model {name!r}: {key} = {value!r} must be text")


def _version(package: str) -> str:
    try:
        return f"; {package} {metadata.version(package)}"
    except metadata.PackageNotFoundError:
        return ""
