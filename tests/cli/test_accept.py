"""`vtcfaith accept`: shows, asks, writes what --snapshot-update would; whatever goes wrong, no baseline is half."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from made_runs import SHARDS, change_run, environment, read_rows, write_rows

from pytest_vtcfaith.gating.baselines import read_baseline

TIERS = ("original", "random", "scramble")


def baselines(project: Path) -> dict[str, bytes]:
    folder = project / "data" / "baselines"
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_shards_are_accepted_as_the_one_run_would_be(project, vtcfaith) -> None:
    status, said = vtcfaith("accept", "whole", "--yes")
    assert status == 0, said
    whole = baselines(project)
    shutil.rmtree(project / "data" / "baselines")
    status, said = vtcfaith("accept", *SHARDS, "--yes")
    assert status == 0, said
    assert baselines(project) == whole
    assert set(whole) == {f"mine/rewriting-en-{tier}.json" for tier in TIERS}


def test_it_writes_what_snapshot_update_writes(project, vtcfaith) -> None:
    written = baselines(project)  # by the run `accepted`
    shutil.rmtree(project / "data" / "baselines")
    assert vtcfaith("accept", "accepted", "--yes")[0] == 0
    assert baselines(project) == written


def test_the_table_shows_old_and_new_flips_and_what_else_changed(project, vtcfaith) -> None:
    before = baselines(project)
    status, said = vtcfaith("accept", "whole", given="n\n")
    assert status == 1
    assert "nothing was written" in said
    assert baselines(project) == before
    tier = said[said.index("mine  rewriting/en/scramble: changes (8 documents, 8 cases)") :]
    old, new = (json.loads(read(project))["metrics"]["word_accuracy"] for read in (accepted_text, whole_text))
    line = next(line for line in tier.split("\n") if line.strip().startswith("word_accuracy"))
    assert line.split() == ["word_accuracy", f"{old:.4f}", "→", f"{new:.4f}", "worse"]
    assert "8 of 8 cases got worse, first 5:" in tier
    assert "changed since the baseline: revision sha256:" in tier
    assert vtcfaith("accept", "whole", given="y\n")[0] == 0
    status, said = vtcfaith("accept", "whole")
    assert status == 0
    assert "nothing to accept: all 3 baselines are as these results are" in said


def accepted_text(project: Path) -> str:
    return (project / "data" / "baselines" / "mine" / "rewriting-en-scramble.json").read_text(encoding="utf-8")


def whole_text(project: Path) -> str:
    rows = read_rows(project / "whole" / "results.jsonl")
    words = [r["metrics"] for r in rows if r["tier"].endswith("scramble") and r["document"] != "doc-0005"]
    value = 1 - sum(m["word_edits"] for m in words) / sum(m["reference_words"] for m in words)
    return json.dumps({"metrics": {"word_accuracy": value}})


def test_an_input_that_ended_is_a_no(project, vtcfaith) -> None:
    before = baselines(project)
    assert vtcfaith("accept", "whole")[0] == 1
    assert baselines(project) == before


def test_only_the_chosen_tiers(project, vtcfaith) -> None:
    before = baselines(project)
    status, said = vtcfaith("accept", "whole", "--yes", "--vtc-tier", "rewriting/en/s*")
    assert status == 0, said
    after = baselines(project)
    assert {name for name in after if after[name] != before[name]} == {"mine/rewriting-en-scramble.json"}
    for option, name in (("--vtc-suite", "rewritin"), ("--vtc-model", "min")):
        status, said = vtcfaith("accept", "whole", option, name)
        assert status == 2
        assert "did you mean" in said


def limited(project: Path) -> str:
    return "limited"


def cut_short(project: Path) -> str:
    change_run(project / "whole" / "results.jsonl", complete=False)
    return "whole"


def unmeasured(project: Path) -> str:
    rows = read_rows(project / "whole" / "results.jsonl")
    row = next(row for row in rows if row["case"] == "doc-0002-random")
    row |= {"outcome": "infrastructure_error", "metrics": {}, "reason": "the server has gone"}
    write_rows(project / "whole" / "results.jsonl", rows)
    return "whole"


def missing(project: Path) -> str:
    return "s1"


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (limited, "limited to 2 documents per tier"),
        (cut_short, "the run was cut short"),
        (unmeasured, "the server has gone, and 2 more tiers like it"),
        (missing, "shard 2/4 of mine is missing"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_is_not_whole_is_refused(project, vtcfaith, spoil: Any, words: str) -> None:
    before = baselines(project)
    status, said = vtcfaith("accept", spoil(project), "--yes")
    assert status == 2
    assert said.startswith("error: not accepted: ")
    assert words in said
    assert baselines(project) == before


def test_tiers_that_were_measured_can_be_chosen(project, vtcfaith) -> None:
    """Without another condition's case the documents of all conditions change: none of them is whole."""
    unmeasured(project)
    status, said = vtcfaith("accept", "whole", "--yes", "--vtc-tier", "rewriting/en/original")
    assert status == 2
    assert "computed from other tiers too" in said


def test_a_hand_edited_file_is_replaced_and_said(project, vtcfaith) -> None:
    path = project / "data" / "baselines" / "mine" / "rewriting-en-random.json"
    good = path.read_bytes()
    path.write_bytes(good.replace(b'"outcome": "complete"', b'"outcome": "empty"'))
    status, said = vtcfaith("accept", "accepted", "--yes")
    assert status == 0, said
    assert "replaces one that cannot be trusted" in said
    assert path.read_bytes() == good


# --- whatever goes wrong -------------------------------------------------------------------------------------


@pytest.fixture
def states(project, vtcfaith) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The baselines now, and those that accepting `whole` would write."""
    old = baselines(project)
    assert vtcfaith("accept", "whole", "--yes")[0] == 0
    new = baselines(project)
    for name, content in old.items():
        (project / "data" / "baselines" / name).write_bytes(content)
    assert all(old[name] != new[name] for name in old)
    return old, new


def process(project: Path, *arguments: str, **more: Any) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "pytest_vtcfaith.cli", "accept", *arguments, "--yes"]
    return subprocess.Popen(
        command, cwd=project, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more
    )


def test_a_full_disk_leaves_all_old_files(project, states) -> None:
    """The files may not grow over 3 kB, as on a disk that has no more room."""

    def small() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))

    assert all(len(content) > 3000 for content in states[1].values())
    running = process(project, "whole", preexec_fn=small)
    said = running.communicate(timeout=60)[0].decode("utf-8")
    assert running.returncode == 2
    assert "File too large" in said
    assert baselines(project) == states[0]


@pytest.mark.parametrize("at", [1, 2, 3])
def test_an_interrupt_leaves_every_file_old_or_new(project, vtcfaith, states, monkeypatch, at: int) -> None:
    real, calls = Path.replace, []

    def interrupted(self: Path, target: Path) -> Path:
        calls.append(target)
        if len(calls) == at:
            raise KeyboardInterrupt
        return real(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", interrupted)
        with contextlib.suppress(KeyboardInterrupt):
            vtcfaith("accept", "whole", "--yes")
    assert len(calls) == at
    old, new = states
    found = baselines(project)
    assert found.keys() == old.keys()
    assert [found[name] == new[name] for name in sorted(found)] == [n < at - 1 for n in range(3)]


def test_a_kill_leaves_every_file_old_or_new_and_the_next_one_cleans_up(project, vtcfaith, states) -> None:
    old, new = states
    for delay in (0.0, 0.02, 0.04):
        running = process(project, "whole")
        folder = project / "data" / "baselines" / "mine"
        deadline = time.monotonic() + 30
        while not any(folder.glob(".*.json.*")) and running.poll() is None and time.monotonic() < deadline:
            pass
        time.sleep(delay / 10)
        running.kill()
        running.communicate()
        found = baselines(project)
        for name in old:
            assert found[name] in (old[name], new[name])
    (folder / ".rewriting-en-random.json.1").write_text("{", encoding="utf-8")
    assert vtcfaith("accept", "whole", "--yes")[0] == 0
    assert baselines(project) == new


def test_two_at_once_are_never_mixed(project, states) -> None:
    old, new = states
    (project / "data" / "baselines" / "mine" / "rewriting-en-random.json").unlink()
    both = [process(project, name) for name in ("accepted", "whole")]
    said = [running.communicate(timeout=60)[0].decode("utf-8") for running in both]
    assert baselines(project) in (old, new)
    assert 0 in [running.returncode for running in both], said


def test_what_was_accepted_meanwhile_is_not_overwritten(project, states, monkeypatch, vtcfaith) -> None:
    from pytest_vtcfaith.cli import accept as command

    def meanwhile(question: str, yes: bool) -> bool:
        path = project / "data" / "baselines" / "mine" / "rewriting-en-random.json"
        path.write_bytes(states[1]["mine/rewriting-en-random.json"])
        return True

    monkeypatch.setattr(sys.modules["pytest_vtcfaith.cli.accept"], "confirmed", meanwhile)
    assert callable(command)
    status, said = vtcfaith("accept", "whole")
    assert status == 2
    assert "has changed since it was shown" in said
    assert baselines(project) == {
        **states[0],
        "mine/rewriting-en-random.json": states[1]["mine/rewriting-en-random.json"],
    }


def test_a_folder_that_cannot_be_made_is_said_before_the_question(project, vtcfaith) -> None:
    (project / "a-file").write_text("", encoding="utf-8")
    status, said = vtcfaith("accept", "whole", "--vtc-baselines", "a-file/baselines", given="y\n")
    assert status == 2
    assert "--vtc-baselines" in said
    assert "cannot be written" in said
    assert "Write " not in said


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_an_error(project, vtcfaith, states) -> None:
    folder = project / "data" / "baselines" / "mine"
    folder.chmod(0o555)
    status, said = vtcfaith("accept", "whole", "--yes")
    folder.chmod(0o755)
    assert status == 2
    assert "Permission denied" in said
    assert baselines(project) == states[0]


def test_a_folder_that_cannot_be_written_is_an_error(project, vtcfaith, states, monkeypatch) -> None:
    real = Path.open

    def denied(self: Path, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        if "w" in mode and self.parent.name == "mine":
            raise PermissionError(13, "Permission denied", str(self))
        return real(self, mode, *arguments, **options)

    monkeypatch.setattr(Path, "open", denied)
    status, said = vtcfaith("accept", "whole", "--yes")
    assert status == 2
    assert "Permission denied" in said
    assert baselines(project) == states[0]
    assert all(read_baseline(project / "data" / "baselines" / name) is not None for name in states[0])


def test_a_file_that_stays_as_it_is_may_not_change_meanwhile_either(project, states, monkeypatch, vtcfaith) -> None:
    old, new = states
    random, scramble = "mine/rewriting-en-random.json", "mine/rewriting-en-scramble.json"
    baselines_folder = project / "data" / "baselines"
    (baselines_folder / random).write_bytes(new[random])  # another accept is half way

    def meanwhile(question: str, yes: bool) -> bool:
        (baselines_folder / scramble).write_bytes(new[scramble])
        return True

    monkeypatch.setattr(sys.modules["pytest_vtcfaith.cli.accept"], "confirmed", meanwhile)
    status, said = vtcfaith("accept", "accepted")
    assert status == 2
    assert "has changed since it was shown" in said
    assert baselines(project) == {**old, random: new[random], scramble: new[scramble]}
