"""`vtcfaith compare` pairs two runs by document; `vtcfaith prune` removes what no run reads, and nothing else."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from made_runs import read_rows, write_rows

from pytest_vtcfaith.gating.baselines import baseline_path, read_baseline, sealed, write_baseline


def compared(vtcfaith: Any, *arguments: str) -> dict[tuple[str, str], dict[str, Any]]:
    status, said = vtcfaith("compare", *arguments, "--json")
    assert status == 0, said
    rows = [json.loads(line) for line in said.split("\n") if line]
    return {(row["tier"].rpartition("/")[2], row["metric"]): row for row in rows}


def test_the_loss_is_that_of_documents_in_both(project, vtcfaith) -> None:
    rows = compared(vtcfaith, "accepted", "whole", "--metric", "word_accuracy")
    row = rows["scramble", "word_accuracy"]
    later = [r for r in read_rows(project / "whole" / "results.jsonl") if r["tier"].endswith("scramble")]
    kept = [r["metrics"] for r in later if r["document"] != "doc-0005"]  # its random page was not read
    b = 1 - sum(m["word_edits"] for m in kept) / sum(m["reference_words"] for m in kept)
    assert (row["a"], row["documents"]) == (1.0, 7)
    assert row["b"] == pytest.approx(b)
    assert row["loss"] == pytest.approx(1.0 - b)
    assert 0 < row["low"] <= row["loss"] <= row["high"]
    assert (len(row["worse"]), len(row["better"]), row["cases"]) == (8, 0, 8)
    back = compared(vtcfaith, "whole", "accepted", "--metric", "word_accuracy")["scramble", "word_accuracy"]
    assert back["loss"] == pytest.approx(-row["loss"])
    assert (len(back["worse"]), len(back["better"])) == (0, 8)


def test_the_same_run_twice_differs_in_nothing(project, vtcfaith) -> None:
    for row in compared(vtcfaith, "whole", "whole").values():
        assert (row["loss"], row["low"], row["high"], row["worse"], row["better"]) == (0, 0, 0, [], [])


def test_the_table_names_both_directions(project, vtcfaith) -> None:
    rows = read_rows(project / "whole" / "results.jsonl")
    write_rows(project / "less.jsonl", [row for row in rows if row["case"] != "doc-0007-original"])
    status, said = vtcfaith("compare", "accepted", "less.jsonl")
    assert status == 0
    assert "A: mine (accepted)" in said
    assert "worse: doc-0005-random: 1.0000 → empty" in said
    assert "… and 3 more" in said
    assert "1 cases only in A" in said
    assert "better: doc-0005-random: empty → 1.0000" in vtcfaith("compare", "less.jsonl", "accepted")[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("whole", "nowhere"), "there is no such file"),
        (("whole", "whole", "--metric", "word_acuracy"), "did you mean 'word_accuracy'"),
        (("whole", "whole", "--model-b", "other"), "choose one of mine"),
        (("whole", "whole", "--vtc-tier", "rewriting/xx/*"), "no case is measured in both"),
    ],
)
def test_what_cannot_be_compared(project, vtcfaith, arguments: tuple[str, ...], words: str) -> None:
    status, said = vtcfaith("compare", *arguments)
    assert status == 2
    assert words in said


# --- prune -----------------------------------------------------------------------------------------------------


def folder_of(project: Path) -> Path:
    return project / "data" / "baselines"


def add(project: Path, model: str, tier: str, adapter: str) -> Path:
    """A baseline like the project's own, of another model or tier."""
    record = read_baseline(folder_of(project) / "mine" / "rewriting-en-random.json")
    assert record is not None
    path = baseline_path(folder_of(project), model, tier)
    provenance = {**record["provenance"], "adapter": adapter}
    write_baseline(path, sealed({**record, "model": model, "tier": tier, "provenance": provenance}))
    return path


def test_nothing_is_unused(project, vtcfaith) -> None:
    status, said = vtcfaith("prune")
    assert status == 0, said
    assert "every baseline is of a model and a tier that exist" in said


def test_tiers_and_models_that_are_gone(project, vtcfaith) -> None:
    kept = {path: path.read_bytes() for path in folder_of(project).rglob("*.json")}
    old_tier = add(project, "mine", "rewriting/en/visual", "replay")
    old_model = add(project, "yours", "rewriting/en/random", "replay")
    registered = add(project, "ours", "rewriting/en/random", "registered:ours")
    foreign = folder_of(project) / "mine" / "notes.txt"
    foreign.write_text("mine", encoding="utf-8")
    status, said = vtcfaith("prune", given="n\n")
    assert status == 1
    assert f"{old_tier}: no manifest has a case of the tier rewriting/en/visual" in said
    assert f"{old_model}: the model yours does not exist" in said
    assert old_tier.exists()
    status, said = vtcfaith("prune", "--yes")
    assert status == 0, said
    assert not old_tier.exists()
    assert not old_model.parent.exists()
    assert registered.exists()
    assert foreign.exists()
    assert {path: path.read_bytes() for path in kept} == kept
    assert vtcfaith("prune", "--model", "ours", "--yes")[0] == 0
    assert not registered.exists()


def test_a_spoiled_baseline_of_a_tier_that_exists_is_kept(project, vtcfaith) -> None:
    path = folder_of(project) / "mine" / "rewriting-en-random.json"
    path.write_bytes(b"{}")
    assert vtcfaith("prune", "--yes")[0] == 0
    assert path.read_bytes() == b"{}"


def test_what_lies_where_no_run_looks(project, vtcfaith) -> None:
    """Nobody reads a file in the place of another one, whatever it says of itself; and its neighbours are in use."""
    own = folder_of(project) / "mine" / "rewriting-en-random.json"
    kept = {path: path.read_bytes() for path in folder_of(project).rglob("*.json")}
    other_model = folder_of(project) / "a-copy" / own.name
    other_tier = folder_of(project) / "mine" / "rewriting-en-random-2026.json"
    deeper = folder_of(project) / "mine" / "old" / own.name
    loose = folder_of(project) / own.name
    foreign = folder_of(project) / "mine" / "settings.json"
    foreign_outside = folder_of(project) / "notes.json"
    edited = folder_of(project) / "mine" / "edited.json"
    for path in (other_model, other_tier, deeper, loose):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(own.read_bytes())
    for path in (foreign, foreign_outside):
        path.write_text('{"mine": 1}', encoding="utf-8")
    edited.write_bytes(own.read_bytes().replace(b'"count": 8', b'"count": 9'))
    status, said = vtcfaith("prune", given="n\n")
    assert status == 1
    for path in (other_model, other_tier, deeper, loose):
        assert f"{path}: no run reads it: what it says it is, rewriting/en/random of mine, is read from {own}" in said
    assert f"{edited}: no run reads it: there is no tier whose baseline lies there" in said
    assert "Remove these 5 baselines?" in said
    assert vtcfaith("prune", "--yes")[0] == 0
    assert {path: path.read_bytes() for path in folder_of(project).rglob("*.json")} == {
        **kept,
        foreign: b'{"mine": 1}',
        foreign_outside: b'{"mine": 1}',
    }


def test_a_model_with_a_table_exists(project, vtcfaith) -> None:
    (project / "answers.jsonl").unlink()
    status, said = vtcfaith("prune")
    assert status == 0, said


def test_what_is_not_there_cannot_be_pruned(project, vtcfaith) -> None:
    status, said = vtcfaith("prune", "--model", "nobody")
    assert status == 2
    assert "has no baseline of it: there are mine" in said
    shutil.rmtree(folder_of(project))
    status, said = vtcfaith("prune")
    assert status == 2
    assert "there is no such folder of baselines" in said
