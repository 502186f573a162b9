"""Hosts that die, models that fail: nothing is lost, nothing is read twice, and nobody waits for what will not come."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial

import pytest
from hostbench import FAKE, KILL, all_end, asked, batches, logged, own_processes, write_model
from smallbench import ROOT

from pytest_vtcfaith.engine.hosts import MOST_DEATHS

BAD = "doc-0001-scramble"


def outcomes(found) -> dict[str, str]:
    return {case: row["outcome"] for case, row in found.results.items()}


def only_bad_is_lost(bench, found) -> None:
    """Every case but one was measured, from its own page."""
    assert len(found.results) == 12
    assert outcomes(found).pop(BAD) == "infrastructure_error"
    texts = {row["case"]: row["text"] for row in bench.rows if row["case"] != BAD}
    assert {case: row["transcript"] for case, row in found.results.items() if case != BAD} == texts
    assert found.status == 1


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
@pytest.mark.parametrize("size", [1, 4, 16])
def test_a_page_that_kills_its_host_is_found_among_its_batch(bench, size: int, workers: str) -> None:
    write_model(bench.path, {BAD: KILL})
    found = bench.run(FAKE, workers, f"--vtc-batch-size={size}")
    only_bad_is_lost(bench, found)
    assert asked(bench.path)[BAD] == 2
    assert max(asked(bench.path).values()) <= 3  # an answer that is not written yet dies with its host
    assert "2 host processes died while they read this page, the last killed by SIGKILL" in found.text
    (row,) = json.loads((found.folder / "hosts.json").read_text(encoding="utf-8"))
    assert row["loads"] == len(row["pids"]) == row["restarts"] + 1 == len(logged(bench.path, "loads.log"))
    assert row["loads"] in (2, 3)


@pytest.mark.parametrize("size", [4, 16])
@pytest.mark.parametrize("places", [(0, 1), (3, 9), (0, 1, 2), (1, 5, 11)])
def test_several_pages_that_kill_lose_themselves_alone(bench, places: tuple[int, ...], size: int) -> None:
    bad = {sorted(row["case"] for row in bench.rows)[place] for place in places}
    write_model(bench.path, dict.fromkeys(bad, KILL))
    found = bench.run(FAKE, f"--vtc-batch-size={size}")
    assert {case for case, outcome in outcomes(found).items() if outcome != "complete"} == bad
    assert len(found.results) == 12
    assert all(asked(bench.path)[case] == 2 for case in bad)
    assert found.status == 1


def test_a_host_that_dies_once_costs_nothing_but_time(bench) -> None:
    once = f"mark = HERE / 'died'\nif not mark.exists():\n    mark.touch()\n    {KILL}"
    write_model(bench.path, {BAD: once})
    found = bench.run(FAKE, "-n2", "--vtc-batch-size=4")
    assert found.status == 0, found.text
    assert set(outcomes(found).values()) == {"complete"}
    assert "a host process of fake died on cpu and is replaced: killed by SIGKILL" in found.text


@pytest.mark.parametrize("code", ["import ctypes; ctypes.string_at(0)", "os._exit(0)"])
def test_other_deaths(bench, code: str) -> None:
    write_model(bench.path, {BAD: code})
    found = bench.run(FAKE)
    only_bad_is_lost(bench, found)


def test_a_model_that_asks_python_to_end_keeps_its_host(bench) -> None:
    write_model(bench.path, {BAD: "sys.exit(3)"})
    found = bench.run(FAKE)
    assert found.results[BAD]["reason"] == "ModelExited: SystemExit(3): the model asked Python to end"
    assert sorted(outcomes(found).values()) == ["complete"] * 11 + ["infrastructure_error"]
    assert len(logged(bench.path, "loads.log")) == 1


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_hosts_that_die_while_they_load_are_given_up(bench, workers: str) -> None:
    write_model(bench.path, load=f"print('no such thing, api_key=sk-test-12345', file=sys.stderr, flush=True)\n{KILL}")
    started = time.monotonic()
    found = bench.run(FAKE, workers)
    assert time.monotonic() - started < 90  # a wait without end would be caught nowhere else
    assert set(outcomes(found).values()) == {"infrastructure_error"}
    assert len(found.results) == 12
    assert len(logged(bench.path, "loads.log")) == 3
    assert "3 host processes in a row died without an answer, the last killed by SIGKILL" in found.text
    assert "its last lines: no such thing, api_key=***" in found.text
    assert "sk-test-12345" not in found.text
    for path in found.folder.rglob("*"):
        assert not path.is_file() or b"sk-test-12345" not in path.read_bytes()


@pytest.mark.parametrize("size", [1, 4, 16])
def test_a_model_that_kills_with_every_page_is_given_up(bench, size: int) -> None:
    write_model(bench.path, {row["case"]: "os._exit(9)" for row in bench.rows})
    found = bench.run(FAKE, f"--vtc-batch-size={size}")
    assert set(outcomes(found).values()) == {"infrastructure_error"}
    assert len(logged(bench.path, "loads.log")) == MOST_DEATHS
    first = [set(cases) for _, _, cases in logged(bench.path, "calls.log")]
    assert size == 16 or not first[0] & first[1] | first[1] & first[2] | first[0] & first[2]
    assert "3 host processes in a row died without an answer, the last exit status 9; it wrote nothing" in found.text


@pytest.mark.parametrize(
    ("load", "says"),
    [
        ("raise ValueError('no weights in api_key=sk-test-12345')", "ValueError: no weights in api_key=***"),
        ("from pytest_vtcfaith.models import NotInstalled; raise NotInstalled('get it')", "not installed: get it"),
        ("sys.exit(4)", "ModelExited: SystemExit(4): the model asked Python to end"),
    ],
)
@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_model_that_cannot_be_loaded_is_tried_once(bench, workers: str, load: str, says: str) -> None:
    write_model(bench.path, load=load)
    found = bench.run(FAKE, workers)
    assert set(outcomes(found).values()) == {"infrastructure_error"}
    assert len(logged(bench.path, "loads.log")) == 1
    assert says in found.text
    assert "sk-test-12345" not in found.text


def test_one_device_of_two_that_cannot_load(bench) -> None:
    first = "if os.environ['CUDA_VISIBLE_DEVICES'] == '0':\n    raise RuntimeError('a broken card')"
    write_model(bench.path, load=first)
    found = bench.run(FAKE, "--vtc-devices=cuda:0,cuda:1")
    assert found.status == 0, found.text
    assert set(outcomes(found).values()) == {"complete"}


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_an_exception_is_the_fault_of_one_page(bench, workers: str) -> None:
    write_model(bench.path, {BAD: "raise RuntimeError('placeholder count mismatch')"})
    found = bench.run(FAKE, workers, "--vtc-batch-size=4")
    only_bad_is_lost(bench, found)
    assert "RuntimeError: placeholder count mismatch" in found.text
    assert sorted(batches(bench.path)) == [1, 1, 1, 1, 4, 4, 4]
    assert len(logged(bench.path, "loads.log")) == 1


def test_a_model_that_returns_too_few_replies(bench) -> None:
    write_model(bench.path)
    conftest = bench.path / "conftest.py"
    returned = 'return [page["text"] for page in found]'
    text = conftest.read_text(encoding="utf-8").replace(returned, f"{returned}[:1]")
    conftest.write_text(text, encoding="utf-8")
    found = bench.run(FAKE, "--vtc-batch-size=12")
    assert found.status == 0, found.text
    assert batches(bench.path) == [12] + [1] * 12


@pytest.mark.parametrize("most", [1, 3, 5])
def test_out_of_memory_halves_the_batch(bench, most: int) -> None:
    write_model(bench.path, most=most)
    found = bench.run(FAKE, "--vtc-batch-size=8")
    assert found.status == 0, found.text
    assert set(outcomes(found).values()) == {"complete"}
    good = [size for size in batches(bench.path) if size <= most]
    assert sum(good) == 12
    (row,) = json.loads((found.folder / "hosts.json").read_text(encoding="utf-8"))
    assert row["batch_size"] == max(good) == {1: 1, 3: 2, 5: 4}[most]
    sizes = [size for size in (4, 2, 1) if size >= max(good)]
    for size in sizes:
        assert found.text.count(f"fake ran out of memory on cpu: it goes on in batches of {size}\n") == 1
    assert found.text.count("ran out of memory") == len(sizes)
    assert len(logged(bench.path, "loads.log")) == 1


def test_out_of_memory_for_a_single_page(bench) -> None:
    write_model(bench.path, {BAD: "raise MemoryError"})
    found = bench.run(FAKE, "--vtc-batch-size=4")
    only_bad_is_lost(bench, found)
    assert "not measured: MemoryError" in found.text


def test_a_lost_device_is_a_death(bench) -> None:
    lose = "raise RuntimeError('CUDA error: an illegal access')"
    write_model(bench.path, {BAD: f"mark = HERE / 'lost'\nif not mark.exists():\n    mark.touch()\n    {lose}"})
    found = bench.run(FAKE, "--vtc-batch-size=4")
    assert found.status == 0, found.text
    assert len(logged(bench.path, "loads.log")) == 2
    assert "RuntimeError: CUDA error: an illegal access" in found.text


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_what_the_model_starts_dies_with_its_host(bench) -> None:
    load = "import subprocess; log('children.log', subprocess.Popen(['sleep', '1000']).pid)"
    write_model(bench.path, {BAD: KILL}, load=load)
    found = bench.run(FAKE, "-n2")
    assert found.status == 1
    children = [child for _, child in logged(bench.path, "children.log")]
    assert len(children) >= 2
    assert all_end(children)
    assert own_processes(bench.path) == []


def test_a_worker_that_dies_takes_no_answer_with_it(bench) -> None:
    bench.module(
        "import os\n\ndef test_own(vtc_case, vtc_response):\n"
        f"    if vtc_case.id == '{BAD}' and os.environ['PYTEST_XDIST_WORKER'] in ('gw0', 'gw1'):\n"
        "        os._exit(9)\n",
        "test_z.py",
    )
    write_model(bench.path)
    found = bench.run(FAKE, "-n2")
    assert found.status == 1
    assert len(found.results) == 12
    assert set(outcomes(found).values()) == {"complete"}
    assert asked(bench.path) == {row["case"]: 1 for row in bench.rows}
    assert len(logged(bench.path, "loads.log")) == 1


def test_settings_that_a_model_tells_hold_no_secret(bench) -> None:
    told = {
        "dtype": "float32",
        "server": "http://me:pw-12345@host/v1",
        "api_key": "plain words",
        "note": "sk-test-12345",
    }
    write_model(bench.path, load=f"self.settings = {told!r}")
    found = bench.run(FAKE)
    (row,) = json.loads((found.folder / "hosts.json").read_text(encoding="utf-8"))
    masked = {"dtype": "float32", "server": "http://me:***@host/v1", "api_key": "***", "note": "***"}
    assert row["settings"] == masked
    for path in found.folder.rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        assert not any(secret in content for secret in (b"sk-test-12345", b"plain words", b"pw-12345"))


FULL = """
import errno

def full(path, lines):
    if list(lines):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    path.touch()

for name, module in list(sys.modules.items()):
    if name.startswith("pytest_vtcfaith.engine.") and hasattr(module, "append"):
        module.append = full
"""


@pytest.mark.parametrize("where", ["hosts", "everywhere"])
@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_full_disk_ends_the_run(bench, workers: str, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file of answers and events refuses: in the hosts alone, or in every process."""
    for name, module in list(sys.modules.items()):
        if name.startswith("pytest_vtcfaith.engine.") and hasattr(module, "append"):
            monkeypatch.setattr(module, "append", module.append)  # what the inner run's conftest puts there goes again
    write_model(bench.path)
    conftest = bench.path / "conftest.py"
    begin = "if sys.argv[0] == '-c' and len(sys.argv) == 1:\n" if where == "hosts" else "if True:\n"
    body = "import pytest_vtcfaith.engine.hosts, pytest_vtcfaith.engine.host, os, sys\n" + FULL
    body = begin + "".join(f"    {line}\n" for line in body.split("\n"))
    conftest.write_text(conftest.read_text(encoding="utf-8") + body, encoding="utf-8")
    found = bench.run(FAKE, workers)
    assert found.status == 1, found.text
    assert set(outcomes(found).values()) == {"infrastructure_error"}
    assert len(found.results) == 12


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
@pytest.mark.parametrize("workers", ["-n0", "-n2"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_when_the_controller_is_ended_nothing_stays(bench, workers: str, number: signal.Signals) -> None:
    """Ctrl-C reaches everybody in the foreground, the other signals the controller alone."""
    write_model(bench.path, call_s=30.0)
    command = [sys.executable, "-m", "pytest", *bench.arguments(FAKE, workers)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # a background job inherits "ignored"
    run = subprocess.Popen(command, cwd=bench.path, env=environment, start_new_session=True, preexec_fn=heed, **quiet)
    while not logged(bench.path, "calls.log"):
        assert run.poll() is None
        time.sleep(0.05)
    (os.killpg if number == signal.SIGINT else os.kill)(run.pid, number)
    assert run.wait(timeout=30) == (2 if number == signal.SIGINT else -number)
    assert all_end([pid for pid, _ in logged(bench.path, "loads.log")], seconds=5)
    assert all_end(own_processes(bench.path))
