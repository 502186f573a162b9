"""Results files read back: what is cut, edited or not of this program is an error that names file and line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_vtcfaith.report.reading import ResultsError, read_parts
from pytest_vtcfaith.report.results import write_rows

ABOUT = {
    "seed": 0,
    "limit": None,
    "profile": "verbatim/1",
    "versions": {},
    "selection_sha256": "ab",
    "thresholds_sha256": "cd",
    "instruments": "",
    "asked": {"suites": [], "langs": [], "tiers": [], "renderers": [], "prompts": ["plain"]},
    "asked_twice": {},
    "models": [],
    "gates": {},
    "failures": [],
    "problems": [],
    "noise_lines": [],
    "noise": None,
    "lost": [],
    "complete": True,
    "shard": "1/2",
}


def row(case: str, **fields: Any) -> dict[str, Any]:
    texts = {"suite": "s", "tier": "s/t", "model": "m", "document": "d", "reference_sha256": "00"}
    return {"case": case, **texts, "outcome": "complete", "metrics": {"wer": 0.25, "n": 3, "x": None}, **fields}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_rows(tmp_path, [row("d1"), row("d2", reason="a\u2028b\x0c\n")], ABOUT)


def test_what_was_written_is_read(file: Path) -> None:
    for given in (file, file.parent):
        (part,) = read_parts([given])
        assert part.about == ABOUT
        assert [(number, found["case"]) for number, found in part.rows] == [(1, "d1"), (2, "d2")]
        assert part.rows[1][1]["reason"] == "a\u2028b\x0c\n"
        assert part.name.endswith("results.jsonl (shard 1/2)")


def test_several_runs_in_one_file(file: Path, tmp_path: Path) -> None:
    other = write_rows(tmp_path / "b", [row("d3")], {**ABOUT, "shard": "2/2"})
    both = tmp_path / "both.jsonl"
    both.write_bytes(file.read_bytes() + b"\n" + other.read_bytes())
    assert [(part.about["shard"], len(part.rows)) for part in read_parts([both])] == [("1/2", 2), ("2/2", 1)]


def test_a_shard_without_rows_is_none(file: Path, tmp_path: Path) -> None:
    empty = write_rows(tmp_path / "b", [], {**ABOUT, "shard": "2/2"})
    assert len(read_parts([empty, file])) == 1
    with pytest.raises(ResultsError, match="there are no results in any of the files"):
        read_parts([empty])


def changed(number: int, **fields: Any) -> Callable[[list[dict[str, Any]]], None]:
    return lambda rows: rows[number].update(fields)


def run_changed(**fields: Any) -> Callable[[list[dict[str, Any]]], None]:
    return lambda rows: rows[0]["run"].update(fields)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda rows: rows[0].pop("run"), "line 1: field 'run' is missing"),
        (lambda rows: rows.reverse(), "line 1: field 'run' is missing"),
        (changed(1, shard="2/2"), "line 2: shard is '2/2', that of its run is '1/2'"),
        (changed(1, selection_sha256="xy"), "line 2: selection_sha256 is 'xy'"),
        (changed(1, case=7), "line 2: field 'case' must be text, is 7"),
        (changed(1, outcome="fine"), "line 2: outcome 'fine' is unknown"),
        (changed(1, metrics=[1]), "line 2: metrics must be a table of numbers"),
        (changed(1, metrics={"wer": "0.2"}), "line 2: metrics must be a table of numbers"),
        (changed(1, metrics={"wer": True}), "line 2: metrics must be a table of numbers"),
        (changed(1, reason=3), "line 2: reason must be text, is 3"),
        (changed(0, run=3), "line 1: run must be a table, is 3"),
        (run_changed(seed="0"), "line 1: run: 'seed' is '0', no int"),
        (run_changed(models=[{}]), "line 1: run: models is"),
        (run_changed(failures=[1]), "line 1: run: failures is"),
        (run_changed(noise="many"), "line 1: run: noise is 'many', no number"),
        (run_changed(noise=True), "line 1: run: noise is True, no number"),
        (run_changed(limit=[3]), "line 1: run: limit is [3], no number"),
        (run_changed(asked={"suites": "all"}), "line 1: run: asked is"),
        (
            run_changed(asked_twice={"m": {"t": {"first": {"d": {"x": "1"}}, "again": {}}}}),
            "line 1: run: asked_twice is",
        ),
        (
            run_changed(asked_twice={"m": {"t": {"first": {"d": {"x": 1e308}}, "again": {}}}}),
            "line 1: run: asked_twice",
        ),
        (run_changed(gates={"g": 1}), "line 1: run: gates is"),
        (run_changed(problems=[1]), "line 1: run: problems is"),
        (run_changed(lost=None), "line 1: run: 'lost' is None, no list"),
        (run_changed(problems=["fine"]), "line 1: the 2 rows from here were edited or cut"),
        (changed(1, metrics={"wer": 0.5}), "line 1: the 2 rows from here were edited or cut"),
        (changed(0, rows_sha256=None), "line 1: the 2 rows from here were edited or cut"),
        (lambda rows: rows.pop(), "line 1: the 1 rows from here were edited or cut"),
    ],
)
def test_what_was_edited(file: Path, change: Callable[[list[dict[str, Any]]], object], words: str) -> None:
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]
    change(rows)
    file.write_text("".join(json.dumps(found) + "\n" for found in rows), encoding="utf-8")
    with pytest.raises(ResultsError) as caught:
        read_parts([file])
    assert f"{file}, {words}" in str(caught.value)
    assert "give the results.jsonl of a run of this program, whole and unedited" in str(caught.value)


@pytest.mark.parametrize("shard", ["x", "0/4", 3])
def test_a_shard_that_is_none(tmp_path: Path, shard: object) -> None:
    file = write_rows(tmp_path, [row("d1")], {**ABOUT, "shard": shard})
    with pytest.raises(ResultsError, match="not I/N"):
        read_parts([file])


def test_a_file_cut_anywhere(file: Path) -> None:
    whole = file.read_bytes()
    first = whole.index(b"\n")
    for length in range(1, len(whole) - 1, 13):
        file.write_bytes(whole[:length])
        with pytest.raises(ResultsError, match=r"is cut or no JSON object|the 1 rows from here were edited or cut"):
            read_parts([file])
    file.write_bytes(whole[: first + 1])
    with pytest.raises(ResultsError, match="the 1 rows from here were edited or cut"):
        read_parts([file])


@pytest.mark.parametrize("content", [b'{"case": NaN}', b"[]", b"\xff", b"[" * 9000])
def test_another_file(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(ResultsError, match="line 1: "):
        read_parts([file])


def test_files_that_are_not_there(file: Path) -> None:
    with pytest.raises(ResultsError, match="there is no such file"):
        read_parts([file.parent / "none.jsonl"])


def test_a_file_that_is_named_twice_counts_once(file: Path) -> None:
    assert len(read_parts([file, file.parent, file.parent / "." / file.name])) == 1
