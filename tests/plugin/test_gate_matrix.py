"""Gates are tests: they hold under every way pytest is run. One case fails, and the scramble gate."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest
from smallbench import THRESHOLDS

MODEL = "replay-answers-jsonl-66cbe5cf"
BAD = "doc-0001-original"
FLOOR = """
[[floor]]
where = "rewriting/*/original"
metric = "word_accuracy"
min = 0.8
"""
FAILED_CASES = {f"test_case[{MODEL}-{BAD}]"}
FAILED_GATES = {
    f"test_gate[{MODEL}-en-scramble-rewrite_rate]",
    f"test_gate[{MODEL}-en-original-word_accuracy]",
}
VERDICTS = {
    "en-original-failure_rate": "pass",
    "en-original-word_accuracy": "fail",
    "en-original-word_accuracy-regression": "not_applicable",
    "en-random-baseline": "not_applicable",
    "en-random-failure_rate": "pass",
    "en-random-rewrite_rate": "pass",
    "en-scramble-baseline": "not_applicable",
    "en-scramble-failure_rate": "pass",
    "en-scramble-rewrite_rate": "fail",
    "rewriting-inapplicable": "pass",
}


@pytest.fixture
def red(bench):
    """A benchmark whose scramble pages are rewritten, and one of whose originals is half wrong."""
    bench.thresholds(THRESHOLDS + FLOOR)
    bench.model = bench.replay(
        lambda row: row["original"] if row["condition"] == "scramble" else row["text"],
        change={BAD: " ".join(w if n % 2 else "wrong" for n, w in enumerate(bench.rows[3]["text"].split()))},
    )
    assert bench.rows[3]["case"] == BAD
    return bench


def failed(found: Any) -> set[str]:
    """Names of failed tests in the short summary."""
    return {
        line.partition("::")[2].partition(" - ")[0] for line in found.text.split("\n") if line.startswith("FAILED ")
    }


WAYS = [
    ["-p", "no:xdist"],
    ["-n0"],
    ["-n2"],
    ["-n4"],
    ["-n2", "--dist=load"],
    ["-n2", "--dist=worksteal"],
    ["-n2", "--dist=loadscope"],
    ["-n2", "--dist=loadfile"],
    ["-n2", "--dist=loadgroup"],
    ["-n0", "-p", "no:cacheprovider"],
    ["-n2", "-p", "no:cacheprovider"],
    ["-n0", "-W", "error"],
    ["-n2", "-W", "error"],
    ["-n0", "--ff"],
    ["-n2", "--maxfail=9"],
]


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_the_same_tests_fail_however_the_run_is_made(red, way: list[str]) -> None:
    found = red.run(red.model, *way)
    assert found.status == 1, found.text
    assert failed(found) == FAILED_CASES | FAILED_GATES
    assert found.verdicts == VERDICTS
    assert re.search(r"3 failed, 16 passed, 3 skipped", found.text), found.text
    assert "Warning" not in found.text


def test_gates_json_is_the_same_with_and_without_workers(red) -> None:
    files = []
    for way in (["-n0"], ["-n4"], ["-n2", "--dist=worksteal"]):
        red.run(red.model, *way)
        files.append((red.path / "out" / "gates.json").read_bytes())
        (red.path / ".pytest_cache").rename(red.path / f"cache{len(files)}")
    assert files[0] == files[1] == files[2]


TIMED = ("seconds", "rows_sha256")


def test_results_are_the_same_with_and_without_workers(red) -> None:
    found = []
    for way in ("-n0", "-n2"):
        rows = red.run(red.model, way).results
        found.append({case: {k: v for k, v in row.items() if k not in TIMED} for case, row in rows.items()})
    assert found[0] == found[1]
    assert len(found[0]) == 12


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_junit_holds_every_case_and_gate_once(red, workers: str) -> None:
    red.run(red.model, workers, "--junitxml=junit.xml")
    suite = ET.parse(red.path / "junit.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped"), suite.get("errors")) == (
        "22",
        "3",
        "3",
        "0",
    )
    names = [case.get("name") for case in suite]
    assert len(set(names)) == 22
    assert {case.get("name") for case in suite if case.find("failure") is not None} == FAILED_CASES | FAILED_GATES
    bad = next(case for case in suite if case.get("name") in FAILED_CASES)
    properties = {p.get("name"): p.get("value") for p in bad.iter("property")}
    assert properties["vtc.case"] == BAD
    assert properties["vtc.outcome"] == "complete"
    assert float(properties["vtc.word_accuracy"]) == pytest.approx(0.5, abs=0.05)
    assert "vtc" not in properties


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_last_failed_runs_the_failed_ones_again_and_again(red, workers: str) -> None:
    red.run(red.model, workers)
    for _ in range(2):
        found = red.run(red.model, workers, "--lf")
        assert found.status == 1
        assert failed(found) == FAILED_CASES | FAILED_GATES
        assert re.search(r"\b3 failed(, 19 deselected)? in", found.text), found.text
        assert set(found.verdicts) == {"en-original-word_accuracy", "en-scramble-rewrite_rate"}
        assert "(marked *) take scores of cases that were not selected from earlier runs" in found.text


def test_last_failed_turns_green_when_the_model_is_mended_elsewhere(red) -> None:
    """Stored scores belong to one model: those of another replay file are not taken."""
    red.run(red.model)
    other = red.replay("text", name="mended")
    found = red.run(other, "-k", "test_gate and scramble")
    assert found.status == 1
    assert "nothing was measured" in found.text
    assert "12 of 12 cases were not selected" in (found := red.run(other, "-k", "test_gate", "-rs")).text
    assert found.status == 1


def test_stored_scores_of_a_changed_text_are_not_taken(red) -> None:
    red.run(red.model)
    rows = [dict(row) for row in red.rows]
    for row in rows[:3]:
        row["text"] += " more"
        row["original"] += " more"
    red.manifest(rows)
    found = red.run(red.model, "-k", "test_gate", "-rs")
    assert "3 of 12 cases were not selected and no earlier run" in found.text


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_only_cases(red, workers: str) -> None:
    found = red.run(red.model, workers, "-k", "test_case")
    assert found.status == 1
    assert failed(found) == FAILED_CASES
    assert found.gates == {}


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_only_gates_after_a_whole_run_judge_its_scores(red, workers: str) -> None:
    red.run(red.model, "-n0")
    found = red.run(red.model, workers, "-k", "test_gate")
    assert found.status == 1
    assert failed(found) == FAILED_GATES
    assert found.verdicts == VERDICTS
    assert all(row["stored"] for row in found.gates.values())


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_only_gates_without_any_scores_measure_nothing(red, workers: str) -> None:
    found = red.run(red.model, workers, "-k", "test_gate")
    assert found.status == 1
    found.counts(skipped=10, **({"deselected": 12} if workers == "-n0" else {}))
    assert "nothing was measured" in found.text


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_one_tier(red, workers: str) -> None:
    """The other conditions decide which documents count, so the gates of one tier wait for a whole run."""
    first = red.run(red.model, workers, "-k", "scramble", "-rs")
    assert first.status == 0
    assert first.verdicts == {"en-scramble-failure_rate": "pass"}
    assert "8 of 12 cases were not selected and no earlier run" in first.text
    red.run(red.model, workers)
    again = red.run(red.model, workers, "-k", "scramble")
    assert again.status == 1
    assert again.verdicts == {name: verdict for name, verdict in VERDICTS.items() if name.startswith("en-scramble")}
    assert again.gates["en-scramble-rewrite_rate"]["stored"] is True
    assert again.gates["en-scramble-failure_rate"]["stored"] is False


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_node_ids(red, workers: str) -> None:
    case = f"cases/test_rewriting.py::test_case[{MODEL}-doc-0000-scramble]"
    gate = f"cases/test_rewriting.py::test_gate[{MODEL}-en-scramble-rewrite_rate]"
    one = red.run(red.model, workers, case)
    assert one.status == 0
    one.counts(passed=1)
    assert set(one.results) == {"doc-0000-scramble"}
    red.run(red.model, workers)
    both = red.run(red.model, workers, gate, case)
    assert both.status == 1
    both.counts(passed=1, failed=1)
    alone = red.run(red.model, workers, gate)
    assert alone.status == 1
    alone.counts(failed=1)


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_deselected_gates_and_cases(red, workers: str) -> None:
    gate = f"cases/test_rewriting.py::test_gate[{MODEL}-en-scramble-rewrite_rate]"
    found = red.run(red.model, workers, "--deselect", gate)
    assert failed(found) == FAILED_CASES | {f"test_gate[{MODEL}-en-original-word_accuracy]"}
    assert "en-scramble-rewrite_rate" not in found.verdicts
    (red.path / ".pytest_cache").rename(red.path / "cache")
    case = f"cases/test_rewriting.py::test_case[{MODEL}-doc-0000-scramble]"
    found = red.run(red.model, workers, "--deselect", case, "-rs")
    assert "1 of 4 cases were not selected and no earlier run" in found.text  # failure_rate of scramble
    assert "en-scramble-failure_rate" not in found.verdicts


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_stopping_early_is_red_and_judges_nothing(red, workers: str) -> None:
    found = red.run(red.model, workers, "-x")
    assert found.status in (1, 2)
    assert failed(found) <= FAILED_CASES
    assert not (found.folder / "gates.json").exists()
    assert BAD in found.results
    summary = (found.folder / "summary.md").read_text(encoding="utf-8")
    assert "cut short" in summary
    assert "**Red**" in summary
    assert found.results[BAD]["metrics"]["word_accuracy"] < 0.8


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_maxfail_stops_within_the_gates(red, workers: str) -> None:
    found = red.run(red.model, workers, "--maxfail=2")
    assert found.status in (1, 2)
    assert len(failed(found)) == 2
    assert "cut short" in found.text


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_collect_only_runs_nothing_and_writes_nothing(red, workers: str) -> None:
    found = red.run(red.model, workers, "--collect-only", "-q")
    assert found.status == 0
    assert found.text.count("::test_case[") == 12
    assert found.text.count("::test_gate[") == 10
    assert not found.folder.exists()


def test_without_a_terminal(red) -> None:
    for workers in ("-n0", "-n2"):
        found = red.run(red.model, workers, "-p", "no:terminal")
        assert found.status == 1
        assert found.verdicts == VERDICTS


def test_failed_first_puts_gates_last_and_tables_in_order(red) -> None:
    red.run(red.model)
    found = red.run(red.model, "--ff", "-v")
    order = re.findall(r"::(test_\w+)\[", found.text.partition("vtcfaith rewriting")[0])
    assert order.index("test_gate") == 12
    table = re.findall(r"^rewriting\S*", found.text.partition("vtcfaith rewriting")[2], re.MULTILINE)
    assert list(dict.fromkeys(table)) == [
        "rewriting/en/original",
        "rewriting/en/random",
        "rewriting/en/scramble",
        "rewriting",
    ]


def test_stepwise_stops_at_the_case(red) -> None:
    found = red.run(red.model, "--sw")
    assert found.status != 0
    assert not (found.folder / "gates.json").exists()


def test_an_old_verdict_does_not_outlive_a_run_that_fails_to_collect(red) -> None:
    red.run(red.model)
    red.module("import no_such_module\n")
    found = red.run(red.model)
    assert found.status not in (0, 1)
    assert not (found.folder / "gates.json").exists()


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_exit_with_status_zero_is_not_green(bench, workers: str) -> None:
    """`pytest.exit(returncode=0)` after some case leaves the rest unmeasured."""
    bench.module(
        "import pytest\n\n@pytest.fixture(autouse=True)\ndef stop(request):\n"
        "    if 'doc-0002-original' in request.node.name: pytest.exit('enough', returncode=0)\n",
        "conftest.py",
    )
    found = bench.run(bench.replay(), workers)
    assert found.status != 0, found.text


def test_scores_kept_by_another_program_are_not_taken(red) -> None:
    red.run(red.model)
    (file,) = (red.path / ".pytest_cache").rglob(f"scores/{MODEL}")
    data = json.loads(file.read_text(encoding="utf-8"))
    data["about"]["program"] = "0.0"
    file.write_text(json.dumps(data), encoding="utf-8")
    found = red.run(red.model, "-k", "test_gate")
    assert "nothing was measured" in found.text


@pytest.mark.parametrize("scores", [None, 3, "{", "[]", '{"doc-0000-original": 3}', '{"doc-0000-original": {}}', {}])
def test_kept_scores_that_cannot_be_read_are_none(red, scores: object) -> None:
    red.run(red.model)
    (file,) = (red.path / ".pytest_cache").rglob(f"scores/{MODEL}")
    data = json.loads(file.read_text(encoding="utf-8"))
    data["scores"] = scores
    file.write_text(json.dumps(data), encoding="utf-8")
    found = red.run(red.model, "-k", "test_gate")
    assert found.status == 1
    assert "nothing was measured" in found.text


def test_a_narrow_run_keeps_the_scores_of_the_other_tiers(red) -> None:
    red.run(red.model)
    red.run(red.model, "--vtc-tier=rewriting/en/random")
    found = red.run(red.model, "-k", "test_gate")
    assert found.verdicts == VERDICTS


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_random_order(red, workers: str) -> None:
    found = red.run(red.model, workers, "-p", "randomly", "--randomly-seed=7", "-v")
    assert "Using --randomly-seed=7" in found.text
    assert failed(found) == FAILED_CASES | FAILED_GATES
    assert found.verdicts == VERDICTS
    if workers == "-n0":
        cases = re.findall(r"::test_case\[(\S+)\]", found.text.partition("FAILURES")[0])
        assert len(cases) == 12
        assert cases != sorted(cases)
