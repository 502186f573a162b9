"""Results on disk: parts of several processes, reruns, torn lines, and files written in one step."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_views import NASTY, verdict

from pytest_vtcfaith.report.results import append_result, begin, gather, write_atomic, write_gates, write_results


def row(case: str = "d1", **fields: Any) -> dict[str, Any]:
    return {"case": case, "suite": "rewriting", "model": "m", "metrics": {"wer": 0.25}, "transcript": "text"} | fields


def results(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "results.jsonl").read_text(encoding="utf-8").split("\n") if line]


def test_rows_are_gathered_from_all_processes_and_sorted(tmp_path: Path) -> None:
    for process, case in (("gw1", "d3"), ("gw0", "d2"), ("gw1", "d1"), ("main", "d4")):
        append_result(tmp_path, process, row(case))
    append_result(tmp_path, "gw0", row("d1", model="a"))
    append_result(tmp_path, "gw0", row("d1", suite="preservation"))
    found = gather(tmp_path)
    assert [(r["model"], r["suite"], r["case"]) for r in found] == [
        ("a", "rewriting", "d1"),
        ("m", "preservation", "d1"),
        *(("m", "rewriting", f"d{i}") for i in (1, 2, 3, 4)),
    ]
    assert found[2] == row("d1")
    assert write_results(tmp_path) == tmp_path / "results.jsonl"
    assert results(tmp_path) == found
    assert not (tmp_path / "parts").exists()


@pytest.mark.parametrize("processes", [("gw0", "gw0", "gw0"), ("gw9", "gw0", "gw1"), ("a", "z", "a")])
def test_of_a_case_asked_again_the_last_answer_counts(tmp_path: Path, processes: tuple[str, ...]) -> None:
    for number, process in enumerate(processes):
        append_result(tmp_path, process, row(transcript=f"answer {number}"))
    for path in (tmp_path / "parts" / "run").iterdir():
        os.utime(path, ns=(1, 1))  # whatever the file system says
    os.utime(tmp_path / "parts" / "run" / f"{processes[0]}.jsonl", ns=(9, 9))
    append_result(tmp_path, processes[0], row("d2"))  # the first part is written to again
    assert [r["transcript"] for r in gather(tmp_path)] == ["answer 2", "text"]


def test_the_clock_is_shared_by_processes(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from pytest_vtcfaith.report.results import append_result\n"
        "append_result(Path(sys.argv[1]), sys.argv[2], "
        "{'case': 'd1', 'suite': 's', 'model': 'm', 'transcript': sys.argv[2]})"
    )
    for process in ("gw2", "gw0", "gw1"):
        subprocess.run(
            [sys.executable, "-c", program, str(tmp_path), process], check=True, env={"PYTHONPATH": ":".join(sys.path)}
        )
    assert [r["transcript"] for r in gather(tmp_path)] == ["gw1"]


def test_a_torn_line_is_left_out_wherever_it_is_cut(tmp_path: Path) -> None:
    append_result(tmp_path, "gw0", row("d1"))
    whole = (tmp_path / "parts" / "run" / "gw0.jsonl").read_bytes()
    append_result(tmp_path, "gw0", row("d2"))
    both = (tmp_path / "parts" / "run" / "gw0.jsonl").read_bytes()
    for length in range(len(whole), len(both) - 1):
        (tmp_path / "parts" / "run" / "gw0.jsonl").write_bytes(both[:length])
        if length < len(both) - 2:
            assert [r["case"] for r in gather(tmp_path)] == ["d1"]
        append_result(tmp_path, "gw0", row("d3"))  # after the disk has room again
        assert [r["case"] for r in gather(tmp_path)][-1] == "d3"
        assert gather(tmp_path)[0] == row("d1")


def test_nothing_was_written(tmp_path: Path) -> None:
    assert gather(tmp_path / "none") == []
    write_results(tmp_path)
    assert (tmp_path / "results.jsonl").read_bytes() == b""


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_categories=()), max_size=30) | st.sampled_from([NASTY, "a\x0cb\u2028\x85\r\n"]))
def test_every_transcript_survives(tmp_path: Path, text: str) -> None:
    append_result(tmp_path, "gw0", row(transcript=text))
    write_results(tmp_path)
    data = (tmp_path / "results.jsonl").read_bytes()
    assert data.isascii()
    assert results(tmp_path) == [row(transcript=text)]


def test_a_megabyte_transcript_survives(tmp_path: Path) -> None:
    append_result(tmp_path, "gw0", row(transcript="海" * 1_000_000))
    write_results(tmp_path)
    assert results(tmp_path)[0]["transcript"] == "海" * 1_000_000


# --- the report folder ---


def test_a_run_removes_what_an_earlier_one_left(tmp_path: Path) -> None:
    append_result(tmp_path, "gw0", row())
    write_results(tmp_path)
    append_result(tmp_path, "gw1", row("torn"))
    for name in ("gates.json", "summary.md", "mine.txt", "pages/m-d1.png", "pages/notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x", encoding="utf-8")
    begin(tmp_path)
    left = {p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file()}
    assert left == {"mine.txt", "pages/notes.txt"}
    assert gather(tmp_path) == []
    begin(tmp_path)


def test_two_sessions_in_one_folder_keep_their_results_apart(tmp_path: Path) -> None:
    begin(tmp_path, "first")
    append_result(tmp_path, "gw0", row("d1"), "first")
    begin(tmp_path, "second")
    append_result(tmp_path, "gw0", row("d2"), "second")
    append_result(tmp_path, "gw0", row("d3"), "first")
    write_results(tmp_path, "first")
    assert [r["case"] for r in results(tmp_path)] == ["d1", "d3"]
    write_results(tmp_path, "second")
    assert [r["case"] for r in results(tmp_path)] == ["d2"]
    assert not (tmp_path / "parts").exists()


def test_parts_of_a_session_that_was_killed_long_ago_are_removed(tmp_path: Path) -> None:
    append_result(tmp_path, "gw0", row("d1"), "killed")
    os.utime(tmp_path / "parts" / "killed", (1, 1))
    begin(tmp_path, "now")
    assert not (tmp_path / "parts" / "killed").exists()


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "holiday.png").write_bytes(b"x")
    begin(tmp_path)
    assert (tmp_path / "pages" / "holiday.png").exists()
    begin(tmp_path / "new" / "folder")
    assert (tmp_path / "new" / "folder").is_dir()


# --- gates.json ---


def test_gates_are_sorted_and_plain(tmp_path: Path) -> None:
    rows = [verdict(gate="z").row(), verdict("not_measured", gate="a", value=None, message=NASTY).row()]
    data = json.loads(write_gates(tmp_path, rows).read_text(encoding="utf-8"))
    assert [r["gate"] for r in data] == ["a", "z"]
    assert data[0]["message"] == NASTY
    assert set(data[0]) >= {
        "gate",
        "tier",
        "model",
        "metric",
        "value",
        "low",
        "high",
        "min",
        "max",
        "baseline",
        "verdict",
        "measured",
        "expected",
        "inapplicable",
    }
    before = (tmp_path / "gates.json").read_bytes()
    write_gates(tmp_path, rows[::-1])
    assert (tmp_path / "gates.json").read_bytes() == before


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_gates_hold_no_nan(tmp_path: Path, number: float) -> None:
    write_gates(tmp_path, [])
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_gates(tmp_path, [verdict(value=number).row()])
    assert json.loads((tmp_path / "gates.json").read_text(encoding="utf-8")) == []


# --- in one step ---


@pytest.mark.parametrize("broken", ["fsync", "replace", "pieces"])
def test_a_write_that_breaks_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    path = tmp_path / "summary.md"
    write_atomic(path, ["old\n"])

    def full(*_: Any, **__: Any) -> Any:
        raise OSError(28, "No space left on device")

    def pieces() -> Any:
        yield "new"
        if broken == "pieces":
            full()

    if broken == "fsync":
        monkeypatch.setattr(os, "fsync", full)
    if broken == "replace":
        monkeypatch.setattr(os, "replace", full)
        monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        write_atomic(path, pieces())
    assert path.read_bytes() == b"old\n"
    assert [p.name for p in tmp_path.iterdir()] == ["summary.md"]


def test_a_file_is_utf_8_with_plain_line_ends(tmp_path: Path) -> None:
    write_atomic(tmp_path / "deep" / "a.md", ["灯塔 ≥\n", "é\n"])
    assert (tmp_path / "deep" / "a.md").read_bytes() == "灯塔 ≥\né\n".encode()
