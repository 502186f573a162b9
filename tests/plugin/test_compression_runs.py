"""The compression suite in real runs with the thresholds that it comes with."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from smallbench import ROOT, Bench

from pytest_vtcfaith.suites.case import Case
from pytest_vtcfaith.suites.compression_cases import compression_cases, manifest_hashes, question_of
from pytest_vtcfaith.suites.compression_groups import freeze, write_groups
from pytest_vtcfaith.texts.manifest import write_manifest
from pytest_vtcfaith.texts.questions.build import build_questions

DRAFT = build_questions(pages=1)
ROW = next(row for row in DRAFT.rows if "chart" in row["document"])


@pytest.fixture
def asked(bench: Bench) -> Bench:
    """A benchmark with the questions of one chart, each under four conditions."""
    write_manifest(bench.path / "data" / "q.jsonl", DRAFT.header, [ROW])
    shutil.copy(ROOT / "benchmark_cases" / "test_compression.py", bench.path / "cases")
    bench.thresholds((ROOT / "benchmark_cases" / "thresholds.toml").read_text(encoding="utf-8"))
    return bench


def answers(bench: Bench, give: Callable[[Case], str | None], name: str = "given.jsonl", **fields: Any) -> str:
    """Writes a replay file of answers, and returns the model that it is."""
    cases = compression_cases(bench.path / "data", grouped=False)
    rows = [{"case": case.id, "text": give(case), **fields} for case in cases]
    (bench.path / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return f"--vtc-model=replay:{name}"


def test_a_wrong_answer_at_full_size_fails_its_own_test(asked: Bench) -> None:
    wrong = {"q-chart-01-count-full", "q-chart-01-read-value-full", "q-chart-01-count-4x"}
    model = answers(asked, lambda case: "999" if case.id in wrong else case.reference, task="answer")
    found = asked.run("--vtc-suite=compression", model)
    assert found.status == 1
    lines = [line for line in found.text.split("\n") if line.startswith("FAILED") and "::test_case[" in line]
    assert {name for name in wrong for line in lines if f"-{name}]" in line} == wrong - {"q-chart-01-count-4x"}
    assert len(lines) == 2
    assert "accuracy 0 < 1: wrong answer" in found.text
    count = next(q for q in ROW["questions"] if q["name"] == "count")
    for said in (f"question: '{count['question']}'", f"expected: '{count['answers'][0]}'", "given: '999'"):
        assert said in found.text


def test_wrong_answers_about_reduced_pictures_are_the_measurement(asked: Bench) -> None:
    def give(case: Case) -> str:
        return case.reference if case.id.endswith("-full") else "999"

    found = asked.run("--vtc-suite=compression", answers(asked, give, task="answer"))
    assert found.status == 0, found.text
    assert found.gates["downsample-2x-accuracy"]["value"] == 0.0


def test_a_replay_of_cases_and_texts_is_asked_what_its_cases_ask(asked: Bench) -> None:
    found = asked.run(answers(asked, lambda case: case.reference))
    assert found.status == 0, found.text
    assert {row["suite"] for row in found.results.values()} == {"compression"}
    assert json.loads((found.folder / "run.json").read_text(encoding="utf-8"))["models"][0]["tasks"] == ["answer"]


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_a_hand_written_refusal_is_one_of_the_answers(asked: Bench, workers: str) -> None:
    model = answers(asked, lambda case: case.reference, task="answer")
    file = asked.path / "given.jsonl"
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n")[:-1]]
    lines[0] = {"case": lines[0]["case"], "text": None, "refusal": "I cannot help with that"}
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    found = asked.run(model, workers)
    assert {row["suite"] for row in found.results.values()} == {"compression"}, found.text
    assert found.results[lines[0]["case"]]["outcome"] == "refused"
    assert Counter(row["outcome"] for row in found.results.values()) == {"complete": 15, "refused": 1}


def test_answers_to_several_suites(asked: Bench) -> None:
    answers(asked, lambda case: case.reference)
    asked.replay()
    both = b"".join((asked.path / name).read_bytes() for name in ("given.jsonl", "answers.jsonl"))
    (asked.path / "both.jsonl").write_bytes(both)
    found = asked.run("--vtc-model=replay:both.jsonl")
    assert found.status == 0, found.text
    assert {row["suite"] for row in found.results.values()} == {"compression", "rewriting"}


def test_a_replay_of_other_cases_names_the_cure(asked: Bench) -> None:
    (asked.path / "other.jsonl").write_text('{"case": "nobody-knows", "text": "4"}\n', encoding="utf-8")
    found = asked.run("--vtc-suite=compression", "--vtc-model=replay:other.jsonl")
    assert found.status == 4
    assert '"task": "answer", or its table has task = "answer"' in found.text
    (asked.path / "pyproject.toml").write_text(
        '[tool.vtcfaith.models.other]\nadapter = "replay"\nmodel = "other.jsonl"\ntask = "answer"\n', encoding="utf-8"
    )
    found = asked.run("--vtc-suite=compression", "--vtc-model=other", "--rootdir=.")
    assert found.status == 1
    assert {row["outcome"] for row in found.results.values()} == {"infrastructure_error"}


def test_a_model_that_the_groups_are_not_of_is_told_so(asked: Bench) -> None:
    """Their tiers have no value for it, and its answers count everywhere else."""
    cases = compression_cases(asked.path / "data", grouped=False)
    rights: dict[str, dict[int, bool]] = {}
    for case in cases:
        factor = case.params["factor"]
        rights.setdefault(question_of(case), {})[factor] = factor < 3
    groups = freeze(
        rights,
        model="ocr-rules",
        adapter="ocr-rules",
        revision="1",
        visual_tokens="nominal",
        manifests=manifest_hashes(asked.path / "data"),
    )
    write_groups(asked.path / "data" / "x.groups.json", groups)
    asked.thresholds(
        "[[gate]]\nwhere = 'compression/downsample/2x/simple'\nmetric = 'accuracy'\nmin = 0.0\n"
        "[[gate]]\nwhere = 'compression/downsample/2x'\nmetric = 'accuracy_simple'\nmin = 0.0\n"
        "[[gate]]\nwhere = 'compression/downsample/2x'\nmetric = 'accuracy'\nmin = 0.0\n"
    )
    given = answers(asked, lambda case: case.reference)
    found = asked.run(given)
    assert found.status == 1
    note = "compression: no groups fit replay:given.jsonl, freeze your own: the frozen groups are those of 'ocr-rules'"
    assert note in found.text
    assert {name: word for name, word in found.verdicts.items() if "accuracy" in name} == {
        "downsample-2x-accuracy": "pass",
        "downsample-2x-accuracy_simple": "not_measured",
        "downsample-2x-simple-accuracy": "not_measured",
    }
    (asked.path / "pyproject.toml").write_text(
        '[tool.vtcfaith.models.mine]\nadapter = "replay"\nmodel = "given.jsonl"\nbase = "ocr-rules"\n', encoding="utf-8"
    )
    found = asked.run("--vtc-model=mine", "--rootdir=.")
    assert found.status == 0, found.text
    assert "no groups fit" not in found.text
