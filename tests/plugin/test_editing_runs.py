"""Runs of editors: gates, pictures in the report folder, what failures show, and what another engine changes."""

from __future__ import annotations

import hashlib
import json

import pytest
from editbench import CASES, EDITS, NO_OP, PERFECT, THRESHOLDS, WRONG, add_edits
from PIL import Image


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_perfect_editor_passes(bench, workers: str) -> None:
    add_edits(bench)
    found = bench.run(*EDITS, PERFECT, workers)
    assert found.status == 0, found.text
    assert set(found.results) == set(CASES)
    assert set(found.verdicts.values()) == {"pass", "not_applicable"}, found.verdicts  # there is no baseline
    assert {"text-modify-en-edit_fidelity", "text-add-en-failure_rate"} <= set(found.verdicts)
    for row in found.results.values():
        assert (row["outcome"], row["transcript"], row["metrics"]["edit_fidelity"]) == ("complete", None, 1.0)
    note = "editing: the OCR's ceiling of edit_fidelity is 1.000, lowest 1.000 in editing/text/add/en"
    assert f"vtcfaith: {note}" in found.text
    summary = (found.folder / "summary.md").read_text(encoding="utf-8")
    assert f"- {note}".replace("_", "\\_") in summary


def test_the_failing_of_a_blind_engine_is_not_laid_to_the_editor(bench) -> None:
    floor = '\n[[floor]]\nwhere = "editing/*"\nmetric = "edit_fidelity"\nmin = 0.8\n'
    add_edits(bench, CASES[2:], thresholds=THRESHOLDS + floor)
    found = bench.run("--vtc-suite=editing", "--vtc-ocr=blind", PERFECT)
    assert found.status == 1
    assert "edit_fidelity 0 < 0.8: edit_fidelity 0: the OCR blind cannot read the untouched reference" in found.text
    assert "the OCR's ceiling of edit_fidelity is 0.000, lowest 0.000 in editing/text/modify/en" in found.text
    assert "the edit is missing" not in found.text


def test_a_careless_editor_fails_and_the_failure_shows_why(bench) -> None:
    floor = '\n[[floor]]\nwhere = "editing/*"\nmetric = "text_correctness"\nmin = 0.5\n'
    add_edits(bench)
    bench.thresholds((bench.path / "thresholds.toml").read_text(encoding="utf-8") + floor)
    found = bench.run(*EDITS, WRONG)
    assert found.status == 1
    gate = found.gates["text-modify-en-edit_fidelity"]
    assert gate["verdict"] == "fail"
    assert gate["message"].endswith("; worst cases: en-form-plot 0, en-report-supplier 0"), gate["message"]
    for line in (
        "text_correctness 0 < 0.5",
        "instruction: ",
        "region: expected ",
        "source: out/pages/wrong-text-en-form-plot.png",
        "reference: out/pages/wrong-text-en-form-plot-reference.png",
        "output: out/pages/wrong-text-en-form-plot-output.png",
        "difference: out/pages/wrong-text-en-form-plot-difference.png",
        "case: data/editing-en.jsonl:",
    ):
        assert line in found.text, line
    for end in ("", "-reference", "-output", "-difference"):
        with Image.open(found.folder / "pages" / f"wrong-text-en-form-plot{end}.png") as page:
            assert page.size[0] > 300


def test_the_pictures_of_a_run_are_kept_named_and_cleaned(bench) -> None:
    add_edits(bench)
    found = bench.run(*EDITS, PERFECT, "-n2")
    assert found.status == 0, found.text
    for case, row in found.results.items():
        assert row["picture"] == f"pictures/perfect-{case}.png"
        png = (found.folder / row["picture"]).read_bytes()
        assert hashlib.sha256(png).hexdigest() == row["picture_sha256"]
    files = {path.name for path in (found.folder / "pictures").iterdir()}
    assert files == {f"perfect-{case}.png" for case in CASES}
    (found.folder / "pictures" / "own.txt").write_text("mine", encoding="utf-8")
    again = bench.run(*EDITS, NO_OP, "-k", "test_case and plot")
    assert {path.name for path in (again.folder / "pictures").iterdir()} == {"no-op-en-form-plot.png", "own.txt"}


def test_a_picture_in_another_mode_and_size_is_taken(bench) -> None:
    more = """
class Grey(ReferenceEditor):
    def edit(self, images, instructions):
        return [picture.convert("L").resize((picture.width // 2, picture.height // 2)) for picture in
                super().edit(images, instructions)]

@register_model("grey", tasks=["edit"])
def grey():
    return Grey("perfect", rows())
"""
    add_edits(bench, CASES[2:], more=more)
    found = bench.run(*EDITS, "--vtc-model=grey")
    (row,) = found.results.values()
    assert (row["outcome"], row["metrics"]["resized"]) == ("complete", 1), found.text
    with Image.open(found.folder / row["picture"]) as picture:
        assert picture.mode == "RGB"


MIXED = """
@register_model("moody", tasks=["edit"])
def moody():
    class Moody(ReferenceEditor):
        def edit(self, images, instructions):
            text = instructions[0]
            if "plot" in text.lower():
                return [Reply(text=None, refusal="not this one")]
            if "Dunholt" in text:
                raise RuntimeError("no paint left")
            return [Reply(text="Here you are.")]
    return Moody("perfect", rows())
"""


def test_refusals_missing_pictures_and_errors(bench) -> None:
    add_edits(bench, more=MIXED)
    found = bench.run(*EDITS, "--vtc-model=moody", "-rx")
    assert found.status == 1
    outcomes = {case: row["outcome"] for case, row in found.results.items()}
    assert sorted(outcomes.values()) == ["empty", "infrastructure_error", "refused"], found.text
    for row in found.results.values():
        assert "picture" not in row
        if row["outcome"] == "infrastructure_error":
            assert row["metrics"] == {}
            assert "no paint left" in row["reason"]
        else:
            assert set(row["metrics"].values()) == {0.0}
    assert "not_measured" in found.verdicts.values()
    assert "pass" not in {verdict for gate, verdict in found.verdicts.items() if "inapplicable" not in gate}
    assert not (found.folder / "pictures").exists()


LEAVING = """
from PIL import Image

def one(name, edit):
    @register_model(name, tasks=["edit"])
    def make():
        if edit is None:
            raise SystemExit(4)
        return type("Editor", (), {"edit": lambda self, images, instructions: edit(images)})()

def leave(images):
    raise SystemExit(3)

one("leaving", leave)
one("gone", None)
one("huge", lambda images: [Image.new("L", (16000, 16000), 255)])
"""


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_an_editor_that_ends_python_or_gives_a_huge_picture_spoils_nothing_else(bench, workers: str) -> None:
    add_edits(bench, CASES[2:], more=LEAVING)
    models = ("leaving", "gone", "huge", "perfect")
    found = bench.run(*EDITS, *(f"--vtc-model={name}" for name in models), workers)
    rows = [json.loads(line) for line in (found.folder / "results.jsonl").read_text("utf-8").split("\n") if line]
    reasons = {row["model"]: row.get("reason", row["outcome"]) for row in rows}
    assert reasons == {
        "leaving": "ModelExited: SystemExit(3): the model asked Python to end",
        "gone": "ModelExited: SystemExit(4): the model asked Python to end",
        "huge": "ValueError: the picture is too large: 16000 x 16000 pixels, at most 89,478,485 in all are taken",
        "perfect": "complete",
    }
    assert "no reason given" not in found.text
    assert "ERROR" not in found.text
    assert f"FAILED cases/test_editing.py::test_case[leaving-{CASES[2]}]" in found.text
    assert f"test_case[perfect-{CASES[2]}]" not in found.text


def test_scores_of_another_engine_are_not_taken(bench) -> None:
    """A run of the gates alone judges by stored scores: those that the same engine read."""
    add_edits(bench)
    assert bench.run(*EDITS, PERFECT).status == 0
    gates = (PERFECT, "--vtc-suite=editing", "-k", "test_gate")
    same = bench.run("--vtc-ocr=known", *gates)
    assert same.status == 0, same.text
    assert same.verdicts["text-add-en-edit_fidelity"] == "pass"
    other = bench.run("--vtc-ocr=blind", *gates)
    assert "pass" not in {v for gate, v in other.verdicts.items() if "inapplicable" not in gate}
    assert "pass" not in {
        v
        for g, v in bench.run("--vtc-ocr=known", "--vtc-ocr=blind", *gates).verdicts.items()
        if "inapplicable" not in g
    }


def test_a_baseline_of_another_engine_is_refused(bench) -> None:
    add_edits(bench)
    assert bench.run(*EDITS, PERFECT, "--snapshot-update").status == 0
    baselines = [json.loads(path.read_text("utf-8")) for path in (bench.path / "data" / "baselines").rglob("*.json")]
    editing = [baseline for baseline in baselines if baseline["tier"].startswith("editing/")]
    assert editing
    assert {baseline["instruments"] for baseline in editing} == {"known 1"}
    same = bench.run(*EDITS, PERFECT)
    assert same.status == 0, same.text
    assert same.verdicts["text-add-en-edit_fidelity"] == "pass"
    other = bench.run("--vtc-suite=editing", PERFECT, "--vtc-ocr=blind")
    assert other.status == 1
    assert other.verdicts["text-add-en-edit_fidelity"] != "pass"
    assert "instruments" in other.text
    assert "known 1" in other.text


def test_editors_asked_twice(bench) -> None:
    more = """
@register_model("drifting", tasks=["edit"])
def drifting():
    class Drifting(ReferenceEditor):
        seen = set()
        def edit(self, images, instructions):
            found = super().edit(images, instructions)
            if instructions[0] in self.seen:
                found[0].putpixel((1, 1), (0, 0, 0))
            self.seen |= set(instructions)
            return found
    return Drifting("perfect", rows())
"""
    add_edits(bench, more=more)
    for model, differ in ((PERFECT, 0), ("--vtc-model=drifting", len(CASES))):
        found = bench.run(*EDITS, model, "--vtc-noise=3")
        assert found.status == 0, found.text
        (row,) = json.loads((found.folder / "noise.json").read_text(encoding="utf-8"))["models"]
        assert row["differ"] == differ
        (said,) = (line for line in found.text.split("\n") if line.startswith("vtcfaith: noise of"))
        assert f"{differ} pictures differ, 0 outcomes" in said
        assert "transcript" not in said
        moved = "no tier's edit_fidelity changes" if differ else "no tier's value changes"
        assert moved in said or (differ and "largest change of a tier: edit_fidelity" in said), said


def test_the_real_engine(bench) -> None:
    pytest.importorskip("rapidocr")
    add_edits(bench, CASES[2:])
    found = bench.run("--vtc-suite=editing", PERFECT, NO_OP)
    rows = [json.loads(line) for line in (found.folder / "results.jsonl").read_text("utf-8").split("\n") if line]
    scores = {row["model"]: row["metrics"] for row in rows}
    assert scores["perfect"]["edit_fidelity"] == scores["perfect"]["ceiling_edit_fidelity"] > 0.95, found.text
    assert (scores["no-op"]["edit_fidelity"], scores["no-op"]["completeness"]) == (0.0, 0.0)
    assert found.status == 1
