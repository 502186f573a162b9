"""The cases of the compression suite: every question under every condition."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pytest_vtcfaith.suites.bundled import manifests
from pytest_vtcfaith.suites.case import Case
from pytest_vtcfaith.suites.compression_groups import DEFINITIONS, Groups, groups_beside
from pytest_vtcfaith.texts.bundled import bundled_folder
from pytest_vtcfaith.texts.questions.rows import SCHEMA

FULL = 1
"""The factor of a picture at full size."""


def compression_cases(folder: Path | None, *, grouped: bool = True) -> list[Case]:
    """The cases of all manifests of questions in `folder` (None: the bundled ones), sorted by id; nothing is drawn.

    A tier is `compression/full` or `compression/downsample/Rx`; finer ones are of the kinds of questions and, where
    there are frozen groups beside the manifests, `…/difficult` and `…/simple` (definition `code`). Without `grouped` no
    file of groups is looked at. Raises ManifestError for a wrong manifest, GroupsError for a wrong file of groups and
    for groups of other manifests than these.
    """
    found = list(manifests(folder, SCHEMA))
    frozen = _fitting(folder) if grouped else None
    cases = []
    for manifest in found:
        for line, row in manifest.rows:
            for question in row["questions"]:
                for factor in (FULL, *manifest.header["factors"]):
                    cases.append(_case(manifest.path, line, row, question, factor, frozen))
    return sorted(cases, key=lambda case: case.id)


def manifest_hashes(folder: Path | None) -> dict[str, str]:
    """The hash of the rows of every manifest of questions in a folder, by file name."""
    return {manifest.path.name: manifest.header["sha256"] for manifest in manifests(folder, SCHEMA)}


def question_of(case: Case) -> str:
    """The id of a case's question, the same under all conditions."""
    return f"{case.document}-{case.params['question']['name']}"


def _fitting(folder: Path | None) -> Groups | None:
    groups = groups_beside(folder if folder is not None else bundled_folder() / "data")
    hashes = manifest_hashes(folder)
    if groups is not None and hashes:
        groups.require(manifests=hashes)
    return groups


def _case(
    path: Path, line: int, row: dict[str, Any], question: dict[str, Any], factor: int, frozen: Groups | None
) -> Case:
    name = f"{row['document']}-{question['name']}"
    tier = "compression/full" if factor == FULL else f"compression/downsample/{factor}x"
    group = "" if frozen is None or factor == FULL else frozen.group_of(name, factor)
    return Case(
        id=f"{name}-{'full' if factor == FULL else f'{factor}x'}",
        suite="compression",
        tier=tier,
        document=row["document"],
        lang=row["lang"],
        reference=question["answers"][0],
        file=path,
        line=line,
        params={
            "factor": factor,
            "question": question,
            "row": {key: row.get(key) for key in ("document", "lang", "page", "picture", "picture_sha256")},
            "groups": _memberships(name, factor, frozen),
        },
        parts=tuple(f"{tier}/{part}" for part in (question["task"], group) if part),
    )


def _memberships(name: str, factor: int, frozen: Groups | None) -> tuple[tuple[int, str, str], ...]:
    """Factor, definition and group of a question: at its own factor, and of a picture at full size at every factor."""
    if frozen is None:
        return ()
    return tuple(
        (each, definition, group)
        for each in frozen.factors
        for definition in DEFINITIONS
        if factor in (FULL, each) and (group := frozen.group_of(name, each, definition))
    )
