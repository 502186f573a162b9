from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_vtcfaith.metrics.layout_statistics import layout_statistics
from pytest_vtcfaith.suites.editing_cases import editing_cases, layout_of, pair_of, source_of
from pytest_vtcfaith.texts.edits.build import build_edits
from pytest_vtcfaith.texts.manifest import write_manifest


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cases")
    for lang in ("zh", "en", "mixed"):
        draft = build_edits(lang)
        write_manifest(path / f"editing-{lang}.jsonl", draft.header, draft.rows)
    return path


def test_cases_are_sorted_and_name_their_tiers(folder: Path) -> None:
    cases = editing_cases(folder)
    assert len(cases) == 96
    assert [case.id for case in cases] == sorted({case.id for case in cases})
    assert len({case.tier for case in cases}) == 24
    (case,) = (case for case in cases if case.id == "en-form-merge")
    assert (case.suite, case.tier, case.document) == ("editing", "editing/table/structure/en", "en-form")
    assert case.reference.endswith("Seed drill on request")
    assert json.loads(case.file.read_bytes().split(b"\n")[case.line - 1])["case"] == case.id
    assert len({case.fingerprint for case in cases}) == 96


def test_the_pictures_of_a_case(folder: Path) -> None:
    case = editing_cases(folder)[0]
    pair = pair_of(case)
    assert pair.source.size == pair.reference.size
    assert pair.instruction == case.params["instruction"]
    page = source_of(case)
    assert (page.width, page.height) == pair.source.size
    assert page.image.tobytes() == pair.source.tobytes()


def test_the_layout_of_the_set(folder: Path) -> None:
    found = layout_statistics(
        [page for case in editing_cases(folder) for page in [layout_of(case)] if page is not None]
    )
    assert 5 <= found.richness <= 10
    assert found.complexity == 2
    assert 0.1 < found.density < 0.9
    assert (found.text_ratio or 0) + (found.visual_ratio or 0) == pytest.approx(1)
