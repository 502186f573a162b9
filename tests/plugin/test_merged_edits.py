"""Shards of edits merged, and edits recorded and replayed: pictures and instruments go along."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from editbench import CASES, EDITS, NO_OP, PERFECT, add_edits
from smallbench import Bench, Found
from typer.testing import CliRunner

from pytest_vtcfaith.cli import app


def vtcfaith(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, [*map(str, arguments)])
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


def run(bench: Bench, *arguments: str) -> Found:
    return bench.run(*EDITS, "-p", "no:cacheprovider", *arguments)


def rows(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "results.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def test_shards_of_edits_are_judged_as_one_run(bench: Bench) -> None:
    add_edits(bench)
    whole = run(bench, PERFECT, "--vtc-report=whole")
    assert whole.status == 0, whole.text
    for shard in "12":
        assert run(bench, PERFECT, f"--vtc-shard={shard}/2", f"--vtc-report=s{shard}").status == 0
    places = ("--vtc-cases", "data", "--vtc-thresholds", "thresholds.toml", "--vtc-report", "merged")
    vtcfaith("gate", "s1", "s2", *places)
    gates = [(bench.path / name / "gates.json").read_bytes() for name in ("merged", "whole")]
    assert gates[0] == gates[1]
    merged = rows(bench.path / "merged")
    assert {row["case"] for row in merged} == set(CASES)
    for row in merged:
        before = bench.path / "whole" / row["picture"]
        assert (bench.path / "merged" / row["picture"]).read_bytes() == before.read_bytes()

    for picture in (bench.path / "s2" / "pictures").iterdir():  # results.jsonl alone came over
        picture.unlink()
    vtcfaith("gate", "s1", "s2", *places)
    assert (bench.path / "merged" / "gates.json").read_bytes() == gates[1]
    for row in rows(bench.path / "merged"):
        assert "picture_sha256" in row
        assert (bench.path / "merged" / row["picture"]).is_file() if "picture" in row else True
    assert 0 < sum("picture" in row for row in rows(bench.path / "merged")) < len(CASES)

    other = bench.run(
        "--vtc-suite=editing", "--vtc-ocr=blind", PERFECT, "--vtc-shard=2/2", "--vtc-report=s3", fresh=True
    )
    assert other.status == 0, other.text
    said = vtcfaith("gate", "s1", "s3", *places, code=2)
    assert "other instruments" in said
    assert "--vtc-ocr" in said


def test_edits_recorded_and_replayed_come_to_the_same_gates(bench: Bench) -> None:
    add_edits(bench)
    first = run(bench, NO_OP, "--vtc-report=first")
    assert first.status == 1
    out = bench.path / "kept" / "edits.jsonl"
    out.parent.mkdir()
    assert "3 replies" in vtcfaith("record", "--vtc-report", bench.path / "first", "--out", out)
    replayed = [json.loads(line) for line in out.read_text(encoding="utf-8").split("\n") if line]
    for row in replayed:
        assert (row["task"], row["text"], row["picture"]) == ("edit", None, f"edits-pictures/no-op-{row['case']}.png")
        png = bench.path / "first" / "pictures" / f"no-op-{row['case']}.png"
        assert (out.parent / row["picture"]).read_bytes() == png.read_bytes()
    again = run(bench, f"--vtc-model=replay:{out.relative_to(bench.path)}", "--vtc-report=again")
    before, after = (
        {row["case"]: (row["outcome"], row["metrics"], row["picture_sha256"]) for row in rows(bench.path / name)}
        for name in ("first", "again")
    )
    assert after == before, again.text
    assert again.status == 1

    (bench.path / "first" / "pictures" / "no-op-en-form-plot.png").unlink()
    said = vtcfaith("record", "--vtc-report", bench.path / "first", "--out", bench.path / "b.jsonl", code=2)
    assert "no-op-en-form-plot.png: there is no such picture, which case en-form-plot gave: run the cases again" in said
    assert not (bench.path / "b.jsonl").exists()
