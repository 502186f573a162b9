"""What the results of a run say of the questions: right or wrong, by factor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_vtcfaith.pages.budget import visual_tokens
from pytest_vtcfaith.pages.questions.reduced import full_size
from pytest_vtcfaith.report.reading import Part, read_parts
from pytest_vtcfaith.suites.case import Case
from pytest_vtcfaith.suites.compression_cases import compression_cases, manifest_hashes, question_of
from pytest_vtcfaith.suites.compression_groups import Groups, GroupsError, freeze

Rights = dict[str, dict[int, bool]]
"""Question → factor (1: full size) → whether the answer was right."""


def model_of(parts: Sequence[Part], wanted: str | None) -> Mapping[str, Any]:
    """What run.json says of the model that is wanted, None for the only one.

    Raises GroupsError for an unknown one, several, or two runs that tell different things of it.
    """
    found: dict[str, Mapping[str, Any]] = {about["name"]: about for part in parts for about in part.about["models"]}
    if wanted is None and len(found) != 1:
        raise GroupsError(f"the results are of several models: choose with --model one of {', '.join(sorted(found))}")
    name = next(iter(found)) if wanted is None else wanted
    if name not in found:
        raise GroupsError(f"the results are not of the model {name!r}: choose one of {', '.join(sorted(found))}")
    for part in parts:
        for about in part.about["models"]:
            for field in ("adapter", "revision", "visual_tokens"):
                if about["name"] == name and about.get(field) != found[name].get(field):
                    raise GroupsError(f"{part.name}: {field} of {name!r} differs from the other results': give one run")
    return found[name]


def rights_of(parts: Sequence[Part], about: Mapping[str, Any], cases: Sequence[Case]) -> Rights:
    """Right or wrong, for every measured case of a model; an infrastructure error is no measurement.

    `about`: as `model_of` gives it. Raises GroupsError for a row of the suite whose answer or cost is not that of the
    case.
    """
    model = about["name"]
    known = {case.id: case for case in cases}
    rights: Rights = {}
    for part in parts:
        for line, row in part.rows:
            if row["suite"] != "compression" or row["model"] != model:
                continue
            case = known.get(row["case"])
            if case is None or row["reference_sha256"] != case.reference_sha256 or not _costs(row, case, about):
                raise GroupsError(
                    f"{part.path}, line {line}: case {row['case']!r} is not one of the manifests: give the folder that "
                    "was measured (--cases)"
                )
            if row["outcome"] not in ("infrastructure_error", "inapplicable"):
                rights.setdefault(question_of(case), {})[case.params["factor"]] = row["metrics"].get("accuracy") == 1
    return rights


def _costs(row: Mapping[str, Any], case: Case, about: Mapping[str, Any]) -> bool:
    """Whether the picture of a row cost what the case's picture costs the model."""
    size, tokens = full_size(case.params["row"], case.file.parent), row["metrics"].get("full_tokens")
    return size is None or tokens is None or tokens == visual_tokens(about["visual_tokens"], *size)


def freeze_results(results: Sequence[Path], model: str | None, folder: Path | None) -> Groups:
    """The groups by the results of a run; `folder` holds its manifests (None: the bundled ones).

    Raises ResultsError for broken results, GroupsError where a question was not measured under all conditions.
    """
    parts = read_parts(results)
    about = model_of(parts, model)
    cases = compression_cases(folder, grouped=False)
    if not cases:
        raise GroupsError(f"{folder}: has no manifest of questions: give the folder that was measured (--cases)")
    rights = rights_of(parts, about, cases)
    for case in cases:
        if case.params["factor"] not in rights.get(question_of(case), {}):
            raise GroupsError(
                f"case {case.id!r} was not measured: groups need every question under all conditions; run "
                f"pytest --vtc-suite=compression --vtc-model={about['name']} without a limit"
            )
    return freeze(
        rights,
        model=about["name"],
        adapter=about["adapter"],
        revision=about.get("revision") or "",
        visual_tokens=about["visual_tokens"],
        manifests=manifest_hashes(folder),
    )
