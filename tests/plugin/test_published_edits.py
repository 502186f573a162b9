"""The editing suite on published pictures, from `vtcfaith build vde` to the verdict, with the real RapidOCR."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from made_vde import item
from smallbench import ROOT, without
from typer.testing import CliRunner

from pytest_vtcfaith.cli import app
from pytest_vtcfaith.pages.edits.pair import draw_pair
from pytest_vtcfaith.texts.manifest import read_manifest

CONFTEST = """
from pathlib import Path

from PIL import Image

from pytest_vtcfaith.models import register_model


@register_model("right", languages=["en"])
class Right:
    def edit(self, images, instructions):
        (answer,) = Path(__file__).parent.glob("vde/outputs/*.png")
        return [Image.open(answer) for _ in images]


@register_model("lazy", languages=["en"])
class Lazy:
    def edit(self, images, instructions):
        return list(images)
"""
THRESHOLDS = """
[[gate]]
where = "editing/*"
metric = "edit_fidelity"
min = 0.9
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> Path:
    """A page of the embedded set as a folder that VDE Bench would publish, and the manifest made of it."""
    pytest.importorskip("rapidocr", reason="needs the extra rapidocr")
    manifest = read_manifest(ROOT / "benchmark_cases" / "data" / "editing-en.jsonl")
    (row,) = (row for _, row in manifest.rows if row["case"] == "en-slide-hill")
    pair = draw_pair(row)
    entry = item(7, instruction=row["instruction"], label_output=row["boxes"])
    vde = pytester.path / "vde"
    for field, picture in (("image_input", pair.source), ("image_output", pair.reference)):
        (vde / entry[field]).parent.mkdir(parents=True, exist_ok=True)
        picture.save(vde / entry[field])
    blocks: list[dict[str, Any]] = [
        {"block_bbox": list(block.box), "block_content": block.table or block.text, "block_label": kind}
        for block in pair.blocks or ()
        for kind in ["table" if block.table else "text"]
    ]
    result = {"width": pair.reference.width, "height": pair.reference.height, "parsing_res_list": blocks}
    (vde / "text_ocr").mkdir()
    (vde / "text_ocr" / "page-7.json").write_text(json.dumps(result), encoding="utf-8")
    (vde / "text_info.json").write_text(json.dumps([entry]), encoding="utf-8")
    build(pytester.path)
    pytester.makeconftest(CONFTEST)
    (pytester.path / "thresholds.toml").write_text(THRESHOLDS, encoding="utf-8")
    shutil.copy(ROOT / "benchmark_cases" / "test_editing.py", pytester.path)
    return pytester.path


def build(folder: Path) -> None:
    done = CliRunner().invoke(
        app, ["build", "vde", str(folder / "vde"), "--out", str(folder / "data/e.jsonl"), "--force"]
    )
    assert done.exit_code == 0, done.output


def run(pytester: pytest.Pytester, *models: str) -> pytest.RunResult:
    """In a fresh process: RapidOCR cannot be imported twice in one."""
    options = (*(f"--vtc-model={model}" for model in models), "--vtc-cases=data", "--vtc-thresholds=thresholds.toml")
    plugins = without("hypothesispytest", "benchmark", "anyio", "randomly", "rerunfailures")
    return pytester.runpytest_subprocess(*plugins, *options, "--vtc-report=out", "test_editing.py", timeout=100)


def metrics(folder: Path) -> dict[str, dict[str, Any]]:
    """The metrics of the one case by model."""
    lines = (folder / "out" / "results.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    rows = list(map(json.loads, lines))
    assert {row["case"] for row in rows} == {"vde-7"}
    return {row["model"]: row["metrics"] for row in rows}


def test_the_right_picture_passes_and_no_edit_fails(project: Path, pytester: pytest.Pytester) -> None:
    found = run(pytester, "right", "lazy")
    assert found.ret == 1
    by_model = metrics(project)
    assert by_model["right"]["edit_fidelity"] > 0.9
    assert by_model["right"]["cdm_global"] > 0.9  # against the published blocks
    assert by_model["lazy"]["edit_fidelity"] == 0
    shown = found.stdout.str()
    assert "FAILED test_editing.py::test_gate[lazy-text-modify-en-edit_fidelity]" in shown
    assert "FAILED test_editing.py::test_gate[right" not in shown
    assert "FAILED test_editing.py::test_case" not in shown


def test_without_results_of_ocr(project: Path, pytester: pytest.Pytester) -> None:
    """The engine reads the reference as it reads the output."""
    shutil.rmtree(project / "vde" / "text_ocr")
    build(project)
    found = run(pytester, "right", "lazy")
    assert found.ret == 1
    by_model = metrics(project)
    assert by_model["right"]["edit_fidelity"] == pytest.approx(1)
    assert by_model["right"]["cdm_global"] == 1
    assert by_model["lazy"]["edit_fidelity"] == 0
    assert by_model["lazy"]["ceiling_edit_fidelity"] == by_model["right"]["edit_fidelity"]


def test_a_changed_picture_is_named(project: Path, pytester: pytest.Pytester) -> None:
    for picture in (project / "data" / "e-pictures").iterdir():
        picture.write_bytes(picture.read_bytes() + b" ")
    found = run(pytester, "lazy")
    assert found.ret == 1
    shown = found.stdout.str()
    assert "not measured: ManifestError: " in shown
    assert "was changed, its SHA-256 is another: build the manifest again" in shown
    assert "ERROR" not in shown
    assert "read_picture" not in shown  # no traceback
    (row,) = map(json.loads, (project / "out" / "results.jsonl").read_text(encoding="utf-8").split("\n")[:-1])
    assert (row["outcome"], row["metrics"]) == ("infrastructure_error", {})
    assert row["reason"].startswith("ManifestError: ")


def test_a_picture_changed_while_the_editor_works(project: Path, pytester: pytest.Pytester) -> None:
    """The reference is read for the score only."""
    ((_, row),) = read_manifest(project / "data" / "e.jsonl").rows
    (project / "data" / row["reference"]["file"]).write_bytes(b"")
    found = run(pytester, "lazy")
    assert found.ret == 1
    shown = found.stdout.str()
    assert "not measured: " in shown
    assert "reference.file" in shown
    assert "ERROR" not in shown
    assert "read_picture" not in shown


def test_reference_editors_refuse_published_pictures(project: Path, pytester: pytest.Pytester) -> None:
    table = '[tool.vtcfaith.models.known]\nadapter = "editor"\nmodel = "perfect"\ncases = "data"\n'
    (project / "pyproject.toml").write_text(table, encoding="utf-8")
    found = run(pytester, "known")
    assert found.ret == 1
    assert "not of published pictures" in found.stdout.str()
