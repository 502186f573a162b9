"""`editor:NAME`: reference editors as models of a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vtcfaith.models import known_models, resolve
from pytest_vtcfaith.models.editors import EDITORS
from pytest_vtcfaith.models.protocols import Editor
from pytest_vtcfaith.pages.edits.pair import draw_pair
from pytest_vtcfaith.texts.bundled import bundled_folder
from pytest_vtcfaith.texts.manifest import read_manifest, write_manifest


def manifest(folder: Path, lang: str, count: int) -> list[dict]:
    bundled = read_manifest(bundled_folder() / "data" / f"editing-{lang}.jsonl")
    rows = [dict(row) for _, row in bundled.rows][:count]
    write_manifest(folder / f"editing-{lang}.jsonl", bundled.header, rows)
    return rows


@pytest.mark.parametrize("name", EDITORS)
def test_every_reference_editor_is_a_model_that_edits(name: str) -> None:
    spec = resolve(f"editor:{name}")
    assert (spec.tasks, spec.languages, spec.lives, spec.needs_picture) == ({"edit"}, None, "worker", True)
    assert spec.revision
    assert spec.adapter == f"editor/{name}"


def test_its_replies_are_told_apart() -> None:
    assert len({str(resolve(f"editor:{name}").identity) for name in EDITORS}) == len(EDITORS)


@pytest.mark.parametrize("name", ["editor:", "editor", "editor:perfekt", "editor:Perfect"])
def test_an_unknown_editor(name: str) -> None:
    with pytest.raises(ValueError, match="editor") as caught:
        resolve(name)
    if ":" in name and not name.endswith(":"):
        assert "give one of perfect, re-typeset" in str(caught.value)


def test_it_edits_the_cases_of_a_folder(tmp_path: Path) -> None:
    rows = manifest(tmp_path, "en", 2)
    table = {"fine": {"adapter": "editor", "model": "perfect", "cases": str(tmp_path)}}
    spec = resolve("fine", table)
    assert (spec.name, spec.options) == ("fine", {"cases": str(tmp_path)})
    model = spec.load()
    assert isinstance(model, Editor)
    pairs = [draw_pair(row) for row in rows]
    pictures = model.edit([pair.source for pair in pairs], [row["instruction"] for row in rows])
    assert [p.tobytes() for p in pictures] == [pair.reference.tobytes() for pair in pairs]
    with pytest.raises(ValueError, match="no case asks 'Make it nicer' of this picture"):
        model.edit([pairs[0].source], ["Make it nicer"])


def test_other_cases_are_another_revision(tmp_path: Path) -> None:
    table = {"fine": {"adapter": "editor", "model": "perfect", "cases": str(tmp_path)}}
    revisions = []
    for count in (1, 2):
        manifest(tmp_path, "en", count)
        revisions.append(resolve("fine", table).revision)
    assert revisions[0] != revisions[1]


@pytest.mark.parametrize("cases", ["nowhere", 7, ["a"]])
def test_a_folder_that_is_none(cases: object) -> None:
    with pytest.raises(ValueError, match=r"model 'fine': cases = .*name a folder of manifests"):
        resolve("fine", {"fine": {"adapter": "editor", "model": "perfect", "cases": cases}})


def test_an_unknown_option() -> None:
    with pytest.raises(ValueError, match="batch"):
        resolve("fine", {"fine": {"adapter": "editor", "model": "perfect", "batch": 3}})


def test_it_is_listed() -> None:
    assert any(name.startswith("editor") for name in known_models())
