"""Editors in host processes: edits with different instructions go out in one call, and each gets its own picture."""

from __future__ import annotations

import json

import pytest
from editbench import CASES, EDITS, add_edits
from hostbench import batches, logged

HOST = """
import os

@register_model("hosted", lives="host", revision="1")
class Hosted(ReferenceEditor):
    def __init__(self):
        super().__init__("perfect", rows())

    def edit(self, images, instructions):
        with open(HERE / "calls.log", "a") as file:
            file.write(json.dumps([os.getpid(), "edit", list(instructions)]) + chr(10))
        found = super().edit(images, instructions)
        return [Reply(text=None, refusal="no") if "plot" in text.lower() and (HERE / "refuse").exists() else picture
                for picture, text in zip(found, instructions)]

    def transcribe(self, images, prompt):
        with open(HERE / "calls.log", "a") as file:
            file.write(json.dumps([os.getpid(), "read", ["" for _ in images]]) + chr(10))
        return ["a page of some words that nobody wrote" for _ in images]
"""
HOSTED = "--vtc-model=hosted"


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_edits_of_several_pages_go_out_together(bench, workers: str) -> None:
    add_edits(bench, more=HOST)
    found = bench.run(*EDITS, HOSTED, workers)
    assert found.status == 0, found.text
    assert batches(bench.path) == [len(CASES)]
    ((_, _, instructions),) = logged(bench.path, "calls.log")
    assert len(set(instructions)) == len(CASES)
    for case in CASES:
        row = found.results[case]
        assert (row["outcome"], row["metrics"]["edit_fidelity"]) == ("complete", 1.0)
        assert (found.folder / row["picture"]).is_file()
    (host,) = json.loads((found.folder / "hosts.json").read_text(encoding="utf-8"))
    assert (host["pages"], host["batches"]) == (len(CASES), 1)
    (bench.path / "calls.log").unlink()
    again = bench.run(*EDITS, HOSTED, workers)
    assert again.status == 0, again.text
    assert not (bench.path / "calls.log").exists()  # the store has the pictures
    assert {row["cached"] for row in again.results.values()} == {True}
    assert {case: row["picture_sha256"] for case, row in again.results.items()} == {
        case: row["picture_sha256"] for case, row in found.results.items()
    }


def test_a_refusal_among_pictures(bench) -> None:
    add_edits(bench, more=HOST)
    (bench.path / "refuse").touch()
    found = bench.run(*EDITS, HOSTED)
    outcomes = {case: row["outcome"] for case, row in found.results.items()}
    assert outcomes == {case: "refused" if "plot" in case else "complete" for case in CASES}, found.text


def test_a_host_that_reads_and_edits_does_each_in_calls_of_its_own(bench) -> None:
    add_edits(bench, CASES[1:], more=HOST)
    found = bench.run("--vtc-ocr=known", HOSTED)
    calls = [(task, len(texts)) for _, task, texts in logged(bench.path, "calls.log")]
    assert sorted(calls) == [("edit", 2), ("read", 12)]
    assert {row["suite"] for row in found.results.values()} == {"editing", "rewriting"}
