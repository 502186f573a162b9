"""The book of scores in the process that judges: what was selected, what was reported, what was found."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_vtcfaith.plugin.run import Ask, Run
from pytest_vtcfaith.suites.case import Case, CaseScore

PROPERTY = "vtc"
"""Name of the one user property in which a score travels to the controller."""

Key = tuple[str, str, str]


def encode_score(ask: Ask, outcome: str, metrics: Mapping[str, Any], reason: str) -> str:
    """One ASCII JSON string, plain numbers only: anything else would end an xdist worker (hazards, xdist)."""
    plain = {k: v if v is None or isinstance(v, int) else round(float(v), 10) for k, v in metrics.items()}
    row = {"suite": ask.case.suite, "model": ask.slug, "case": ask.case.id, "outcome": outcome, "metrics": plain}
    if reason:
        row["reason"] = reason[:400]
    return json.dumps(row, sort_keys=True)


class Ledger:
    """Scores by suite, model and case: fresh ones of this run, and stored ones of earlier runs of the same model."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.selected: dict[str, Key | None] = {}
        self.reported: set[str] = set()
        self.fresh: dict[Key, CaseScore] = {}
        self.used_stored: set[tuple[str, str]] = set()
        self._stored: dict[str, dict[Key, CaseScore]] = {}

    def select(self, nodeids: Iterable[str]) -> None:
        """Notes which tests will run; those that are cases by their parameter id."""
        self.selected = {nodeid: self._key(nodeid) for nodeid in nodeids}

    def _key(self, nodeid: str) -> Key | None:
        _, bracket, inner = nodeid.partition("[")
        if not bracket:
            return None
        inner = inner.removesuffix("]")
        known = self.run.by_id
        if inner in known:
            return known[inner].key
        parts = inner.split("-")  # a user's own parameters stand before or behind ours
        for length in range(len(parts) - 1, 0, -1):
            for start in range(len(parts) - length + 1):
                if (found := known.get("-".join(parts[start : start + length]))) is not None:
                    return found.key
        return None

    def take(self, report: pytest.TestReport) -> dict[str, Any] | None:
        """Books a report and the score it carries; returns the score's row."""
        if report.outcome != "rerun" and (report.when != "setup" or report.outcome != "passed"):
            self.reported.add(report.nodeid)
        text = next((v for k, v in reversed(report.user_properties) if k == PROPERTY), None)
        if not isinstance(text, str):
            return None
        row: dict[str, Any] = json.loads(text)
        ask = self.run.by_id.get(f"{row['model']}-{row['case']}")
        if ask is not None:
            self.fresh[ask.key] = CaseScore(ask.case, ask.slug, row["outcome"], row["metrics"], row.get("reason", ""))
        return row

    @property
    def unreported(self) -> list[str]:
        """Selected tests, of the benchmark or not, that gave no report at all."""
        return [nodeid for nodeid in self.selected if nodeid not in self.reported]

    def missing(self, model: str, cases: Collection[Case]) -> tuple[list[Case], list[Case]]:
        """Cases without a score: those that were selected and lost theirs, and those that were not selected."""
        chosen = {key for key in self.selected.values() if key is not None}
        lost, unselected = [], []
        stored = self.stored(model)
        for case in cases:
            key = (case.suite, model, case.id)
            if key in self.fresh:
                continue
            if key in chosen:
                lost.append(case)
            elif key not in stored:
                unselected.append(case)
        return lost, unselected

    def scores(self, model: str, cases: Collection[Case]) -> tuple[list[CaseScore], int]:
        """The scores of the cases, fresh before stored, and how many of them were stored."""
        stored = self.stored(model)
        chosen = {key for key in self.selected.values() if key is not None}
        found, old = [], 0
        for case in cases:
            key = (case.suite, model, case.id)
            if key in self.fresh:
                found.append(self.fresh[key])
            elif key not in chosen and key in stored:
                found.append(stored[key])
                old += 1
        return found, old

    def stored(self, model: str) -> Mapping[Key, CaseScore]:
        """Scores of the last run of the same model that still speak about the same texts and scoring."""
        if model not in self._stored:
            self._stored[model] = self._read(model)
        return self._stored[model]

    def _file(self, model: str) -> str:
        return f"vtcfaith/scores/{model}"

    def _read(self, model: str) -> dict[Key, CaseScore]:
        cache = getattr(self.run.config, "cache", None)
        data = cache.get(self._file(model), None) if cache is not None else None
        if not isinstance(data, dict) or data.get("about") != self._about(model):
            return {}
        found = {}
        for case_id, row in data["scores"].items():
            ask = self.run.by_id.get(f"{model}-{case_id}")
            if ask is not None and row["case"] == ask.case.fingerprint:
                found[ask.key] = CaseScore(ask.case, model, row["outcome"], row["metrics"], row["reason"])
        return found

    def _about(self, model: str) -> dict[str, Any]:
        spec = self.run.specs[model]
        return {"profile": self.run.profile, "model": {"name": spec.name, **_plain(spec.identity)}}

    def keep(self) -> None:
        """Stores the fresh scores beside older ones that still hold; what this run lost is not kept."""
        cache = getattr(self.run.config, "cache", None)
        if cache is None:
            return
        lost = {key for key in self.selected.values() if key is not None and key not in self.fresh}
        for model in self.run.specs:
            scores = {k: s for k, s in self.stored(model).items() if k not in lost}
            scores |= {k: s for k, s in self.fresh.items() if k[1] == model and (s.measured or s.inapplicable)}
            rows = {
                s.case.id: {"case": s.case.fingerprint, "outcome": s.outcome, "metrics": dict(s.metrics), "reason": s.reason}
                for s in scores.values()
            }
            cache.set(self._file(model), {"about": self._about(model), "scores": rows})


def _plain(identity: Mapping[str, Any]) -> dict[str, Any]:
    return dict(json.loads(json.dumps(identity, default=str)))


def line_of(case: Case, root: Path) -> tuple[str, int]:
    """The case's manifest, relative to `root` where it lies under it, and its line."""
    file = case.file.resolve()
    return (file.relative_to(root).as_posix() if file.is_relative_to(root) else file.as_posix()), case.line
