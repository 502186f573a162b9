"""Models in host processes through the whole plugin: loads, batches, devices, the store, and what tests are told."""

from __future__ import annotations

import json
import os
import sys

import pytest
from hostbench import FAKE, all_end, asked, batches, forget, logged, own_processes, write_model

from pytest_vtcfaith.models import ModelSpec

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")


def hosts(found) -> list[dict]:
    return json.loads((found.folder / "hosts.json").read_text(encoding="utf-8"))


def right(bench, found) -> None:
    """Every case was asked once and got the answer of its own page."""
    assert {case: row["transcript"] for case, row in found.results.items()} == {
        r["case"]: r["text"] for r in bench.rows
    }
    assert {row["outcome"] for row in found.results.values()} == {"complete"}
    assert asked(bench.path) == {row["case"]: 1 for row in bench.rows}


@pytest.mark.parametrize("workers", ["-n0", "-n1", "-n4", "-n2 --dist=loadfile", "-n2 --dist=worksteal", "-p no:xdist"])
def test_one_load_and_full_batches_whatever_the_workers(bench, workers: str) -> None:
    write_model(bench.path)
    found = bench.run(FAKE, "--vtc-batch-size=4", *workers.split())
    assert found.status == 0, found.text
    right(bench, found)
    assert batches(bench.path) == [4, 4, 4]
    ((pid, _),) = logged(bench.path, "loads.log")
    (row,) = hosts(found)
    assert (row["pids"], row["loads"], row["restarts"], row["device"]) == ([pid], 1, 0, "cpu")
    assert (row["batches"], row["pages"], row["mean_batch"], row["batch_size"]) == (3, 12, 4.0, 4)
    assert row["versions"]["python"] == sys.version.split()[0]
    assert "fake: 12/12 answered" in found.text
    assert not (found.folder / "answers").exists()
    assert all_end([pid])


def test_without_an_option_the_batch_is_the_models_choice_or_16(bench) -> None:
    write_model(bench.path)
    assert bench.run(FAKE).status == 0
    assert batches(bench.path) == [12]
    forget(bench.path)
    conftest = bench.path / "conftest.py"
    conftest.write_text(conftest.read_text(encoding="utf-8").replace("class Fake:", "class Fake:\n    batch_size = 5"))
    assert bench.run(FAKE).status == 0
    assert batches(bench.path) == [5, 5, 2]


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_full_store_needs_no_host(bench, workers: str) -> None:
    write_model(bench.path, revision="1")
    first = bench.run(FAKE, workers)
    right(bench, first)
    before = first.results
    forget(bench.path)
    again = bench.run(FAKE, workers)
    assert again.status == 0, again.text
    assert logged(bench.path, "loads.log") == []
    assert not (again.folder / "hosts.json").exists()
    for case, row in again.results.items():
        assert (row["transcript"], row["metrics"]) == (before[case]["transcript"], before[case]["metrics"])


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
@pytest.mark.parametrize("known", ["doc-0001", "doc-0000 or doc-0003", "original"])
def test_what_the_store_has_is_not_asked_again(bench, workers: str, known: str) -> None:
    """Whether the ends of the run or its middle are stored."""
    write_model(bench.path, revision="1")
    bench.run(FAKE, "-k", f"test_case and ({known})")
    stored = set(asked(bench.path))
    assert 0 < len(stored) < 12
    forget(bench.path)
    found = bench.run(FAKE, workers)
    assert found.status == 0, found.text
    assert asked(bench.path) == {row["case"]: 1 for row in bench.rows if row["case"] not in stored}
    assert len(found.results) == 12


def test_a_model_without_a_revision_is_asked_every_time(bench) -> None:
    write_model(bench.path)
    bench.run(FAKE)
    forget(bench.path)
    right(bench, bench.run(FAKE))


def test_no_cache_asks_every_time(bench) -> None:
    write_model(bench.path, revision="1")
    bench.run(FAKE)
    forget(bench.path)
    right(bench, bench.run(FAKE, "--vtc-no-cache"))


def test_two_devices_share_the_cases(bench) -> None:
    write_model(bench.path, call_s=0.2)
    found = bench.run(FAKE, "--vtc-devices=2", "--vtc-batch-size=2")
    assert found.status == 0, found.text
    right(bench, found)
    assert len(logged(bench.path, "loads.log")) == 2
    assert [row["device"] for row in hosts(found)] == ["cpu", "cpu"]
    assert sum(row["pages"] for row in hosts(found)) == 12


def test_gpus_are_counted_within_the_callers(bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "5,GPU-7,9")
    write_model(bench.path, call_s=0.3)
    found = bench.run(FAKE, "--vtc-devices=cuda:1,cuda:2", "--vtc-batch-size=2")
    assert found.status == 0, found.text
    assert sorted(seen for _, seen in logged(bench.path, "loads.log")) == ["9", "GPU-7"]
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "5,GPU-7,9"
    assert [row["device"] for row in hosts(found)] == ["cuda:1", "cuda:2"]


def test_a_gpu_that_is_not_there_ends_the_wait(bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    write_model(bench.path)
    found = bench.run(FAKE, "--vtc-devices=cuda:4", "-n2")
    assert found.status == 1
    assert "cuda:4: CUDA_VISIBLE_DEVICES=0 has 1 entries" in found.text
    assert {row["outcome"] for row in found.results.values()} == {"infrastructure_error"}


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("--vtc-devices=gpu", "give a list like cuda:0,cuda:1"),
        ("--vtc-devices=0", "1 or more"),
        ("--vtc-devices=cuda:1,cuda:1", "cuda:1 is named twice"),
        ("--vtc-batch-size=0", "--vtc-batch-size 0: give the number of pages per call, 1 or more"),
    ],
)
def test_options_that_mean_nothing(bench, option: str, says: str) -> None:
    write_model(bench.path)
    found = bench.run(FAKE, option)
    assert found.status == 4
    assert says in found.text


def test_pages_with_different_prompts_never_share_a_call(bench) -> None:
    (bench.path / "pyproject.toml").write_text('[tool.vtcfaith]\nprompts = ["plain", "no_correct"]\n', encoding="utf-8")
    write_model(bench.path)
    found = bench.run(FAKE, "--vtc-batch-size=4", "-n2")
    assert found.status == 0, found.text
    calls = [(condition, len(cases)) for _, condition, cases in logged(bench.path, "calls.log")]
    assert sorted(calls) == [("no_correct", 4)] * 3 + [("plain", 4)] * 3


UNASKING = """
import pytest

@pytest.mark.vtc(suite="rewriting")
def test_pages(vtc_page):
    assert vtc_page.words
"""
ASKING_LATE = """
import pytest

@pytest.mark.vtc(suite="rewriting")
def test_late(vtc_case, request):
    if vtc_case.id.endswith("original"):
        assert request.getfixturevalue("vtc_response").text == vtc_case.reference
"""


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_only_what_a_test_waits_for_is_asked(bench, workers: str) -> None:
    write_model(bench.path)
    bench.module(UNASKING)
    found = bench.run(FAKE, workers, "cases/test_own.py")
    assert found.status != 4, found.text
    found.counts(passed=12)
    assert logged(bench.path, "loads.log") == []


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_an_answer_that_nobody_expected_is_fetched(bench, workers: str) -> None:
    write_model(bench.path)
    bench.module(ASKING_LATE)
    found = bench.run(FAKE, workers, "cases/test_own.py")
    found.counts(passed=12)
    assert sum(asked(bench.path).values()) == 4


def test_two_tests_of_a_case_share_its_answer(bench) -> None:
    write_model(bench.path)
    bench.module("def test_own(vtc_case, vtc_response):\n    assert vtc_response.text == vtc_case.reference\n")
    found = bench.run(FAKE, "-n2")
    assert found.status == 0, found.text
    right(bench, found)


def test_two_models_are_loaded_one_after_the_other(bench) -> None:
    write_model(bench.path)
    conftest = bench.path / "conftest.py"
    second = "\n@register_model('other', lives='host')\nclass Other(Fake):\n    pass\n"
    conftest.write_text(conftest.read_text(encoding="utf-8") + second, encoding="utf-8")
    found = bench.run(FAKE, "--vtc-model=other", "-n2", "--vtc-batch-size=6")
    assert found.status == 0, found.text
    assert batches(bench.path) == [6, 6, 6, 6]
    pids = [pid for pid, _, _ in logged(bench.path, "calls.log")]
    assert pids == [pids[0]] * 2 + [pids[2]] * 2
    assert [row["model"] for row in hosts(found)] == ["fake", "other"]


def test_a_model_that_a_conftest_registers_when_configured(bench) -> None:
    write_model(bench.path)
    conftest = bench.path / "conftest.py"
    text = conftest.read_text(encoding="utf-8").replace("@register_model", "# @register_model")
    text += "\ndef pytest_addoption(parser):\n    parser.addoption('--weights')\n"
    text += "\ndef pytest_configure(config):\n    assert config.getoption('--weights') == 'w'\n"
    conftest.write_text(text + "    register_model('fake', lives='host')(Fake)\n", encoding="utf-8")
    found = bench.run(FAKE, "--weights=w", "-n2")
    assert found.status == 0, found.text
    right(bench, found)


def test_a_test_cannot_have_the_model_itself(bench) -> None:
    write_model(bench.path)
    bench.module("def test_own(vtc_case, vtc_model):\n    pass\n")
    found = bench.run(FAKE, "cases/test_own.py")
    assert "ask it by vtc_response, not by vtc_model" in found.text
    assert found.status != 0


@LINUX
@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_the_first_failure_ends_the_run_without_waiting(bench, workers: str) -> None:
    write_model(bench.path, call_s=0.5)
    bench.module("def test_own(vtc_case, vtc_response):\n    assert vtc_case.document != 'doc-0000'\n", "test_a.py")
    found = bench.run(FAKE, workers, "-x", "--vtc-batch-size=1")
    assert found.status in (1, 2)
    assert sum(asked(bench.path).values()) < 12
    assert all_end([pid for pid, _ in logged(bench.path, "loads.log")])
    assert own_processes(bench.path) == []


def test_collecting_alone_starts_nothing(bench) -> None:
    write_model(bench.path)
    assert bench.run(FAKE, "--collect-only", "-q").status == 0
    assert logged(bench.path, "loads.log") == []


def test_a_case_without_a_page_is_not_measured(bench) -> None:
    """The page cannot be laid out: the others are answered, and the host goes on."""
    rows = [dict(row) for row in bench.rows]
    bench.manifest([row for row in rows if row["case"] != "doc-0001-scramble"])
    write_model(bench.path)
    bad = next(row for row in rows if row["case"] == "doc-0001-scramble")
    bad["text"] = bad["text"].replace(" 1.", " ᚠ.")
    bench.manifest(rows)
    found = bench.run(FAKE, "-n2")
    assert found.status == 1
    assert len(logged(bench.path, "loads.log")) == 1
    assert "MissingGlyphs" in found.text
    measured = {case for case, row in found.results.items() if row["outcome"] == "complete"}
    assert measured == {row["case"] for row in rows} - {bad["case"]}


def test_a_model_lives_in_a_worker_or_in_a_host() -> None:
    with pytest.raises(ValueError, match="lives = 'cloud': give 'worker' or 'host'"):
        ModelSpec("m", load=object, languages=None, lives="cloud")
