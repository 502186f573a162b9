"""What is judged: the models, cases, tiers and thresholds that options and manifests name; no pytest session yet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_vtcfaith.gating.thresholds import GateRule, Thresholds
    from pytest_vtcfaith.models.registry import ModelSpec
    from pytest_vtcfaith.plugin.options import Options
    from pytest_vtcfaith.plugin.selection import Selection
    from pytest_vtcfaith.suites.base import Columns, Request, Suite
    from pytest_vtcfaith.suites.case import Case


PICTURED = frozenset({"edit", "draw"})
"""Tasks whose replies are pictures, which instruments have to read."""


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

    def parts(self, request: Request) -> list[tuple[Ask, Request]]:
        """What is asked one by one: this, or for a text over several pages each page as a case of its own.

        The first page keeps the case's id, `~2`, `~3`, … is added to those of the others.
        """
        if len(request.pages) == 1:
            return [(self, request)]
        names = (self.case.id if n == 1 else f"{self.case.id}~{n}" for n in range(1, len(request.pages) + 1))
        return [
            (replace(self, case=replace(self.case, id=name, reference=page.text)), request.part(page))
            for name, page in zip(names, request.pages, strict=True)
        ]


def model_slug(name: str) -> str:
    """What a model of that name is called in test ids, files and folders."""
    from pytest_vtcfaith.texts.documents import slug

    return name if re.fullmatch(r"[A-Za-z0-9._-]+", name) else slug(name.replace("/", "-"))


@dataclass(frozen=True, slots=True)
class AskedTwice:
    """What `--vtc-noise` found for a tier with a model: its columns on the documents asked twice, of both times."""

    first: Columns
    again: Columns

    def row(self) -> dict[str, Any]:
        """As run.json and a baseline keep it."""
        return {"first": _plain(self.first), "again": _plain(self.again)}


def _plain(columns: Columns) -> dict[str, dict[str, float]]:
    return {document: dict(row) for document, row in sorted(columns.items())}


@dataclass(frozen=True, slots=True)
class Provenance:
    """What the scores of one model were made with: devices, batch size and versions that a run used."""

    preset: str | None = None
    batch_size: int | None = None
    devices: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)


class Benchmark:
    """The benchmark as options choose it. Nothing is read before it is asked for; the same in every process.

    `root` is the folder of the project: baselines of an installed benchmark lie under it.
    """

    def __init__(self, options: Options, root: Path) -> None:
        self.options = options
        self.root = root
        self.asked_twice: dict[tuple[str, str], AskedTwice] = {}
        self._hashes: dict[tuple[str, str], str] = {}

    @property
    def cache(self) -> pytest.Cache | None:
        """Where scores of earlier runs are kept; None where none are."""
        return None

    @property
    def specs(self) -> Mapping[str, ModelSpec]:
        """Slug → model, in the order of the command line; none where nothing is run."""
        return {}

    def provenance(self, model: str) -> Provenance:
        """What the scores of the model were made with."""
        raise NotImplementedError

    @property
    def update(self) -> bool:
        """Whether this run is to become the baseline."""
        return False

    @cached_property
    def everything(self) -> Mapping[str, Sequence[Case]]:
        """Every case of the manifests, by suite. Raises as `selection.read_cases`."""
        from pytest_vtcfaith.plugin.selection import read_cases

        return read_cases(self.options)

    @cached_property
    def selection(self) -> Selection:
        """The cases and tiers of this run."""
        from pytest_vtcfaith.plugin.selection import select

        tasks = frozenset(task for spec in self.specs.values() for task in spec.tasks)
        return select(self.options, self.everything, tasks or None)

    @property
    def suites(self) -> tuple[str, ...]:
        """Names of the chosen suites."""
        return self.selection.suites

    def suite(self, name: str) -> Suite:
        """The suite of that name."""
        from pytest_vtcfaith.suites import load_suite

        return load_suite(name)

    def models_of(self, suite: str) -> list[str]:
        """Slugs of the models that do what the suite asks, in the order of the command line."""
        task = self.suite(suite).task
        return [slug for slug, spec in self.specs.items() if task in spec.tasks]

    @property
    def instruments_used(self) -> str:
        """What reads and judges pictures in this run: names and revisions; scores of other ones are not comparable."""
        raise NotImplementedError

    def measured_with(self, suite: str) -> str:
        """The same for one suite; "" for one that needs none."""
        return self.instruments_used if self.suite(suite).task in PICTURED else ""

    def cases(self, suite: str) -> Sequence[Case]:
        """The chosen cases of a suite, sorted by id; of a shard, its own."""
        return self.selection.chosen[suite]

    def tiers(self, suite: str) -> Sequence[str]:
        """The tiers of a suite that gates may speak about, pooled and finer, sorted; numbers within them by value."""
        return self.selection.tiers[suite]

    def gate_rules(self, tier: str) -> list[GateRule]:
        """The gates of the thresholds file that speak about the tier, pooled or finer."""
        return [rule for _, rule in self.thresholds.gates(tier, finer=tier in self.selection.finer_tiers)]

    def asks(self, suites: Iterable[str], langs: frozenset[str] | None = None) -> list[Ask]:
        """Every chosen case of the suites for every model, in a stable order."""
        return [
            Ask(case, spec, short)
            for short, spec in self.specs.items()
            for name in suites
            if self.suite(name).task in spec.tasks
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

    def ask_named(self, name: str) -> Ask:
        """The ask with that id, also of a case that was not chosen: others may depend on it. Raises KeyError."""
        if name in self.by_id:
            return self.by_id[name]
        return self._all_by_id[name]

    @cached_property
    def _all_by_id(self) -> Mapping[str, Ask]:
        asks = (
            Ask(case, spec, slug)
            for slug, spec in self.specs.items()
            for cases in self.selection.everything.values()
            for case in cases
        )
        return {ask.id: ask for ask in asks}

    def speaks(self, suite: str, tier: str, langs: frozenset[str] | None) -> bool:
        """Whether a gate about `tier` (or the whole suite) is about cases in `langs` only; None is any language."""
        cases = self.selection.whole[suite]
        return langs is None or all(c.lang in langs for c in cases if tier == suite or tier in c.tiers)

    @cached_property
    def cases_folder(self) -> Path:
        """The folder that thresholds and baselines lie in, beside the manifests."""
        from pytest_vtcfaith.texts.bundled import bundled_folder

        return self.options.cases if self.options.cases is not None else bundled_folder()

    @cached_property
    def thresholds_file(self) -> Path:
        """The thresholds file: named, or beside the cases, or the bundled one."""
        from pytest_vtcfaith.texts.bundled import bundled_folder

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
        return (self.root if installed else folder) / "baselines"

    @property
    def profile(self) -> str:
        """Name and version of the profile that scores are made with."""
        from pytest_vtcfaith.metrics.normalise import PROFILES

        profile = PROFILES["verbatim"]
        return f"{profile.name}/{profile.version}"

    def cases_hash(self, suite: str, tier: str) -> str:
        """SHA-256 over the cases of a tier: a baseline speaks about exactly these texts."""
        place = suite, tier
        if place not in self._hashes:
            import hashlib

            digest = hashlib.sha256()
            for case in self.selection.everything[suite]:
                if tier in case.tiers:
                    digest.update(case.fingerprint.encode("ascii"))
            self._hashes[place] = digest.hexdigest()
        return self._hashes[place]

    @cached_property
    def thresholds_sha256(self) -> str:
        """SHA-256 over what the thresholds file says, whatever its layout and comments."""
        import hashlib

        return hashlib.sha256(self.thresholds.model_dump_json().encode("utf-8")).hexdigest()

    @cached_property
    def manifests_sha256(self) -> Mapping[Path, str]:
        """SHA-256 of every manifest that a chosen case comes from."""
        import hashlib

        files = {case.file for cases in self.selection.whole.values() for case in cases}
        return {file: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(files)}
