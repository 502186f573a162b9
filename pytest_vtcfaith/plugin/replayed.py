"""What the model of a replay was asked, where its lines do not say: the suites of its cases tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_vtcfaith.models.spec import ModelSpec
    from pytest_vtcfaith.suites.case import Case


def declared(spec: ModelSpec, everything: Mapping[str, Sequence[Case]]) -> ModelSpec:
    """The model with the tasks that its lines declare, and for the other lines those of the suites of their cases.

    `everything`: suite → its cases. A line of no known case says nothing; where no line says anything the model stays
    as it is.
    """
    from pytest_vtcfaith.suites import load_suite

    tasks = {task for task in spec.replayed.values() if task}
    for suite, cases in everything.items():
        if any(spec.replayed.get(case.id) == "" for case in cases):
            tasks.add(load_suite(suite).task)
    return replace(spec, tasks=frozenset(tasks)) if tasks else spec
