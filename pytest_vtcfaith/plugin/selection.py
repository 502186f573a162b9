"""Which cases and tiers a run is about: what the manifests hold, and what the options choose of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pytest

from pytest_vtcfaith.plugin.options import Options
from pytest_vtcfaith.plugin.shards import deal
from pytest_vtcfaith.suites.case import Case
from pytest_vtcfaith.suites.tiers import means

LANGS = ("en", "zh", "ko")


@dataclass(frozen=True)
class Selection:
    """The cases of a run. `everything`, `whole` and `chosen` are by suite, sorted by id; `suites` are the chosen ones.

    `whole` is what the options choose for all shards together, `chosen` what of it this run asks: without
    `--vtc-shard` both are the same. `tiers` are those that gates may speak about, by suite, sorted, numbers by value:
    pooled and finer ones, each of them with all its cases, or with those that `--vtc-limit` left. `waiting` are cases
    on request that nobody asked
    for, though nothing else excludes them.
    """

    everything: Mapping[str, Sequence[Case]]
    suites: tuple[str, ...]
    whole: Mapping[str, Sequence[Case]]
    chosen: Mapping[str, Sequence[Case]]
    tiers: Mapping[str, Sequence[str]]
    waiting: tuple[Case, ...]

    @cached_property
    def known_tiers(self) -> tuple[str, ...]:
        """Every pooled tier of the manifests, chosen or not."""
        return tuple(sorted({case.tier for cases in self.everything.values() for case in cases}))

    @cached_property
    def finer_tiers(self) -> frozenset[str]:
        """Every finer tier of the manifests, chosen or not."""
        return frozenset(part for cases in self.everything.values() for case in cases for part in case.parts)

    @cached_property
    def known_langs(self) -> tuple[str, ...]:
        """The languages that may be asked for: the bundled ones and those of the manifests."""
        return tuple(sorted({*LANGS, *(case.lang for cases in self.everything.values() for case in cases)}))

    @cached_property
    def by_tier(self) -> Mapping[str, Sequence[Case]]:
        """The chosen cases of every tier, pooled or finer, sorted by id."""
        found: dict[str, list[Case]] = {}
        for cases in self.chosen.values():
            for case in cases:
                for tier in case.tiers:
                    found.setdefault(tier, []).append(case)
        return found

    @cached_property
    def sha256(self) -> str:
        """SHA-256 over the cases of all shards together: results may be merged only where it is equal."""
        import hashlib

        digest = hashlib.sha256()
        for suite, cases in self.whole.items():
            for case in cases:
                digest.update(f"{suite}\0{case.fingerprint}\n".encode("ascii"))
        return digest.hexdigest()

    def shards(self, of: int) -> Mapping[str, int]:
        """Which of `of` shards a document of the manifests is in, whatever of them was chosen."""
        tiers: dict[str, set[str]] = {}
        for cases in self.everything.values():
            for case in cases:
                tiers.setdefault(case.document, set()).add(case.tier)
        return deal(tiers, of)

    def is_whole(self, tier: str) -> bool:
        """Whether gates may speak about the tier: a pooled tier of which only parts were chosen is none."""
        return tier in self._whole

    @cached_property
    def _whole(self) -> frozenset[str]:
        return frozenset(tier for tiers in self.tiers.values() for tier in tiers)

    @cached_property
    def invitation(self) -> str:
        """How many cases wait for a request, and how to ask for them; "" when none does."""
        if not self.waiting:
            return ""
        tiers = {case.tier for case in self.waiting}
        heads = sorted({"/".join(tier.split("/")[:2]) for tier in tiers})
        whole = [head for head in heads if {t for t in self.known_tiers if t.startswith(f"{head}/")} <= tiers]
        pattern = f"{whole[0]}/*" if whole else min(tiers, key=lambda tier: (len(tier), tier))
        return f"{len(self.waiting)} cases in {len(tiers)} tiers run on request only: --vtc-tier='{pattern}'"


def read_cases(options: Options) -> dict[str, list[Case]]:
    """Every case of the manifests by suite. Raises ManifestError, and pytest.UsageError when there is none."""
    from pytest_vtcfaith.suites import load_suite, suite_names
    from pytest_vtcfaith.suites.unique import check_unique

    found = {name: load_suite(name).cases(options.cases, prompts=options.prompts) for name in suite_names()}
    check_unique(case for cases in found.values() for case in cases)
    if not any(found.values()):
        raise pytest.UsageError(f"{options.cases}: the manifests hold no case")
    return found


def select(
    options: Options, everything: Mapping[str, Sequence[Case]], tasks: frozenset[str] | None = None
) -> Selection:
    """What the options choose, of the suites whose `tasks` the models do (None: of all).

    Raises pytest.UsageError for a suite, language, tier or layout that does not exist, for a suite that is named and
    that no model can do, and where there is none that any can do.
    """
    for name in options.suites:
        must_be_known("--vtc-suite", name, everything)
    able = tuple(everything) if tasks is None else _able(everything, tasks)
    if not able:
        raise pytest.UsageError(
            f"no suite asks its models to {' or '.join(sorted(tasks or ()))}, which is all that the chosen ones do: "
            f"choose a model for one of {', '.join(everything)}"
        )
    for name in options.suites:
        if name not in able:
            raise pytest.UsageError(_unable(name, tasks or frozenset()))
    suites = tuple(name for name in able if not options.suites or name in options.suites)
    wanted = _wanted(options.tiers, [case for cases in everything.values() for case in cases])
    asked = bool(options.tiers or options.renderers)
    whole: dict[str, Sequence[Case]] = {}
    waiting: list[Case] = []
    for name, cases in everything.items():
        fitting = [
            case
            for case in cases
            if name in suites
            and (not options.langs or case.lang in options.langs)
            and (wanted is None or not wanted.isdisjoint(case.tiers))
            and (not options.renderers or case.params.get("layout") in options.renderers)
        ]
        if not asked:
            waiting += [case for case in fitting if case.on_request]
            fitting = [case for case in fitting if not case.on_request]
        whole[name] = _limited(fitting, options.limit)
    tiers = {
        name: sorted(
            {tier for c in cases for tier in c.tiers if wanted is None or tier in wanted or c.tier in wanted},
            key=_natural,
        )
        for name, cases in whole.items()
    }
    found = Selection(everything, suites, whole, whole, tiers, tuple(waiting))
    if (shard := options.shard) is not None:
        dealt = found.shards(shard.of)
        chosen = {name: [c for c in cases if dealt[c.document] == shard.number] for name, cases in whole.items()}
        found = replace(found, chosen=chosen)
    for lang in options.langs:
        must_be_known("--vtc-lang", lang, found.known_langs)
    layouts = sorted({str(c.params["layout"]) for cases in everything.values() for c in cases if "layout" in c.params})
    for name in options.renderers:
        must_be_known("--vtc-renderer", name, layouts)
    return found


def _able(suites: Iterable[str], tasks: frozenset[str]) -> tuple[str, ...]:
    from pytest_vtcfaith.suites import load_suite

    return tuple(name for name in suites if load_suite(name).task in tasks)


def _unable(suite: str, tasks: frozenset[str]) -> str:
    from pytest_vtcfaith.models.protocols import TASKS
    from pytest_vtcfaith.suites import load_suite

    task = load_suite(suite).task
    return (
        f"--vtc-suite {suite!r} asks its models to {task}, which none of the chosen ones does (they "
        f"{', '.join(sorted(tasks))}): choose a model that does, or give yours a method {task}() ({TASKS[task]}); of a "
        f'replay, each line has the id of a case of the suite, or "task": "{task}", or its table has task = "{task}"'
    )


def must_be_known(option: str, given: str, known: Iterable[str]) -> None:
    """Raises pytest.UsageError, with the known names, the nearest first, when `given` is none of them."""
    from pytest_vtcfaith.gating.thresholds import nearest

    if given not in known:
        raise pytest.UsageError(f"{option} {given!r}: {nearest(given, known)}")


def _wanted(patterns: Sequence[str], cases: Sequence[Case]) -> frozenset[str] | None:
    """The tiers that the patterns mean, None for all; each pattern must mean one."""
    if not patterns:
        return None
    pooled = {case.tier for case in cases}
    finer = {part for case in cases for part in case.parts}
    wanted: set[str] = set()
    for pattern in patterns:
        meant = {t for t in pooled if means(pattern, t, finer=False)} | {
            t for t in finer if means(pattern, t, finer=True)
        }
        if not meant:
            must_be_known("--vtc-tier", pattern, [t for t in finer if t.count("/") == pattern.count("/")] or pooled)
        wanted |= meant
    return frozenset(wanted)


def _limited(cases: list[Case], limit: int | None) -> list[Case]:
    """The cases of the first `limit` documents of every pooled tier, by the documents' names."""
    if limit is None:
        return cases
    documents: dict[str, set[str]] = {}
    for case in cases:
        documents.setdefault(case.tier, set()).add(case.document)
    kept = {tier: set(sorted(names)[:limit]) for tier, names in documents.items()}
    return [c for c in cases if c.document in kept[c.tier]]


def _natural(text: str) -> list[Any]:
    pieces = re.split(r"(\d+(?:\.\d+)?)", text)  # text and number take turns
    return [float(piece) if place % 2 else piece for place, piece in enumerate(pieces)]
