"""`vtcfaith report`: the report of a run from its files alone, as the run wrote it."""

from __future__ import annotations

import json
import resource
from pathlib import Path

import pytest
from PIL import Image


def pieces(folder: Path) -> dict[str, str]:
    return {p.name: p.read_text(encoding="utf-8") for p in (folder / "vtc-html" / "data").iterdir()}


def test_the_report_of_files_is_that_of_the_run(project, vtcfaith) -> None:
    written = pieces(project / "whole")
    assert (project / "whole" / "index.html").is_file()
    (project / "answers.jsonl").unlink()  # no model is needed
    status, said = vtcfaith("report", "whole/results.jsonl", "--out", "public")
    assert status == 0, said
    assert "24 cases" in said
    again = pieces(project / "public")
    assert again["overview.js"] == written["overview.js"]
    assert again["cases-0.js"] == written["cases-0.js"]


def test_beside_the_results_unless_told_otherwise(project, vtcfaith) -> None:
    (project / "whole" / "index.html").unlink()
    status, _ = vtcfaith("report", "whole")
    assert status == 0
    assert (project / "whole" / "index.html").is_file()


def test_shards_have_cases_and_no_verdict_and_the_merged_run_has_all(project, vtcfaith) -> None:
    status, _ = vtcfaith("report", "s1", "--out", "public")
    assert status == 0
    overview = pieces(project / "public")["overview.js"]
    assert '"gates":[]' in overview
    vtcfaith("gate", "s1", "s2", "s3", "s4", "--vtc-report", "merged")
    assert pieces(project / "merged")["cases-0.js"] == pieces(project / "whole")["cases-0.js"]


@pytest.mark.parametrize("what", ["missing", "gates", "file"])
def test_what_can_be_mended_is_said_in_a_line(project, vtcfaith, what) -> None:
    if what == "missing":
        status, said = vtcfaith("report", "nowhere")
    elif what == "gates":
        (project / "whole" / "gates.json").write_text("[{}]", encoding="utf-8")
        status, said = vtcfaith("report", "whole")
        assert "gates.json, entry 1" in said
    else:
        (project / "a-file").write_text("", encoding="utf-8")
        status, said = vtcfaith("report", "whole", "--out", "a-file")
    assert status == 2
    assert "Traceback" not in said


def test_a_full_disk_is_named_and_left_as_it_was(project, vtcfaith) -> None:
    (project / "public").mkdir()
    (project / "public" / "mine.txt").write_text("kept", encoding="utf-8")
    picture = project / "whole" / "pages" / "mine-doc-0000-scramble.png"  # of the first case in the report
    picture.parent.mkdir()
    Image.new("L", (8, 8)).save(picture)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, before[1]))  # no file may be larger: as if the disk were full
    try:
        status, said = vtcfaith("report", "whole/results.jsonl", "--out", "public")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert status == 2
    assert "public/" in said.replace("\n", "")
    assert "Traceback" not in said
    assert [path.name for path in (project / "public").iterdir()] == ["mine.txt"]


def test_gates_read_back_are_those_written(project) -> None:
    from pytest_vtcfaith.report.gatesfile import read_gates

    path = project / "whole" / "gates.json"
    rows = json.loads(path.read_text(encoding="utf-8"))
    assert [json.loads(json.dumps(verdict.row())) for verdict in read_gates(path)] == rows
    assert any(row["regression"] for row in rows)
    assert any(row["wilson"] for row in rows)
