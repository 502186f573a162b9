"""One test session's view of the benchmark: which models, cases, tiers and thresholds; the same in every process."""

from __future__ import annotations

import os
import re
import time
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_vtcfaith.plugin.options import Options, read_options

if TYPE_CHECKING:
    from pytest_vtcfaith.engine.store import ResponseStore
    from pytest_vtcfaith.engine.transcript import Transcript
    from pytest_vtcfaith.gating.thresholds import Thresholds
    from pytest_vtcfaith.models.registry import ModelSpec
    from pytest_vtcfaith.suites.base import Request, Suite
    from pytest_vtcfaith.suites.case import Case

KEY = pytest.StashKey["Run"]()
LANGS = ("en", "zh", "ko")


@dataclass(frozen=True, slots=True)
class Ask:
    """One case for one model: what a benchmark test is parametrised with."""

    case: Case
    spec: ModelSpec
    slug: str

    @property
    def id(self) -> str:
        """The test's parameter id: ASCII, without brackets."""
        return f"{self.slug}-{self.case.id}"

    @property
    def key(self) -> tuple[str, str, str]:
        """Suite, model and case: what a score belongs to."""
        return self.case.suite, self.slug, self.case.id


@dataclass(frozen=True, slots=True)
class _Unloadable:
    problem: Exception


class Run:
    """What this process knows of the run. Nothing is read or loaded before it is asked for."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.options: Options = read_options(config)
        self._models: dict[str, object] = {}

    @property
    def active(self) -> bool:
        """Whether a model was chosen; without one nothing of the benchmark runs."""
        return bool(self.options.models)

    def check(self) -> None:
        """Raises pytest.UsageError for whatever the command line asks that does not exist."""
        from pytest_vtcfaith.gating.thresholds import ThresholdsError
        from pytest_vtcfaith.texts.manifest import ManifestError

        try:
            _ = self.specs
            _ = self.thresholds
            self._check_folders()
            if not any(self.cases(name) for name in self.suites):
                raise pytest.UsageError(
                    "no case is left: --vtc-suite, --vtc-lang, --vtc-tier, --vtc-renderer exclude one another; tiers: "
                    + ", ".join(self.known_tiers)
                )
        except (ThresholdsError, ManifestError, FileNotFoundError, ValueError) as problem:
            raise pytest.UsageError(str(problem)) from problem

    def _check_folders(self) -> None:
        options = self.options
        if options.limit is not None and getattr(self.config.option, "update_snapshots", False):
            raise pytest.UsageError(
                "--snapshot-update with --vtc-limit: a limited run is no baseline; leave one of the two away"
            )
        for name in ("cases", "report", "baselines", "cache"):
            folder: Path | None = getattr(options, name)
            if folder is None:
                continue
            try:
                if folder.exists() and not folder.is_dir():
                    raise pytest.UsageError(f"--vtc-{name} {folder}: is a file; name a folder")
            except OSError as problem:
                raise pytest.UsageError(f"--vtc-{name} {folder}: cannot be looked at: {problem}") from problem

    @cached_property
    def specs(self) -> Mapping[str, ModelSpec]:
        """Slug → model, in the order of the command line."""
        from pytest_vtcfaith.models.registry import resolve
        from pytest_vtcfaith.texts.documents import slug

        found: dict[str, ModelSpec] = {}
        for name in self.options.models:
            spec = resolve(name, self.options.configured)
            short = name if re.fullmatch(r"[A-Za-z0-9._-]+", name) else slug(name.replace("/", "-"))
            if short in found:
                raise pytest.UsageError(f"--vtc-model {name!r} and another model share the name {short!r} in test ids")
            found[short] = spec
        return found

    @cached_property
    def known_tiers(self) -> tuple[str, ...]:
        """Every tier of the manifests, chosen or not."""
        return tuple(sorted({case.tier for name in self.known_suites for case in self._all_cases[name]}))

    @cached_property
    def known_suites(self) -> tuple[str, ...]:
        """Names of all suites."""
        from pytest_vtcfaith.suites import suite_names

        return suite_names()

    @cached_property
    def known_langs(self) -> tuple[str, ...]:
        """The languages that may be asked for: the bundled ones and those of the manifests."""
        return tuple(sorted({*LANGS, *(case.lang for name in self.known_suites for case in self._all_cases[name])}))

    @cached_property
    def suites(self) -> tuple[str, ...]:
        """Names of the chosen suites."""
        for name in self.options.suites:
            _must_be_known("--vtc-suite", name, self.known_suites)
        return tuple(n for n in self.known_suites if not self.options.suites or n in self.options.suites)

    def suite(self, name: str) -> Suite:
        """The suite of that name."""
        from pytest_vtcfaith.suites import load_suite

        return load_suite(name)

    @cached_property
    def _all_cases(self) -> Mapping[str, list[Case]]:
        from pytest_vtcfaith.suites.unique import check_unique

        found = {
            name: self.suite(name).cases(self.options.cases, prompts=self.options.prompts) for name in self.known_suites
        }
        check_unique(case for cases in found.values() for case in cases)
        if not any(found.values()):
            raise pytest.UsageError(f"{self.options.cases}: the manifests hold no case")
        return found

    @cached_property
    def _chosen(self) -> Mapping[str, list[Case]]:
        options = self.options
        everything = [c for name in self.known_suites for c in self._all_cases[name]]
        tiers = sorted({c.tier for c in everything})
        for lang in options.langs:
            _must_be_known("--vtc-lang", lang, self.known_langs)
        for pattern in options.tiers:
            if not any(_matches(tier, pattern) for tier in tiers):
                _must_be_known("--vtc-tier", pattern, tiers)
        layouts = sorted({str(c.params["layout"]) for c in everything if "layout" in c.params})
        for name in options.renderers:
            _must_be_known("--vtc-renderer", name, layouts)
        chosen: dict[str, list[Case]] = {}
        for name in self.known_suites:
            cases = [
                c
                for c in self._all_cases[name]
                if name in self.suites
                and (not options.langs or c.lang in options.langs)
                and (not options.tiers or any(_matches(c.tier, pattern) for pattern in options.tiers))
                and (not options.renderers or c.params.get("layout") in options.renderers)
            ]
            chosen[name] = _limited(cases, options.limit)
        return chosen

    def cases(self, suite: str) -> list[Case]:
        """The chosen cases of a suite, sorted by id."""
        return self._chosen[suite]

    def asks(self, suites: Iterable[str], langs: frozenset[str] | None = None) -> list[Ask]:
        """Every chosen case of the suites for every model, in a stable order."""
        if not self.active:
            return []
        return [
            Ask(case, spec, short)
            for short, spec in self.specs.items()
            for name in suites
            for case in self.cases(name)
            if langs is None or case.lang in langs
        ]

    @cached_property
    def by_id(self) -> Mapping[str, Ask]:
        """Test parameter id → ask, for every chosen case and model."""
        asks = self.asks(self.suites)
        found = {ask.id: ask for ask in asks}
        if len(found) < len(asks):
            raise pytest.UsageError("two models and cases make the same test id; give one model another name")
        return found

    def speaks(self, suite: str, tier: str, langs: frozenset[str] | None) -> bool:
        """Whether a gate about `tier` (or the whole suite) is about cases in `langs` only; None is any language."""
        return langs is None or all(c.lang in langs for c in self.cases(suite) if tier in (suite, c.tier))

    def tiers(self, suite: str) -> list[str]:
        """The chosen tiers of a suite, sorted; numbers within them by value."""
        return self._tiers[suite]

    @cached_property
    def _tiers(self) -> Mapping[str, list[str]]:
        return {name: sorted({case.tier for case in cases}, key=_natural) for name, cases in self._chosen.items()}

    @cached_property
    def cases_folder(self) -> Path:
        """The folder that thresholds and baselines lie in, beside the manifests."""
        from pytest_vtcfaith.suites.bundled import bundled_folder

        return self.options.cases if self.options.cases is not None else bundled_folder()

    @cached_property
    def thresholds_file(self) -> Path:
        """The thresholds file: named, or beside the cases, or the bundled one."""
        from pytest_vtcfaith.suites.bundled import bundled_folder

        if self.options.thresholds is not None:
            return self.options.thresholds
        for folder in (self.cases_folder, self.cases_folder.parent):
            if (folder / "thresholds.toml").is_file():
                return folder / "thresholds.toml"
        return bundled_folder() / "thresholds.toml"

    @cached_property
    def thresholds(self) -> Thresholds:
        """The thresholds of this run."""
        from pytest_vtcfaith.gating.thresholds import load_thresholds

        return load_thresholds(self.thresholds_file)

    @cached_property
    def baselines_folder(self) -> Path:
        """The folder of baselines, whether it exists or not."""
        if self.options.baselines is not None:
            return self.options.baselines
        folder = self.cases_folder
        installed = Path(__file__).resolve().parent.parent in folder.resolve().parents
        return (self.config.rootpath if installed else folder) / "baselines"

    @cached_property
    def session_id(self) -> str:
        """Names this session among others that write to the same report folder; workers are told it."""
        given = getattr(self.config, "workerinput", {}).get("vtc_session")
        return str(given) if given else f"{os.getpid()}-{time.time_ns():x}"

    @cached_property
    def report_folder(self) -> Path:
        """The folder of this run's files; workers are told it by the controller."""
        worker = getattr(self.config, "workerinput", None)
        if worker is not None and "vtc_report" in worker:
            return Path(worker["vtc_report"])
        if self.options.report is not None:
            return self.options.report
        try:
            if (folder := self._cache_folder("report")) is not None:
                return folder
        except OSError as problem:
            warnings.warn(f"the pytest cache cannot be written ({problem}); give --vtc-report=DIR", stacklevel=1)
        import tempfile

        return Path(tempfile.mkdtemp(prefix="vtcfaith-"))

    def _cache_folder(self, name: str) -> Path | None:
        cache = getattr(self.config, "cache", None)
        return None if cache is None else Path(cache.mkdir("vtcfaith")) / name

    @cached_property
    def store(self) -> ResponseStore | None:
        """The store of replies, None when it is off."""
        if self.options.no_cache:
            return None
        from pytest_vtcfaith.engine.store import ResponseStore

        folder = self.options.cache
        try:
            folder = folder or self._cache_folder("replies")
            if folder is None:
                return None
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            warnings.warn(f"replies are not stored: {problem}", stacklevel=1)
            return None
        return ResponseStore(folder / "replies.sqlite")

    def model(self, slug: str) -> object:
        """The model, loaded once per process. Raises what loading raised; that is not tried again."""
        if slug not in self._models:
            try:
                self._models[slug] = self.specs[slug].load()
            except Exception as problem:
                self._models[slug] = _Unloadable(problem)
        found = self._models[slug]
        if isinstance(found, _Unloadable):
            raise found.problem.with_traceback(None)
        return found

    def respond(self, ask: Ask, request: Request) -> Transcript:
        """Asks the model; an error of loading or answering is the outcome `infrastructure_error`."""
        from pytest_vtcfaith.engine.run import ask as put
        from pytest_vtcfaith.engine.run import error_reply
        from pytest_vtcfaith.engine.transcript import Transcript

        try:
            model = self.model(ask.slug)
        except Exception as problem:
            return Transcript(error_reply(problem), "infrastructure_error", 0.0, False)
        drawn = ask.spec.needs_picture
        return put(
            ask.spec,
            model,
            lambda: request.page.image,
            request.prompt,
            case_id=ask.case.id,
            page_text=ask.case.reference,
            lang=ask.case.lang,
            budget_tokens=request.budget_tokens,
            store=self.store if ask.spec.revision else None,
            picture_key=request.page.fingerprint if drawn else None,
        )

    @property
    def profile(self) -> str:
        """Name and version of the profile that scores are made with."""
        from pytest_vtcfaith.metrics.normalise import PROFILES

        profile = PROFILES["verbatim"]
        return f"{profile.name}/{profile.version}"


def run_of(config: pytest.Config) -> Run:
    """The run of this process."""
    return config.stash[KEY]


def _must_be_known(option: str, given: str, known: Iterable[str]) -> None:
    from pytest_vtcfaith.gating.thresholds import nearest

    if given not in known:
        raise pytest.UsageError(f"{option} {given!r}: {nearest(given, known)}")


def _matches(tier: str, pattern: str) -> bool:
    from fnmatch import fnmatchcase

    return fnmatchcase(tier, pattern)


def _limited(cases: list[Case], limit: int | None) -> list[Case]:
    """The cases of the first `limit` documents of every tier, by the documents' names."""
    if limit is None:
        return cases
    documents: dict[str, set[str]] = {}
    for case in cases:
        documents.setdefault(case.tier, set()).add(case.document)
    kept = {tier: set(sorted(names)[:limit]) for tier, names in documents.items()}
    return [c for c in cases if c.document in kept[c.tier]]


def _natural(text: str) -> list[Any]:
    return [float(part) if number else part for number, part in _pieces(text)]


def _pieces(text: str) -> list[tuple[bool, str]]:
    return [(bool(re.fullmatch(r"\d+(\.\d+)?", p)), p) for p in re.split(r"(\d+(?:\.\d+)?)", text)]
