"""One test session's view of the benchmark: its models, its files, and what they answer."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_vtcfaith.engine.failures import kept_alive
from pytest_vtcfaith.plugin.benchmark import Ask, Benchmark, Provenance, model_slug
from pytest_vtcfaith.plugin.options import must_exist, read_options

if TYPE_CHECKING:
    from pytest_vtcfaith.engine.answers import Answers
    from pytest_vtcfaith.engine.store import ResponseStore
    from pytest_vtcfaith.engine.transcript import Transcript
    from pytest_vtcfaith.models.registry import ModelSpec
    from pytest_vtcfaith.plugin.measuring import Measuring
    from pytest_vtcfaith.plugin.prerequisites import Known, Unmet
    from pytest_vtcfaith.suites.base import Request

__all__ = ["KEY", "Ask", "Run", "run_of"]

KEY = pytest.StashKey["Run"]()


@dataclass(frozen=True, slots=True)
class _Unloadable:
    problem: Exception


class Run(Benchmark):
    """What this process knows of the run. Nothing is read or loaded before it is asked for."""

    def __init__(self, config: pytest.Config) -> None:
        super().__init__(read_options(config), config.rootpath)
        self.config = config
        self._models: dict[str, object] = {}
        self._answers: dict[str, Answers] = {}
        self._unmet: Known = {}
        self._parent = os.getppid()

    @property
    def active(self) -> bool:
        """Whether a model was chosen; without one nothing of the benchmark runs."""
        return bool(self.options.models)

    def check(self) -> None:
        """Raises pytest.UsageError for whatever the command line asks that does not exist."""
        from pytest_vtcfaith.gating.thresholds import ThresholdsError
        from pytest_vtcfaith.texts.manifest import ManifestError

        try:
            self._check_folders()
            _ = self.specs
            self.measuring.check(self.specs)
            _ = self.thresholds
            if not any(self.selection.whole[name] for name in self.suites):
                found = self.selection
                why = found.invitation or "--vtc-suite, --vtc-lang, --vtc-tier, --vtc-renderer exclude one another"
                raise pytest.UsageError(f"no case is left: {why}; tiers: {', '.join(found.known_tiers)}")
        except (ThresholdsError, ManifestError, FileNotFoundError, ValueError) as problem:
            raise pytest.UsageError(str(problem)) from problem

    def _check_folders(self) -> None:
        options = self.options
        if options.limit is not None and self.update:
            raise pytest.UsageError(
                "--snapshot-update with --vtc-limit: a limited run is no baseline; leave one of the two away"
            )
        if options.shard is not None and self.update:
            raise pytest.UsageError(
                "--snapshot-update with --vtc-shard: a shard is no baseline; leave one of the two away, or give the "
                "results of all shards to `vtcfaith accept`"
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
        if getattr(self.config.option, "vtc_baselines", None) is not None and not self.update:
            must_exist(options.baselines)

    @property
    def update(self) -> bool:
        """Whether this run is to become the baseline."""
        return bool(getattr(self.config.option, "update_snapshots", False))

    @property
    def cache(self) -> pytest.Cache | None:
        """Where scores of earlier runs are kept; None where none are."""
        return getattr(self.config, "cache", None)

    def provenance(self, model: str) -> Provenance:
        """What the scores of the model were made with, as far as its hosts have told."""
        from pytest_vtcfaith.plugin.about import provenance_of

        return provenance_of(self, model)

    @cached_property
    def specs(self) -> Mapping[str, ModelSpec]:
        """Slug → model, in the order of the command line."""
        from pytest_vtcfaith.models.registry import resolve
        from pytest_vtcfaith.plugin.replayed import declared

        found: dict[str, ModelSpec] = {}
        for name in self.options.models:
            spec = resolve(name, self.options.configured)
            if "" in spec.replayed.values():
                spec = declared(spec, self.everything)
            short = model_slug(name)
            if short in found:
                raise pytest.UsageError(f"--vtc-model {name!r} and another model share the name {short!r} in test ids")
            found[short] = spec
        return found

    @cached_property
    def measuring(self) -> Measuring:
        """What reads and judges pictures."""
        from pytest_vtcfaith.plugin.measuring import Measuring

        return Measuring(self.options)

    @property
    def instruments_used(self) -> str:
        """Names and revisions of what reads and judges pictures."""
        return self.measuring.used

    def blocked(self, ask: Ask) -> Unmet | None:
        """Why the model is not asked this case: a tier that comes before it; None when it is asked."""
        from pytest_vtcfaith.plugin.prerequisites import unmet

        return unmet(self, ask, self._unmet)

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
        return None if self.cache is None else Path(self.cache.mkdir("vtcfaith")) / name

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

    def store_of(self, spec: ModelSpec) -> ResponseStore | None:
        """The store of the model's replies, None when they are not stored."""
        return self.store if spec.revision else None

    @cached_property
    def answers_folder(self) -> Path:
        """Where the answers of this session's hosts lie."""
        return self.report_folder / "answers" / self.session_id

    def answers(self, slug: str) -> Answers:
        """The answers of a model that lives in a host."""
        from pytest_vtcfaith.engine.answers import Answers

        if slug not in self._answers:
            worker, parent = hasattr(self.config, "workerinput"), self._parent
            self._answers[slug] = Answers(self.answers_folder / slug, lambda: not worker or os.getppid() == parent)
        return self._answers[slug]

    def model(self, slug: str) -> object:
        """The model, loaded once per process. Raises what loading raised; that is not tried again.

        Raises pytest.UsageError for a model that lives in a process of its own.
        """
        if self.specs[slug].lives == "host":
            raise pytest.UsageError(
                f"the model {slug} lives in a process that all workers share: ask it by vtc_response, not by vtc_model"
            )
        if slug not in self._models:
            try:
                with kept_alive():
                    self._models[slug] = self.specs[slug].load()
            except Exception as problem:
                self._models[slug] = _Unloadable(problem)
        found = self._models[slug]
        if isinstance(found, _Unloadable):
            raise found.problem.with_traceback(None)
        return found

    def respond(self, ask: Ask, request: Request, *, stored: bool = True) -> Transcript:
        """Asks the model, page by page; an error of loading or answering, a page that cannot be drawn, and a
        case's file that has changed meanwhile, is the outcome `infrastructure_error`.

        Without `stored` a model in this process is asked whatever the store holds, and nothing is stored.
        """
        from pytest_vtcfaith.engine.run import error_reply
        from pytest_vtcfaith.engine.transcript import Transcript
        from pytest_vtcfaith.pages import UNDRAWABLE
        from pytest_vtcfaith.texts.errors import TextsError

        try:
            return self._respond_all(ask, request, stored)
        except (TextsError, *UNDRAWABLE) as problem:
            return Transcript(error_reply(problem), "infrastructure_error", 0.0, False)

    def _respond_all(self, ask: Ask, request: Request, stored: bool) -> Transcript:
        if ask.spec.lives == "host":
            from pytest_vtcfaith.plugin.answering import answer

            return answer(self, ask, request)
        if not ask.spec.needs_picture or self.suite(ask.case.suite).task == "draw" or len(request.pages) == 1:
            return self._respond(ask, request, stored)
        from pytest_vtcfaith.engine.joined import join

        return join(self._respond(*part, stored) for part in ask.parts(request))

    def _respond(self, ask: Ask, request: Request, stored: bool) -> Transcript:
        from pytest_vtcfaith.engine.run import ask as put
        from pytest_vtcfaith.engine.run import error_reply
        from pytest_vtcfaith.engine.transcript import Transcript

        try:
            model = self.model(ask.slug)
        except Exception as problem:
            return Transcript(error_reply(problem), "infrastructure_error", 0.0, False)
        task = self.suite(ask.case.suite).task
        pictured = task != "draw"
        return put(
            ask.spec,
            model,
            (lambda: request.page.image) if pictured else None,
            request.prompt,
            case_id=ask.case.id,
            page_text=ask.case.reference,
            lang=ask.case.lang,
            budget_tokens=request.budget_tokens,
            store=self.store_of(ask.spec) if stored else None,
            picture_key=request.page.fingerprint if pictured and ask.spec.needs_picture else None,
            task=task,
        )


def run_of(config: pytest.Config) -> Run:
    """The run of this process."""
    return config.stash[KEY]
