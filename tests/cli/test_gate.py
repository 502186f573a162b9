"""`vtcfaith gate`: shards merged are judged as one run; what is missing or does not go together is never green."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_runs import SHARDS, THRESHOLDS, change_run, pytest_run, read_rows, write_rows


def gates(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / "gates.json").read_text(encoding="utf-8"))
    return found


def test_four_shards_are_judged_as_one_run(project, made_project, vtcfaith) -> None:
    statuses = made_project[1]
    status, said = vtcfaith("gate", *SHARDS, "--vtc-report", "merged")
    assert (project / "merged" / "gates.json").read_bytes() == (project / "whole" / "gates.json").read_bytes()
    assert status == statuses["whole"] == 1
    assert not (project / "s1" / "gates.json").exists()
    verdicts = {row["gate"]: row["verdict"] for row in gates(project / "merged")}
    assert verdicts["mine-en-scramble-word_accuracy-regression"] == "fail"
    assert verdicts["mine-en-original-word_accuracy-regression"] == "inconclusive"
    assert verdicts["mine-en-random-failure_rate"] == "pass"
    assert "FAIL" in said
    summaries = [(project / name / "summary.md").read_text(encoding="utf-8") for name in ("merged", "whole")]
    assert summaries[0] == summaries[1]
    rows = [read_rows(project / name / "results.jsonl") for name in ("merged", "whole")]
    for found in rows:
        found[0].pop("rows_sha256")
    assert rows[0][0]["run"] == rows[1][0]["run"]
    runs = [json.loads((project / name / "run.json").read_text(encoding="utf-8")) for name in ("merged", "whole")]
    assert runs[0] == runs[1]
    for row in (*rows[0], *rows[1]):
        row.pop("seconds")
    assert rows[0] == rows[1]


def test_every_document_lies_in_one_shard(project) -> None:
    documents = [{row["document"] for row in read_rows(project / name / "results.jsonl")} for name in SHARDS]
    assert [len(found) for found in documents] == [2, 2, 2, 2]
    assert len(set().union(*documents)) == 8
    for name in SHARDS:
        rows = read_rows(project / name / "results.jsonl")
        assert len(rows) == 6
        assert {row["shard"] for row in rows} == {f"{name[1]}/4"}


def test_neither_order_nor_place_of_the_files_matters(project, vtcfaith) -> None:
    for name in SHARDS:
        (project / name / "results.jsonl").rename(project / f"results{name}.jsonl")
    (project / "answers.jsonl").unlink()  # no model is needed
    (project / "all.jsonl").write_bytes(b"".join((project / f"results{n}.jsonl").read_bytes() for n in ("s4", "s2")))
    vtcfaith("gate", "resultss3.jsonl", "all.jsonl", "resultss1.jsonl", "--vtc-report", "merged")
    assert (project / "merged" / "gates.json").read_bytes() == (project / "whole" / "gates.json").read_bytes()


def test_a_whole_run_is_judged_again(project, vtcfaith) -> None:
    vtcfaith("gate", "whole", "--vtc-report", "merged")
    for name in ("gates.json", "summary.md"):
        assert (project / "merged" / name).read_bytes() == (project / "whole" / name).read_bytes()
    status, said = vtcfaith("gate", "accepted", "--vtc-report", "merged")
    assert status == 0, said
    assert {row["verdict"] for row in gates(project / "merged")} == {"pass"}


def test_what_was_merged_can_be_merged(project, vtcfaith) -> None:
    vtcfaith("gate", *SHARDS, "--vtc-report", "merged")
    vtcfaith("gate", "merged", "--vtc-report", "again")
    assert (project / "again" / "gates.json").read_bytes() == (project / "whole" / "gates.json").read_bytes()


@pytest.mark.parametrize("missing", SHARDS)
def test_a_missing_shard_is_not_measured(project, vtcfaith, missing: str) -> None:
    """Also where half of the cases would be enough for the gate."""
    status, said = vtcfaith("gate", *(name for name in SHARDS if name != missing), "--vtc-report", "merged")
    assert status == 1
    found = gates(project / "merged")
    assert {row["verdict"] for row in found} == {"not_measured"}
    assert len(found) == len(gates(project / "whole"))
    assert all(f"shard {missing[1]}/4 of mine is missing" in row["message"] for row in found)
    assert f"NOT GREEN: shard {missing[1]}/4 of mine is missing: 6 of 24 cases were not measured" in said


def test_a_lost_row_is_not_measured(project, vtcfaith) -> None:
    rows = read_rows(project / "accepted" / "results.jsonl")
    write_rows(project / "less.jsonl", [row for row in rows if row["case"] != "doc-0001-random"])
    status, _ = vtcfaith("gate", "less.jsonl", "--vtc-report", "merged")
    assert status == 1
    verdicts = {row["gate"]: row["verdict"] for row in gates(project / "merged")}
    assert verdicts["mine-en-random-word_accuracy-regression"] == "not_measured"
    assert verdicts["mine-en-original-failure_rate"] == "pass"


def test_a_shard_given_twice_counts_once(project, vtcfaith) -> None:
    (project / "copy.jsonl").write_bytes((project / "s2" / "results.jsonl").read_bytes())
    vtcfaith("gate", *SHARDS, "copy.jsonl", "--vtc-report", "merged")
    assert (project / "merged" / "gates.json").read_bytes() == (project / "whole" / "gates.json").read_bytes()


def test_a_shard_that_was_run_twice_with_other_results_is_refused(project, vtcfaith) -> None:
    rows = read_rows(project / "s2" / "results.jsonl")
    rows[1]["metrics"]["hypothesis_chars"] += 1
    write_rows(project / "copy.jsonl", rows)
    status, said = vtcfaith("gate", *SHARDS, "copy.jsonl")
    assert status == 2
    assert f"copy.jsonl, line 2: case {rows[1]['case']} has another result in s2/results.jsonl, line 2" in said


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"selection_sha256": "0" * 64}, "is made with other cases than s1/results.jsonl (shard 1/4)"),
        ({"thresholds_sha256": "0" * 64}, "is made with other thresholds"),
        ({"profile": "verbatim/0"}, "is made with another scoring profile"),
        ({"seed": 7}, "is made with another seed"),
        ({"limit": 3}, "is made with another limit"),
        ({"shard": "2/3"}, "s2/results.jsonl: is shard 2/3, s1/results.jsonl is shard 1/4"),
        ({"shard": None}, "s2/results.jsonl: is a whole run"),
        ({"shard": "3/4"}, "is not of shard 3/4"),
        ({"versions": {"pytest-vtcfaith": "0.0.1"}}, "was made by pytest-vtcfaith 0.0.1"),
    ],
)
def test_results_that_do_not_go_together_are_refused(project, vtcfaith, fields: dict[str, Any], words: str) -> None:
    (project / "vtcfaith-report").mkdir()
    (project / "vtcfaith-report" / "gates.json").write_text("[]", encoding="utf-8")
    change_run(project / "s2" / "results.jsonl", **fields)
    status, said = vtcfaith("gate", *SHARDS)
    assert status == 2
    assert words in said.replace("\n", " ")
    assert not (project / "vtcfaith-report" / "gates.json").exists()


def test_results_of_another_revision_of_the_model_are_refused(project, vtcfaith) -> None:
    rows = read_rows(project / "s2" / "results.jsonl")
    rows[0]["run"]["models"][0]["revision"] = "other"
    write_rows(project / "s2" / "results.jsonl", rows)
    status, said = vtcfaith("gate", *SHARDS)
    assert status == 2
    assert "revision of the model mine is 'other', in s1/results.jsonl" in said


def other_thresholds(project: Path) -> None:
    (project / "thresholds.toml").write_text(THRESHOLDS.replace("0.5", "0.6"), encoding="utf-8")


def other_texts(project: Path) -> None:
    from made_runs import DOCUMENTS, manifest_rows, write_rewriting

    rows = manifest_rows(DOCUMENTS)
    for row in rows[3:6]:  # doc-0001
        row["text"] += " more"
        row["original"] += " more"
    write_rewriting(project / "data" / "rewriting-en.jsonl", rows)


def no_cases(project: Path) -> None:
    (project / "data" / "rewriting-en.jsonl").unlink()


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (other_thresholds, "was made with other thresholds than"),
        (other_texts, "of mine has another text than of"),
        (no_cases, "no manifest (*.jsonl) in this folder"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_other_files_here_than_there_are_refused(project, vtcfaith, spoil: Callable[[Path], None], words: str) -> None:
    spoil(project)
    status, said = vtcfaith("gate", *SHARDS)
    assert status == 2
    assert words in said


def test_comments_in_the_thresholds_do_not_matter(project, vtcfaith) -> None:
    (project / "thresholds.toml").write_text(f"# mine\r\n{THRESHOLDS}", encoding="utf-8")
    vtcfaith("gate", *SHARDS, "--vtc-report", "merged")
    assert (project / "merged" / "gates.json").read_bytes() == (project / "whole" / "gates.json").read_bytes()


def test_a_run_that_was_cut_short_is_never_green(project, vtcfaith) -> None:
    change_run(project / "accepted" / "results.jsonl", complete=False, problems=["the run was cut short"])
    status, said = vtcfaith("gate", "accepted")
    assert status == 1
    assert "NOT GREEN: the run was cut short" in said


def test_a_failed_test_of_any_machine_fails_all(project, vtcfaith) -> None:
    failed = {"test": "own.py::test_mine", "file": "", "line": 0, "message": "assert 1 == 2"}
    change_run(project / "accepted" / "results.jsonl", failures=[failed])
    status, _ = vtcfaith("gate", "accepted", "--vtc-report", "merged")
    assert status == 1
    assert "own.py::test\\_mine" in (project / "merged" / "summary.md").read_text(encoding="utf-8").replace(
        "test_mine", "test\\_mine"
    )


def test_the_report_never_takes_the_place_of_what_is_merged(project, vtcfaith) -> None:
    before = (project / "s1" / "results.jsonl").read_bytes()
    status, said = vtcfaith("gate", *SHARDS, "--vtc-report", "s1")
    assert status == 2
    assert "holds results that are to be merged" in said
    assert (project / "s1" / "results.jsonl").read_bytes() == before


def test_an_inconclusive_gate_does_what_was_asked(project, vtcfaith) -> None:
    vtcfaith("gate", *SHARDS, "--vtc-report", "merged", "--vtc-inconclusive", "pass")
    summary = (project / "merged" / "summary.md").read_text(encoding="utf-8")
    assert "mine-en-original-word_accuracy-regression" not in summary
    assert "mine-en-scramble-word_accuracy-regression" in summary
    status, said = vtcfaith("gate", *SHARDS, "--vtc-inconclusive", "maybe")
    assert status == 2
    assert "give fail, warn or pass" in said


def test_no_message_is_cut_and_failures_come_in_one_order(project, vtcfaith) -> None:
    """Those of a project's own tests too, which come before gates, whatever they are called."""
    (project / "cases" / "test_zzz.py").write_text(
        "import pytest\n\n\ndef test_long() -> None:\n    pytest.fail('Not well. ' + 'word ' * 120 + 'end')\n\n\n"
        "def test_endless() -> None:\n    pytest.fail('A sentence. ' * 900)\n",
        encoding="utf-8",
    )
    assert pytest_run(project, "again") == 1
    vtcfaith("gate", "again", "--vtc-report", "merged")
    places = [project / name for name in ("merged", "again")]
    summaries = [(place / "summary.md").read_text(encoding="utf-8") for place in places]
    assert summaries[0] == summaries[1]
    runs = [json.loads((place / "run.json").read_text(encoding="utf-8")) for place in places]
    assert runs[0] == runs[1] == read_rows(places[0] / "results.jsonl")[0]["run"]
    failures = {failure["test"].rpartition("::")[2]: failure["message"] for failure in runs[0]["failures"]}
    assert [failure["test"] for failure in runs[0]["failures"]] == sorted(f["test"] for f in runs[0]["failures"])
    assert failures["test_long"] == "Not well. " + "word " * 120 + "end"
    assert failures["test_long"] in summaries[0]
    assert 900 < len(failures["test_endless"]) < 1000
    assert failures["test_endless"].endswith("A sentence. …")


def score_with(**fields: Any) -> Callable[[dict[str, Any]], None]:
    return lambda row: row["metrics"].update(fields)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda row: row.update(metrics={}), "metrics lacks 'cer', which a case with outcome 'complete' has"),
        (lambda row: row["metrics"].pop("word_edits"), "metrics lacks 'word_edits'"),
        (score_with(word_edits=1e308), "word_edits is 1e+308, which no metric can be"),
        (score_with(word_edits=10**400), "word_edits is"),
        (score_with(word_edits=-1), "word_edits is -1, no count"),
        (score_with(word_edits=0.5), "word_edits is 0.5, no count"),
        (score_with(word_edits=None), "word_edits is None, no count"),
        (score_with(word_accuracy=1.5), "word_accuracy is 1.5, no share from 0 to 1"),
        (score_with(wer=-0.5), "wer is -0.5, no rate of 0 or more"),
        (score_with(word_accuracy=0.25), "word_accuracy is 0.25, its counts make it 1.000000"),
        (score_with(wer=None), "wer is None, its counts make it 0.000000"),
        (score_with(mine=1), "metrics has 'mine', which no case"),
        (lambda row: row.update(tier="rewriting/en/random"), "tier is 'rewriting/en/random', that of the case is"),
        (lambda row: row.update(document="other"), "document is 'other', that of the case is"),
        (lambda row: row.update(outcome="empty"), "metrics has"),
        (lambda row: row.update(outcome="fine"), "outcome 'fine' is unknown"),
    ],
)
def test_a_row_that_is_no_score_is_refused(
    project, vtcfaith, change: Callable[[dict[str, Any]], Any], words: str
) -> None:
    """Also where somebody has made its checksum right."""
    path = project / "accepted" / "results.jsonl"
    rows = read_rows(path)
    number = next(n for n, row in enumerate(rows) if row["case"] == "doc-0002-original")
    change(rows[number])
    write_rows(path, rows)
    status, said = vtcfaith("gate", "accepted")
    assert status == 2
    assert words in said
    assert f"accepted/results.jsonl, line {number + 1}: " in said


def test_an_edited_file_is_refused(project, vtcfaith) -> None:
    path = project / "whole" / "results.jsonl"
    path.write_text(
        path.read_text(encoding="utf-8").replace('"failures": [{', '"failures": [], "f": [{'), encoding="utf-8"
    )
    status, said = vtcfaith("gate", "whole")
    assert status == 2
    assert "whole/results.jsonl, line 1: the 24 rows from here were edited or cut" in said


def test_a_shard_that_was_cut_short_is_never_green(project, vtcfaith) -> None:
    change_run(project / "accepted" / "results.jsonl", complete=False)
    status, said = vtcfaith("gate", "accepted")
    assert status == 1
    assert "NOT GREEN: accepted/results.jsonl: the run was cut short" in said


def test_a_folder_that_is_named_twice_counts_once(project, vtcfaith) -> None:
    vtcfaith("gate", *SHARDS, "s2", "s3/results.jsonl", "--vtc-report", "merged")
    assert (project / "merged" / "gates.json").read_bytes() == (project / "whole" / "gates.json").read_bytes()


def test_baselines_that_are_not_there_are_a_slip(project, vtcfaith) -> None:
    status, said = vtcfaith("gate", "accepted", "--vtc-baselines", "nowhere")
    assert status == 2
    assert "--vtc-baselines nowhere: there is no such folder" in said
    assert pytest_run(project, "other", "--vtc-baselines=nowhere") == 4
    assert pytest_run(project, "other", "--vtc-baselines=nowhere", "--snapshot-update") in (0, 1)
    assert (project / "nowhere").is_dir()


def test_what_a_shard_had_not_selected_is_not_missing(project, vtcfaith) -> None:
    assert pytest_run(project, "s2", "--vtc-shard=2/4", "-k", "not scramble") in (0, 1)
    status, said = vtcfaith("gate", *SHARDS, "--vtc-report", "merged")
    assert status == 1
    assert "NOT GREEN: 2 cases were not selected in shard 2/4" in said
    assert "missing" not in said
    found = {row["gate"]: row for row in gates(project / "merged")}
    row = found["mine-en-scramble-failure_rate"]
    assert row["verdict"] == "not_measured"
    assert row["message"].startswith("not selected in shard 2/4 (2 of 8 cases)")
    assert found["mine-en-original-failure_rate"]["verdict"] == "pass"


def test_a_suspicious_improvement_reaches_somebody(project, vtcfaith) -> None:
    """The run with worse answers as the baseline, against which the better ones are held."""
    assert vtcfaith("accept", "whole", "--yes")[0] == 0
    vtcfaith("gate", "accepted", "--vtc-report", "merged")
    summary = (project / "merged" / "summary.md").read_text(encoding="utf-8")
    _, said = vtcfaith("gate", "accepted", "--vtc-report", "merged")
    for text in (summary, said):
        assert "pass, suspiciously better" in text
        assert "are model, text and scoring the same as those of the baseline?" in text
