"""The book of scores in the process that judges: what was selected, what was reported, what was found."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_vtcfaith.plugin.benchmark import PICTURED, Ask, Benchmark
from pytest_vtcfaith.report.view import concise
from pytest_vtcfaith.suites.case import Case, CaseScore

if TYPE_CHECKING:
    from pytest_vtcfaith.gating.judge import Verdict
    from pytest_vtcfaith.suites.base import TierSummary

PROPERTY = "vtc"
"""Name of the one user property in which a score travels to the controller."""

KEPT = frozenset({"case", "outcome", "metrics", "reason"})
"""The fields of a score kept between runs; `case` is the case's fingerprint."""

Key = tuple[str, str, str]


def encode_score(ask: Ask, outcome: str, metrics: Mapping[str, Any], reason: str) -> str:
    """One ASCII JSON string, plain numbers only: anything else would end an xdist worker (hazards, xdist)."""
    found = booked_score(ask, outcome, metrics, reason)
    row: dict[str, Any] = {"suite": ask.case.suite, "model": ask.slug, "case": ask.case.id, "outcome": outcome}
    row["metrics"] = found.metrics
    if found.reason:
        row["reason"] = found.reason
    return json.dumps(row, sort_keys=True)


def booked_score(ask: Ask, outcome: str, metrics: Mapping[str, Any], reason: str) -> CaseScore:
    """A score as it is booked, here and from a results file: metrics to ten decimals, a reason that is concise."""
    plain = {k: v if v is None or isinstance(v, int) else round(float(v), 10) for k, v in metrics.items()}
    return CaseScore(ask.case, ask.slug, outcome, plain, concise(reason))


@dataclass(frozen=True, slots=True)
class Pool:
    """What one model's gates of one tier judge: the tier's summary, the scores it was made from, and what they lack.

    `lost` counts the tier's cases that were selected and gave no score, `unselected` are cases of all needed tiers that
    were not selected and have no stored score, of `total` cases; `stored` counts scores of earlier runs, `not_run`
    those of them that are of the tier itself. `others` counts the applicable cases of the other needed tiers,
    `others_measured` those that were measured, `others_reason` says why one was not.
    """

    summary: TierSummary
    scores: Sequence[CaseScore]
    lost: int
    unselected: Sequence[Case]
    total: int
    stored: int
    not_run: int
    others: int
    others_measured: int
    others_reason: str


class Ledger:
    """Scores by suite, model and case: fresh ones of this run, and stored ones of earlier runs of the same model.

    `gates` are the selected gates, with the tests they are; `settled` the verdicts of those that are judged together,
    None before they were.
    """

    def __init__(self, run: Benchmark) -> None:
        self.run = run
        self.selected: dict[str, Ask | None] = {}
        self.reported: set[str] = set()
        self.fresh: dict[Key, CaseScore] = {}
        self.gates: Mapping[str, str] = {}
        self.settled: dict[str, Verdict] | None = None
        self.used_stored: set[tuple[str, str]] = set()
        self._scored: set[Key] = set()
        self._stored: dict[str, dict[Key, CaseScore]] = {}
        self._booked: dict[str, tuple[str, dict[str, Any]]] = {}
        self._pools: dict[tuple[str, str, frozenset[str]], Pool] = {}

    def select(self, nodeids: Iterable[str]) -> None:
        """Notes tests that will run, with the case of those that have one in their parameter id."""
        for nodeid in nodeids:
            if nodeid not in self.selected:
                ask = self.selected[nodeid] = self._ask(nodeid)
                if ask is not None:
                    self._scored.add(ask.key)

    def spare(self, nodeids: Iterable[str]) -> None:
        """Of the selected tests, those that look at a case without scoring it: no gate waits for them."""
        spared = set(nodeids)
        self._scored = {ask.key for nodeid, ask in self.selected.items() if ask is not None and nodeid not in spared}

    def book(self, scores: Iterable[CaseScore]) -> None:
        """Books scores of other machines: every case of the run was to be scored there."""
        self._scored = {ask.key for ask in self.run.by_id.values()}
        self.fresh.update({(score.case.suite, score.model, score.case.id): score for score in scores})
        self._pools.clear()
        self.settled = None

    def _ask(self, nodeid: str) -> Ask | None:
        _, _, function = nodeid.partition("::")
        _, bracket, inner = function.partition("[")
        if not bracket:
            return None
        known = self.run.by_id
        inner = inner[: inner.rfind("]")]  # behind it stands the group of --dist loadgroup
        if inner in known:
            return known[inner]
        parts = inner.split("-")  # a user's own parameters stand before or behind ours
        for length in range(len(parts) - 1, 0, -1):
            for start in range(len(parts) - length + 1):
                if (found := known.get("-".join(parts[start : start + length]))) is not None:
                    return found
        return None

    def take(self, report: pytest.TestReport) -> dict[str, Any] | None:
        """Books a report and the score it carries; returns the score's row."""
        if str(report.outcome) != "rerun" and (report.when != "setup" or report.outcome != "passed"):
            self.reported.add(report.nodeid)
        text = next((v for k, v in reversed(report.user_properties) if k == PROPERTY), None)
        if not isinstance(text, str):
            return None
        if report.nodeid in self._booked:  # setup, call and teardown carry the same, but for a rerun
            known, booked = self._booked[report.nodeid]
            if report.when == "teardown":
                del self._booked[report.nodeid]
            if known == text:
                return booked
        row: dict[str, Any] = json.loads(text)
        self._booked[report.nodeid] = text, row
        self._pools.clear()
        self.settled = None
        ask = self.run.by_id.get(f"{row['model']}-{row['case']}")
        if ask is not None:
            self.fresh[ask.key] = CaseScore(ask.case, ask.slug, row["outcome"], row["metrics"], row.get("reason", ""))
        return row

    @property
    def unreported(self) -> list[str]:
        """Selected tests, of the benchmark or not, that gave no report at all."""
        return [nodeid for nodeid in self.selected if nodeid not in self.reported]

    @property
    def scored(self) -> list[Ask]:
        """What selected tests are to score, in their order."""
        asks = {ask.key: ask for ask in self.selected.values() if ask is not None and ask.key in self._scored}
        return list(asks.values())

    @property
    def awaited(self) -> bool:
        """Whether any selected test was to score a case."""
        return bool(self._scored)

    def missing(self, model: str, cases: Collection[Case]) -> tuple[list[Case], list[Case]]:
        """Cases without a score: those that were selected and lost theirs, and those that were not selected."""
        lost, unselected = [], []
        stored = self.stored(model)
        for case in cases:
            key = (case.suite, model, case.id)
            if key in self.fresh:
                continue
            if key in self._scored:
                lost.append(case)
            elif key not in stored:
                unselected.append(case)
        return lost, unselected

    def scores(self, model: str, cases: Collection[Case]) -> tuple[list[CaseScore], int]:
        """The scores of the cases, fresh before stored, and how many of them were stored."""
        stored = self.stored(model)
        found, old = [], 0
        for case in cases:
            key = (case.suite, model, case.id)
            if key in self.fresh:
                found.append(self.fresh[key])
            elif key not in self._scored and key in stored:
                found.append(stored[key])
                old += 1
        return found, old

    def pool(self, model: str, tier: str, needed: frozenset[str]) -> Pool:
        """The tier pooled with all that the `needed` tiers of its suite say about it; kept until a score is booked."""
        key = model, tier, needed
        if key not in self._pools:
            suite = tier.partition("/")[0]
            by_tier = self.run.selection.by_tier
            found = {case.id: case for name in needed for case in by_tier.get(name, ())}
            cases = [found[case_id] for case_id in sorted(found)]
            lost, unselected = self.missing(model, cases)
            scores, stored = self.scores(model, cases)
            summary = self.run.suite(suite).summarise(tier, scores)
            own = sum(tier in case.tiers for case in lost)
            fresh = sum(tier in case.tiers and (suite, model, case.id) in self.fresh for case in cases)
            not_run = sum(tier in s.case.tiers for s in scores) - fresh
            others = [s for s in scores if tier not in s.case.tiers and not s.inapplicable]
            gone = len(lost) - own
            reason = next((s.reason for s in others if not s.measured), "they gave no report" if gone else "")
            self._pools[key] = Pool(
                summary,
                scores,
                own,
                unselected,
                len(cases),
                stored,
                not_run,
                others=len(others) + gone,
                others_measured=sum(s.measured for s in others),
                others_reason=reason,
            )
        return self._pools[key]

    def stored(self, model: str) -> Mapping[Key, CaseScore]:
        """Scores of the last run of the same model that still speak about the same texts and scoring.

        None of a model without a revision: nothing says that it still is the same.
        """
        if model not in self._stored:
            self._stored[model] = self._read(model) if self.run.specs[model].revision else {}
        return self._stored[model]

    def _file(self, model: str) -> str:
        return f"vtcfaith/scores/{model}"

    def _kept(self, model: str) -> dict[str, Any]:
        """What earlier runs kept, by case id, whatever cases this run chose; nothing when it cannot be read."""
        cache = self.run.cache
        data = cache.get(self._file(model), None) if cache is not None else None
        if not isinstance(data, dict) or data.get("about") != self._about(model):
            return {}
        try:
            rows = json.loads(data["scores"])
            return {case_id: row for case_id, row in rows.items() if row.keys() >= KEPT}
        except (AttributeError, KeyError, TypeError, ValueError):
            return {}

    def _read(self, model: str) -> dict[Key, CaseScore]:
        found = {}
        for case_id, row in self._kept(model).items():
            ask = self.run.by_id.get(f"{model}-{case_id}")
            if ask is not None and row["case"] == ask.case.fingerprint:
                found[ask.key] = CaseScore(ask.case, model, row["outcome"], row["metrics"], row["reason"])
        return found

    def _about(self, model: str) -> dict[str, Any]:
        from importlib.metadata import version

        spec = self.run.specs[model]
        identity = json.loads(json.dumps(spec.identity, default=str))
        about = {"program": version("pytest-vtcfaith"), "profile": self.run.profile}
        if spec.tasks & PICTURED:
            about["instruments"] = self.run.instruments_used
        return {**about, "model": {"name": spec.name, **identity}}

    def keep(self) -> None:
        """Stores the fresh scores beside older ones that still hold; what this run lost is not kept."""
        cache = self.run.cache
        if cache is None:
            return
        for model in self.run.specs:
            asked = {case_id for _, of, case_id in self._scored if of == model}
            rows = {case_id: row for case_id, row in self._kept(model).items() if case_id not in asked}
            for s in self.fresh.values():
                if s.model == model and (s.measured or s.inapplicable):
                    row = {"outcome": s.outcome, "metrics": dict(s.metrics), "reason": s.reason}
                    rows[s.case.id] = {"case": s.case.fingerprint, **row}
            # as one string: the cache indents what it writes, which takes long for thousands of cases
            cache.set(self._file(model), {"about": self._about(model), "scores": json.dumps(rows)})


def line_of(case: Case, root: Path) -> tuple[str, int]:
    """The case's manifest, relative to `root` where it lies under it, and its line."""
    file = case.file.resolve()
    return (file.relative_to(root).as_posix() if file.is_relative_to(root) else file.as_posix()), case.line
