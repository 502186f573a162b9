"""The command line, the `[tool.vtcfaith]` table, and what they say together."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pytest_vtcfaith.plugin.shards import Shard, parse_shard

TABLE = ("models", "thresholds", "cases", "baselines", "report", "prompts", "inconclusive", "scorers")
SCORERS = {"lpips": str, "clip": str, "fid": str, "fid_layer": int}
"""Networks that compare pictures: where their weights are; how many features of FID's network count."""
COUNTS = {"limit": "documents per tier", "batch-size": "pages per call", "noise": "cases to ask twice"}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options of the design."""
    group = parser.getgroup(
        "vtcfaith",
        "faithfulness gate for OCR and vision-language models (pytest-vtcfaith)",
    )
    add = group.addoption
    add(
        "--vtc-model",
        action="append",
        default=[],
        metavar="NAME",
        help="model to measure: a registered name, or adapter:identifier, e.g. rapidocr, replay:FILE; may be "
        "repeated. Without it the benchmark cases are deselected.",
    )
    add(
        "--vtc-suite",
        action="append",
        default=[],
        metavar="NAME",
        help="only this suite (rewriting, preservation, editing, …); may be repeated. Without it every suite whose "
        "task a model does: transcribe, edit, answer or draw.",
    )
    add(
        "--vtc-lang",
        action="append",
        default=[],
        metavar="LANG",
        help="only this language (en, zh, ko; mixed: several on one page); may be repeated",
    )
    add(
        "--vtc-tier",
        action="append",
        default=[],
        metavar="TIER",
        help="only this tier; * stands for anything, e.g. 'rewriting/en/*'; may be repeated",
    )
    add(
        "--vtc-limit",
        type=int,
        default=None,
        metavar="N",
        help="only the first N documents of every tier, always the same ones; such a run says that it is limited "
        "and is never compared with a baseline",
    )
    add(
        "--vtc-thresholds",
        default=None,
        metavar="FILE",
        help="thresholds file (default: thresholds.toml beside the cases)",
    )
    add("--vtc-cases", default=None, metavar="DIR", help="folder of manifests to use instead of the bundled cases")
    add(
        "--vtc-report",
        default=None,
        metavar="DIR",
        help="where results.jsonl, gates.json, run.json, summary.md and pages go (default: in the pytest cache)",
    )
    add(
        "--vtc-baselines",
        default=None,
        metavar="DIR",
        help="folder of baselines (default: baselines/ beside the cases, or under rootdir when they are installed)",
    )
    add(
        "--vtc-ocr",
        action="append",
        default=[],
        metavar="NAME",
        help="what reads edited and drawn pictures: a registered model that tells the boxes of what it reads (default: "
        "rapidocr). Given twice, the second one reads everything again: its scores stand beside those of the first, "
        "and the report says how far both rank the models alike.",
    )
    add(
        "--vtc-judge",
        default=None,
        metavar="NAME",
        help="model that judges the steps of reasoning and what is legible, e.g. openai:NAME@URL or transformers:PATH "
        "(default: an exact judge that checks arithmetic, comparisons and facts against the task's own record)",
    )
    add("--vtc-cache", default=None, metavar="DIR", help="folder of stored replies (default: in the pytest cache)")
    add("--vtc-no-cache", action="store_true", default=False, help="ask the model every time; store nothing")
    add(
        "--vtc-batch-size",
        type=int,
        default=None,
        metavar="N",
        help="pages that a model in a host process is given per call (default: the model's own choice, else 16)",
    )
    add(
        "--vtc-devices",
        default=None,
        metavar="LIST",
        help="devices of host processes: cuda:0,cuda:1 or cpu or how many; cuda:N is the N-th entry of "
        "CUDA_VISIBLE_DEVICES (default: all GPUs, else one CPU)",
    )
    add(
        "--vtc-inconclusive",
        choices=("fail", "warn", "pass"),
        default=None,
        help="what a regression gate does that can tell neither way (default: fail)",
    )
    add(
        "--vtc-seed",
        type=int,
        default=0,
        metavar="N",
        help="seed of the bootstrap intervals and of which cases --vtc-noise chooses (default: 0)",
    )
    add(
        "--vtc-noise",
        type=int,
        default=None,
        metavar="N",
        help="measure how noisy the model is: ask N of the cases, spread over the tiers, a second time, past the "
        "stored replies and in other batches, and write what changed to noise.json and into baselines accepted from "
        "this run; a regression gate whose margin is smaller is not measured, no other verdict changes",
    )
    add(
        "--vtc-shard",
        default=None,
        metavar="I/N",
        help="run only the I-th of N shards of the documents, e.g. 2/4 on the second of four machines; which shard a "
        "document is in depends on the manifests and N only. No gate is judged: `vtcfaith gate RESULTS1 RESULTS2 …` "
        "merges the results of all shards and judges them",
    )
    add(
        "--vtc-renderer",
        action="append",
        default=[],
        metavar="LAYOUT",
        help="only cases drawn with this layout (glyph); may be repeated",
    )


@dataclass(frozen=True)
class Options:
    """What this run was asked for; None for a path means its default."""

    models: tuple[str, ...] = ()
    suites: tuple[str, ...] = ()
    langs: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    renderers: tuple[str, ...] = ()
    limit: int | None = None
    thresholds: Path | None = None
    cases: Path | None = None
    report: Path | None = None
    baselines: Path | None = None
    cache: Path | None = None
    no_cache: bool = False
    batch_size: int | None = None
    devices: str | None = None
    inconclusive: str = "fail"
    seed: int = 0
    noise: int | None = None
    shard: Shard | None = None
    ocr: tuple[str, ...] = ("rapidocr",)
    judge: str | None = None
    prompts: tuple[str, ...] = ("plain",)
    configured: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    scorers: Mapping[str, Any] = field(default_factory=dict)


def read_options(config: pytest.Config) -> Options:
    """Options of the command line over those of `[tool.vtcfaith]` in the rootdir's pyproject.toml.

    Paths of the command line are relative to where pytest was called, those of the table to the rootdir. Raises
    pytest.UsageError for a table with an unknown key or a value of the wrong type, for an empty path, for a limit,
    batch size or number of cases asked twice under 1, and for devices that are none.
    """
    table = read_table(config.rootpath)
    option = config.option

    def path(name: str) -> Path | None:
        if (given := getattr(option, f"vtc_{name}", None)) is not None:
            if not given:  # as it comes from a variable that is not set; it would mean the current folder
                raise pytest.UsageError(f"--vtc-{name} is empty: give a path, or leave the option out")
            return Path(config.invocation_params.dir, given)
        if table.get(name) == "":
            raise pytest.UsageError(f"[tool.vtcfaith]: {name} is empty: give a path, or leave the key out")
        return Path(config.rootpath, table[name]) if name in table else None

    for name, meaning in COUNTS.items():
        given = getattr(option, f"vtc_{name.replace('-', '_')}")
        if given is not None and given < 1:
            raise pytest.UsageError(f"--vtc-{name} {given}: give the number of {meaning}, 1 or more")
    return Options(
        models=tuple(dict.fromkeys(option.vtc_model)),
        suites=tuple(dict.fromkeys(option.vtc_suite)),
        langs=tuple(dict.fromkeys(option.vtc_lang)),
        tiers=tuple(dict.fromkeys(option.vtc_tier)),
        renderers=tuple(dict.fromkeys(option.vtc_renderer)),
        limit=option.vtc_limit,
        thresholds=path("thresholds"),
        cases=path("cases"),
        report=path("report"),
        baselines=path("baselines"),
        cache=path("cache"),
        no_cache=option.vtc_no_cache,
        batch_size=option.vtc_batch_size,
        devices=_devices(option.vtc_devices),
        inconclusive=option.vtc_inconclusive or table.get("inconclusive", "fail"),
        seed=option.vtc_seed,
        noise=option.vtc_noise,
        shard=_shard(option.vtc_shard),
        ocr=_ocr(option.vtc_ocr),
        judge=option.vtc_judge,
        prompts=tuple(table.get("prompts", ("plain",))),
        configured=table.get("models", {}),
        scorers={
            name: str(Path(config.rootpath, given))
            if isinstance(given, str) and not given.startswith("pip:")
            else given
            for name, given in table.get("scorers", {}).items()
        },
    )


def must_exist(baselines: Path | None) -> None:
    """Raises pytest.UsageError for a folder of baselines that is named and is not there, unless a run is accepted."""
    if baselines is not None and not baselines.is_dir():
        raise pytest.UsageError(
            f"--vtc-baselines {baselines}: there is no such folder: name the one that holds the baselines, or leave "
            "the option out; accepting a run makes it"
        )


def _devices(given: str | None) -> str | None:
    if given is not None:
        from pytest_vtcfaith.engine.devices import check_devices

        try:
            check_devices(given)
        except ValueError as problem:
            raise pytest.UsageError(f"--vtc-devices {problem}") from None
    return given


def _ocr(given: list[str]) -> tuple[str, ...]:
    if len(given) > 2:
        raise pytest.UsageError(f"--vtc-ocr is given {len(given)} times: give one engine, and at most one to compare")
    if len(given) > len(set(given)):
        raise pytest.UsageError(f"--vtc-ocr {given[0]} is given twice: a second engine must be another one")
    return tuple(given) or ("rapidocr",)


def _shard(given: str | None) -> Shard | None:
    if given is None:
        return None
    try:
        return parse_shard(given)
    except ValueError as problem:
        raise pytest.UsageError(f"--vtc-shard {problem}") from None


def read_table(rootpath: Path) -> Mapping[str, Any]:
    """The table `[tool.vtcfaith]` of pyproject.toml in a folder, empty where there is none.

    Raises pytest.UsageError for an unknown key or a value of the wrong type.
    """
    file = rootpath / "pyproject.toml"
    try:
        data = tomllib.loads(file.read_bytes().decode("utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise pytest.UsageError(f"{file}: cannot be read as TOML: {problem}") from problem
    place = f"{file}: [tool.vtcfaith]"
    table = data.get("tool", {}).get("vtcfaith", {})
    if not isinstance(table, Mapping):
        raise pytest.UsageError(f"{place} must be a table, got {table!r}")
    for key, given in table.items():
        if key not in TABLE:
            from pytest_vtcfaith.gating.thresholds import nearest

            raise pytest.UsageError(f"{place}: unknown key {key!r}; {nearest(key, TABLE)}")
        wanted: type = {"models": dict, "scorers": dict, "prompts": list}.get(key, str)
        if not isinstance(given, wanted):
            raise pytest.UsageError(f"{place}: {key} = {given!r}: a {wanted.__name__} is expected")
    for key, given in table.get("scorers", {}).items():
        if key not in SCORERS or type(given) is not SCORERS[key]:
            known = ", ".join(f"{name} ({kind.__name__})" for name, kind in SCORERS.items())
            raise pytest.UsageError(f"{file}: [tool.vtcfaith.scorers]: {key} = {given!r}: known are {known}")
    if table.get("inconclusive", "fail") not in ("fail", "warn", "pass"):
        raise pytest.UsageError(f"{place}: inconclusive = {table['inconclusive']!r}: give 'fail', 'warn' or 'pass'")
    if "prompts" in table:
        from pytest_vtcfaith.suites.prompts import CONDITIONS

        for condition in table["prompts"]:
            if condition not in CONDITIONS:
                known = ", ".join(CONDITIONS)
                raise pytest.UsageError(f"{place}: prompts: unknown condition {condition!r}; known: {known}")
        if not table["prompts"]:
            raise pytest.UsageError(f"{place}: prompts is empty; give at least 'plain'")
    return table
