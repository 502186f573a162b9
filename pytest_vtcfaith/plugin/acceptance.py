"""What a run would write as baselines: new records beside the old ones, or why a tier may not be accepted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.gating.baselines import (
    BaselineError,
    baseline_path,
    is_baseline,
    locked,
    read_baseline,
    write_baselines,
)
from pytest_vtcfaith.plugin.benchmark import model_slug
from pytest_vtcfaith.plugin.compare import measure
from pytest_vtcfaith.plugin.gates import Gate, GateSpec, gate_specs
from pytest_vtcfaith.plugin.records import record_of
from pytest_vtcfaith.suites.tiers import means

if TYPE_CHECKING:
    from pytest_vtcfaith.plugin.merging import Merged


@dataclass(frozen=True, slots=True)
class Candidate:
    """A tier of a model. `old` is its baseline (None without one), `spoiled` says why that cannot be trusted, `new` is
    what would be written, None where `refusal` says why not.
    """

    model: str
    suite: str
    tier: str
    path: Path
    old: Mapping[str, Any] | None
    spoiled: str
    new: Mapping[str, Any] | None
    refusal: str

    @property
    def changes(self) -> bool:
        """Whether accepting it would write anything."""
        return self.new is not None and self.new != self.old


def refusal_of(merged: Merged) -> str:
    """Why nothing of these results may become a baseline, "" when something may."""
    if merged.options.limit is not None:
        return (
            f"the run was limited to {merged.options.limit} documents per tier: a limited run is no baseline; run "
            "without --vtc-limit"
        )
    for model, shards in merged.missing.items():
        return f"shard {shards[0]} of {model} is missing: give the results of all shards"
    for part in merged.parts:
        if not part.about["complete"]:
            return f"{part.name}: the run was cut short: run it to its end"
    return ""


def candidates(merged: Merged, models: Sequence[str], suites: Sequence[str], tiers: Sequence[str]) -> list[Candidate]:
    """Every tier that the models, suites and patterns choose (none: all), in the order of the gates.

    A tier that is inapplicable to the model is left out.
    """
    ledger = merged.ledger()
    by_tier: dict[tuple[str, str], list[GateSpec]] = {}
    for spec in gate_specs(merged):
        finer = spec.tier in merged.selection.finer_tiers
        chosen = (not models or spec.model in models) and (not suites or spec.suite in suites)
        chosen = chosen and (not tiers or any(means(pattern, spec.tier, finer=finer) for pattern in tiers))
        if chosen and spec.kind in ("regression", "baseline"):
            by_tier.setdefault((spec.model, spec.tier), []).append(spec)
    found: list[Candidate] = []
    for (model, tier), specs in by_tier.items():
        reasons: list[str] = []
        new: Mapping[str, Any] | None = None
        for spec in specs:
            subject, scores = Gate(spec, merged, ledger, {}).subject(model)
            measured, enough = measure(spec, merged, subject, whole=True)
            if enough:
                new = record_of(merged, spec.suite, tier, model, subject.summary.columns, scores)
                break
            if measured.verdict != "not_applicable":
                reasons.append(measured.message)
        if new is not None or reasons:
            path = baseline_path(merged.baselines_folder, model, tier)
            old, spoiled = _read(path)
            refusal = "" if new is not None else reasons[0]
            found.append(Candidate(model, specs[0].suite, tier, path, old, spoiled, new, refusal))
    return found


def accept(folder: Path, chosen: Sequence[Candidate]) -> None:
    """Writes the baselines of those candidates that change into `folder`.

    Raises BaselineError, and writes nothing, when a file is no longer what its candidate was made beside, also one that
    stays as it is: another run was accepted meanwhile, and the two would be mixed; OSError where one cannot be written.
    """
    with locked(folder):
        for candidate in chosen:
            if _read(candidate.path) != (candidate.old, candidate.spoiled):
                raise BaselineError(
                    f"{candidate.path}: has changed since it was shown, by another accept: nothing is written; look at "
                    "the changes again"
                )
        write_baselines({c.path: c.new for c in chosen if c.changes and c.new is not None})


def _read(path: Path) -> tuple[Mapping[str, Any] | None, str]:
    try:
        return read_baseline(path), ""
    except BaselineError as problem:
        return None, str(problem)


def unused(
    folder: Path, model_gone: Callable[[str, Mapping[str, Any] | None], str], tiers: Collection[str]
) -> Iterator[tuple[Path, str]]:
    """Baselines in `folder` that no run would read, with the reason.

    `model_gone` says of a model's folder and a record, None of one that cannot be trusted, why there is no such model
    any more, "" where there is; `tiers` are all tiers of the manifests, pooled and finer. What does not say that it is
    a baseline, and lies where none would be read, is left alone.
    """
    for path in sorted(folder.rglob("*.json")):
        model = path.parent.name
        own = path.parent.parent == folder
        read = own and any(path == baseline_path(folder, model, tier) for tier in tiers)
        record, spoiled = _read(path)
        if record is None and not read and not is_baseline(path):
            continue
        if record is not None:
            name, tier = str(record.get("model")), str(record.get("tier"))
            place = baseline_path(folder, model_slug(name), tier)
            if path != place:
                yield path, f"no run reads it: what it says it is, {tier} of {name}, is read from {place}"
                continue
        if own and (why := model_gone(model, record)):
            yield path, why
        elif record is not None and record.get("tier") not in tiers:
            yield path, f"no manifest has a case of the tier {record.get('tier')}"
        elif not read:
            yield path, f"no run reads it: there is no tier whose baseline lies there, and it is spoiled ({spoiled})"
