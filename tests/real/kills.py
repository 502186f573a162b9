"""Thirty kills at random moments: of the host, of workers, of the controller. Takes two minutes; run by name only.

`pytest tests/real/kills.py -p no:randomly -s`
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "plugin"))

import hostbench as fake  # noqa: E402
import smallbench as small  # noqa: E402

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
DOCUMENTS = 16
KILLS = 10
END_SECONDS = 30.0


class Folder:
    """A benchmark of 48 cases whose model takes about a second for all of them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        (path / "data").mkdir()
        (path / "cases").mkdir()
        (path / "cases" / "test_rewriting.py").write_bytes(
            (ROOT / "benchmark_cases" / "test_rewriting.py").read_bytes()
        )
        (path / "pytest.ini").write_text("[pytest]\ntestpaths = cases\n", encoding="utf-8")
        (path / "thresholds.toml").write_text(small.THRESHOLDS, encoding="utf-8")
        self.rows = small.manifest_rows(DOCUMENTS)
        small.write_rewriting(path / "data" / "rewriting-en.jsonl", self.rows)
        fake.write_model(path, revision="1", load="time.sleep(0.3)", call_s=0.06, page_s=0.005)

    def start(self, workers: str) -> subprocess.Popen[str]:
        left_out = small.without("hypothesispytest", "benchmark", "anyio", "randomly", "rerunfailures")
        given = ["--vtc-cases=data", "--vtc-thresholds=thresholds.toml", "--vtc-report=out", "--vtc-batch-size=4"]
        command = [sys.executable, "-m", "pytest", fake.FAKE, workers, "-rf", *left_out, *given]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        return subprocess.Popen(command, cwd=self.path, env=environment, text=True, encoding="utf-8", **pipe)

    def forget(self) -> None:
        """An empty store: everything has to be asked."""
        for path in (self.path / ".pytest_cache").rglob("replies.sqlite*"):
            path.unlink()
        fake.forget(self.path)

    def results(self) -> list[Mapping[str, Any]]:
        lines = (self.path / "out" / "results.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
        return [json.loads(line) for line in lines]

    def check_right(self, lacking: int = 0) -> None:
        """No result is doubled or wrong, and no more than `lacking` are lost."""
        texts = {row["case"]: row["text"] for row in self.rows}
        rows = self.results()
        cases = [row["case"] for row in rows]
        assert len(cases) == len(set(cases)) >= len(texts) - lacking
        assert {row["outcome"] for row in rows} == {"complete"}
        assert all(row["transcript"] == texts[row["case"]] for row in rows)

    def check_no_orphan(self) -> None:
        until = time.monotonic() + END_SECONDS
        while left := fake.own_processes(self.path):
            assert time.monotonic() < until, [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in left]
            time.sleep(0.05)


def processes(folder: Path, mark: bytes) -> list[int]:
    """Processes at work in the folder whose command has the mark in it."""
    found = []
    for pid in fake.own_processes(folder):
        try:
            if mark in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
        except OSError:
            continue
    return found


def kill_at(run: subprocess.Popen[str], moment: float, victims: Callable[[], list[int]], choose: random.Random) -> bool:
    """Kills one of the victims at the moment (seconds), or as soon after it as there is one; False when there is none
    before the run ends.
    """
    time.sleep(moment)
    while run.poll() is None:
        if found := victims():
            os.kill(choose.choice(found), signal.SIGKILL)
            return True
        time.sleep(0.01)
    return False


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def duration(folder: Folder, workers: str) -> float:
    started = time.monotonic()
    run = folder.start(workers)
    text = run.communicate()[0]
    assert run.returncode == 0, text
    folder.check_right()
    return time.monotonic() - started


def test_kills_of_the_host(folder: Folder) -> None:
    choose, killed = random.Random(1), 0
    whole = duration(folder, "-n0")
    while killed < KILLS:
        folder.forget()
        run = folder.start("-n0" if killed % 2 else "-n2")
        happened = kill_at(run, choose.uniform(0, whole), lambda: processes(folder.path, b"hostmain"), choose)
        text = run.communicate()[0]
        assert run.returncode == 0, text
        folder.check_right()
        folder.check_no_orphan()
        assert not happened or max(fake.asked(folder.path).values()) <= 2
        killed += happened


def test_kills_of_a_worker(folder: Folder) -> None:
    choose, killed = random.Random(2), 0
    whole = duration(folder, "-n2")
    while killed < KILLS:
        folder.forget()
        run = folder.start("-n2")
        happened = sum(
            kill_at(run, choose.uniform(0, whole / 2), lambda: processes(folder.path, b"sys.stdin.readline"), choose)
            for _ in range(2)
        )
        text = run.communicate()[0]
        assert "INTERNALERROR" not in text, text
        assert run.returncode == 0 or happened, text
        folder.check_right(lacking=happened)
        folder.check_no_orphan()
        assert max(fake.asked(folder.path).values()) == 1
        killed += happened
    assert duration(folder, "-n2")


def test_kills_of_the_controller(folder: Folder) -> None:
    """Each run goes on where the one before was killed."""
    choose, killed = random.Random(3), 0
    while killed < KILLS:
        folder.forget()
        whole = duration(folder, "-n2")
        folder.forget()
        for _ in range(KILLS // 2):
            run = folder.start("-n2" if killed % 2 else "-n0")
            happened = kill_at(run, choose.uniform(0, whole), lambda run=run: [run.pid], choose)
            run.communicate()
            folder.check_no_orphan()
            killed += happened
        duration(folder, "-n2")
        assert len(fake.asked(folder.path)) == len(folder.rows)
