"""Results of several machines as one benchmark: the gates of a run, without its models."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from pytest_vtcfaith.plugin.about import PROGRAM, about_benchmark, provenance_in
from pytest_vtcfaith.plugin.benchmark import Ask, AskedTwice, Benchmark, Provenance
from pytest_vtcfaith.plugin.ledger import Ledger, booked_score
from pytest_vtcfaith.plugin.options import Options
from pytest_vtcfaith.plugin.scorefields import wrong_score
from pytest_vtcfaith.plugin.shards import Shard, parse_shard
from pytest_vtcfaith.report.reading import MEND, Part, ResultsError
from pytest_vtcfaith.report.results import PICTURES, SEAL
from pytest_vtcfaith.texts.errors import show

if TYPE_CHECKING:
    from pytest_vtcfaith.models.spec import ModelSpec
    from pytest_vtcfaith.suites.case import Case, CaseScore

_SAME = (
    ("selection_sha256", "other cases", "run all shards from the same manifests, with the same --vtc options"),
    ("profile", "another scoring profile", "run all shards with the same version of pytest-vtcfaith"),
    ("thresholds_sha256", "other thresholds", "run all shards with the same thresholds file"),
    ("seed", "another seed", "run all shards with the same --vtc-seed"),
    ("limit", "another limit", "run all shards with the same --vtc-limit"),
    ("instruments", "other instruments", "run all shards with the same --vtc-ocr and --vtc-judge"),
    ("asked", "other options", "run all shards with the same --vtc-suite, -lang, -tier and -renderer"),
)
_IDENTITY = ("name", "adapter", "revision", "preset", "tasks")


class Merged(Benchmark):
    """What results files say together, as `merge` makes it: a run whose cases were all asked elsewhere."""

    def __init__(self, parts: Sequence[Part], options: Options, root: Path) -> None:
        super().__init__(options, root)
        self.parts = parts
        self._shards: dict[int, Mapping[str, int]] = {}

    @cached_property
    def models(self) -> Mapping[str, Mapping[str, Any]]:
        """Slug → the model's row of run.json, its devices and versions those of all machines."""
        found: dict[str, dict[str, Any]] = {}
        for part in self.parts:
            for row in part.about["models"]:
                known = found.setdefault(row["model"], dict(row))
                known["devices"] = sorted({*known["devices"], *row["devices"]})
                known["versions"] = _joined(known["versions"], row["versions"])
                for field in ("batch_size", "batch_size_used", "largest_batch"):
                    known[field] = max((n for n in (known[field], row[field]) if n is not None), default=None)
        return found

    @cached_property
    def specs(self) -> Mapping[str, ModelSpec]:
        """Slug → model; none can be loaded."""
        from pytest_vtcfaith.models.spec import ModelSpec

        return {
            slug: ModelSpec(
                row["name"],
                _unloadable,
                None,
                visual_tokens=row["visual_tokens"],
                base=row.get("base", ""),
                adapter=row["adapter"],
                revision=row["revision"],
                lives=row["lives"],
                tasks=frozenset(row["tasks"]),
            )
            for slug, row in self.models.items()
        }

    @property
    def instruments_used(self) -> str:
        """As the runs say; they agree."""
        return str(self.parts[0].about["instruments"])

    def provenance(self, model: str) -> Provenance:
        """What the scores of the model were made with, on all machines."""
        versions: dict[str, str] = {}
        for part in self.parts:
            versions = _joined(versions, part.about["versions"])
        return provenance_in(self.models[model], versions)

    @cached_property
    def gates(self) -> Mapping[str, str]:
        """Gate → test, of those that any of the runs had selected."""
        return {gate: test for part in self.parts for gate, test in part.about["gates"].items()}

    @cached_property
    def missing(self) -> Mapping[str, Sequence[Shard]]:
        """Slug → the shards that have documents, and no results of the model."""
        found = {}
        documents = {case.document for cases in self.selection.whole.values() for case in cases}
        for slug in self.models:
            own = [part for part in self.parts if any(row["model"] == slug for row in part.about["models"])]
            shards = [parse_shard(part.about["shard"]) for part in own if part.about["shard"] is not None]
            if len(shards) < len(own):
                continue  # one of them is whole
            of = shards[0].of
            there = {shard.number for shard in shards}
            needed = {self._dealt(of)[document] for document in documents}
            if lacking := sorted(needed - there):
                found[slug] = [Shard(number, of) for number in lacking]
        return found

    def lacks(self, model: str, case: Case) -> Shard | None:
        """The missing shard that a model's case is in."""
        return next((shard for shard in self.missing.get(model, ()) if self._holds(shard, case)), None)

    @cached_property
    def unselected(self) -> Mapping[tuple[str, str], str]:
        """Slug and case → the run that was to ask it and came to its end, of cases that it had not selected."""
        found = {}
        lost = {name for part in self.parts for name in part.about["lost"]}
        for part in self.parts if any(ask.key not in self.scores for ask in self.by_id.values()) else ():
            if not part.about["complete"]:
                continue
            shard = None if part.about["shard"] is None else parse_shard(part.about["shard"])
            models = {row["model"] for row in part.about["models"]}
            for name, ask in self.by_id.items():
                own = ask.slug in models and (shard is None or self._holds(shard, ask.case))
                if own and ask.key not in self.scores and name not in lost:
                    found[ask.slug, ask.case.id] = str(part.path) if shard is None else f"shard {shard}"
        return found

    def _holds(self, shard: Shard, case: Case) -> bool:
        return self._dealt(shard.of)[case.document] == shard.number

    def _dealt(self, of: int) -> Mapping[str, int]:
        if of not in self._shards:
            self._shards[of] = self.selection.shards(of)
        return self._shards[of]

    @cached_property
    def scores(self) -> Mapping[tuple[str, str, str], CaseScore]:
        """Suite, model and case → score. Raises ResultsError for rows that contradict one another or the manifests."""
        found: dict[tuple[str, str, str], CaseScore] = {}
        places: dict[tuple[str, str, str], str] = {}
        for part in self.parts:
            slugs = {row["name"]: row["model"] for row in part.about["models"]}
            shard = None if part.about["shard"] is None else parse_shard(part.about["shard"])
            for number, row in part.rows:
                where = f"{part.path}, line {number}"
                ask = self._ask(slugs.get(row["model"]), row, where)
                if shard is not None and not self._holds(shard, ask.case):
                    raise ResultsError(f"{where}: case {ask.case.id} is not of shard {shard}: give unedited results")
                outcome = "" if row["outcome"] == "inapplicable" else row["outcome"]
                if wrong := wrong_score(ask.case, outcome, row["metrics"]):
                    raise ResultsError(f"{where}: case {ask.case.id}: {wrong}: {MEND}")
                score = booked_score(ask, outcome, row["metrics"], row.get("reason", ""))
                if ask.key in found and found[ask.key] != score:
                    raise ResultsError(
                        f"{where}: case {ask.case.id} has another result in {places[ask.key]}: a shard was run twice; "
                        "leave one of the two files away"
                    )
                found[ask.key] = score
                places.setdefault(ask.key, where)
        return found

    def _ask(self, slug: str | None, row: Mapping[str, Any], where: str) -> Ask:
        ask = None if slug is None else self.by_id.get(f"{slug}-{row['case']}")
        if ask is None or ask.case.reference_sha256 != row["reference_sha256"]:
            what = "is not among the cases" if ask is None else "has another text than"
            raise ResultsError(
                f"{where}: case {row['case']} of {row['model']} {what} of {self.cases_folder}: give --vtc-cases of the "
                "run, or run anew"
            )
        for field in ("suite", "tier", "document"):
            if row[field] != getattr(ask.case, field):
                raise ResultsError(
                    f"{where}: case {row['case']}: {field} is {show(row[field])}, that of the case is "
                    f"{show(getattr(ask.case, field))}: {MEND}"
                )
        return ask

    def rows(self) -> list[dict[str, Any]]:
        """The rows of all files, each case once, sorted by model, suite and case, without what names their shard, and
        without pictures that are not here.
        """
        left_out = ("run", "shard", "selection_sha256", SEAL)
        found: dict[tuple[str, str, str], dict[str, Any]] = {}
        for part in self.parts:
            for _, row in part.rows:
                key = row["model"], row["suite"], row["case"]
                found.setdefault(key, {name: value for name, value in row.items() if name not in left_out})
        for row in found.values():
            if "picture" in row and row["picture"] not in self.pictures:
                del row["picture"]
        return [found[key] for key in sorted(found)]

    @cached_property
    def pictures(self) -> Mapping[str, Path]:
        """What models gave, by the name in a row's `picture`: those files that lie beside the results."""
        found = {}
        for part in self.parts:
            for name in (row.get("picture") for _, row in part.rows):
                if isinstance(name, str) and re.fullmatch(rf"{PICTURES}/[^/\\]+\.png", name):
                    path = part.path.parent / name
                    if path.is_file():
                        found[name] = path
        return found

    def about(self) -> dict[str, Any]:
        """What the run.json of one whole run would say."""
        together: dict[str, list[Any]] = {"failures": [], "noise_lines": []}
        for name, found in together.items():
            for part in self.parts:
                found += [entry for entry in part.about[name] if entry not in found]
        tests = set(self.gates.values())  # that are judged anew
        together["failures"] = [failure for failure in together["failures"] if failure["test"] not in tests]
        versions: dict[str, str] = {}
        for part in self.parts:
            versions = _joined(versions, part.about["versions"])
        return {
            **about_benchmark(self),
            **together,
            "versions": versions,
            "complete": all(part.about["complete"] for part in self.parts),
            "models": list(self.models.values()),
            "gates": dict(self.gates),
            "lost": [name for name, ask in self.by_id.items() if ask.key not in self.scores and self._was_lost(ask)],
            "problems": self.problems(),
        }

    def _was_lost(self, ask: Ask) -> bool:
        return (ask.slug, ask.case.id) not in self.unselected

    def problems(self) -> list[str]:
        """What was wrong with the runs themselves, and which shards are missing."""
        found = [
            f"{part.name}: {problem}" if len(self.parts) > 1 else problem
            for part in self.parts
            for problem in part.about["problems"]
        ]
        for part in self.parts:
            if not part.about["complete"] and not any("cut short" in said for said in part.about["problems"]):
                found.append(f"{part.name}: the run was cut short: no verdict on what was left out")
        places = Counter(where for where in self.unselected.values() if where.startswith("shard "))
        found += [f"{count} cases were not selected in {where}" for where, count in sorted(places.items())]
        for model, shards in self.missing.items():
            cases = [case for suite in self.suites for case in self.cases(suite)]
            for shard in shards:
                count = sum(self._holds(shard, case) for case in cases)
                found.append(f"shard {shard} of {model} is missing: {count} of {len(cases)} cases were not measured")
        return found

    def ledger(self) -> Ledger:
        """The book of scores, every case of it awaited; every gate, where the runs had selected none."""
        from pytest_vtcfaith.plugin.gates import gate_specs

        ledger = Ledger(self)
        ledger.gates = self.gates or {spec.id: f"test_gate[{spec.id}]" for spec in gate_specs(self)}
        ledger.book(self.scores.values())
        return ledger


def merge(parts: Sequence[Part], options: Options, root: Path, *, gated: bool = True) -> Merged:
    """The benchmark that all results speak about.

    `options` gives the paths and what `--vtc-inconclusive` asks for; which cases were chosen, the results say. Unless
    `gated`, another thresholds file and another version of the program do not matter: nothing is judged. Raises
    ResultsError for results that do not go together, or not with the manifests, thresholds and program here;
    ThresholdsError and ManifestError for those files.
    """
    first = parts[0]
    for part in parts[1:]:
        for field, what, mend in _SAME:
            if part.about.get(field) != first.about.get(field):
                raise ResultsError(f"{part.name}: is made with {what} than {first.name} ({field} differs): {mend}")
        _same_division(first, part)
    for part in parts if gated else ():
        if (made := part.about["versions"].get(PROGRAM)) != version(PROGRAM):
            raise ResultsError(
                f"{part.name}: was made by pytest-vtcfaith {made}, this is {version(PROGRAM)}: install that version, "
                "or run anew"
            )
    _same_models(parts)
    merged = Merged(parts, _options(first.about, options), root)
    _check_here(merged, first)
    if gated and first.about["thresholds_sha256"] != merged.thresholds_sha256:
        raise ResultsError(
            f"{first.name}: was made with other thresholds than {merged.thresholds_file}: give --vtc-thresholds of the "
            "run, or run anew"
        )
    for part in parts:
        for model, tiers in part.about["asked_twice"].items():
            for tier, row in tiers.items():
                known = merged.asked_twice.get((model, tier), AskedTwice({}, {}))
                found = AskedTwice({**known.first, **row["first"]}, {**known.again, **row["again"]})
                merged.asked_twice[model, tier] = found
    _ = merged.scores
    return merged


def _options(about: Mapping[str, Any], options: Options) -> Options:
    asked = {name: tuple(names) for name, names in about["asked"].items()}
    return replace(
        options,
        suites=asked["suites"],
        langs=asked["langs"],
        tiers=asked["tiers"],
        renderers=asked["renderers"],
        prompts=asked["prompts"],
        limit=about["limit"],
        seed=about["seed"],
        noise=about["noise"],
    )


def _same_division(first: Part, part: Part) -> None:
    shards = [None if p.about["shard"] is None else parse_shard(p.about["shard"]) for p in (first, part)]
    counts = {None if shard is None else shard.of for shard in shards}
    if len(counts) > 1 and {row["model"] for row in first.about["models"]} & {
        row["model"] for row in part.about["models"]
    }:
        raise ResultsError(
            f"{part.path}: is {_division(shards[1])}, {first.path} is {_division(shards[0])}: give the shards of one "
            "division, or one whole run"
        )


def _division(shard: Shard | None) -> str:
    return "a whole run" if shard is None else f"shard {shard}"


def _same_models(parts: Sequence[Part]) -> None:
    known: dict[str, tuple[Part, Mapping[str, Any]]] = {}
    for part in parts:
        for row in part.about["models"]:
            other, before = known.setdefault(row["model"], (part, row))
            for field in _IDENTITY:
                if row[field] != before[field]:
                    raise ResultsError(
                        f"{part.name}: {field} of the model {row['model']} is {row[field]!r}, in {other.name} it is "
                        f"{before[field]!r}: results of one model only can be merged; run it anew"
                    )


def _check_here(merged: Merged, part: Part) -> None:
    """The results speak about the cases and the scoring that are here."""
    about = part.about
    if about["profile"] != merged.profile:
        raise ResultsError(f"{part.name}: was scored by {about['profile']}, here is {merged.profile}: run anew")
    if about["selection_sha256"] != merged.selection.sha256:
        for other in merged.parts:  # the first case that differs is named
            slugs = {model["name"]: model["model"] for model in other.about["models"]}
            for number, row in other.rows:
                merged._ask(slugs.get(row["model"]), row, f"{other.path}, line {number}")
        raise ResultsError(
            f"{part.name}: was made from other cases than those of {merged.cases_folder}: give --vtc-cases of the run, "
            "or run anew"
        )


def _joined(known: Mapping[str, str], others: Mapping[str, str]) -> dict[str, str]:
    """Versions of several machines: both where they differ."""
    found = dict(known)
    for name, text in others.items():
        texts = dict.fromkeys([*found.get(name, text).split(" and "), text])
        found[name] = " and ".join(sorted(texts))
    return found


def _unloadable() -> NoReturn:
    raise RuntimeError("the model of a results file cannot be asked")
