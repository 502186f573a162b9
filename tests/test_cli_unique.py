"""Ids that stand for one case each (`suites/unique.py`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vtcfaith.suites.case import Case
from pytest_vtcfaith.suites.unique import check_unique
from pytest_vtcfaith.texts import ManifestError


def case(name: str, file: str, line: int, suite: str = "rewriting") -> Case:
    return Case(name, suite, f"{suite}/x", "d", "en", "text", Path(file), line)


def test_different_ids_are_fine() -> None:
    check_unique([])
    check_unique([case("a", "m.jsonl", 2), case("b", "m.jsonl", 2), case("c", "m.jsonl", 3)])


def test_one_id_in_two_places_names_both_whatever_the_suite() -> None:
    cases = [case("a", "m.jsonl", 2), case("b", "m.jsonl", 3), case("a", "n.jsonl", 7, "preservation")]
    with pytest.raises(ManifestError) as caught:
        check_unique(iter(cases))
    assert str(caught.value).startswith("n.jsonl:7: case 'a' is also in m.jsonl:2: ")
