"""Which suites a run has by what its models do, and which instruments it may be given."""

from __future__ import annotations

import json

import pytest
from editbench import CASES, EDITS, PERFECT, add_edits

OTHERS = """
@register_model("raises", revision="1")
class Raises:
    def __init__(self):
        raise RuntimeError("no lamp")
    def transcribe(self, images, prompt): ...
    def read_boxes(self, image): ...

@register_model("boxless", revision="3")
class Boxless:
    def transcribe(self, images, prompt): ...

@register_model("illustrator")
class Illustrator:
    def draw(self, prompts): ...
"""


def suites(found) -> set[str]:
    return {row["suite"] for row in found.results.values()}


def test_a_transcriber_is_asked_no_edits(bench) -> None:
    add_edits(bench)
    found = bench.run(bench.replay())
    assert found.status == 0, found.text
    assert suites(found) == {"rewriting"}
    assert not any("fidelity" in gate or gate.startswith("editing") for gate in found.gates)
    run = json.loads((found.folder / "run.json").read_text(encoding="utf-8"))
    assert (run["models"][0]["tasks"], run["instruments"]) == (["transcribe"], "")


def test_an_editor_is_asked_nothing_else(bench) -> None:
    add_edits(bench, CASES[2:])
    found = bench.run("--vtc-ocr=known", PERFECT)
    assert found.status == 0, found.text
    assert suites(found) == {"editing"}
    run = json.loads((found.folder / "run.json").read_text(encoding="utf-8"))
    assert (run["models"][0]["tasks"], run["instruments"]) == (["edit"], "known 1")
    assert not any(gate.startswith("en-") or "rewriting" in gate for gate in found.gates)


def test_two_models_of_different_tasks(bench) -> None:
    add_edits(bench, CASES[2:])
    found = bench.run("--vtc-ocr=known", PERFECT, bench.replay(), "-n2")
    assert found.status == 0, found.text
    models = {(row["model"], row["suite"]) for row in found.results.values()}
    assert models == {("perfect", "editing"), ("replay:answers.jsonl", "rewriting")}
    rows = json.loads((found.folder / "gates.json").read_text(encoding="utf-8"))
    for row in rows:
        editing = "editing" in row["tier"] if row.get("tier") else "editing" in row["gate"]
        assert (row["model"] == "perfect") == editing, row
    assert {row["verdict"] for row in rows} <= {"pass", "not_applicable"}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ["--vtc-suite=editing", "replay"],
            "--vtc-suite 'editing' asks its models to edit, which none of the chosen ones does (they transcribe): "
            "choose a model that does, or give yours a method edit() (Editor)",
        ),
        (["--vtc-suite=rewriting", PERFECT], "--vtc-suite 'rewriting' asks its models to transcribe"),
        (["--vtc-suite=editin", PERFECT], "--vtc-suite 'editin': "),
        ([PERFECT, "--vtc-ocr=nothing-known"], "--vtc-ocr "),
        ([PERFECT, "--vtc-ocr=known", "--vtc-ocr=blind", "--vtc-ocr=raising"], "--vtc-ocr is given 3 times"),
        ([PERFECT, "--vtc-ocr=known", "--vtc-ocr=known"], "--vtc-ocr known is given twice: a second engine must be"),
        (
            [PERFECT, "--vtc-ocr=rapidocrr"],
            "--vtc-ocr unknown model 'rapidocrr'; known models, nearest first: rapidocr,",
        ),
        ([PERFECT, "--vtc-judge=nothing-known"], "--vtc-judge "),
        (["replay", "--vtc-judge=boxless"], "--vtc-judge: none of the models draws: leave the option out"),
        ([PERFECT, "--vtc-judge=boxless"], "--vtc-judge: none of the models draws: leave the option out"),
    ],
)
def test_what_does_not_go_together_is_a_usage_error(bench, arguments: list[str], says: str) -> None:
    add_edits(bench, CASES[2:], more=OTHERS)
    given = [bench.replay() if argument == "replay" else argument for argument in arguments]
    found = bench.run(*given)
    assert found.status == 4, found.text
    assert says in found.text


@pytest.mark.parametrize(
    ("ocr", "reason"),
    [
        ("raising", "--vtc-ocr raising: RuntimeError: the lamp went out"),
        ("raises", "--vtc-ocr raises: RuntimeError: no lamp"),
        ("boxless", "--vtc-ocr boxless: ValueError: model 'boxless' tells no boxes"),
    ],
)
def test_an_engine_that_fails_is_red_and_named(bench, ocr: str, reason: str) -> None:
    add_edits(bench, CASES[1:], more=OTHERS)
    found = bench.run("--vtc-suite=editing", f"--vtc-ocr={ocr}", PERFECT)
    assert found.status == 1
    for row in found.results.values():
        assert (row["outcome"], row["metrics"]) == ("infrastructure_error", {})
        assert row["reason"].startswith(reason)
        assert "picture" in row  # the model did its part
    assert {v for gate, v in found.verdicts.items() if gate != "editing-inapplicable"} <= {
        "not_measured",
        "not_applicable",
    }
    assert reason in found.text


def test_a_second_engine_that_fails_is_red_too(bench) -> None:
    add_edits(bench, CASES[2:])
    found = bench.run(*EDITS, "--vtc-ocr=raising", PERFECT)
    assert found.status == 1
    (row,) = found.results.values()
    assert row["outcome"] == "infrastructure_error"
    assert "--vtc-ocr raising: " in row["reason"]


def test_two_engines_stand_side_by_side(bench) -> None:
    add_edits(bench, CASES[2:])
    found = bench.run(*EDITS, "--vtc-ocr=blind", PERFECT)
    (row,) = found.results.values()
    assert (row["metrics"]["edit_fidelity"], row["metrics"]["text_correctness_second"]) == (1.0, 0.0), found.text
    run = json.loads((found.folder / "run.json").read_text(encoding="utf-8"))
    assert run["instruments"] == "known 1, blind 1"
