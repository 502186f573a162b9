"""Groups A (`difficult`) and B (`simple`), frozen in a file (definitions §6; VTC-Bench, Step 2).

Down-sampling tells the groups apart: a question is difficult at a factor when the model answers it wrongly on the
picture reduced by that factor. Two definitions differ in what they ask of the picture at full size:

- `paper`: difficult = wrong when reduced; simple = right when reduced.
- `code`: difficult = right at full size and wrong when reduced; simple = right both times. A question that is wrong at
  full size is in neither.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pytest_vtcfaith.pages.questions.reduced import RESAMPLER
from pytest_vtcfaith.texts.errors import TextsError, reason, show

SCHEMA = "vtcfaith/compression-groups"
VERSION = 1
DEFINITIONS = ("paper", "code")
GROUPS = ("difficult", "simple")
PATTERN = "*.groups.json"
"""What a file of groups beside its manifests is called."""
NEAR = 0.01
"""By this share a keep ratio may differ from 1 ÷ r²: results are published under 0.1111 for 1 ÷ 9."""
_FIELDS = ("adapter", "factors", "manifests", "model", "resampler", "revision", "schema", "version", "visual_tokens")


class GroupsError(TextsError):
    """A file of groups is wrong, or does not go with what is measured; the message says what differs and the mend."""


@dataclass(frozen=True, slots=True)
class Groups:
    """Frozen groups and where they come from.

    `model`, `adapter`, `revision`: who answered; `visual_tokens`: its visual-token family; `manifests`: the hash of the
    rows of every manifest by file name; `factors`: factor → definition → group → ids of questions (`document-name`),
    sorted.
    """

    model: str
    adapter: str
    revision: str
    visual_tokens: str
    manifests: Mapping[str, str]
    factors: Mapping[int, Mapping[str, Mapping[str, tuple[str, ...]]]]
    resampler: str = RESAMPLER

    def group_of(self, question: str, factor: int, definition: str = "code") -> str:
        """The group of a question at a factor; "" where it is in neither, or the factor was not frozen."""
        groups = self.factors.get(factor, {}).get(definition, {})
        return next((name for name in GROUPS if question in groups.get(name, ())), "")

    def misfit(
        self,
        *,
        visual_tokens: str | None = None,
        model: str | None = None,
        base: str = "",
        resampler: str | None = None,
        factor: int | None = None,
        manifests: Mapping[str, str] | None = None,
    ) -> str:
        """Why these groups may not be used for such a measurement, with the mend; "" where they may.

        Only what is given is compared: the family of the model asked, its name, the model that it says it compresses
        (`base`), the filter, the factor, the manifests' hashes. Names must agree where a base is named, and where the
        groups' model has no visual tokens of its own: the nominal family says nothing about who answers.
        """
        freeze = "remove that file, run all conditions and freeze new groups (vtcfaith groups freeze)"
        if visual_tokens is not None and visual_tokens != self.visual_tokens:
            return (
                f"the frozen groups are those of {self.model!r}, whose pictures cost {self.visual_tokens!r} tokens, "
                f"not {visual_tokens!r}: {freeze}"
            )
        named = base or model
        if named is not None and named != self.model and (base or self.visual_tokens.startswith("nominal")):
            return (
                f"the frozen groups are those of {self.model!r}, not of {named!r}: {freeze}, or of a method of "
                f"{self.model!r} declare base = {self.model!r}"
            )
        if resampler is not None and resampler != self.resampler:
            return f"the frozen groups were made by the filter {self.resampler!r}, not {resampler!r}: {freeze}"
        if factor is not None and factor not in self.factors:
            known = ", ".join(f"{each}x" for each in self.factors)
            return f"there are no frozen groups at {factor}x, only at {known}: {freeze}"
        if manifests is not None and dict(manifests) != dict(self.manifests):
            names = sorted(
                name for name in {*manifests, *self.manifests} if manifests.get(name) != self.manifests.get(name)
            )
            return f"the frozen groups are of other cases than those in {', '.join(names)}: {freeze}"
        return ""

    def require(self, **measured: Any) -> None:
        """Raises GroupsError where `misfit` has a reason."""
        if problem := self.misfit(**measured):
            raise GroupsError(problem)


def freeze(
    right: Mapping[str, Mapping[int, bool]],
    *,
    model: str,
    adapter: str,
    revision: str,
    visual_tokens: str,
    manifests: Mapping[str, str],
) -> Groups:
    """The groups of a model by its answers.

    `right`: for every question whether the answer was right, by factor; factor 1 is the picture at full size. The other
    arguments: as the fields of `Groups`. Raises GroupsError when a question lacks a factor that another one has, or
    there is no factor over 1.
    """
    factors = sorted({factor for answers in right.values() for factor in answers} - {1})
    if not factors:
        raise GroupsError("there is no answer about a reduced picture: run the conditions compression/downsample/* too")
    for question, answers in sorted(right.items()):
        for factor in (1, *factors):
            if factor not in answers:
                condition = "full size" if factor == 1 else f"{factor}x"
                raise GroupsError(f"question {question!r} was not measured at {condition}: run all conditions of it")
    return Groups(
        model,
        adapter,
        revision,
        visual_tokens,
        dict(sorted(manifests.items())),
        {factor: {name: _split(right, factor, name) for name in DEFINITIONS} for factor in factors},
    )


def _split(right: Mapping[str, Mapping[int, bool]], factor: int, definition: str) -> dict[str, tuple[str, ...]]:
    counted = sorted(name for name, answers in right.items() if definition == "paper" or answers[1])
    return {
        "difficult": tuple(name for name in counted if not right[name][factor]),
        "simple": tuple(name for name in counted if right[name][factor]),
    }


def factor_of(keep_ratio: float, factors: Mapping[int, Any]) -> int | None:
    """The factor whose 1 ÷ r² is a keep ratio, within 1 %; None where there is none (definitions §6)."""
    return next((factor for factor in sorted(factors) if abs(keep_ratio * factor * factor - 1) <= NEAR), None)


def groups_bytes(groups: Groups) -> bytes:
    """The file of groups: JSON with sorted keys and the hash of the rest; equal groups give equal bytes."""
    body = {
        "schema": SCHEMA,
        "version": VERSION,
        "model": groups.model,
        "adapter": groups.adapter,
        "revision": groups.revision,
        "visual_tokens": groups.visual_tokens,
        "resampler": groups.resampler,
        "manifests": dict(groups.manifests),
        "factors": {
            str(factor): {name: {group: list(ids) for group, ids in each.items()} for name, each in found.items()}
            for factor, found in groups.factors.items()
        },
    }
    return (json.dumps({**body, "sha256": _hash(body)}, indent=1, sort_keys=True, ensure_ascii=True) + "\n").encode()


def _hash(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode("ascii")).hexdigest()


def write_groups(path: Path, groups: Groups) -> None:
    """Writes a file of groups atomically. Raises GroupsError when the system refuses."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(groups_bytes(groups))
        temporary.replace(path)
    except OSError as error:
        raise GroupsError(f"{path}: it cannot be written ({reason(error)}): choose another file") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def read_groups(path: Path) -> Groups:
    """Reads a file of groups. Raises GroupsError that names file, field and value of what is wrong in it."""
    mend = "freeze the groups again (vtcfaith groups freeze)"
    try:
        data = json.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise GroupsError(f"{path}: it cannot be read ({reason(error)}): {mend}") from error
    except (ValueError, RecursionError) as error:
        raise GroupsError(f"{path}: not JSON in UTF-8 ({error}): {mend}") from error
    if not isinstance(data, dict) or sorted(data) != sorted((*_FIELDS, "sha256")):
        raise GroupsError(f"{path}: the fields must be {', '.join((*_FIELDS, 'sha256'))}: {mend}")
    sealed = data.pop("sha256")
    if sealed != _hash(data):
        raise GroupsError(f"{path}: field 'sha256' = {show(sealed)} is not the hash of the rest: it was edited: {mend}")
    for field, wanted in (("schema", SCHEMA), ("version", VERSION), ("resampler", RESAMPLER)):
        if data[field] != wanted:
            raise GroupsError(f"{path}: field {field!r} = {show(data[field])} must be {wanted!r}: {mend}")
    try:
        factors = {
            int(factor): {name: {group: tuple(found[name][group]) for group in GROUPS} for name in DEFINITIONS}
            for factor, found in sorted(data["factors"].items(), key=lambda item: int(item[0]))
        }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise GroupsError(f"{path}: field 'factors' has another form ({error}): {mend}") from error
    return Groups(data["model"], data["adapter"], data["revision"], data["visual_tokens"], data["manifests"], factors)


def groups_beside(folder: Path) -> Groups | None:
    """The frozen groups beside the manifests of a folder; None where there are none.

    Raises GroupsError for a wrong file, and for several: nobody could tell which ones a tier is made of.
    """
    files = sorted(folder.glob(PATTERN))
    if len(files) > 1:
        raise GroupsError(f"{folder}: has {len(files)} files {PATTERN}: keep one of {', '.join(f.name for f in files)}")
    if not files:
        return None
    stat = files[0].stat()
    return _kept(files[0], stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=8)
def _kept(path: Path, changed_ns: int, size: int) -> Groups:
    """The file as it is now: every case asks for it."""
    return read_groups(path)
