"""What is lost is never green: crashed workers, lost cases, full disks, nothing measured; and reruns count once."""

from __future__ import annotations

import errno
import re
import xml.etree.ElementTree as ET

import pytest

CRASH = """
import os, pathlib, pytest

@pytest.fixture(autouse=True)
def crash(request):
    flag = pathlib.Path(__file__).with_name("crashed")
    if "doc-0001-scramble" in request.node.name and "PYTEST_XDIST_WORKER" in os.environ:
        if {always} or not flag.exists():
            flag.touch()
            os._exit(9)
"""


def crashing(bench, *, always: bool) -> str:
    bench.module(CRASH.format(always=always), "conftest.py")
    return bench.replay()


@pytest.mark.parametrize("always", [False, True], ids=["once", "always"])
@pytest.mark.parametrize("way", [["-n1"], ["-n2"], ["-n2", "--dist=worksteal"]], ids=" ".join)
def test_a_worker_that_dies_fails_its_case_and_its_tier(bench, way: list[str], always: bool) -> None:
    found = bench.run(crashing(bench, always=always), *way, "--junitxml=junit.xml")
    assert found.status == 1, found.text
    assert re.search(r"worker 'gw\d' crashed while running .*doc-0001-scramble", found.text)
    assert found.verdicts["en-scramble-failure_rate"] == "not_measured"
    assert found.gates["en-scramble-failure_rate"]["measured"] == 3
    assert found.gates["en-scramble-failure_rate"]["expected"] == 4
    assert found.verdicts["en-random-failure_rate"] == "pass"
    assert "doc-0001-scramble" not in found.results
    assert len(found.results) == 11
    names = [case.get("name") for case in ET.parse(bench.path / "junit.xml").getroot()[0]]
    assert sum("test_gate" in str(name) for name in names) == 10
    assert "manifest" not in (found.folder / "summary.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("always", [False, True], ids=["once", "always"])
def test_loadscope_asks_a_crashing_case_again(bench, always: bool) -> None:
    """Its scope goes back to the queue, crashed case included; when that never ends xdist gives up."""
    found = bench.run(crashing(bench, always=always), "-n2", "--dist=loadscope")
    assert found.status == 1, found.text
    assert "doc-0001-scramble" in "".join(line for line in found.text.split("\n") if line.startswith("FAILED"))
    assert found.verdicts["en-scramble-failure_rate"] == ("not_measured" if always else "pass")


def test_no_restart_loses_what_the_worker_had(bench) -> None:
    found = bench.run(crashing(bench, always=True), "-n2", "--max-worker-restart=0")
    assert found.status not in (0, 5), found.text
    assert "crashed" in found.text
    if (found.folder / "gates.json").exists():
        assert "pass" not in {found.verdicts[g] for g in ("en-scramble-failure_rate", "en-scramble-rewrite_rate")}


def test_the_only_worker_dies_for_good(bench) -> None:
    found = bench.run(crashing(bench, always=True), "-n1", "--max-worker-restart=0")
    assert found.status not in (0, 5), found.text
    assert "selected tests gave no report" in found.text or "cut short" in found.text
    assert "**Red**" in (found.folder / "summary.md").read_text(encoding="utf-8")


def test_a_lost_case_fails_the_next_run_too(bench) -> None:
    """What the last run lost is not taken from the run before it."""
    model = crashing(bench, always=True)
    assert bench.run(model, "-n0").status == 0
    bench.run(model, "-n2")
    found = bench.run(model, "-n0", "-k", "test_gate and scramble", "-rs")
    assert "1 of 4 cases were not selected and no earlier run" in found.text
    assert found.verdicts == {}


SKIPPING = """
import pytest

@pytest.fixture(autouse=True)
def leave_out(request):
    if "doc-0001-scramble" in request.node.name:
        pytest.skip("not today")
"""


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_skipped_case_is_a_lost_case(bench, workers: str) -> None:
    bench.module(SKIPPING, "conftest.py")
    found = bench.run(bench.replay(), workers)
    assert found.status == 1
    assert found.verdicts["en-scramble-failure_rate"] == "not_measured"
    assert "coverage 0.75" in found.gates["en-scramble-failure_rate"]["message"]


SWALLOWING = """
import pytest

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item):
    if "{name}" in item.name:
        return True
"""


@pytest.mark.parametrize("name", ["doc-0001-scramble", "en-scramble-rewrite_rate"])
@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_test_without_a_report_is_never_green(bench, workers: str, name: str) -> None:
    bench.module(SWALLOWING.format(name=name), "conftest.py")
    found = bench.run(bench.replay(), workers)
    assert found.status == 1, found.text
    assert re.search(r"1 of (12|22) selected tests gave no report, first \S*" + name, found.text), found.text


@pytest.mark.parametrize("writer", ["append_result", "write_results", "write_gates", "write_summary"])
def test_a_full_disk_is_never_green(bench, writer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    module = "summary" if writer == "write_summary" else "results"
    monkeypatch.setattr(f"pytest_vtcfaith.report.{module}.{writer}", full)
    found = bench.run(bench.replay(), "-n0")
    assert found.status == 1, found.text
    assert "No space left on device" in found.text
    assert "INTERNALERROR" not in found.text


def test_a_full_disk_while_accepting_is_never_green(bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("pytest_vtcfaith.gating.baselines.write_baseline", full)
    found = bench.run(bench.replay(), "-n0", "--snapshot-update")
    assert found.status == 1, found.text
    assert "No space left on device" in found.text
    assert "INTERNALERROR" not in found.text


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_everything_inapplicable_is_never_green(bench, workers: str) -> None:
    bench.module(
        "from pytest_vtcfaith import register_model\n\n"
        "@register_model('korean', languages=['ko'], prompts=False)\n"
        "class Korean:\n    def transcribe(self, images, prompt): return ['' for _ in images]\n",
        "conftest.py",
    )
    found = bench.run("--vtc-model=korean", workers)
    assert found.status == 1, found.text
    assert found.verdicts["rewriting-inapplicable"] == "fail"
    assert found.gates["rewriting-inapplicable"]["inapplicable"] == 12
    assert found.verdicts["en-scramble-rewrite_rate"] == "not_applicable"
    assert "12 cases are inapplicable to korean: korean does not declare that it reads 'en'" in found.text
    only_cases = bench.run("--vtc-model=korean", workers, "-k", "test_case")
    assert only_cases.status == 1
    assert "nothing was measured" in only_cases.text


LOADING = """
import pathlib
from pytest_vtcfaith import NotInstalled, register_model

@register_model("mine", prompts=False)
class Mine:
    def __init__(self):
        with pathlib.Path(__file__).with_name("loads").open("a") as file:
            file.write("x")
        raise {error}
    def transcribe(self, images, prompt): return [""]
"""


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("NotInstalled('pip install mine')", "not installed: pip install mine"),
        ("RuntimeError('no weights')", "no weights"),
    ],
)
def test_a_model_that_cannot_be_loaded_is_not_measured_and_tried_once(bench, error: str, said: str) -> None:
    bench.module(LOADING.format(error=error), "conftest.py")
    found = bench.run("--vtc-model=mine")
    assert found.status == 1
    assert set(found.verdicts.values()) == {"not_measured", "pass"}
    assert [name for name, verdict in found.verdicts.items() if verdict == "pass"] == ["rewriting-inapplicable"]
    assert said in found.text
    assert (bench.path / "cases" / "loads").read_text(encoding="utf-8") == "x"
    assert f"12 cases were not measured with mine: {found.results['doc-0000-original']['reason']}" in found.text


FLAKY = """
import pytest

def test_flaky(vtc_case, vtc_score, tmp_path_factory):
    flag = tmp_path_factory.getbasetemp().parent / "tried"
    if vtc_case.id == "doc-0001-scramble" and not flag.exists():
        flag.touch()
        pytest.fail("the first time")
"""


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_rerun_case_counts_once(bench, workers: str) -> None:
    bench.module(FLAKY.replace("tmp_path_factory.getbasetemp().parent", "__import__('pathlib').Path(__file__).parent"))
    given = bench.arguments(bench.replay(), workers, "--reruns=2", "--junitxml=junit.xml")
    at = given.index("no:rerunfailures")
    del given[at - 1 : at + 1]
    found = bench.run(*given, plain=True, fresh=True)
    assert found.status == 0, found.text
    assert "1 rerun" in found.text
    assert found.gates["en-scramble-failure_rate"]["measured"] == 4
    assert found.gates["en-scramble-failure_rate"]["expected"] == 4
    assert len(found.results) == 12
    assert "**Green**" in (found.folder / "summary.md").read_text(encoding="utf-8")
    suite = ET.parse(bench.path / "junit.xml").getroot()[0]
    assert suite.get("failures") == "0"
    for case in suite:
        names = [p.get("name") for p in case.iter("property")]
        assert len(names) == len(set(names)), names


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_case_and_a_gate_that_keep_failing_are_rerun_and_red(bench, workers: str) -> None:
    bench.module("def test_never(vtc_case, vtc_score):\n    assert vtc_case.id != 'doc-0001-scramble'\n")
    given = bench.arguments(bench.replay("original"), workers, "--reruns=1")
    at = given.index("no:rerunfailures")
    del given[at - 1 : at + 1]
    found = bench.run(*given, plain=True, fresh=True)
    assert found.status == 1, found.text
    assert found.verdicts["en-scramble-rewrite_rate"] == "fail"
    assert re.search(r"3 failed, .* 3 rerun", found.text), found.text
